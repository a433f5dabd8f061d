"""Selecting with the keyboard: from a mark to where the keys lead."""

from __future__ import annotations

from collections.abc import Callable

from workbench.tui.panes.document import Position
from workbench.tui.panes.window import Window


class Marker:
    """A selection that grows from the line where it was begun.

    Whole lines, until one goes sideways: then it ends at the character under the marker.
    """

    def __init__(self, window: Window, select: Callable[[Position, Position], None]) -> None:
        """Args:
        window: whose lines are selected.
        select: marks what lies between two positions, the second left out.
        """
        self._window = window
        self._select = select
        self._anchor: Position | None = None
        self._head = Position(0, 0, 0)
        self._by_character = False

    @property
    def is_on(self) -> bool:
        """Whether a selection is under way."""
        return self._anchor is not None

    def start(self) -> None:
        """Begin at the last line in sight if the end is in sight, else at the first."""
        window = self._window
        row = round(window.scroll_y)
        if window.following or row >= window.max_scroll_y:
            row = max(row, window.document.rows - 1)
        at = window.position_at(row)
        if at is not None:
            self._anchor = self._head = at._replace(column=0)
            self._by_character = False
            self._update()

    def stop(self) -> None:
        """End; what is selected stays so."""
        self._anchor = None

    def move_rows(self, rows: int) -> None:
        """Take the end of the selection up or down."""
        document = self._window.document
        row = min(document.rows - 1, max(0, document.row_of(self._head) + rows))
        at = self._window.position_at(row)
        if at is not None:
            self._head = at._replace(column=max(at.column, self._head.column))
            self._window.reveal(self._head)
            self._update()

    def move_columns(self, cells: int) -> None:
        """Take the end of the selection sideways."""
        self._by_character = True
        length = self._length(self._head)
        self._head = self._head._replace(column=min(length, max(0, self._head.column + cells)))
        self._update()

    def _update(self) -> None:
        if self._anchor is None:
            return
        low, high = sorted((self._anchor, self._head))
        if self._by_character:
            self._select(low, high._replace(column=high.column + 1))
        else:
            self._select(low._replace(column=0), high._replace(column=self._length(high)))

    def _length(self, at: Position) -> int:
        rows = self._window.document.load(at.section, at.block)
        return len(rows.line(at.line).text)
