"""How many terminal cells a text takes, and cutting and wrapping it by cells.

The widths are those of Unicode's East Asian Width and general category, where terminals agree;
`characters.settle` replaces what they disagree on (joined emoji, selectors, flags), so that the sum
of the characters' widths is what every terminal shows and borders stay straight.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache

TAB_SIZE = 8
ELLIPSIS = "…"

_NEVER_WIDE_BEFORE = 0x1100
_ZERO_CATEGORIES = frozenset({"Mn", "Me", "Mc", "Cf", "Zl", "Zp"})

# What Python's own Unicode tables do not know, or say otherwise than terminals do:
# fillers, jamo that join the syllable before them, and characters newer than Unicode 14.
_EXCEPTIONS: tuple[tuple[int, int, int], ...] = (
    (0x00AD, 0x00AD, 1),
    (0x0600, 0x0605, 1),
    (0x06DD, 0x06DD, 1),
    (0x070F, 0x070F, 1),
    (0x0890, 0x0891, 1),
    (0x0897, 0x0897, 0),
    (0x08E2, 0x08E2, 1),
    (0x0CF3, 0x0CF3, 0),
    (0x0ECE, 0x0ECE, 0),
    (0x1160, 0x11FF, 0),
    (0x1ACF, 0x1ADD, 0),
    (0x1AE0, 0x1AEB, 0),
    (0x2065, 0x2065, 0),
    (0x2630, 0x2637, 2),
    (0x268A, 0x268F, 2),
    (0x2FFC, 0x2FFF, 2),
    (0x3164, 0x3164, 0),
    (0x31E4, 0x31E5, 2),
    (0x31EF, 0x31EF, 2),
    (0x4DC0, 0x4DFF, 2),
    (0xD7B0, 0xD7FF, 0),
    (0xFA6E, 0xFAFF, 2),
    (0xFFA0, 0xFFA0, 0),
    (0xFFF0, 0xFFF8, 0),
    (0x10D69, 0x10D6D, 0),
    (0x10EFA, 0x10EFF, 0),
    (0x110BD, 0x110BD, 1),
    (0x110CD, 0x110CD, 1),
    (0x11241, 0x11241, 0),
    (0x113B8, 0x113C0, 0),
    (0x113C2, 0x113C2, 0),
    (0x113C5, 0x113C5, 0),
    (0x113C7, 0x113CA, 0),
    (0x113CC, 0x113D0, 0),
    (0x113D2, 0x113D2, 0),
    (0x113E1, 0x113E2, 0),
    (0x11B60, 0x11B67, 0),
    (0x11F00, 0x11F01, 0),
    (0x11F03, 0x11F03, 0),
    (0x11F34, 0x11F3A, 0),
    (0x11F3E, 0x11F42, 0),
    (0x11F5A, 0x11F5A, 0),
    (0x13439, 0x13440, 0),
    (0x13447, 0x13455, 0),
    (0x1611E, 0x1612F, 0),
    (0x16FF2, 0x16FF6, 2),
    (0x187F8, 0x187FF, 2),
    (0x18CFF, 0x18D1E, 2),
    (0x18D80, 0x18DF2, 2),
    (0x1B132, 0x1B132, 2),
    (0x1B155, 0x1B155, 2),
    (0x1D300, 0x1D356, 2),
    (0x1D360, 0x1D376, 2),
    (0x1E08F, 0x1E08F, 0),
    (0x1E4EC, 0x1E4EF, 0),
    (0x1E5EE, 0x1E5EF, 0),
    (0x1E6E3, 0x1E6E3, 0),
    (0x1E6E6, 0x1E6E6, 0),
    (0x1E6EE, 0x1E6EF, 0),
    (0x1E6F5, 0x1E6F5, 0),
    (0x1F3FB, 0x1F3FF, 0),
    (0x1F6D8, 0x1F6D8, 2),
    (0x1F6DC, 0x1F6DC, 2),
    (0x1FA75, 0x1FA77, 2),
    (0x1FA87, 0x1FA8A, 2),
    (0x1FA8E, 0x1FAC6, 2),
    (0x1FAC8, 0x1FAC8, 2),
    (0x1FACD, 0x1FADC, 2),
    (0x1FADF, 0x1FAEA, 2),
    (0x1FAEF, 0x1FAF8, 2),
    (0x2A6E0, 0x2A6FF, 2),
    (0x2B739, 0x2B73F, 2),
    (0x2B81E, 0x2B81F, 2),
    (0x2CEA2, 0x2CEAF, 2),
    (0x2EBE1, 0x2F7FF, 2),
    (0x2FA1E, 0x2FFFD, 2),
    (0x3134B, 0x3FFFD, 2),
    (0xE0000, 0xE00FF, 0),
    (0xE01F0, 0xE0FFF, 0),
)
_STARTS = [start for start, _end, _width in _EXCEPTIONS]


@lru_cache(maxsize=16384)
def char_width(character: str) -> int:
    """Cells that one character takes: 0 (joins the one before), 1 or 2."""
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return 0
    at = bisect_right(_STARTS, code) - 1
    if at >= 0 and code <= _EXCEPTIONS[at][1]:
        return _EXCEPTIONS[at][2]
    category = unicodedata.category(character)
    if category in _ZERO_CATEGORIES:
        return 0
    if code < _NEVER_WIDE_BEFORE or category == "Cn":
        return 1
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cell_width(text: str) -> int:
    """Cells that a clean text takes on one line."""
    return len(text) if text.isascii() else sum(map(char_width, text))


def index_at(text: str, cells: int) -> int:
    """Index of the first character that does not fit into `cells`.

    Marks that join a character stay with it; a wide character that is cut does not fit.
    """
    if text.isascii():
        return min(len(text), max(0, cells))
    left = cells
    for index, character in enumerate(text):
        left -= char_width(character)
        if left < 0:
            return index
    return len(text)


def cut(text: str, cells: int) -> str:
    """The head of a clean text that fits into `cells`."""
    return text[: index_at(text, cells)]


def fit(text: str, cells: int) -> str:
    """The text, its end replaced by an ellipsis where it is wider than `cells`."""
    if cell_width(text) <= cells:
        return text
    return cut(text, cells - 1) + ELLIPSIS if cells > 0 else ""


def fit_start(text: str, cells: int) -> str:
    """As `fit`, but the start is left out: for paths, whose end tells them apart."""
    width = cell_width(text)
    if width <= cells:
        return text
    if cells <= 0:
        return ""
    start = index_at(text, width - cells + 1)
    while start < len(text) and cell_width(text[start:]) > cells - 1:
        start += 1
    return ELLIPSIS + text[start:]


def pad(text: str, cells: int) -> str:
    """The text in exactly `cells`: shortened with an ellipsis, or filled up with spaces."""
    shown = fit(text, cells)
    return shown + " " * (cells - cell_width(shown))


def expand_tabs(line: str, column: int = 0) -> str:
    """One line with its tabs as spaces up to the next multiple of eight cells."""
    if "\t" not in line:
        return line
    parts = line.split("\t")
    expanded = [parts[0]]
    column += cell_width(parts[0])
    for part in parts[1:]:
        gap = TAB_SIZE - column % TAB_SIZE
        expanded.append(" " * gap + part)
        column += gap + cell_width(part)
    return "".join(expanded)


def wrap(text: str, cells: int, indent: int = 0, words: bool = False) -> list[int]:
    """Where the rows of a clean line start when it is shown in `cells` columns.

    Args:
        text: one line.
        cells: width of a row, at least 1.
        indent: cells that every row but the first leaves free.
        words: break at spaces where one is near enough, else anywhere.
    """
    starts = [0]
    room = cells
    while True:
        start = starts[-1]
        end = start + index_at(text[start : start + 2 * room + 8], room)
        while end < len(text) and char_width(text[end]) == 0:
            end += 1
        if end >= len(text):
            return starts
        if words:
            end = _word_start(text, start, end)
        starts.append(max(end, start + 1))
        room = max(1, cells - indent)


def _word_start(text: str, start: int, end: int) -> int:
    """The start of the word that `end` lies in, or `end` when that would waste half a row."""
    if text[end] == " ":
        while end < len(text) and text[end] == " ":
            end += 1
        return end
    space = text.rfind(" ", start, end)
    return space + 1 if space >= start + (end - start) // 2 else end
