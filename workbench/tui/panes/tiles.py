"""Where the tiles of a grid stand, as arithmetic on cells."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple, Protocol

_USUAL = 22
_MOST = 48
_FLATTEST, _TALLEST = 0.4, 0.75
_USUAL_SHAPE = 9 / 16


class Shaped(Protocol):
    """Something with a size in pixels."""

    @property
    def width(self) -> int:
        """Pixels across."""

    @property
    def height(self) -> int:
        """Pixels down."""


class Grid(NamedTuple):
    """Tiles of one size, a cell apart; the last row of each is its caption."""

    tiles: int
    columns: int
    width: int
    height: int

    @classmethod
    def of(cls, items: Sequence[Shaped], width: int, height: int, wanted: int = 0) -> Grid:
        """The grid for pictures in a pane of `width` x `height` cells.

        Args:
            items: the pictures; their usual shape gives that of the tiles.
            width: cells of the pane.
            height: rows of the pane.
            wanted: cells of a tile, 0 for what suits the pane.
        """
        columns = max(1, (width + 1) // ((wanted or _USUAL) + 1))
        columns = min(columns, max(1, len(items)))
        across = max(1, (width + 1) // columns - 1)
        if not wanted:
            across = min(across, _MOST)
        shapes = [one.height / one.width for one in items if one.width > 0]
        shape = min(_TALLEST, max(_FLATTEST, median(shapes) if shapes else _USUAL_SHAPE))
        rows = max(1, min(round(across * shape / 2), max(1, height - 1)))
        return cls(len(items), columns, across, rows + 1)

    @property
    def rows(self) -> int:
        """Rows of cells that all tiles take."""
        return -(-self.tiles // self.columns) * self.height

    def top_of(self, index: int) -> int:
        """The first row of a tile."""
        return index // self.columns * self.height

    def row_at(self, y: int) -> tuple[int, int]:
        """The row of tiles that a row of cells belongs to, and which of its rows it is."""
        return divmod(y, self.height)

    def index_at(self, x: int, y: int) -> int | None:
        """The tile at a cell; None between two."""
        column, inside = divmod(x, self.width + 1)
        if inside == self.width or column >= self.columns:
            return None
        index = y // self.height * self.columns + column
        return index if index < self.tiles else None
