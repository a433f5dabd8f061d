"""The characters that pictures are drawn with, as masks: which part of a cell each one inks.

A mask set belongs to one grid of `rows` x `columns` samples a cell. Shapes follow the Unicode
charts "Block Elements", "Symbols for Legacy Computing" and "Braille Patterns".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class MaskSet:
    """`ink[k]` tells for each sample of the grid whether the character `codes[k]` inks it, 0 or 1.

    Complements are left out: they are the same character with the colours exchanged.
    """

    rows: int
    columns: int
    codes: NDArray[np.int32]
    ink: NDArray[np.float32]


def _set(rows: int, columns: int, shapes: dict[str, NDArray[np.bool_]]) -> MaskSet:
    ink = np.stack([shape.reshape(-1) for shape in shapes.values()]).astype(np.float32)
    return MaskSet(rows, columns, _codes("".join(shapes)), ink)


def _codes(chars: str) -> NDArray[np.int32]:
    return np.array([ord(char) for char in chars], dtype=np.int32)


@cache
def half_blocks() -> MaskSet:
    """Upper half block alone: two colours a cell."""
    return _set(2, 1, {"▀": np.array([[True], [False]])})


@cache
def quadrants() -> MaskSet:
    """The halves, the four quarters and the diagonal of a grid of 2 x 2."""
    bits = np.array([[1, 2], [4, 8]])
    shapes = {1: "▘", 2: "▝", 3: "▀", 4: "▖", 5: "▌", 6: "▞", 7: "▛"}
    return _set(2, 2, {char: (bits & pattern) > 0 for pattern, char in shapes.items()})


@cache
def lower_eighths() -> MaskSet:
    """One to seven eighths from below, on a grid of 8 x 1."""
    row = np.arange(8).reshape(8, 1)
    return _set(8, 1, {char: row >= 7 - n for n, char in enumerate("▁▂▃▄▅▆▇")})


@cache
def left_eighths() -> MaskSet:
    """One to seven eighths from the left, on a grid of 1 x 8."""
    column = np.arange(8).reshape(1, 8)
    return _set(1, 8, {char: column <= n for n, char in enumerate("▏▎▍▌▋▊▉")})


@cache
def sextants() -> MaskSet:
    """The 31 shapes of a grid of 3 x 2 that leave its last sample blank."""
    bits = np.arange(6).reshape(3, 2)
    return _set(3, 2, {_sextant(n): (n >> bits & 1).astype(bool) for n in range(1, 32)})


def _sextant(pattern: int) -> str:
    """Bit 0 is the upper left sample, bit 5 the lower right (U+1FB00 has no halves)."""
    if pattern == 0b010101:
        return "▌"
    return chr(0x1FB00 + pattern - 1 - (pattern > 0b010101))


@cache
def braille() -> MaskSet:
    """The 127 dot patterns of a grid of 4 x 2 that leave its last dot blank."""
    weights = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    patterns = range(1, 0x80)
    return _set(4, 2, {chr(0x2800 + n): (n & weights).astype(bool) for n in patterns})


_ASCII_INK = (
    "~00105600 _00000077 ;00332251 *11981000 /02188140 +00339800 r00768020 =00666600 "
    "?44194211 l60817203 z00488333 [33717153 t20c58213 j03451765 s00745943 T66545411 "
    "Y22985411 }50543872 {15548326 F45b58020 353391953 e0077c734 4036a8c02 a0057ac43 "
    "Z56199244 S44b22b43 %30d55d03 P538ab320 p00979883 $11b76d44 634b59933 943995b42 "
    "m00bacb22 &33a1ae44 g00889a78 R539ab922 N32f99f22 M33ffaa22 @11bddb64 "
)
"""Each character and how much of the 4 x 2 parts of its cell it inks, 0 to f, in a common font."""


@cache
def ascii_shapes() -> MaskSet:
    """Printable ASCII, with ink between 0 and 1 (the densest part of any character is 1)."""
    tokens = _ASCII_INK.split(" ")[:-1]
    ink = np.array([[int(digit, 16) / 15 for digit in token[1:]] for token in tokens])
    blank = np.zeros((1, 8))
    chars = " " + "".join(token[0] for token in tokens)
    return MaskSet(4, 2, _codes(chars), np.concatenate([blank, ink]).astype(np.float32))
