"""Pictures as terminal text: for every cell the character and the two colours of least error.

Pure: pixels in, cells out. A cell is taken to be twice as high as wide.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from workbench.media import glyphs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.media.frames import Pixels

    Floats: TypeAlias = NDArray[np.float32]

Mode = Literal["half", "quadrant", "sextant", "braille", "ascii", "none"]
"""From what every terminal shows to what few do; `none` draws nothing. `ascii` has no colour."""

Rgb: TypeAlias = tuple[int, int, int]

CELL_RATIO = 2.0
"""Height of a cell divided by its width."""
DOT_INK = 0.4
"""Share of its part of a cell that a braille dot covers; fonts differ."""
_FLAT = 1.5
"""Squared error a sample (levels of 255) below which a plain space is as good as a shape."""
_EQUAL = 0.01
_SPACE, _NO_DOTS, _ALL_DOTS, _DOTS = 0x20, 0x2800, 0x28FF, 8


class Cell(NamedTuple):
    """One character and its colours; None means the terminal's own."""

    char: str
    fg: Rgb | None
    bg: Rgb | None


def fitted(width: int, height: int, cols: int, rows: int) -> tuple[int, int]:
    """Columns and rows that a picture of `width` x `height` pixels takes within `cols` x `rows`."""
    scale = min(cols / width, rows * CELL_RATIO / height)
    used_rows = round(height * scale / CELL_RATIO)
    return max(1, min(cols, round(width * scale))), max(1, min(rows, used_rows))


def render(rgb: Pixels, cols: int, rows: int, mode: Mode = "half") -> list[list[Cell]]:
    """The picture as lines of cells, as large as fits `cols` x `rows` with its aspect kept.

    Args:
        rgb: pixels, height x width x 3.
        cols: greatest number of columns.
        rows: greatest number of lines.
        mode: which characters may be used.

    Returns:
        Lines of equal length; none at all for an empty picture, no room, or mode `none`.
    """
    if mode == "none" or rgb.size == 0 or cols < 1 or rows < 1:
        return []
    columns, lines = fitted(rgb.shape[1], rgb.shape[0], cols, rows)
    picture = _Picture(rgb, columns, lines)
    if mode == "ascii":
        return _monochrome(picture)
    chosen = _best_of(picture, mode)
    return _as_cells(chosen, columns)


class _Choice(NamedTuple):
    """For each cell: the character's code point, its gain, and its two colours.

    `gain` is the squared error that it saves against one plain colour, a sample.
    """

    codes: NDArray[np.int32]
    gain: Floats
    fg: Floats
    bg: Floats


class _Picture:
    """Area means of a picture on any grid, exact also where an edge cuts through pixels."""

    def __init__(self, rgb: Pixels, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self._height, self._width = rgb.shape[:2]
        self._sums = np.zeros((self._height + 1, self._width * 3), dtype=np.float32)
        self._sums[1:] = rgb.reshape(self._height, -1)
        for row in range(1, self._height):  # np.cumsum along the first axis takes 20 times as long
            self._sums[row + 1] += self._sums[row]

    def samples(self, rows: int, columns: int) -> Floats:
        """Means with `rows` x `columns` samples a cell: cells x 3 x samples."""
        strips = self._strips(self.lines * rows).reshape(-1, self._width, 3)
        weights = _area_weights(self._width, self.columns * columns)
        means = strips.transpose(0, 2, 1).reshape(-1, self._width) @ weights
        shaped = means.reshape(self.lines, rows, 3, self.columns, columns)
        by_cell: Floats = shaped.transpose(0, 3, 2, 1, 4)
        return np.reshape(by_cell, (self.lines * self.columns, 3, rows * columns))

    def _strips(self, count: int) -> Floats:
        """Means of `count` equal stretches of rows: count x (width * 3)."""
        edges = np.linspace(0, self._height, count + 1)
        low = np.minimum(edges.astype(np.intp), self._height - 1)
        share = (edges - low).astype(np.float32)[:, None]
        at_edges = self._sums[low]
        at_edges += (self._sums[low + 1] - at_edges) * share
        strips: Floats = (at_edges[1:] - at_edges[:-1]) * np.float32(count / self._height)
        return strips


@lru_cache(maxsize=32)
def _area_weights(length: int, bins: int) -> Floats:
    """Length x bins: the share of each pixel in each of `bins` equal stretches."""
    edges = np.linspace(0, length, bins + 1)
    pixel = np.arange(length)[:, None]
    overlap = np.minimum(edges[1:], pixel + 1) - np.maximum(edges[:-1], pixel)
    weights: Floats = (overlap.clip(0) * (bins / length)).astype(np.float32)
    return weights


def _best_of(picture: _Picture, mode: Mode) -> _Choice:
    if mode == "half":
        return _best(picture, glyphs.half_blocks())
    if mode == "braille":
        return _dotted(_best(picture, glyphs.braille()))
    choice = _best(picture, glyphs.quadrants())
    choice = _better(choice, _best(picture, glyphs.lower_eighths()))
    choice = _better(choice, _best(picture, glyphs.left_eighths()))
    return choice if mode == "quadrant" else _better(choice, _best(picture, glyphs.sextants()))


def _best(picture: _Picture, masks: glyphs.MaskSet) -> _Choice:
    """The mask of least squared error for each cell; no colours do better than the two means."""
    samples = picture.samples(masks.rows, masks.columns)
    size = samples.shape[2]
    inked = masks.ink.sum(axis=1)
    whole = samples.sum(axis=2)
    inside = (samples.reshape(-1, size) @ masks.ink.T).reshape(len(whole), 3, -1)
    # Squared error saved: |inside|²/inked + |whole - inside|²/blank, without a pass for each term.
    squared = np.einsum("nck,nck->nk", inside, inside)
    crossed = np.einsum("nc,ncs->ns", whole, samples) @ masks.ink.T
    total = np.einsum("nc,nc->n", whole, whole)[:, None]
    saved = squared * (1 / inked + 1 / (size - inked)) + (total - 2 * crossed) / (size - inked)
    best = saved.argmax(axis=1)
    cells = np.arange(len(best))
    gain = (saved[cells, best] - total[:, 0] / size) / size
    share = inked[best][:, None]
    fg = inside[cells, :, best]
    bg = (whole - fg) / (size - share)
    return _flattened(_Choice(masks.codes[best], gain, fg / share, bg), whole / size)


def _flattened(choice: _Choice, mean: Floats) -> _Choice:
    """A space where a shape would not show: it is smaller to send."""
    flat = choice.gain < _FLAT
    plain = _Choice(np.full_like(choice.codes, _SPACE), choice.gain, mean, mean)
    return _picked(flat, plain, choice)


def _better(one: _Choice, two: _Choice) -> _Choice:
    """For each cell the choice that saves more error; the first where they are equal."""
    return _picked(two.gain > one.gain + _EQUAL, two, one)


def _picked(where: NDArray[np.bool_], yes: _Choice, no: _Choice) -> _Choice:
    return _Choice(
        np.where(where, yes.codes, no.codes),
        np.where(where, yes.gain, no.gain),
        np.where(where[:, None], yes.fg, no.fg),
        np.where(where[:, None], yes.bg, no.bg),
    )


def _dotted(choice: _Choice) -> _Choice:
    """The fewer dots of the two ways to show a shape, on the mean of all that shows around them."""
    dots = np.bitwise_count(choice.codes - _NO_DOTS) * (choice.codes != _SPACE)
    inverse = _Choice(_ALL_DOTS + _NO_DOTS - choice.codes, choice.gain, choice.bg, choice.fg)
    few = _picked(dots > _DOTS / 2, inverse, choice)
    inked = np.minimum(dots, _DOTS - dots)[:, None]
    seen = inked * (1 - DOT_INK)
    ground = (few.fg * seen + few.bg * (_DOTS - inked)) / (seen + _DOTS - inked)
    return few._replace(bg=ground.astype(np.float32))


def _as_cells(choice: _Choice, columns: int) -> list[list[Cell]]:
    chars = map(chr, choice.codes.tolist())
    made = list(map(Cell, chars, _tuples(choice.fg), _tuples(choice.bg)))
    return [made[start : start + columns] for start in range(0, len(made), columns)]


def _tuples(colours: Floats) -> list[Rgb]:
    red, green, blue = np.rint(colours).astype(np.uint8).T.tolist()
    return list(zip(red, green, blue, strict=True))


def _monochrome(picture: _Picture) -> list[list[Cell]]:
    """Characters whose ink is nearest to the brightness, stretched to the picture's own range."""
    masks = glyphs.ascii_shapes()
    luma = np.array([0.299, 0.587, 0.114], dtype=np.float32)
    grey = np.einsum("ncs,c->ns", picture.samples(masks.rows, masks.columns), luma)
    dark, bright = np.percentile(grey, (1, 99))
    wanted = np.clip((grey - dark) / max(bright - dark, 1.0), 0, 1).astype(np.float32)
    error = (masks.ink**2).sum(axis=1) - 2 * wanted @ masks.ink.T
    best = error.argmin(axis=1)
    made = [Cell(chr(code), None, None) for code in masks.codes[best].tolist()]
    return [made[i : i + picture.columns] for i in range(0, len(made), picture.columns)]
