"""A few lines of text in the roles of the theme, wrapped to the width there is."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size
from textual.strip import Strip

from workbench.tui.panes.paint import ViewLine
from workbench.tui.panes.painter import Cut
from workbench.tui.widgets.painted import PaintedScroll, wrapped


class Lines(PaintedScroll):
    """Shows lines; repaints only when they are others, scrolls when they are too many."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: tuple[ViewLine, ...] = ()
        self._rows: list[Cut] = []

    @property
    def rows(self) -> int:
        """Rows that it would fill at its present width."""
        return len(self._rows)

    def show(self, lines: Sequence[ViewLine]) -> None:
        """Show these."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self._lay_out()

    def on_resize(self) -> None:
        """Break the lines anew."""
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.scrollable_size.width
        if not width:
            return
        old, self._rows = self._rows, wrapped(self._lines, width)
        if old != self._rows:
            self.virtual_size = Size(width, len(self._rows))
            self.refresh(layout=len(old) != len(self._rows))

    def render_line(self, y: int) -> Strip:
        """One row."""
        row = round(self.scroll_y) + y
        if row >= len(self._rows):
            return self.blank()
        return self.painter.strip(self._rows[row], self.scrollable_size.width)
