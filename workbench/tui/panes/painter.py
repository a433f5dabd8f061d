"""Painted lines as strips of the screen, in the colours of the theme."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.color import Color
from textual.strip import Strip
from textual.widget import Widget

from workbench.text import Attr, Style, cell_width
from workbench.tui.panes.paint import Paint, PaintSpan, Role, ViewLine

_KEPT_STRIPS = 2048


class Cut(NamedTuple):
    """The stretch of a line that stands in one row of the view."""

    line: ViewLine
    start: int
    end: int
    lead: int
    """Cells left free before it."""
    overlays: tuple[PaintSpan, ...] = ()
    """Painted over the line's own spans: matches, selection."""
    ground: Role | None = None
    """Paints the whole row."""
    more_left: bool = False
    more_right: bool = False
    """Whether the line goes on beyond the row, so that a mark says so."""


class Painter:
    """Makes strips for one widget. Forget them (`clear`) when the theme or the width changes."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._strips: OrderedDict[tuple[Cut, int], Strip] = OrderedDict()
        self._roles: dict[Role, RichStyle] = {}

    def clear(self) -> None:
        """Forget every strip and style."""
        self._strips.clear()
        self._roles.clear()

    def role(self, role: Role) -> RichStyle:
        """What the theme says about a role: only what it sets itself."""
        if (style := self._roles.get(role)) is None:
            style = self._roles[role] = component_style(self._widget, f"lines--{role}")
        return style

    def style(self, paint: Paint) -> RichStyle:
        """A role's or an output style as a Rich style."""
        return self.role(paint) if isinstance(paint, Role) else rich_style(paint)

    def strip(self, cut: Cut, width: int) -> Strip:
        """A row of exactly `width` cells."""
        key = (cut, width)
        if (strip := self._strips.get(key)) is not None:
            self._strips.move_to_end(key)
            return strip
        strip = self._paint(cut, width)
        self._strips[key] = strip
        if len(self._strips) > _KEPT_STRIPS:
            self._strips.popitem(last=False)
        return strip

    def _paint(self, cut: Cut, width: int) -> Strip:
        base = self._widget.rich_style
        for ground in (cut.line.ground, cut.ground):
            if ground is not None:
                base += self.role(ground)
        text = cut.line.text[cut.start : cut.end]
        segments = [Segment(" " * cut.lead, base)] if cut.lead else []
        spans = (*cut.line.spans, *cut.overlays)
        segments += self._segments(text, cut.start, spans, base)
        used = cut.lead + cell_width(text)
        if used < width:
            segments.append(Segment(" " * (width - used), base))
        strip = Strip(segments, max(used, width))
        if cut.more_left or cut.more_right:
            strip = self._mark_ends(strip, cut, width, base)
        return strip

    def _segments(
        self, text: str, start: int, spans: Sequence[PaintSpan], base: RichStyle
    ) -> list[Segment]:
        """The text in runs of one style; spans count from `start` characters before it."""
        end = start + len(text)
        spans = [span for span in spans if span[0] < end and span[1] > start]
        if not spans:
            return [Segment(text, base)] if text else []
        edges = {start, end}
        for low, high, _paint in spans:
            edges.add(max(low, start))
            edges.add(min(high, end))
        points = sorted(edges)
        segments: list[Segment] = []
        for low, high in pairwise(points):
            style = base
            for span_low, span_high, paint in spans:
                if span_low <= low and span_high >= high:
                    style += self.style(paint)
            segments.append(Segment(text[low - start : high - start], style))
        return segments

    def _mark_ends(self, strip: Strip, cut: Cut, width: int, base: RichStyle) -> Strip:
        mark = base + self.role(Role.MUTED)
        parts = [strip.crop(1 if cut.more_left else 0, width - 1 if cut.more_right else width)]
        if cut.more_left:
            parts.insert(0, Strip([Segment("‹", mark)], 1))
        if cut.more_right:
            parts.append(Strip([Segment("›", mark)], 1))
        return Strip.join(parts)


def component_style(widget: Widget, name: str) -> RichStyle:
    """What a component class sets, its colours blended with the widget's background."""
    styles = widget.get_component_styles(name)
    _base, ground = widget.background_colors
    background: Color | None = None
    if styles.has_rule("background") and styles.background.a > 0:
        background = ground = ground + styles.background
    color: Color | None = None
    if styles.has_rule("auto_color") and styles.auto_color:
        color = ground + ground.get_contrast_text(styles.color.a)
    elif styles.has_rule("color"):
        color = ground + styles.color
    return (
        RichStyle(
            color=color.rich_color if color else None,
            bgcolor=background.rich_color if background else None,
        )
        + styles.text_style
    )


@lru_cache(maxsize=4096)
def rich_style(style: Style) -> RichStyle:
    """The agent's own colours and attributes; the sixteen basic colours follow the app's theme."""
    attrs = style.attrs
    return RichStyle(
        color=_rich_color(style.fg),
        bgcolor=_rich_color(style.bg),
        bold=bool(attrs & Attr.BOLD) or None,
        dim=bool(attrs & Attr.DIM) or None,
        italic=bool(attrs & Attr.ITALIC) or None,
        underline=bool(attrs & Attr.UNDERLINE) or None,
        reverse=bool(attrs & Attr.REVERSE) or None,
        strike=bool(attrs & Attr.STRIKE) or None,
    )


def _rich_color(color: int | tuple[int, int, int] | None) -> RichColor | None:
    if color is None:
        return None
    return RichColor.from_ansi(color) if isinstance(color, int) else RichColor.from_rgb(*color)
