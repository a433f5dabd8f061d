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
from workbench.tui import keymap, keys
from workbench.tui.board.frame import Frame, Piece, Title
from workbench.tui.board.plan import TABS, Edge, Plan, Wishes, make_plan
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.widgets.painted import Painted

_ROLES = {
    "line": Role.MUTED,
    "name": Role.ODD,
    "shown": Role.STRONG,
    "focused": Role.CHOSEN,
    "alert": Role.FOUND,
    "words": Role.ODD,
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
    """Holds the panes, and says by `Moved` when a person wishes them elsewhere."""

    DEFAULT_CSS = """
    Board {
        height: 1fr;
        background: $background;
        & > .lines--muted { color: $foreground 35%; }
        & > .lines--odd { color: $foreground-muted; text-style: none; }
        & > .lines--strong { color: $foreground; text-style: bold; }
        & > .lines--chosen { background: $primary; color: $background; text-style: bold; }
        & > .lines--found { background: $warning; color: auto; text-style: bold; }
    }
    """

    BINDINGS = keymap.bindings(keys.of_target("board"))

    class Moved(Message):
        """A person moved a line, or hid or showed a pane: worth remembering."""

    def __init__(self, panes: Sequence[Widget], wishes: Wishes) -> None:
        """Args:
        panes: the panes; their ids are those of the plan.
        wishes: what the person had last.
        """
        super().__init__(id="board")
        self.wishes = wishes
        self._panes = {pane.id or "": pane for pane in panes}
        self._titles = {
            pane: Title(pane.upper(), str(number)) for number, pane in enumerate(keys.PANES, 1)
        }
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
        yield from self._panes.values()

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
        shown = [slot.shown for slot in self._plan.slots]
        focused = self.focused_pane
        for name, pane in self._panes.items():
            pane.display = name in shown
        if focused is not None and focused not in shown and shown:
            self.focus_pane(shown[0])
        self.refresh()

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
                    self.action_show(piece.pane)
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
            self._dragged = edge._replace(at=at)
            self.wish(self.wishes.resized(edge.size, edge.sign * (at - edge.at)))

    def on_mouse_up(self) -> None:
        """Let go of the line."""
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            self.post_message(self.Moved())

    # --- actions ------------------------------------------------------------------------------

    @property
    def focused_pane(self) -> str | None:
        """The pane that has the keys."""
        focused = self.screen.focused
        if focused is None:
            return None
        return next((one.id for one in focused.ancestors_with_self if one.id in self._panes), None)

    def on_descendant_focus(self) -> None:
        """Another pane has the keys."""
        self.mark(self.focused_pane, self._alert)

    def action_show(self, pane: str) -> None:
        """Show a pane, wherever it was, and give it the keys."""
        wishes = replace(self.wishes, hidden=self.wishes.hidden - {pane})
        if wishes.zoomed is not None and pane != "gate":
            wishes = replace(wishes, zoomed=pane)
        if pane in TABS:
            wishes = replace(wishes, tab=pane)
        if pane in ("transcript", "files"):
            wishes = replace(wishes, side_tab=pane)
        self._wish_and_keep(wishes)
        self.focus_pane(pane)

    def focus_pane(self, pane: str) -> None:
        """Give a pane the keys: it, or the first thing in it that takes them."""
        widget = self._panes[pane]
        target = widget if widget.focusable else next(iter(widget.query("*:can-focus")), None)
        if target is not None:
            target.focus(scroll_visible=False)

    def action_zoom(self) -> None:
        """Give the pane all the room, or all panes theirs again."""
        zoomed = None if self.wishes.zoomed else self.focused_pane
        self.wish(replace(self.wishes, zoomed=zoomed))

    def action_hide(self) -> None:
        """Hide the pane; the next one gets the keys."""
        pane = self.focused_pane
        if pane is None or pane == "gate":
            return
        self._wish_and_keep(replace(self.wishes, hidden=self.wishes.hidden | {pane}, zoomed=None))
        shown = [slot.shown for slot in self._plan.slots]
        self.focus_pane(shown[0])

    def action_resize(self, axis: str, by: int) -> None:
        """Move the line beside the pane, so that it has more room or less."""
        edge = _edge_of(self._plan, self.focused_pane or "", axis)
        if edge is not None:
            size, sign = edge
            self._wish_and_keep(self.wishes.resized(size, sign * by))

    def action_reset(self) -> None:
        """All panes as at first."""
        self._wish_and_keep(replace(self.wishes, hidden=frozenset(), sizes={}, zoomed=None))

    def _wish_and_keep(self, wishes: Wishes) -> None:
        self.wish(wishes)
        self.post_message(self.Moved())


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
