"""Lines to show as plain data: text, and how stretches of it are painted."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from workbench.text import Style


class Role(StrEnum):
    """What a stretch of text is; the theme decides how that looks.

    Each names a component class of `LineView`: `lines--<role>`.
    """

    MUTED = "muted"
    ACCENT = "accent"
    STRONG = "strong"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"
    ODD = "odd"
    GONE = "gone"
    MATCH = "match"
    FOUND = "found"
    CURSOR = "cursor"
    CHOSEN = "chosen"
    SELECTED = "selected"
    NOTICE = "notice"


Paint: TypeAlias = Style | Role
"""The agent's own colours, or a role of the theme."""

PaintSpan: TypeAlias = tuple[int, int, Paint]
"""Character indices, the end left out, and what is painted there; later spans lie on top."""


class ViewLine(NamedTuple):
    """One line of clean text as a pane shows it."""

    text: str
    spans: tuple[PaintSpan, ...] = ()
    indent: int = 0
    """Cells that wrapped rows leave free at their start."""
    words: bool = False
    """Whether rows break between words: for prose. Output breaks anywhere, as in a terminal."""
    ground: Role | None = None
    """Paints the whole row, to its right edge."""


class LineBuilder:
    """Puts a line together from painted pieces."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._spans: list[PaintSpan] = []
        self._length = 0

    def add(self, text: str, paint: Paint | None = None) -> LineBuilder:
        """Append a piece; return the builder."""
        if paint is not None and text:
            self._spans.append((self._length, self._length + len(text), paint))
        self._parts.append(text)
        self._length += len(text)
        return self

    def extend(self, other: LineBuilder) -> LineBuilder:
        """Append all pieces of another builder; return this one."""
        self._spans += [
            (low + self._length, high + self._length, paint) for low, high, paint in other._spans
        ]
        self._parts += other._parts
        self._length += other._length
        return self

    @property
    def text(self) -> str:
        """What was added so far."""
        return "".join(self._parts)

    def line(self, indent: int = 0, words: bool = False, ground: Role | None = None) -> ViewLine:
        """The finished line."""
        return ViewLine(self.text, tuple(self._spans), indent, words, ground)
