"""One command of a terminal: its prompt, its output and how it stands with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.text import clean, clean_line
from workbench.tui.panes import words
from workbench.tui.panes.filelines import FileLines
from workbench.tui.panes.output import OutputSection
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

Phase = Literal["proposed", "held", "approved", "running", "done", "rejected", "skipped"]


@dataclass(frozen=True, slots=True)
class TerminalItem:
    """One action of the path, as the terminal shows it. Texts may be anything; they are cleaned."""

    action: str
    step: int
    """The step's number on the path."""
    command: str
    phase: Phase
    cwd: str = ""
    path: Path | None = None
    """The raw output; None while there is none."""
    output_bytes: int = 0
    exit_code: int | None = None
    duration_s: float | None = None
    timed_out: bool = False
    killed: str | None = None
    note: str | None = None
    """What a person said on deciding."""
    author: str = "model"
    """`model`, or `human:<name>` who typed, edited or decided it."""

    def is_same_command(self, other: TerminalItem) -> bool:
        """Whether the other is this command, perhaps further on: the prompt is the same."""
        mine = (self.action, self.command, self.cwd, self.author)
        return mine == (other.action, other.command, other.cwd, other.author)


class CommandSection(OutputSection):
    """A command, its output, and its outcome."""

    def __init__(self, item: TerminalItem, is_first: bool, shows_bytes: bool = False) -> None:
        """Args:
        item: the command.
        is_first: no blank line before it.
        shows_bytes: spell out escapes and odd bytes.
        """
        super().__init__(_output(item, None), shows_bytes)
        self.item = item
        self._is_first = is_first

    def update(self, item: TerminalItem) -> None:
        """The same command, further on."""
        self.output = _output(item, self.output)
        self.item = item
        self.note_change()

    def head(self) -> Sequence[ViewLine]:
        """The prompt as a shell shows it: where, who if not the model, and the whole command."""
        item = self.item
        prompt = LineBuilder()
        folder = clean_line(item.cwd)
        where = folder.removeprefix("/workspace").lstrip("/") if _is_inside(folder) else folder
        if where:
            prompt.add(f"{where} ", Role.MUTED)
        if item.author != "model":
            prompt.add(f"✎ {clean_line(item.author.removeprefix('human:'))} ", Role.WARN)
        prompt.add("$ ", Role.ACCENT)
        first, *rest = clean(item.command).split("\n")
        lines = [] if self._is_first else [ViewLine("")]
        lines.append(prompt.add(first, Role.STRONG).line(indent=2))
        for text in rest:
            more = LineBuilder().add("> ", Role.MUTED).add(text, Role.STRONG)
            lines.append(more.line(indent=2))
        return lines

    def head_rows(self) -> int:
        """A row for each line of the command and a blank one."""
        return self.item.command.count("\n") + (1 if self._is_first else 2)

    def foot(self) -> Sequence[ViewLine]:
        """How it stands with the command: glyph, words, time, and what a person noted."""
        item = self.item
        glyph, text, role = outcome(item)
        line = LineBuilder().add(f"{glyph} ", role)
        line.add(text, Role.MUTED if role is Role.GOOD else role)
        if item.duration_s is not None and not item.timed_out:
            line.add(f" · {words.duration(item.duration_s)}", Role.MUTED)
        line.add(f" · step {item.step}", Role.MUTED)
        if item.note:
            line.add(f" · “{clean_line(item.note)}”", Role.WARN)
        lines = [line.line(indent=2, words=True)]
        if self.output is not None and self.output.is_missing():
            gone = LineBuilder().add("The output is not in the store any more.", Role.BAD)
            lines.insert(0, gone.line(words=True))
        return lines

    def foot_rows(self) -> int:
        """One row."""
        return 1


def _is_inside(folder: str) -> bool:
    return folder == "/workspace" or folder.startswith("/workspace/")


def outcome(item: TerminalItem) -> tuple[str, str, Role]:
    """Glyph, words and role of a command's state."""
    if item.phase == "done":
        if item.timed_out:
            after = f" after {words.duration(item.duration_s)}" if item.duration_s else ""
            return "◷", f"timed out{after}", Role.BAD
        if item.killed:
            return "■", f"killed: {clean_line(item.killed)}", Role.BAD
        if item.exit_code:
            return "✗", f"exit {item.exit_code}", Role.BAD
        return "✓", "done" if item.exit_code is None else "exit 0", Role.GOOD
    return {
        "running": ("●", "running", Role.ACCENT),
        "held": ("◆", "held: waits for a decision", Role.WARN),
        "rejected": ("✗", "rejected, not run", Role.BAD),
        "skipped": ("»", "skipped, not run", Role.MUTED),
        "approved": ("◌", "approved, about to run", Role.MUTED),
        "proposed": ("◌", "proposed", Role.MUTED),
    }[item.phase]


def _output(item: TerminalItem, known: FileLines | None) -> FileLines | None:
    """The output as a file of lines; the known one while it only grows."""
    if item.path is None or not item.output_bytes:
        return None
    if known is None or known.path != item.path:
        return FileLines(item.path, item.output_bytes)
    known.size = item.output_bytes
    return known
