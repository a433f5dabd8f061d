"""A line view whose lines are entries of a list, with a cursor on one of them."""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from workbench.tui.panes.document import LineSection, Position
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.paint import ViewLine


class ListView(LineView):
    """The arrows move the cursor by entries. The cursor stays on its entry while others come."""

    class Highlighted(Message):
        """The cursor is on another entry."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Chosen(Message):
        """An entry was clicked, or enter was pressed on it."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, build: Callable[[int, int], ViewLine], *, wraps: bool = False) -> None:
        """Args:
        build: makes entry `index` for a view of `width` cells.
        wraps: let an entry take several rows.
        """
        super().__init__(wraps=wraps)
        self._build = build
        self._known = 0
        """Entries that `build` can make; while the list shrinks, fewer than the section has."""
        self._section = LineSection(0, self._entry)

    def _entry(self, index: int, width: int) -> ViewLine:
        return self._build(index, width) if index < self._known else ViewLine("")

    @property
    def count(self) -> int:
        """How many entries there are."""
        return self._section.count

    @property
    def index(self) -> int | None:
        """The entry under the cursor; None while there is none."""
        if self.cursor is None or not self.count:
            return None
        return min(self.cursor.block * LineSection.SIZE + self.cursor.line, self.count - 1)

    def show_entries(self, count: int, index: int | None, is_appended: bool = False) -> None:
        """There are other entries, or they look different.

        Args:
            count: how many there are now.
            index: which one the cursor is on.
            is_appended: those that were there are unchanged.
        """
        self._known = count
        if not is_appended:
            self._section.changes += 1
        offset = self._cursor_row - round(self.scroll_y)
        had_cursor = self.cursor is not None and 0 <= offset < max(1, self.size.height)
        self._section.count = count
        self.cursor = self._position(index) if count and index is not None else None
        if self.document.sections:
            self.show([self._section], 1, (0,))
        else:
            self.show([self._section])
        if had_cursor:
            # What came or went above must not move the cursor on the screen.
            self._scroll_rows(self._cursor_row - offset)
        elif self.cursor is not None and not is_appended:
            self.keep_in_sight(self.cursor)

    @property
    def _cursor_row(self) -> int:
        return self.document.row_of(self.cursor) if self.cursor else 0

    def go_to(self, index: int) -> None:
        """Put the cursor on an entry and bring it into sight."""
        if not self.count:
            return
        index = max(0, min(index, self.count - 1))
        has_moved = index != self.index
        self.cursor = self._position(index)
        self.keep_in_sight(self.cursor)
        if has_moved:
            self.post_message(self.Highlighted(index))

    def reveal(self, position: Position, at_top: bool = False) -> None:
        """As `LineView.reveal`; a match that is found takes the cursor with it."""
        super().reveal(position, at_top)
        self.go_to(position.block * LineSection.SIZE + position.line)

    def move(self, rows: int) -> None:
        """Move the cursor by entries."""
        if self.marker.is_on:
            super().move(rows)
        else:
            self.go_to((self.index or 0) + rows if self.index is not None else 0)

    def move_to_edge(self, direction: int) -> None:
        """The first or the last entry."""
        self.go_to(0 if direction < 0 else self.count - 1)

    def action_choose(self) -> None:
        """Choose the entry under the cursor."""
        if self.index is not None:
            self.post_message(self.Chosen(self.index))

    def on_line_view_line_clicked(self, event: LineView.LineClicked) -> None:
        """A click moves the cursor and chooses."""
        event.stop()
        index = event.position.block * LineSection.SIZE + event.position.line
        self.go_to(index)
        self.post_message(self.Chosen(index))

    def _position(self, index: int) -> Position:
        return Position(0, index // LineSection.SIZE, index % LineSection.SIZE)
