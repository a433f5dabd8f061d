"""The header: one line that says what the session is, how it stands and what it cost."""

from __future__ import annotations

from textual.strip import Strip

from workbench.text import cell_width, cut
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.view.header import HeaderView
from workbench.tui.widgets.painted import Painted

Part = tuple[str, Role | None]


class HeaderBar(Painted):
    """Shows a `HeaderView`; repaints only when it is another one."""

    DEFAULT_CSS = """
    HeaderBar { height: 1; background: $panel; color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__(id="header")
        self._shown: HeaderView | None = None

    def show(self, view: HeaderView) -> None:
        """Show this."""
        if view != self._shown:
            self._shown = view
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The one line."""
        if y or self._shown is None:
            return self.blank()
        return self.painted(header_line(self._shown, self.size.width))


def header_line(view: HeaderView, width: int) -> ViewLine:
    """The header in `width` cells: what matters least is left out first."""
    right = _right(view)
    while cell_width(right.text) + 24 > width and len(view.facts) > 1:
        view = view._replace(facts=view.facts[:-1])
        right = _right(view)
    room = max(0, width - cell_width(right.text) - 2)
    left = _left(view, room)
    gap = max(1, width - cell_width(left.text) - cell_width(right.text) - 1)
    shift = len(left.text) + gap
    spans = [*left.spans, *((low + shift, high + shift, paint) for low, high, paint in right.spans)]
    return ViewLine(f"{left.text}{' ' * gap}{right.text} ", tuple(spans))


def _left(view: HeaderView, room: int) -> ViewLine:
    """The warning stays whatever else has room: whole, or its first words."""
    name: Part = (cut(view.name or "workbench", max(8, room // 2)), Role.STRONG)
    rest: list[Part] = [("observing", Role.ACCENT)] if view.is_observer else []
    rest += [(view.model, None), (view.sandbox, Role.MUTED)]
    if view.mode:
        rest.append((f"mode {view.mode}", Role.MUTED))
    warning: list[Part] = []
    if view.warning:
        whole = f"▲ {view.warning}"
        fits = _width([name, (whole, Role.WARN), *rest]) <= room
        warning = [(whole if fits else whole.partition(":")[0], Role.WARN)]
    parts = [name, *warning]
    for part in rest:
        if part[0] and _width([*parts, part]) <= room:
            parts.append(part)
    builder = LineBuilder().add(" ")
    for at, (text, role) in enumerate(parts):
        builder.add(" · " if at else "", Role.MUTED).add(text, role)
    return builder.line()


def _width(parts: list[Part]) -> int:
    """Cells of the parts with what stands between them."""
    return 1 + sum(cell_width(text) + 3 for text, _role in parts if text) - 3


def _right(view: HeaderView) -> ViewLine:
    builder = LineBuilder().add(f"{view.word.glyph} {view.word.word}", view.word.role)
    for fact in view.facts:
        builder.add(f"  {fact}")
    return builder.line()
