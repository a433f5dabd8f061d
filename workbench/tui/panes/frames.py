"""The frames pane: the pictures of a session as tiles, with where each comes from."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from workbench.session.blobs import Blobs
from workbench.text import cut, pad
from workbench.tui.panes import words
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.panes.painter import Cut
from workbench.tui.panes.pictures import Drawn, Gallery
from workbench.tui.panes.tiles import Grid
from workbench.tui.view.frames import FrameItem
from workbench.tui.widgets.painted import PaintedScroll

_ROOM_FOR_WORD = 20
"""Cells of a tile whose caption has room for `step`."""


class FramesPane(PaintedScroll, can_focus=True):
    """Tiles in the order in which the pictures came, with a cursor; it follows the newest."""

    class Chosen(Message):
        """The cursor was moved to a picture of a step."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Opened(Message):
        """A picture is to be shown large."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, blobs: Blobs) -> None:
        super().__init__(id="frames")
        self.items: Sequence[FrameItem] = ()
        self.cursor = 0
        self.follows = True
        self._step: int | None = None
        self._wanted_width = 0
        """Cells of a tile that the person wished; 0 for what suits the pane."""
        self._grid = Grid(0, 1, 1, 1)
        self.gallery = Gallery(
            blobs,
            lambda job: self.run_worker(job, group="pictures", exit_on_error=False),
            self.refresh,
        )

    # --- content ------------------------------------------------------------------------------

    def show_items(self, items: Sequence[FrameItem]) -> None:
        """Show these."""
        if items == self.items:
            return
        self.items = items
        self.cursor = min(self.cursor, max(0, len(items) - 1))
        self._lay_out()
        if self.follows:
            self.go_live()

    def show_step(self, step: int) -> None:
        """Mark the pictures of a step, and bring the first of them into sight."""
        self._step = step
        self.follows = False
        mine = [at for at, item in enumerate(self.items) if item.step == step]
        if mine and self.cursor not in mine:
            self._set_cursor(mine[0])
        self.refresh()

    def go_live(self) -> None:
        """Follow the newest picture."""
        self._step = None
        self.follows = True
        self._set_cursor(max(0, len(self.items) - 1))
        self.refresh()

    @property
    def status(self) -> str:
        """How many there are, and how many of the step that is looked at."""
        count = words.count(len(self.items), "picture") if self.items else ""
        mine = sum(item.step == self._step for item in self.items)
        if self._step is None or not self.items:
            return count
        return f"{mine} of {count}" if mine else f"none of {count}"

    # --- tiles --------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """As many tiles side by side as there is room for."""
        self._lay_out()
        self._set_cursor(self.cursor)

    def _lay_out(self) -> None:
        grid = Grid.of(self.items, self.scrollable_size.width, self.size.height, self._wanted_width)
        if grid != self._grid:
            self._grid = grid
        self.virtual_size = Size(self.scrollable_size.width, grid.rows)
        self.refresh()

    def action_larger(self) -> None:
        """Fewer and larger tiles."""
        self._resize_tiles(-1)

    def action_smaller(self) -> None:
        """More and smaller tiles."""
        self._resize_tiles(1)

    def _resize_tiles(self, columns: int) -> None:
        wanted = max(1, self._grid.columns + columns)
        self._wanted_width = max(8, (self.scrollable_size.width + 1) // wanted - 1)
        self._lay_out()
        self._set_cursor(self.cursor)

    # --- the cursor ---------------------------------------------------------------------------

    def _set_cursor(self, index: int) -> None:
        self.cursor = index
        top = self._grid.top_of(index)
        bottom = top + self._grid.height
        if top < round(self.scroll_y) or self._grid.height > self.size.height:
            self.scroll_to(y=top)
        elif bottom > round(self.scroll_y) + self.size.height:
            self.scroll_to(y=bottom - self.size.height)
        self.refresh()

    def go_to(self, index: int) -> None:
        """Put the cursor on a picture; everything else is told."""
        if self.items:
            self._set_cursor(max(0, min(index, len(self.items) - 1)))
            self.post_message(self.Chosen(self.items[self.cursor].step))

    def move(self, rows: int) -> None:
        """Go up or down by a row of tiles, or by as many as a page shows."""
        tiles = 1 if abs(rows) == 1 else max(1, self.size.height // self._grid.height)
        self.go_to(self.cursor + (tiles if rows > 0 else -tiles) * self._grid.columns)

    def pan_by(self, cells: int) -> None:
        """The picture beside."""
        self.go_to(self.cursor + (1 if cells > 0 else -1))

    def move_to_edge(self, direction: int) -> None:
        """The first or the last picture."""
        self.go_to(0 if direction < 0 else len(self.items) - 1)

    def action_open(self) -> None:
        """Show the picture large."""
        if self.items:
            self.post_message(self.Opened(self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; a second click opens it."""
        at = event.get_content_offset_capture(self)
        index = self._grid.index_at(at.x, round(self.scroll_y) + at.y)
        if index is not None and index < len(self.items):
            self.go_to(index)
            if event.chain == 2:
                self.action_open()

    # --- painting -----------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One row of tiles' rows."""
        if not self.items:
            return self._notice(y)
        row, part = self._grid.row_at(round(self.scroll_y) + y)
        first = row * self._grid.columns
        tiles = self.items[first : first + self._grid.columns]
        if not tiles:
            return self.blank()
        gap = Strip([Segment(" ", self.rich_style)], 1)
        strips: list[Strip] = []
        for at, item in enumerate(tiles, first):
            strips += [self._tile(item, at, part), gap]
        return Strip.join(strips).adjust_cell_length(self.scrollable_size.width, self.rich_style)

    def _notice(self, y: int) -> Strip:
        text = " No picture was made or read yet."
        return (
            self.painted(ViewLine(text, ((0, len(text), Role.MUTED),))) if not y else self.blank()
        )

    def _tile(self, item: FrameItem, index: int, part: int) -> Strip:
        width, height = self._grid.width, self._grid.height
        if part == height - 1:
            return self._caption(item, index)
        drawn = self.gallery.get(item.blob, width, height - 1)
        if drawn is None or not drawn.rows:
            return self._placeholder(drawn, part)
        row = part - (height - 1 - len(drawn.rows)) // 2
        if not 0 <= row < len(drawn.rows):
            return Strip.blank(width, self.rich_style)
        left = (width - drawn.width) // 2
        lead = Strip.blank(left, self.rich_style)
        return Strip.join([lead, drawn.rows[row]]).adjust_cell_length(width, self.rich_style)

    def _placeholder(self, drawn: Drawn | None, part: int) -> Strip:
        """A tile without a picture says why."""
        width = self._grid.width
        if part != (self._grid.height - 1) // 2:
            return Strip.blank(width, self.rich_style)
        text = f"✗ {drawn.label or 'empty'}" if drawn is not None else "…"
        text = cut(text, width).center(width)
        role = Role.BAD if drawn is not None else Role.MUTED
        return self._strip(LineBuilder().add(text, role).line(), None)

    def _caption(self, item: FrameItem, index: int) -> Strip:
        width = self._grid.width
        number = f" step {item.n}" if width >= _ROOM_FOR_WORD else f" {item.n}"
        text = pad(cut(item.caption, width - len(number)), width - len(number))
        role = Role.STRONG if item.step == self._step else Role.MUTED
        line = LineBuilder().add(text, role).add(number, Role.MUTED).line()
        return self._strip(line, Role.CURSOR if index == self.cursor else None)

    def _strip(self, line: ViewLine, ground: Role | None) -> Strip:
        whole = Cut(line, 0, len(line.text), 0, ground=ground)
        return self.painter.strip(whole, self._grid.width)
