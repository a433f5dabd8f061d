"""Bytes shown as they are: every byte that is no printable text as a hexadecimal escape."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.text.characters import settle
from workbench.text.width import char_width

_PIECE = re.compile(r"[\x00-\x1f\x7f-\x9f]|[\udc80-\udcff]|[^\x00-\x7f]")


class RawLine(NamedTuple):
    """Printable text, and the stretches of it that stand for odd bytes."""

    text: str
    odd: tuple[tuple[int, int], ...]


def raw_line(raw: bytes) -> RawLine:
    """One line of bytes: `\\x1b` for an odd byte, `\\u{200b}` for a character one cannot see."""
    text = raw.decode("utf-8", "surrogateescape")
    shown: list[str] = []
    odd: list[tuple[int, int]] = []
    length = position = 0
    for match in _PIECE.finditer(text):
        escaped = _escape(match[0])
        if escaped is None:
            continue
        plain = text[position : match.start()]
        shown += (plain, escaped)
        length += len(plain)
        odd.append((length, length + len(escaped)))
        length += len(escaped)
        position = match.end()
    shown.append(text[position:])
    return RawLine("".join(shown), tuple(odd))


def _escape(character: str) -> str | None:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or code == 0x7F:
        return {"\t": "\\t", "\r": "\\r"}.get(character, f"\\x{code:02x}")
    if settle(character) != character or char_width(character) == 0:
        return f"\\u{{{code:x}}}"
    return None
