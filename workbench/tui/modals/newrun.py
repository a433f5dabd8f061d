"""A new run: the task is picked, the rest has usual values that can be changed."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static

from workbench.errors import WorkbenchError
from workbench.task import Task, load_task
from workbench.text import clean, clean_line
from workbench.tui.modals.dialog import Dialog

_FIELDS = (
    ("model", "openai:NAME · anthropic:NAME · scripted:FILE · human; empty: the task's own"),
    ("sandbox", "docker · bubblewrap · local; empty: the task's own, else the best there is"),
    ("mode", "auto · risky · review · step; empty: auto"),
    ("row", "which row, of a file with several"),
)


class NewRunDialog(Dialog[str]):
    """Starts a session and gives its id, or nothing."""

    DEFAULT_CSS = """
    NewRunDialog {
        & #question { height: auto; max-height: 6; margin: 0 0 1 0; }
        & .field { height: 1; }
        & .field Static { width: 10; color: $foreground-muted; }
        & .field Input { width: 1fr; background: $background; }
    }
    """

    def __init__(self, task: Path, model: str = "") -> None:
        """Args:
        task: the task file.
        model: what was run last.
        """
        super().__init__(f"New run · {task.name}")
        self._task_file = task
        self._inputs = {
            name: Input(model if name == "model" else "", placeholder=hint, compact=True)
            for name, hint in _FIELDS
        }
        self._is_starting = False

    def body(self) -> ComposeResult:
        """The question, and a line for each thing that can be chosen."""
        yield Static(_about(self._task_file), id="question", markup=False)
        for name, entry in self._inputs.items():
            entry.cursor_blink = False
            with Horizontal(classes="field"):
                yield Static(name, markup=False)
                yield entry

    def on_mount(self) -> None:
        """Ready to type."""
        self._inputs["model"].focus()

    @property
    def model(self) -> str:
        """What was chosen as the model."""
        return self._inputs["model"].value.strip()

    @on(Input.Submitted)
    async def _submitted(self) -> None:
        await self.action_submit()

    async def action_submit(self) -> None:
        """Start it; what is wrong is said here, and everything stays."""
        if self._is_starting:
            return
        self._is_starting = True
        self.complain("Starting…")
        try:
            session = await start_run(self._task_file, self._options())
        except WorkbenchError as error:
            self.complain(str(error))
        else:
            self.dismiss(session)
        finally:
            self._is_starting = False

    def _options(self) -> dict[str, str]:
        values = {name: entry.value.strip() for name, entry in self._inputs.items()}
        return {name: value for name, value in values.items() if value}


async def start_run(task: Path, options: dict[str, str]) -> str:
    """Run `workbench run TASK --detach`; the new session's id.

    Raises:
        WorkbenchError: with what it said, where it did not start.
    """
    command = [sys.executable, "-m", "workbench", "run", str(task), "--detach"]
    for name, value in options.items():
        command += [f"--{name}", value]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    out, err = await process.communicate()
    if process.returncode:
        said = clean(err.decode(errors="replace")).strip()
        raise WorkbenchError(said or f"The run ended at once, with {process.returncode}.")
    return clean_line(out.decode(errors="replace").strip())


def _about(path: Path) -> str:
    """The task's question, or what is wrong with its file."""
    try:
        task: Task = load_task(path)
    except WorkbenchError as error:
        return clean(str(error))
    media = ", ".join(task.media.all())
    return clean(f"{task.question}\n{media}" if media else task.question)
