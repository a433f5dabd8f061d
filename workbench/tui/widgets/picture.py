"""One picture, as large as there is room for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.strip import Strip

from workbench.errors import WorkbenchError
from workbench.media.files import MediaError
from workbench.tui.panes.paint import LineBuilder, Role
from workbench.tui.panes.pictures import Drawn, draw
from workbench.tui.widgets.painted import Painted


class PictureView(Painted):
    """Draws in a thread; until then, and where nothing can be drawn, it says so."""

    DEFAULT_CSS = "PictureView { height: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._read: Callable[[], bytes] | None = None
        self._drawn: Drawn | None = None

    def show(self, read: Callable[[], bytes]) -> None:
        """Show the picture whose bytes `read` gives; it is called in a thread."""
        self._read = read
        self._draw_again()

    def on_resize(self) -> None:
        """As large as there is room for."""
        self._draw_again()

    def _draw_again(self) -> None:
        if self._read is not None and self.size.width and self.size.height:
            job = self._draw(self._read)
            self.run_worker(job, group="picture", exclusive=True, exit_on_error=False)

    async def _draw(self, read: Callable[[], bytes]) -> None:
        width, height = self.size
        self._drawn = await asyncio.to_thread(_drawn, read, width, height)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row."""
        drawn = self._drawn
        if drawn is None or not drawn.rows:
            text = "Drawing…" if drawn is None else f"No picture: {drawn.label}."
            line = LineBuilder().add(f" {text}", Role.MUTED).line()
            return self.painted(line) if not y else self.blank()
        row = y - (self.size.height - len(drawn.rows)) // 2
        if not 0 <= row < len(drawn.rows):
            return self.blank()
        lead = Strip.blank((self.size.width - drawn.width) // 2, self.rich_style)
        strip = Strip.join([lead, drawn.rows[row]])
        return strip.adjust_cell_length(self.size.width, self.rich_style)


def _drawn(read: Callable[[], bytes], width: int, height: int) -> Drawn:
    try:
        return draw(read(), width, height)
    except MediaError as error:
        return Drawn(label=error.label)
    except WorkbenchError as error:
        return Drawn(label=str(error).rstrip("."))
