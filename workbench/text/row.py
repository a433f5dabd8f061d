"""One line of a terminal: what is written, overwritten and erased on it."""

from __future__ import annotations

from typing import TypeAlias

from workbench.text.characters import CARRIER
from workbench.text.style import PLAIN, Style
from workbench.text.width import TAB_SIZE, char_width

Run: TypeAlias = tuple[str, Style]

MAX_CHARACTERS = 1 << 16
"""A longer line is broken."""

_MAX_JUMP = 1000
"""A cursor move goes no further right than this, so that it costs no memory."""

_MAX_MARKS = 16
"""Characters that one cell holds; further combining marks are dropped."""


class Row:
    """The line that a cursor writes on.

    As long as text is only appended it is kept as runs; writing after a move back turns it into
    cells, where a wide character fills two: its own and an empty one.
    """

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._length = 0
        self._cells: list[Run] | None = None
        self._column = 0
        self._returned = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not (self._runs or self._cells)

    def runs(self) -> list[Run]:
        """What stands on the line, from left to right."""
        return self._runs if self._cells is None else self._cells

    def write(self, text: str, style: Style) -> str:
        """Write settled text at the cursor; return what a full line has no room for."""
        if self._cells is None and not self._returned:
            return self._append(text, style)
        self._to_cells()
        for index, character in enumerate(text):
            width = char_width(character)
            if self._column + width > MAX_CHARACTERS:
                return text[index:]
            if width:
                self._put(character, width, style)
            else:
                self._join(character, style)
        return ""

    def move(self, control: str, style: Style) -> None:
        """Obey a carriage return, backspace or tab."""
        if control == "\t":
            self._tab(style)
        elif control == "\r":
            self._returned = self._cells is None
            self._column = 0
        else:
            self._to_cells()
            self._column = max(0, self._column - 1)

    def control(self, function: str, params: str) -> None:
        """Obey a CSI that moves within the line or erases in it; ignore others."""
        if function not in "CDG`aKXP@":
            return
        cells = self._to_cells()
        number = int(params[:5]) if params.isdecimal() else 0
        count = max(1, number)
        column = self._column
        if function in "Ca":
            self._column = max(column, min(column + count, _MAX_JUMP))
        elif function == "D":
            self._column = max(0, column - count)
        elif function in "G`":
            self._column = min(count - 1, max(len(cells), _MAX_JUMP))
        elif function == "K":
            self._erase_line(number)
        elif function == "X":
            self._blank(column, column + count)
        elif function == "P":
            self._blank(column, column + count)
            del cells[column : column + count]
        elif column < len(cells):
            self._blank(column, column)
            cells[column:column] = [(" ", PLAIN)] * min(count, _MAX_JUMP)
            del cells[MAX_CHARACTERS:]

    def _append(self, text: str, style: Style) -> str:
        room = max(0, MAX_CHARACTERS - self._length)
        rest, text = text[room:], text[:room]
        if text:
            if not self._runs and char_width(text[0]) == 0:
                text = CARRIER + text
            self._runs.append((text, style))
            self._length += len(text)
        return rest

    def _tab(self, style: Style) -> None:
        if self._cells is None and not self._returned:
            width = sum(char_width(c) for text, _style in self._runs for c in text)
            self._append(" " * (TAB_SIZE - width % TAB_SIZE), style)
        else:
            self._to_cells()
            self._column = min(self._column + TAB_SIZE - self._column % TAB_SIZE, MAX_CHARACTERS)

    def _to_cells(self) -> list[Run]:
        if self._cells is None:
            returned, self._returned = self._returned, False
            self._cells = []
            for text, style in self._runs:
                self.write(text, style)
            if returned:
                self._column = 0
        return self._cells

    def _put(self, character: str, width: int, style: Style) -> None:
        cells = self._to_cells()
        column = self._column
        if column > len(cells):
            cells.extend([(" ", PLAIN)] * (column - len(cells)))
        self._blank(column, min(column + width, len(cells)))
        cells[column : column + width] = [(character, style), ("", style)][:width]
        self._column = column + width

    def _join(self, mark: str, style: Style) -> None:
        cells = self._to_cells()
        at = min(self._column, len(cells)) - 1
        if at >= 0 and not cells[at][0]:
            at -= 1
        if at < 0:
            self._put(CARRIER, 1, style)
            at = 0
        text, own_style = cells[at]
        if len(text) < _MAX_MARKS:
            cells[at] = (text + mark, own_style)

    def _erase_line(self, part: int) -> None:
        cells = self._to_cells()
        if part == 0:
            self._blank(self._column, self._column)
            del cells[self._column :]
        elif part == 1:
            self._blank(0, self._column + 1)
        elif part == 2:
            cells.clear()

    def _blank(self, start: int, end: int) -> None:
        """Empty cells; what is left of a wide character that is cut becomes a space."""
        cells = self._to_cells()
        if 0 < start < len(cells) and not cells[start][0]:
            cells[start - 1] = (" ", cells[start - 1][1])
            cells[start] = (" ", cells[start][1])
        if 0 < end < len(cells) and not cells[end][0]:
            cells[end] = (" ", cells[end][1])
        for at in range(start, min(end, len(cells))):
            cells[at] = (" ", PLAIN)
