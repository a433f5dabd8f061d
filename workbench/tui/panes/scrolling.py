"""Scrolling by rows without animation, and panning by cells."""

from __future__ import annotations

from typing import Any

from textual.scroll_view import ScrollView

PAN_STEP = 8


class CalmScroll(ScrollView):
    """A scroll view that jumps instead of gliding: a glide costs 300 kB a second over a link.

    The inherited keys (arrows, page up and down, home, end) call `move`, `move_to_edge`, `pan_by`.
    """

    def _scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> bool:
        options["animate"] = False
        return super()._scroll_to(x, y, **options)

    def move(self, rows: int) -> None:
        """Go up or down by rows."""
        self.scroll_to(y=round(self.scroll_y) + rows)

    def move_to_edge(self, direction: int) -> None:
        """Go to the start (-1) or the end (1)."""
        self.scroll_to(y=0 if direction < 0 else self.max_scroll_y)

    def pan_by(self, cells: int) -> None:
        """Go sideways."""

    @property
    def page(self) -> int:
        """Rows of a page: all but one, so that the eye finds its place again."""
        return max(1, self.size.height - 1)

    def action_scroll_up(self) -> None:
        """One row up."""
        self.move(-1)

    def action_scroll_down(self) -> None:
        """One row down."""
        self.move(1)

    def action_page_up(self) -> None:
        """One page up."""
        self.move(-self.page)

    def action_page_down(self) -> None:
        """One page down."""
        self.move(self.page)

    def action_scroll_home(self) -> None:
        """To the start."""
        self.move_to_edge(-1)

    def action_scroll_end(self) -> None:
        """To the end."""
        self.move_to_edge(1)

    def action_scroll_left(self) -> None:
        """A few cells to the left."""
        self.pan_by(-PAN_STEP)

    def action_scroll_right(self) -> None:
        """A few cells to the right."""
        self.pan_by(PAN_STEP)
