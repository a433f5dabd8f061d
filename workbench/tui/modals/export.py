"""Exporting sessions: in which format, and where to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.session.store import SessionDir
from workbench.tui.application import WorkbenchApp
from workbench.tui.client import Outcome
from workbench.tui.modals.choice import ChoiceDialog, Option
from workbench.tui.modals.prompt import PromptDialog, Question
from workbench.tui.panes import words
from workbench.tui.settings import Memory

_ALLOW = "!"
_FORMATS = (
    Option("omnicoding", "OmniCoding run", "A run folder that the reference tools accept."),
    Option("ms-swift", "ms-swift rows", "Training rows with their pictures."),
    Option("omnicoding!", "OmniCoding run, all", "Also what would not train; faults are listed."),
    Option("ms-swift!", "ms-swift rows, all", "Also what would not train; faults are listed."),
)


def ask_export(app: WorkbenchApp, sessions: Sequence[SessionDir], memory: Memory) -> None:
    """Ask for the format and the folder, then write; what is wrong is said where it is asked."""
    title = f"Export {words.count(len(sessions), 'session')}"

    def chosen(value: str | None) -> None:
        if value is None:
            return
        allow = value.endswith(_ALLOW)
        folder = memory.text("export") or str(Path.cwd() / "export")

        async def send(text: str) -> Outcome:
            out = Path(text.strip()).expanduser()
            outcome = await _export(sessions, value.rstrip(_ALLOW), out, allow=allow)
            if outcome.ok:
                memory.keep("export", str(out))
                app.tell(outcome.sentence)
            return outcome

        hint = "The folder to write to: new or empty. Enter writes."
        app.push_screen(PromptDialog(Question(title, hint, draft=folder, rows=2), send))

    app.push_screen(ChoiceDialog(title, _FORMATS), chosen)


async def _export(
    sessions: Sequence[SessionDir], export_format: str, out: Path, *, allow: bool
) -> Outcome:
    from workbench.trajectory.export import EXPORT_FORMATS, export_sessions

    wanted = next(one for one in EXPORT_FORMATS if one == export_format)
    try:
        done = await asyncio.to_thread(export_sessions, sessions, wanted, out, allow=allow)
    except WorkbenchError as error:
        return Outcome(False, str(error))
    faults = sum(len(one.faults) for one in done)
    noted = f" {words.count(faults, 'fault')} noted." if faults else ""
    return Outcome(True, f"Wrote {words.count(len(done), 'item')} to {out}.{noted}")
