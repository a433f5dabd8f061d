"""Where each pane stands, as pure arithmetic on cells.

A board has no outer border. A slot is a title row with the content below it; several panes may
share a slot, as tabs of which one is shown. Columns are parted by one cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple

WIDE_FROM = 140
MEDIUM_FROM = 100
_MIN_COLUMN = 14
_MIN_ROWS = 2
_MIN_TOP = 2 * (_MIN_ROWS + 1)
"""Rows that two panes, one over the other, need."""
_MIN_HEIGHT = 10
"""Rows below which there is only the gate."""
_MAX_MEDIA_ROWS = 6
TABS = ("steps", "terminal", "frames", "transcript", "files", "media")


class Shape(StrEnum):
    """How many columns the terminal has room for."""

    WIDE = "wide"
    MEDIUM = "medium"
    NARROW = "narrow"


class Box(NamedTuple):
    """Cells of a board, counted from its top left corner."""

    x: int
    y: int
    width: int
    height: int


class Slot(NamedTuple):
    """A place for panes: its title stands in the row above `box`."""

    panes: tuple[str, ...]
    shown: str
    box: Box


class Edge(NamedTuple):
    """A line that can be moved: `size` names what grows when it moves by `sign`."""

    axis: str
    at: int
    start: int
    end: int
    size: str
    sign: int


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person, or the content, wants of the board."""

    hidden: frozenset[str] = frozenset()
    sizes: dict[str, int] = field(default_factory=dict)
    """Cells more or less than usual: of the columns `steps`, `side`, `files` and the rows `top`
    (of frames over transcript), `media` and `gate`."""
    zoomed: str | None = None
    tab: str = "terminal"
    """What a narrow board shows besides the gate."""
    side_tab: str = "transcript"
    """What a medium board shows below the frames."""
    gate_rows: int = 1
    """Rows that the gate would fill."""
    gate_waits: bool = False
    media_rows: int = 1

    def resized(self, size: str, by: int) -> Wishes:
        """With one size changed."""
        return replace(self, sizes={**self.sizes, size: self.sizes.get(size, 0) + by})


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that stands on a board."""

    width: int
    height: int
    slots: tuple[Slot, ...]
    edges: tuple[Edge, ...] = ()

    def box_of(self, pane: str) -> Box | None:
        """Where a pane is shown; None where it is not."""
        return next((slot.box for slot in self.slots if slot.shown == pane), None)


def shape_of(width: int) -> Shape:
    """The shape for a width."""
    if width >= WIDE_FROM:
        return Shape.WIDE
    return Shape.MEDIUM if width >= MEDIUM_FROM else Shape.NARROW


def make_plan(width: int, height: int, wishes: Wishes) -> Plan:
    """Place every pane that is to be seen."""
    if width < 2 or height < 2:
        return Plan(width, height, ())
    if height < _MIN_HEIGHT:
        return Plan(width, height, (Slot(("gate",), "gate", Box(0, 1, width, height - 1)),))
    if wishes.zoomed is not None:
        return _zoomed(width, height, wishes)
    shape = shape_of(width)
    gate = _gate_rows(height, wishes)
    top = height - gate - 1
    slots: list[Slot] = []
    edges: list[Edge] = []
    has_room = top >= _MIN_TOP + 2
    if shape is not Shape.NARROW and "media" not in wishes.hidden and has_room:
        media = _media_rows(top, wishes)
        top -= media + 1
        slots.append(Slot(("media",), "media", Box(0, top + 1, width, media)))
        edges.append(Edge("y", top, 0, width, "media", -1))
    columns = _columns(shape, wishes)
    placed, found = _place_columns(columns, width, top, shape, wishes)
    slots = placed + slots
    slots.append(Slot(("gate",), "gate", Box(0, height - gate, width, gate)))
    edges += [*found, Edge("y", height - gate - 1, 0, width, "gate", -1)]
    return Plan(width, height, tuple(slots), tuple(edges))


def _zoomed(width: int, height: int, wishes: Wishes) -> Plan:
    pane = wishes.zoomed or "gate"
    if pane == "gate":
        return Plan(width, height, (Slot(("gate",), "gate", Box(0, 1, width, height - 1)),))
    gate = _gate_rows(height, wishes)
    rest = height - gate - 1
    return Plan(
        width,
        height,
        (
            Slot((pane,), pane, Box(0, 1, width, max(1, rest - 1))),
            Slot(("gate",), "gate", Box(0, height - gate, width, gate)),
        ),
    )


def _gate_rows(height: int, wishes: Wishes) -> int:
    """Rows for the gate: what it needs, up to half of the board where it waits."""
    most = height // 2 if wishes.gate_waits else min(5, height // 4)
    usual = min(max(1, wishes.gate_rows), max(1, most))
    wanted = usual + wishes.sizes.get("gate", 0)
    return max(1, min(wanted, height - _MIN_TOP - 1))


def _media_rows(top: int, wishes: Wishes) -> int:
    rows = min(max(1, wishes.media_rows), _MAX_MEDIA_ROWS, max(1, top // 6))
    return max(1, min(rows + wishes.sizes.get("media", 0), top - _MIN_TOP - 1))


# --- columns --------------------------------------------------------------------------------------

Column = tuple[str, list[tuple[str, ...]]]
"""The name of its size, and its slots from the top."""


def _columns(shape: Shape, wishes: Wishes) -> list[Column]:
    if shape is Shape.NARROW:
        columns: list[Column] = [("", [TABS])]
    elif shape is Shape.MEDIUM:
        columns = [
            ("steps", [("steps",)]),
            ("", [("terminal",)]),
            ("side", [("frames",), ("transcript", "files")]),
        ]
    else:
        columns = [
            ("steps", [("steps",)]),
            ("", [("terminal",)]),
            ("side", [("frames",), ("transcript",)]),
            ("files", [("files",)]),
        ]
    return [column for name, slots in columns if (column := _visible(name, slots, wishes))[1]]


def _visible(name: str, slots: Iterable[tuple[str, ...]], wishes: Wishes) -> Column:
    kept = (tuple(pane for pane in panes if pane not in wishes.hidden) for panes in slots)
    return name, [panes for panes in kept if panes]


def _widths(columns: list[Column], width: int, shape: Shape, wishes: Wishes) -> list[int]:
    """Cells for each column; the one without a name takes what is left."""
    usual = {
        Shape.WIDE: {"steps": (0.18, 28, 40), "side": (0.24, 30, 64), "files": (0.18, 24, 44)},
        Shape.MEDIUM: {"steps": (0.25, 24, 34), "side": (0.30, 30, 44)},
        Shape.NARROW: {},
    }[shape]
    free = width - (len(columns) - 1)
    sizes = []
    for name, _slots in columns:
        share, least, most = usual.get(name, (0.0, 0, 0))
        size = min(most, max(least, round(width * share))) + wishes.sizes.get(name, 0)
        sizes.append(max(_MIN_COLUMN, size) if name else 0)
    flexible = next((at for at, column in enumerate(columns) if not column[0]), len(columns) - 1)
    while (rest := free - (sum(sizes) - sizes[flexible])) < _MIN_COLUMN and len(columns) > 1:
        widest = max((at for at in range(len(sizes)) if at != flexible), key=sizes.__getitem__)
        if sizes[widest] <= _MIN_COLUMN:
            break
        sizes[widest] -= min(_MIN_COLUMN - rest, sizes[widest] - _MIN_COLUMN)
    sizes[flexible] = max(1, free - (sum(sizes) - sizes[flexible]))
    return sizes


def _place_columns(
    columns: list[Column], width: int, height: int, shape: Shape, wishes: Wishes
) -> tuple[list[Slot], list[Edge]]:
    slots: list[Slot] = []
    edges: list[Edge] = []
    if not columns or height < 2:
        return slots, edges
    x = 0
    widths = _widths(columns, width, shape, wishes)
    for at, ((name, parts), cells) in enumerate(zip(columns, widths, strict=True)):
        placed, found = _place_rows(parts, Box(x, 0, cells, height), wishes)
        slots += placed
        edges += found
        x += cells
        if at + 1 < len(columns):
            size, sign = (name, 1) if name else (columns[at + 1][0], -1)
            edges.append(Edge("x", x, 0, height, size, sign))
        x += 1
    return slots, edges


def _place_rows(
    parts: list[tuple[str, ...]], column: Box, wishes: Wishes
) -> tuple[list[Slot], list[Edge]]:
    """The slots of a column, one over the other; the first may be resized against the rest.

    Where there is no room for two, they share one.
    """
    first = column.height
    if column.height < 2 * (_MIN_ROWS + 1):
        parts = [tuple(pane for panes in parts for pane in panes)]
    if len(parts) > 1:
        half = column.height // 2 + wishes.sizes.get("top", 0)
        first = max(_MIN_ROWS + 1, min(half, column.height - _MIN_ROWS - 1))
    slots = [_slot(parts[0], Box(column.x, 1, column.width, max(1, first - 1)), wishes)]
    edges: list[Edge] = []
    if len(parts) > 1:
        box = Box(column.x, first + 1, column.width, max(1, column.height - first - 1))
        slots.append(_slot(parts[1], box, wishes))
        edges.append(Edge("y", first, column.x, column.x + column.width, "top", 1))
    return slots, edges


def _slot(panes: tuple[str, ...], box: Box, wishes: Wishes) -> Slot:
    wanted = (wishes.tab, wishes.side_tab)
    shown = next((pane for pane in wanted if pane in panes), panes[0])
    return Slot(panes, shown, box)
