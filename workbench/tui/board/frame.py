"""The lines between the panes and the titles that stand in them, as text."""

from __future__ import annotations

from typing import NamedTuple

from workbench.text import cell_width, cut
from workbench.tui.board.plan import Box, Plan, Slot

_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_GLYPHS = dict(enumerate(" ───│┘└┴│┐┌┬│┤├┼"))
"""By the sum of the ways in which a line goes on."""


class Title(NamedTuple):
    """What a pane's title says: its key and name, and some words at the right."""

    name: str
    key: str = ""
    words: str = ""


class Piece(NamedTuple):
    """Some cells of a row of the frame: `kind` is line, name, shown, focused, alert or words."""

    x: int
    text: str
    kind: str
    pane: str = ""


class Frame:
    """The frame of a plan, row by row. Rows are built when they are looked at."""

    def __init__(
        self, plan: Plan, titles: dict[str, Title], focused: str | None, alert: str | None
    ) -> None:
        """Args:
        plan: where everything stands.
        titles: by pane.
        focused: the pane that has the keys.
        alert: the pane in which something waits for a person.
        """
        self._plan = plan
        self._titles = titles
        self._focused = focused
        self._alert = alert
        self._cells = _line_cells(plan)
        self._slots: dict[int, list[Slot]] = {}
        for slot in plan.slots:
            self._slots.setdefault(slot.box.y - 1, []).append(slot)

    def row(self, y: int) -> list[Piece]:
        """The pieces of a row from left to right; what is between them is not the frame's."""
        pieces = self._lines(y)
        for slot in self._slots.get(y, ()):
            pieces = _over(pieces, self._title(slot))
        return pieces

    def _lines(self, y: int) -> list[Piece]:
        """The bare lines of a row."""
        pieces: list[Piece] = []
        run = ""
        for x in range(self._plan.width + 1):
            ways = self._cells.get((x, y))
            if ways is not None:
                run += _GLYPHS[ways]
            elif run:
                pieces.append(Piece(x - len(run), run, "line"))
                run = ""
        return pieces

    def _title(self, slot: Slot) -> list[Piece]:
        """The names of a slot's panes, then its words at the right, as far as there is room."""
        x = slot.box.x + 1
        right = slot.box.x + slot.box.width - 1
        pieces: list[Piece] = []
        for pane in slot.panes:
            title = self._titles.get(pane, Title(pane.upper()))
            text = f" {title.key} {title.name} " if title.key else f" {title.name} "
            text = cut(text, max(0, right - x))
            if not text.strip():
                break
            pieces.append(Piece(x, text, self._kind(slot, pane), pane))
            x += cell_width(text) + (1 if len(slot.panes) > 1 else 0)
        said = self._titles.get(slot.shown, Title("")).words
        room = right - x - 1
        if said and room > 6:
            text = f" {cut(said, room - 2)} "
            pieces.append(Piece(right - cell_width(text), text, "words", slot.shown))
        return pieces

    def _kind(self, slot: Slot, pane: str) -> str:
        if pane == self._alert:
            return "alert"
        if pane == self._focused and pane == slot.shown:
            return "focused"
        return "shown" if pane == slot.shown and len(slot.panes) > 1 else "name"


def _line_cells(plan: Plan) -> dict[tuple[int, int], int]:
    """Every cell of a line, with the ways in which it goes on."""
    rows = {(x, slot.box.y - 1) for slot in plan.slots for x in _across(slot.box)}
    sides = {
        (slot.box.x + slot.box.width, y)
        for slot in plan.slots
        if slot.box.x + slot.box.width < plan.width
        for y in range(slot.box.y - 1, slot.box.y + slot.box.height)
    }
    cells: dict[tuple[int, int], int] = {}
    for x, y in rows | sides:
        is_side = (x, y) in sides
        ways = _LEFT if (x - 1, y) in rows or not is_side else 0
        ways |= _RIGHT if (x + 1, y) in rows or not is_side else 0
        ways |= _UP if (x, y - 1) in sides else 0
        ways |= _DOWN if (x, y + 1) in sides else 0
        cells[x, y] = ways | (_UP | _DOWN if is_side and not ways & (_LEFT | _RIGHT) else 0)
    return cells


def _across(box: Box) -> range:
    return range(box.x, box.x + box.width)


def _over(below: list[Piece], above: list[Piece]) -> list[Piece]:
    """Pieces with others laid over them, in order."""
    result = list(below)
    for piece in above:
        end = piece.x + cell_width(piece.text)
        kept: list[Piece] = []
        for old in result:
            stop = old.x + cell_width(old.text)
            if stop <= piece.x or old.x >= end:
                kept.append(old)
                continue
            if old.x < piece.x:
                kept.append(Piece(old.x, old.text[: piece.x - old.x], old.kind, old.pane))
            if stop > end:
                kept.append(Piece(end, old.text[end - old.x :], old.kind, old.pane))
        result = [*kept, piece]
    return sorted(result, key=lambda piece: piece.x)
