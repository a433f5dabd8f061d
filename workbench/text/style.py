"""Colours and attributes of text as plain data, and the SGR sequences that set them."""

from __future__ import annotations

from enum import IntFlag
from functools import lru_cache
from typing import NamedTuple, TypeAlias

Color: TypeAlias = int | tuple[int, int, int] | None
"""None is the default, 0 to 255 the palette's, a triple is red, green and blue."""


class Attr(IntFlag):
    """How text is drawn. Blinking and concealing are left out: one is noise, the other hides."""

    BOLD = 1
    DIM = 2
    ITALIC = 4
    UNDERLINE = 8
    REVERSE = 16
    STRIKE = 32


class Style(NamedTuple):
    """How a stretch of output is drawn."""

    fg: Color = None
    bg: Color = None
    attrs: Attr = Attr(0)


PLAIN = Style()

_SET = {
    1: Attr.BOLD,
    2: Attr.DIM,
    3: Attr.ITALIC,
    4: Attr.UNDERLINE,
    7: Attr.REVERSE,
    9: Attr.STRIKE,
    21: Attr.UNDERLINE,
}
_UNSET = {
    22: Attr.BOLD | Attr.DIM,
    23: Attr.ITALIC,
    24: Attr.UNDERLINE,
    27: Attr.REVERSE,
    29: Attr.STRIKE,
}


@lru_cache(maxsize=4096)
def apply_sgr(style: Style, params: str) -> Style:
    """The style after `CSI params m`. Parameters that make no sense are left out."""
    fields = params.split(";")
    at = 0
    while at < len(fields):
        if ":" in fields[at]:
            style = _apply_colon_form(style, fields[at])
            at += 1
            continue
        code = _number(fields[at])
        if code in (38, 48, 58):
            color, used = _extended_color([_number(field) for field in fields[at + 1 : at + 5]])
            style = _with_color(style, code, color)
            at += 1 + used
        else:
            style = _apply_code(style, code)
            at += 1
    return style


def _number(field: str) -> int:
    if not field:
        return 0
    return int(field) if field.isdecimal() and len(field) < 6 else -1


def _apply_code(style: Style, code: int) -> Style:
    if code == 0:
        return PLAIN
    if code in _SET:
        return style._replace(attrs=style.attrs | _SET[code])
    if code in _UNSET:
        return style._replace(attrs=style.attrs & ~_UNSET[code])
    for first, shift in ((30, 0), (90, 8)):
        if first <= code < first + 8:
            return style._replace(fg=code - first + shift)
        if first + 10 <= code < first + 18:
            return style._replace(bg=code - first - 10 + shift)
    if code == 39:
        return style._replace(fg=None)
    return style._replace(bg=None) if code == 49 else style


def _apply_colon_form(style: Style, field: str) -> Style:
    """`38:2::r:g:b`, `38:2:r:g:b`, `38:5:n`, `4:3` (ISO 8613-6)."""
    numbers = [_number(part) for part in field.split(":")]
    if numbers[0] == 4:
        return _apply_code(style, 24 if numbers[1] == 0 else 4)
    if numbers[0] not in (38, 48):
        return style
    rest = numbers[1:]
    if rest[0] == 2 and len(rest) >= 5:
        rest = [2, *rest[2:5]]
    return _with_color(style, numbers[0], _extended_color(rest)[0])


def _extended_color(numbers: list[int]) -> tuple[Color, int]:
    """The colour that `5;n` or `2;r;g;b` names, and how many numbers it took."""
    if numbers[:1] == [5]:
        valid = len(numbers) >= 2 and 0 <= numbers[1] <= 255
        return (numbers[1] if valid else None), 2
    if numbers[:1] == [2]:
        red_green_blue = numbers[1:4]
        valid = len(red_green_blue) == 3 and all(0 <= part <= 255 for part in red_green_blue)
        return ((numbers[1], numbers[2], numbers[3]) if valid else None), 4
    return None, 1 if numbers else 0


def _with_color(style: Style, code: int, color: Color) -> Style:
    if color is None or code == 58:
        return style
    return style._replace(fg=color) if code == 38 else style._replace(bg=color)
