"""The gate: what waits for a person, whole, else what goes on right now."""

from __future__ import annotations

from textual.message import Message

from workbench.tui import keymap, keys
from workbench.tui.view.gate import GateView
from workbench.tui.widgets.lines import Lines


class GatePane(Lines, can_focus=True):
    """Shows a `GateView`."""

    DEFAULT_CSS = "GatePane { padding: 0 1; }"
    BINDINGS = keymap.bindings(keys.of_target("gate"))

    class Resized(Message):
        """It needs another number of rows, or waits where it did not."""

    def __init__(self) -> None:
        super().__init__(id="gate")
        self.view: GateView | None = None

    @property
    def hidden_rows(self) -> int:
        """Rows below those that are seen."""
        return max(0, self.rows - round(self.scroll_y) - self.size.height)

    def show_view(self, view: GateView) -> None:
        """Show this. Another action is shown from its beginning."""
        if view == self.view:
            return
        old, self.view = self.view, view
        if old is None or (old.action, old.digest) != (view.action, view.digest):
            self.scroll_to(y=0, animate=False)
        self.set_class(view.waits, "-waits")
        self.show(view.lines)
        if old is None or old.waits != view.waits:
            self.post_message(self.Resized())

    def _lay_out(self) -> None:
        rows = self.rows
        super()._lay_out()
        if self.rows != rows:
            self.post_message(self.Resized())
