"""The terminal pane: every command of the path, what it printed and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from textual.message import Message

from workbench.text import clean, clean_line
from workbench.tui.panes.actions import LINE_ACTIONS, PaneAction
from workbench.tui.panes.commands import CommandSection, TerminalItem
from workbench.tui.panes.document import Position
from workbench.tui.panes.linepane import LinePane, line_position
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.output import OutputSection
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

PANE_ACTIONS = (
    *LINE_ACTIONS,
    PaneAction("terminal.raw", "x", "toggle_raw", "bytes", "Spell out escapes and odd bytes."),
    PaneAction(
        "terminal.previous",
        "left_square_bracket",
        "previous_command",
        "previous",
        "Go to the command before.",
    ),
    PaneAction(
        "terminal.next", "right_square_bracket", "next_command", "next", "Go to the next command."
    ),
)


class TerminalView(LineView):
    """Marks the command that is chosen."""

    chosen: int | None = None

    def ground(self, line: Position) -> Role | None:
        """The prompt of the chosen command stands out."""
        is_prompt = line.block == 0 and line.section == self.chosen
        return Role.CHOSEN if is_prompt and (line.line or not line.section) else None


class TerminalPane(LinePane):
    """A faithful record of commands and their output, whatever its size."""

    PANE_ACTIONS: ClassVar[tuple[PaneAction, ...]] = PANE_ACTIONS

    class ActionChosen(Message):
        """A command was clicked or gone to."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(TerminalView(follows=True), id=id)
        self._items: list[TerminalItem] = []
        self._sections: list[CommandSection] = []
        self._ending = ""
        self._shows_bytes = False
        self.show_notice("No command has run yet.")

    # --- content ------------------------------------------------------------------------------

    def set_items(self, items: Sequence[TerminalItem], ending: str = "") -> None:
        """Show these commands; what did not change is not touched.

        Args:
            items: all of them, in order; passing the same objects again is what is fast.
            ending: a sentence after the last one, once nothing more will run.
        """
        same, changed = self._common(items)
        if same == len(items) == len(self._items) and not changed and ending == self._ending:
            return
        for index in changed:
            self._sections[index].update(items[index])
        del self._sections[same:]
        for index, item in enumerate(items[same:], same):
            self._sections.append(CommandSection(item, index == 0, self._shows_bytes))
        self._items = list(items)
        self._ending = ending
        last = [_Ending(ending)] if ending else []
        self.view.show([*self._sections, *last], same, changed)

    def _common(self, items: Sequence[TerminalItem]) -> tuple[int, list[int]]:
        """How many leading items are the same actions as now, and which of those changed."""
        changed: list[int] = []
        for index, (old, new) in enumerate(zip(self._items, items, strict=False)):
            if old is new:
                continue
            if not old.is_same_command(new):
                return index, changed
            if old != new:
                changed.append(index)
        return min(len(self._items), len(items)), changed

    # --- reading ------------------------------------------------------------------------------

    def show_action(self, action: str) -> bool:
        """Choose a command and go to its prompt; return whether it is there."""
        for index, item in enumerate(self._items):
            if item.action == action:
                self._choose(index)
                self.view.reveal(Position(index, 0, 0), at_top=True)
                return True
        return False

    @property
    def current(self) -> TerminalItem | None:
        """The chosen command, else the one on top of the window."""
        index = self._current_index
        return self._items[index] if 0 <= index < len(self._items) else None

    @property
    def current_path(self) -> Path | None:
        """The raw output of the current command, for a pager that shows bytes safely."""
        item = self.current
        return item.path if item else None

    def text_for_pager(self) -> Iterator[str]:
        """The current command and its output as clean lines; read as it is taken."""
        index = self._current_index
        return self._sections[index].plain_text() if index < len(self._sections) else iter(())

    @property
    def _current_index(self) -> int:
        first = self.view.top_position().section
        bottom = round(self.view.scroll_y) + max(1, self.view.size.height) - 1
        last = self.view.position_at(min(bottom, self.view.document.rows - 1))
        chosen = self._view.chosen
        if chosen is not None and last and first <= chosen <= last.section:
            return chosen
        if self.view.following and last:
            first = last.section
        return min(first, max(0, len(self._items) - 1))

    @property
    def _view(self) -> TerminalView:
        assert isinstance(self.view, TerminalView)
        return self.view

    def _choose(self, index: int | None) -> None:
        self._view.chosen = index
        self.view.repaint_changed()

    def position_of_line(self, number: int) -> Position | None:
        """A line of the current command's output."""
        return line_position(self.view, self._current_index, 1, number)

    @property
    def status(self) -> str:
        """As for every pane of lines, and whether bytes are spelled out."""
        words_ = [super().status, "bytes" if self._shows_bytes else ""]
        return " · ".join(word for word in words_ if word)

    # --- actions ------------------------------------------------------------------------------

    def action_toggle_raw(self) -> None:
        """Spell out escapes and odd bytes, or show the output as a terminal does."""
        self._shows_bytes = not self._shows_bytes
        at, follows = self._current_index, self.view.following
        items, ending = self._items, self._ending
        self._items, self._sections, self._ending = [], [], ""
        self.set_items(items, ending)
        if not follows:
            self.view.reveal(Position(at, 0, 0), at_top=True)

    def action_previous_command(self) -> None:
        """Go to the command before."""
        self._step(-1)

    def action_next_command(self) -> None:
        """Go to the next command."""
        self._step(1)

    def action_copy(self) -> None:
        """Copy what is selected, else the current command."""
        if not self.view.copy() and (item := self.current):
            self.view.post_message(LineView.CopyRequested(clean(item.command, keep_tabs=True)))

    def _step(self, direction: int) -> None:
        index = self._current_index + direction
        if 0 <= index < len(self._items):
            self._choose(index)
            self.view.reveal(Position(index, 0, 0), at_top=True)
            self.post_message(self.ActionChosen(self._items[index].action))

    def on_line_view_line_clicked(self, event: LineView.LineClicked) -> None:
        """A click on a prompt chooses its command."""
        event.stop()
        index = event.position.section
        if event.position.block == 0 and index < len(self._items):
            self._choose(index)
            self.post_message(self.ActionChosen(self._items[index].action))


class _Ending(OutputSection):
    """A sentence after the last command."""

    def __init__(self, sentence: str) -> None:
        super().__init__(None)
        self.sentence = sentence

    def foot(self) -> Sequence[ViewLine]:
        """A blank line and the sentence."""
        line = LineBuilder().add(f"― {clean_line(self.sentence)}", Role.MUTED)
        return (ViewLine(""), line.line(indent=2, words=True))
