"""A table as plain text: columns as wide as they need to be, the last one cut at the edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.text import cell_width, clean_line, fit

GAP = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """One column; numbers stand at its right edge."""

    title: str
    is_number: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], limit: int | None) -> str:
    """Lines of text, made safe to show.

    Args:
        columns: what each value of a row is.
        rows: the values; foreign text is cleaned here.
        limit: cells that a line may take; None for any number.
    """
    cells = [[column.title for column in columns]]
    cells += [[clean_line(value) for value in row] for row in rows]
    widths = [max(cell_width(row[at]) for row in cells) for at in range(len(columns))]
    return "".join(_line(columns, row, widths, limit) + "\n" for row in cells)


def _line(
    columns: Sequence[Column], row: Sequence[str], widths: Sequence[int], limit: int | None
) -> str:
    parts = []
    for column, value, wide in zip(columns, row, widths, strict=True):
        space = " " * (wide - cell_width(value))
        parts.append(space + value if column.is_number else value + space)
    line = GAP.join(parts).rstrip()
    return line if limit is None else fit(line, limit).rstrip()
