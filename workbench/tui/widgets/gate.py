"""The gate: what waits for a person, whole, else what goes on right now."""

from __future__ import annotations

from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui import keymap, keys
from workbench.tui.panes.painter import Cut
from workbench.tui.view.gate import GateView
from workbench.tui.widgets.painted import PaintedScroll, wrapped


class GatePane(PaintedScroll, can_focus=True):
    """Shows a `GateView`; repaints only the rows that are others than before."""

    BINDINGS = keymap.bindings(keys.of_target("gate"))

    class Resized(Message):
        """It needs another number of rows, or waits where it did not."""

    def __init__(self) -> None:
        super().__init__(id="gate")
        self.view: GateView | None = None
        self._rows: list[Cut] = []

    @property
    def rows(self) -> int:
        """Rows that it would fill at its present width."""
        return len(self._rows)

    @property
    def hidden_rows(self) -> int:
        """Rows below those that are seen."""
        return max(0, len(self._rows) - round(self.scroll_y) - self.size.height)

    def show(self, view: GateView) -> None:
        """Show this. Another action is shown from its beginning."""
        if view == self.view:
            return
        old, self.view = self.view, view
        if old is None or (old.action, old.digest) != (view.action, view.digest):
            self.scroll_to(y=0, animate=False)
        self.set_class(view.waits, "-waits")
        self._lay_out()
        if old is None or old.waits != view.waits:
            self.post_message(self.Resized())

    def on_resize(self) -> None:
        """Break the lines anew."""
        self._lay_out()

    def _lay_out(self) -> None:
        if self.view is None or not self.size.width:
            return
        old, self._rows = self._rows, wrapped(self.view.lines, self.size.width)
        self.virtual_size = Size(self.size.width, len(self._rows))
        if len(old) != len(self._rows):
            self.post_message(self.Resized())
        if old != self._rows:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row."""
        row = round(self.scroll_y) + y
        if row >= len(self._rows):
            return self.blank()
        return self.painter.strip(self._rows[row], self.size.width)
