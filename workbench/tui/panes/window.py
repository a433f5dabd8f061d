"""A window on a document: where it stands, and that it never jumps under the eye."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive, var

from workbench.tui.panes.document import Position, Section
from workbench.tui.panes.layout import Layout
from workbench.tui.panes.scrolling import CalmScroll


class Window(CalmScroll):
    """Keeps the line on top in place, or the end in sight, whatever happens to the document."""

    wraps: reactive[bool] = reactive(True, init=False)
    """Whether long lines are wrapped; else one pans sideways."""

    following: var[bool] = var(False, init=False)
    """Whether the end is kept in sight while more comes."""

    class Changed(Message):
        """Following, finding or the place in the document changed: whatever a status line says."""

    def __init__(self, follows: bool, wraps: bool) -> None:
        """Args:
        follows: keep the end in sight, until one scrolls up.
        wraps: break long lines.
        """
        super().__init__()
        self.document = Layout()
        self._may_follow = follows
        self._rows_seen = 0
        self._is_placing = False
        self.set_reactive(Window.following, follows)
        self.set_reactive(Window.wraps, wraps)

    def repaint_changed(self) -> None:
        """Repaint the rows of the window whose content is another than what was painted."""
        raise NotImplementedError

    def repaint_all(self) -> None:
        """Repaint every row: the width or the look changed."""
        raise NotImplementedError

    def show(self, sections: Sequence[Section], same: int = 0, changed: Iterable[int] = ()) -> None:
        """Show sections.

        Args:
            sections: all of them.
            same: how many of the first are those shown already.
            changed: which of those have other or more content than before.
        """
        top = self.top_position()
        if not same or same < max(len(sections), len(self.document.sections)):
            self.document.replace(sections, same)
        for index in changed:
            self.document.changed(index)
        self._place(top)

    def follow(self) -> None:
        """Go to the end and keep it in sight."""
        self.following = self._may_follow
        self._place(Position(1 << 30, 0, 0))

    @property
    def new_rows(self) -> int:
        """Rows that came since the view ceased to follow; guessed where output was not read."""
        return 0 if self.following else max(0, self.document.rows - self._rows_seen)

    def top_position(self) -> Position:
        """The character at the window's upper left."""
        return self.position_at(round(self.scroll_y)) or Position(0, 0, 0)

    def position_at(self, row: int) -> Position | None:
        """The first character of a row of the document."""
        place = self.document.at(row)
        if place is None:
            return None
        column = place.rows.starts(place.line)[place.part]
        return Position(place.section, place.block, place.line, column)

    def reveal(self, position: Position, at_top: bool = False) -> None:
        """Bring a character into sight: in the middle unless it is in sight already.

        Args:
            position: where it is.
            at_top: put it into the first row instead.
        """
        height = max(1, self.size.height)
        row = self.document.row_of(position)
        top = round(self.scroll_y)
        if at_top:
            top = row
        elif not top <= row < top + height:
            top = row - height // 2
        self.document.settle(max(0, top), height)
        # Making the surroundings exact may have moved the row.
        self._stop_following()
        self._scroll_rows(top + self.document.row_of(position) - row)
        self.repaint_changed()

    def keep_in_sight(self, position: Position) -> None:
        """Scroll by as little as shows the whole line of `position`."""
        height = max(1, self.size.height)
        row = self.document.row_of(position)
        rows = self.document.load(position.section, position.block)
        top = round(self.scroll_y)
        below = row + len(rows.starts(position.line)) - height
        self._scroll_rows(min(row, max(top, below)))
        self.repaint_changed()

    def _stop_following(self) -> None:
        if self.following:
            self.following = False
            self._rows_seen = self.document.rows

    def _place(self, top: Position) -> None:
        """Bring the window to the end if it follows, else back to where it was."""
        height = self.size.height
        if not height:
            return
        if self.following:
            row = self.document.settle_end(height)
            self._rows_seen = self.document.rows
        else:
            row = self.document.settle(self.document.row_of(top), height)
        if not self._scroll_rows(row):
            self.repaint_changed()
        self.post_message(self.Changed())

    def _scroll_rows(self, top: int) -> bool:
        """Put a row on top; return whether another one was there, so that all is repainted."""
        before = round(self.scroll_y)
        self._is_placing = True
        try:
            self._set_rows(Size(self.scrollable_size.width, self.document.rows))
            self.scroll_to(y=max(0, top), force=True)
        finally:
            self._is_placing = False
        return round(self.scroll_y) != before

    def _set_rows(self, size: Size) -> None:
        """Take a new virtual size; only a scroll bar that comes or goes needs a new layout."""
        shown = self.show_vertical_scrollbar
        self.set_reactive(Window.virtual_size, size)
        self._scroll_update(size)
        if self.show_vertical_scrollbar != shown:
            self.refresh(layout=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """A person scrolled: lay out what came into sight; at the end, follow again."""
        super().watch_scroll_y(old_value, new_value)
        height = self.size.height
        if self._is_placing or not height:
            return
        top = self.document.settle(round(new_value), height)
        if top != round(new_value) or self.document.rows != self.virtual_size.height:
            self._scroll_rows(top)
        is_at_end = self._may_follow and top + height >= self.document.rows
        if is_at_end:
            self._rows_seen = self.document.rows
            self.following = True
        else:
            self._stop_following()
        self.post_message(self.Changed())

    def watch_show_vertical_scrollbar(self, is_shown: bool) -> None:
        """A bar that appears stands where the window does."""
        if is_shown:
            self.vertical_scrollbar.position = self.scroll_y

    def watch_wraps(self) -> None:
        """Lay out anew, the same line on top."""
        self.reshape()

    def on_resize(self) -> None:
        """Lay out for the new width, the same line on top."""
        self.reshape()

    def reshape(self) -> None:
        """Lay out for the width and way of wrapping there are now."""
        top = self.top_position()
        self.document.shape(max(1, self.scrollable_size.width), self.wraps)
        self._place(top)
        self.repaint_all()
