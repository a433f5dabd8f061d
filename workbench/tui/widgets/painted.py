"""Bases of the widgets that paint lines in the roles of the theme."""

from __future__ import annotations

from typing import ClassVar

from textual.strip import Strip
from textual.widget import Widget

from workbench.text import wrap
from workbench.tui.panes.paint import Role, ViewLine
from workbench.tui.panes.painter import Cut, Painter
from workbench.tui.panes.scrolling import CalmScroll


class Painted(Widget):
    """Paints `ViewLine`s, and knows what each role looks like."""

    DEFAULT_CSS = """
    Painted {
        & > .lines--muted { color: $foreground-muted; }
        & > .lines--accent { color: $text-accent; text-style: bold; }
        & > .lines--strong { text-style: bold; }
        & > .lines--good { color: $text-success; }
        & > .lines--warn { color: $text-warning; text-style: bold; }
        & > .lines--bad { color: $text-error; text-style: bold; }
        & > .lines--odd { color: $text-warning; text-style: italic; }
        & > .lines--match { background: $warning 30%; text-style: underline; }
        & > .lines--found { background: $warning; color: auto; text-style: bold; }
        & > .lines--cursor { background: $block-cursor-blurred-background; }
        & > .lines--chosen { background: $primary 15%; }
        & > .lines--selected { background: $screen-selection-background; }
        & > .lines--notice { background: $panel; color: $text-accent; text-style: bold; }
        &:focus > .lines--cursor { background: $block-cursor-background 40%; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"lines--{role}" for role in Role}

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.painter = Painter(self)

    def notify_style_update(self) -> None:
        """The theme changed."""
        super().notify_style_update()
        self.painter.clear()

    def painted(self, line: ViewLine, ground: Role | None = None) -> Strip:
        """A line in one row of the widget's width, cut where it is longer."""
        width = self.scrollable_size.width
        cut = Cut(line, 0, len(line.text), 0, ground=ground)
        return self.painter.strip(cut, width).crop(0, width)

    def blank(self) -> Strip:
        """An empty row."""
        return Strip.blank(self.scrollable_size.width, self.rich_style)


class PaintedScroll(Painted, CalmScroll):
    """A painted widget with more rows than it shows."""

    DEFAULT_CSS = """
    PaintedScroll {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size: 1 1;
        scrollbar-color: $primary-muted;
        scrollbar-background: $background;
    }
    """


def wrapped(lines: tuple[ViewLine, ...], width: int) -> list[Cut]:
    """Lines as the rows of a view of `width` cells."""
    rows: list[Cut] = []
    for line in lines:
        starts = wrap(line.text, max(1, width), line.indent, line.words)
        ends = [*starts[1:], len(line.text)]
        rows += [
            Cut(line, start, end, line.indent if part else 0)
            for part, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]
    return rows
