"""Selected text of a document: positions as Textual's offsets and back, and the text between."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.geometry import Offset
from textual.selection import Selection

from workbench.tui.panes.document import Position
from workbench.tui.panes.layout import Layout

MAX_COPY = 8 << 20
"""Characters that are copied at most: more than a clipboard takes."""

_LINE_BITS = 16
_BLOCK_BITS = 24
_WORD = re.compile(r"[\w./~@:+-]+")


def to_offset(position: Position) -> Offset:
    """A position as an offset that sorts as it does. It stays valid when rows move."""
    row = position.section << _BLOCK_BITS | position.block
    return Offset(position.column, row << _LINE_BITS | position.line)


def to_position(offset: Offset) -> Position:
    """The position that an offset of `to_offset` stands for."""
    row, line = offset.y >> _LINE_BITS, offset.y & (1 << _LINE_BITS) - 1
    return Position(row >> _BLOCK_BITS, row & (1 << _BLOCK_BITS) - 1, line, offset.x)


def selected_text(layout: Layout, selection: Selection) -> str:
    """The text of a selection, whole lines as they were before wrapping, `MAX_COPY` at most."""
    start = to_position(selection.start) if selection.start else Position(0, 0, 0)
    end = to_position(selection.end) if selection.end else None
    parts: list[str] = []
    length = 0
    for at, text in lines_from(layout, start):
        if end is not None and at[:3] > end[:3]:
            break
        low = start.column if at[:3] == start[:3] else 0
        high = end.column if end is not None and at[:3] == end[:3] else len(text)
        parts.append(text[low:high].rstrip())
        length += len(parts[-1]) + 1
        if length > MAX_COPY:
            break
    return "\n".join(parts)[:MAX_COPY]


def lines_from(layout: Layout, start: Position) -> Iterator[tuple[Position, str]]:
    """The lines of a document from a position's on, and where each is."""
    for section in range(start.section, len(layout.sections)):
        first = start.block if section == start.section else 0
        for block in range(first, layout.sections[section].block_count):
            lines = layout.sections[section].block(block, layout.width)
            skip = start.line if (section, block) == start[:2] else 0
            for line in range(skip, len(lines)):
                yield Position(section, block, line), lines.line(line).text


def word_at(text: str, column: int) -> tuple[int, int]:
    """The word, path or number around a character; the character itself if there is none."""
    for match in _WORD.finditer(text):
        if match.start() <= column < match.end():
            return match.span()
    return column, min(column + 1, len(text))
