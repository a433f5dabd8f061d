"""The board: places the panes by a plan, paints the lines between them, and moves those lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from workbench.text import cell_width
from workbench.tui.board.frame import Frame, Piece, Title
from workbench.tui.board.plan import Edge, Plan, Wishes, make_plan, shape_of
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.widgets.painted import Painted

_ROLES = {
    "line": Role.MUTED,
    "name": Role.MUTED,
    "shown": Role.STRONG,
    "focused": Role.CHOSEN,
    "alert": Role.FOUND,
    "words": Role.MUTED,
}


class BoardLayout(Layout):
    """Puts each pane where the board's plan says."""

    name = "board"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Place the panes that are shown."""
        del greedy
        assert isinstance(parent, Board)
        plan = parent.plan_for(size)
        placements = []
        for child in children:
            box = plan.box_of(child.id or "")
            if box is not None:
                region = Region(box.x, box.y, box.width, box.height)
                placements.append(WidgetPlacement(region, Offset(), Spacing(), child))
        return placements


class Board(Painted):
    """Holds the panes. What a person wishes of it is `wishes`; the screen keeps it."""

    DEFAULT_CSS = """
    Board {
        height: 1fr;
        background: $background;
        & > .lines--muted { color: $foreground 35%; }
        & > .lines--strong { color: $foreground; text-style: bold; }
        & > .lines--chosen { background: $primary; color: $background; text-style: bold; }
        & > .lines--found { background: $warning; color: auto; text-style: bold; }
    }
    """

    class Moved(Message):
        """A line between panes was moved; `wishes` are new."""

    class Picked(Message):
        """The title of a pane was clicked."""

        def __init__(self, pane: str) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, panes: Sequence[Widget], wishes: Wishes, keys: dict[str, str]) -> None:
        """Args:
        panes: the panes; their ids are those of the plan.
        wishes: what the person had last.
        keys: the key of each pane, for its title.
        """
        super().__init__(id="board")
        self.wishes = wishes
        self._panes = panes
        self._titles = {pane: Title(pane.upper(), key) for pane, key in keys.items()}
        self._focused: str | None = None
        self._alert: str | None = None
        self._frame: Frame | None = None
        self._plan = Plan(0, 0, ())
        self._dragged: Edge | None = None
        self._layout = BoardLayout()

    @property
    def layout(self) -> Layout:
        """How the panes are placed."""
        return self._layout

    def compose(self) -> ComposeResult:
        """The panes."""
        yield from self._panes

    # --- the plan -----------------------------------------------------------------------------

    @property
    def plan(self) -> Plan:
        """Where everything stands now."""
        return self._plan

    def plan_for(self, size: Size) -> Plan:
        """The plan for a size, as of now."""
        if (self._plan.width, self._plan.height) != tuple(size):
            self._plan = make_plan(size.width, size.height, self.wishes)
            self._frame = None
        return self._plan

    def wish(self, wishes: Wishes) -> None:
        """Stand otherwise from now on."""
        if wishes == self.wishes:
            return
        self.wishes = wishes
        plan = make_plan(*self.size, wishes)
        if plan != self._plan:
            self._plan = plan
            self._show_planned()
            self.refresh(layout=True)

    def on_resize(self) -> None:
        """Show the panes that the new size has room for."""
        self.plan_for(self.size)
        self._show_planned()

    def _show_planned(self) -> None:
        self._frame = None
        shown = {slot.shown for slot in self._plan.slots}
        for pane in self._panes:
            pane.display = pane.id in shown
        self.refresh()

    @property
    def shape(self) -> str:
        """How many columns there is room for."""
        return shape_of(self.size.width)

    # --- titles -------------------------------------------------------------------------------

    def entitle(self, pane: str, words: str, name: str = "") -> None:
        """Say something in a pane's title, at the right; and call the pane otherwise."""
        old = self._titles[pane]
        new = old._replace(words=words, name=name or old.name)
        if new != old:
            self._titles[pane] = new
            self._repaint_title(pane)

    def mark(self, focused: str | None, alert: str | None) -> None:
        """Which pane has the keys, and in which something waits."""
        if (focused, alert) != (self._focused, self._alert):
            changed = {self._focused, self._alert, focused, alert} - {None}
            self._focused, self._alert = focused, alert
            for pane in changed:
                self._repaint_title(pane or "")

    def _repaint_title(self, pane: str) -> None:
        self._frame = None
        for slot in self._plan.slots:
            if pane in slot.panes:
                self.refresh(Region(0, slot.box.y - 1, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """A row of the frame; the panes lie over what is between."""
        if self._frame is None:
            self._frame = Frame(self._plan, self._titles, self._focused, self._alert)
        return self.painted(_framed(self._frame.row(y), self.size.width))

    # --- the mouse ----------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of a line, or pick a pane by its title."""
        self._dragged = None
        if self._frame is not None:
            for piece in self._frame.row(event.y):
                if piece.pane and piece.x <= event.x < piece.x + cell_width(piece.text):
                    self.post_message(self.Picked(piece.pane))
                    return
        for edge in self._plan.edges:
            across, along = (event.x, event.y) if edge.axis == "x" else (event.y, event.x)
            if across == edge.at and edge.start <= along < edge.end:
                self._dragged = edge
                self.capture_mouse()
                return

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the line that is held."""
        if (edge := self._dragged) is None:
            return
        at = event.x if edge.axis == "x" else event.y
        if at != edge.at:
            self._dragged = replace_at(edge, at)
            self.wish(self.wishes.resized(edge.size, edge.sign * (at - edge.at)))

    def on_mouse_up(self) -> None:
        """Let go of the line."""
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            self.post_message(self.Moved())

    def resize_pane(self, pane: str, axis: str, by: int) -> None:
        """Make a pane larger or smaller by moving the line next to it."""
        edge = _edge_of(self._plan, pane, axis)
        if edge is not None:
            size, sign = edge
            self.wish(self.wishes.resized(size, sign * by))
            self.post_message(self.Moved())

    def unzoomed(self) -> Wishes:
        """The wishes without what is only for the moment."""
        return replace(self.wishes, zoomed=None)


def replace_at(edge: Edge, at: int) -> Edge:
    """The edge, moved."""
    return edge._replace(at=at)


def _edge_of(plan: Plan, pane: str, axis: str) -> tuple[str, int] | None:
    """The size that makes a pane larger along an axis, and by which sign."""
    own = {
        ("steps", "x"): ("steps", 1),
        ("terminal", "x"): ("side", -1),
        ("frames", "x"): ("side", 1),
        ("transcript", "x"): ("side", 1),
        ("files", "x"): ("files", 1),
        ("frames", "y"): ("top", 1),
        ("transcript", "y"): ("top", -1),
        ("media", "y"): ("media", 1),
    }
    if pane == "files" and not any(edge.size == "files" for edge in plan.edges):
        return ("side", 1) if axis == "x" else ("top", -1)
    return own.get((pane, axis), ("gate", 1) if axis == "y" else None)


def _framed(pieces: list[Piece], width: int) -> ViewLine:
    """The pieces of a row as one line."""
    builder = LineBuilder()
    x = 0
    for piece in pieces:
        builder.add(" " * (piece.x - x)).add(piece.text, _ROLES[piece.kind])
        x = piece.x + cell_width(piece.text)
    return builder.add(" " * (width - x)).line()
