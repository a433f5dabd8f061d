"""The header: one line that says what the session is, how it stands and what it cost."""

from __future__ import annotations

from textual.strip import Strip

from workbench.text import cell_width, cut
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.view.header import HeaderView
from workbench.tui.widgets.painted import Painted


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
    builder = LineBuilder().add(" ")
    name = view.name or "workbench"
    parts: list[tuple[str, Role | None]] = [(cut(name, max(8, room - 2)), Role.STRONG)]
    if view.warning:
        parts.append((f"▲ {view.warning}", Role.WARN))
    if view.is_observer:
        parts.append(("observing", Role.ACCENT))
    parts += [(view.model, None), (view.sandbox, Role.MUTED)]
    if view.mode:
        parts.append((f"mode {view.mode}", Role.MUTED))
    used = 1
    for at, (text, role) in enumerate(part for part in parts if part[0]):
        needed = cell_width(text) + (3 if at else 0)
        if used + needed > room:
            if role is not Role.WARN or room - used < 8:
                continue
            text = cut(text, room - used - 3)
        if at:
            builder.add(" · ", Role.MUTED)
        builder.add(text, role)
        used += needed
    return builder.line()


def _right(view: HeaderView) -> ViewLine:
    builder = LineBuilder().add(f"{view.word.glyph} {view.word.word}", view.word.role)
    for fact in view.facts:
        builder.add(f"  {fact}")
    return builder.line()
