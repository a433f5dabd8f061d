"""A pane around a line view: find bar, wrap, marks and copying, the same in all panes of lines."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from workbench.tui.panes.actions import LINE_ACTIONS, PaneAction
from workbench.tui.panes.bar import EntryBar
from workbench.tui.panes.document import Position
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.paint import Role
from workbench.tui.panes.scrolling import PAN_STEP


class LinePane(Vertical):
    """Holds a `LineView` and a bar below it. Subclasses say what is shown."""

    DEFAULT_CSS = """
    LinePane {
        & > LineView { height: 1fr; }
    }
    """
    PANE_ACTIONS: ClassVar[tuple[PaneAction, ...]] = LINE_ACTIONS

    class StatusChanged(Message):
        """The pane has other words for its frame."""

        def __init__(self, pane: LinePane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, view: LineView, *, id: str | None = None) -> None:  # noqa: A002
        """Args:
        view: the view of lines.
        id: as for any widget.
        """
        super().__init__(id=id)
        self.view = view
        self.bar = EntryBar()

    def compose(self) -> ComposeResult:
        """The view and the bar."""
        yield self.view
        yield self.bar

    def focus_view(self) -> None:
        """Give the keys to the lines."""
        self.view.focus()

    def show_notice(self, sentence: str, role: Role = Role.MUTED) -> None:
        """Say why there is nothing to see: empty, loading, failed. Shown while there is nothing."""
        self.view.show_notice(sentence, role)

    # --- actions ------------------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        """Go up or down by rows."""
        self.view.move(rows)

    def action_page(self, pages: int) -> None:
        """Go up or down by pages."""
        self.view.move(pages * self.view.page)

    def action_pan(self, steps: int) -> None:
        """Go sideways."""
        self.view.pan_by(steps * PAN_STEP)

    def action_find(self) -> None:
        """Open the find bar with what was last searched for."""
        self.bar.open("find", "find", self.view.finder.text, "text; capitals match exactly")

    def action_find_next(self) -> None:
        """Go to the next match."""
        self.view.finder.step(1, self.view.top_position())

    def action_find_previous(self) -> None:
        """Go to the match before."""
        self.view.finder.step(-1, self.view.top_position())

    def action_follow(self) -> None:
        """Go to the end and follow it."""
        self.view.follow()

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or pan over them."""
        self.view.wraps = not self.view.wraps

    def action_mark(self) -> None:
        """Begin to select with the keyboard, or end it."""
        if self.view.marker.is_on:
            self.view.marker.stop()
        else:
            self.view.marker.start()

    def action_copy(self) -> None:
        """Ask for what is selected to be copied."""
        self.view.copy()

    def action_goto(self) -> None:
        """Ask for the number of a line."""
        self.bar.open("goto", "line", "", "number")

    # --- the bar ------------------------------------------------------------------------------

    @on(EntryBar.Edited)
    def _bar_edited(self, event: EntryBar.Edited) -> None:
        event.stop()
        if self.bar.purpose == "find":
            self.view.finder.find(event.text, self.view.top_position())

    @on(EntryBar.Stepped)
    def _bar_stepped(self, event: EntryBar.Stepped) -> None:
        event.stop()
        if self.bar.purpose == "find":
            self.view.finder.step(event.direction, self.view.top_position())
        elif self.bar.purpose == "goto":
            number = self.bar.text.strip()
            if number.isdecimal():
                job = self._go_to_line(int(number))
                self.run_worker(job, group="goto", exclusive=True, exit_on_error=False)
            else:
                self.bar.show_outcome("a number, please")

    @on(EntryBar.Closed)
    def _bar_closed(self, event: EntryBar.Closed) -> None:
        event.stop()
        self.view.focus()

    @on(LineView.Changed)
    def _view_changed(self, event: LineView.Changed) -> None:
        event.stop()
        if self.bar.is_open and self.bar.purpose == "find":
            self.bar.show_outcome(self.view.finder.status)
        # Setting it repaints the whole pane, also to what it was.
        if self.status != self.border_subtitle:
            self.border_subtitle = self.status
            self.post_message(self.StatusChanged(self))

    @property
    def status(self) -> str:
        """A few words for the pane's frame: what is found, where one is."""
        words = [self.view.finder.status] if not self.bar.is_open else []
        if not self.view.wraps:
            words.append("no wrap")
        return " · ".join(word for word in words if word)

    async def _go_to_line(self, number: int) -> None:
        # Counting the lines of a gigabyte takes seconds.
        position = await asyncio.to_thread(self.position_of_line, number)
        if position is None:
            self.bar.show_outcome("there is no such line")
        else:
            self.view.reveal(position, at_top=True)
            self.bar.action_close()

    def position_of_line(self, number: int) -> Position | None:
        """Where line `number` stands, counted from 1; None if there are not so many."""
        return line_position(self.view, 0, 0, number)


def line_position(view: LineView, section: int, block: int, number: int) -> Position | None:
    """Where line `number` stands, counted from 1 at the start of a block."""
    sections = view.document.sections
    if number < 1 or section >= len(sections):
        return None
    left = number - 1
    for at in range(block, sections[section].block_count):
        count = len(sections[section].block(at, view.document.width))
        if left < count:
            return Position(section, at, left)
        left -= count
    return None
