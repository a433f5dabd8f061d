"""The transcript pane: what was heard, with times; a line leads to the step that heard it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.message import Message

from workbench.tui.panes import words
from workbench.tui.panes.actions import LINE_ACTIONS, PaneAction
from workbench.tui.panes.linepane import LinePane
from workbench.tui.panes.listview import ListView
from workbench.tui.panes.paint import ViewLine
from workbench.tui.view.transcript import Entry, Speech, entry_at, entry_line

PANE_ACTIONS = tuple(one for one in LINE_ACTIONS if one.action not in ("toggle_wrap", "goto"))


class TranscriptPane(LinePane):
    """Shows entries in the order in which they were heard."""

    PANE_ACTIONS: ClassVar[tuple[PaneAction, ...]] = PANE_ACTIONS

    class Chosen(Message):
        """The cursor was moved to something that a step heard."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        self.list = ListView(self._line, wraps=True)
        super().__init__(self.list, id=id)
        self._entries: list[Entry] = []
        self._step: int | None = None
        self.show_notice("Nothing was heard yet.")

    def show_entries(self, entries: list[Entry]) -> None:
        """Show these."""
        if entries != self._entries:
            self._entries = entries
            self._refresh(self.list.index)

    def show_step(self, step: int | None) -> None:
        """Mark what a step heard, and bring it into sight."""
        self._step = step
        first = next((at for at, one in enumerate(self._entries) if one.step == step), None)
        self._refresh(self.list.index if first is None else first)

    def show_moment(self, source: str, time_s: float) -> None:
        """Bring what is said at a moment of a source into sight."""
        at = entry_at(self._entries, source, time_s)
        if at is not None:
            self._refresh(at)

    def _refresh(self, index: int | None) -> None:
        current = self.list.index
        self.list.show_entries(len(self._entries), index or 0)
        if index is not None and index != current and self.list.cursor is not None:
            self.list.keep_in_sight(self.list.cursor)

    def _line(self, index: int, width: int) -> ViewLine:
        del width
        entry = self._entries[index]
        return entry_line(entry, is_chosen=entry.step == self._step)

    @property
    def status(self) -> str:
        """How much was heard, and what is found."""
        lines = sum(isinstance(one, Speech) for one in self._entries)
        parts = [words.count(lines, "line") if lines else "", super().status]
        return " · ".join(part for part in parts if part)

    @on(ListView.Highlighted)
    @on(ListView.Chosen)
    def _moved_to(self, event: ListView.Highlighted | ListView.Chosen) -> None:
        event.stop()
        if event.index < len(self._entries):
            self.post_message(self.Chosen(self._entries[event.index].step))
