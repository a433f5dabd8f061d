"""Pictures as strips of the screen: made in a thread, kept by content and size."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.errors import WorkbenchError
from workbench.media.files import MediaError
from workbench.session.blobs import Blobs

if TYPE_CHECKING:
    from workbench.media.cells import Cell

_KEPT = 256
_BATCH = 4
_HASH = re.compile(r"[0-9a-f]{64}")
_DETAIL = 2
"""Samples for each half of a cell, in both directions."""


class Drawn(NamedTuple):
    """A picture in cells, or why there is none, in a few words."""

    rows: tuple[Strip, ...] = ()
    label: str = ""

    @property
    def width(self) -> int:
        """Cells of a row."""
        return self.rows[0].cell_length if self.rows else 0


Size = tuple[str, int, int]
"""Hash of the bytes, and the columns and rows that there are."""


class Gallery:
    """Draws pictures on demand, those wanted last first."""

    def __init__(
        self,
        blobs: Blobs,
        start: Callable[[Coroutine[None, None, None]], object],
        changed: Callable[[], object],
    ) -> None:
        """Args:
        blobs: where the bytes stand.
        start: runs a coroutine in the background.
        changed: called when more is drawn.
        """
        self._blobs = blobs
        self._start = start
        self._changed = changed
        self._drawn: OrderedDict[Size, Drawn] = OrderedDict()
        self._wanted: list[Size] = []
        self._is_drawing = False

    def get(self, blob: str, columns: int, rows: int) -> Drawn | None:
        """The picture as large as fits; None as long as it is being drawn."""
        size = (blob, columns, rows)
        if (drawn := self._drawn.get(size)) is not None:
            self._drawn.move_to_end(size)
            return drawn
        if size in self._wanted:
            self._wanted.remove(size)
        self._wanted.append(size)
        if not self._is_drawing:
            self._is_drawing = True
            self._start(self._draw())
        return None

    async def _draw(self) -> None:
        """Draw what is wanted until nothing is; what scrolled out of sight long ago is left out."""
        try:
            while self._wanted:
                batch = self._wanted[-_BATCH:]
                self._wanted = self._wanted[:-_BATCH][-_KEPT:]
                drawn = await asyncio.to_thread(self._all, batch)
                self._drawn.update(zip(batch, drawn, strict=True))
                while len(self._drawn) > _KEPT:
                    self._drawn.popitem(last=False)
                self._changed()
        finally:
            self._is_drawing = False

    def _all(self, sizes: list[Size]) -> list[Drawn]:
        return [self._one(size) for size in sizes]

    def _one(self, size: Size) -> Drawn:
        blob, columns, rows = size
        if not _HASH.fullmatch(blob):
            return Drawn(label="missing")
        try:
            return draw(self._blobs.get(blob), columns, rows)
        except MediaError as error:
            return Drawn(label=error.label)
        except WorkbenchError:
            return Drawn(label="missing")


def draw(data: bytes, columns: int, rows: int) -> Drawn:
    """A picture in half blocks, as large as fits.

    Raises:
        MediaError: with a short label.
    """
    from workbench.media import cells
    from workbench.media.frames import thumbnail

    pixels = thumbnail(data, columns * _DETAIL, rows * 2 * _DETAIL)
    lines = cells.render(pixels, columns, rows, "half")
    return Drawn(tuple(_strip(line) for line in lines))


def _strip(line: list[Cell]) -> Strip:
    segments = []
    for (front, back), run in groupby(line, lambda cell: (cell.fg, cell.bg)):
        color = Color.from_rgb(*front) if front else None
        ground = Color.from_rgb(*back) if back else None
        style = Style(color=color, bgcolor=ground)
        segments.append(Segment("".join(cell.char for cell in run), style))
    return Strip(segments, len(line))
