"""A step as one line of cells: what is shown depends on how much room there is."""

from __future__ import annotations

from workbench.text import cell_width, cut, pad
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.view import format as fmt
from workbench.tui.view.steps import StepRow

_BADGE = 8
_DURATION = 5
_TOKENS = 5
_COUNTS = 9
_TITLE = 16
_FAMILY_ROLES = {"say": Role.MUTED, "finish": Role.GOOD, "look": Role.ACCENT}


def step_line(row: StepRow, width: int, digits: int) -> ViewLine:
    """The line of a step in `width` cells; `digits` is the room for its number.

    What is left out first where there is little room: the title, the tokens, the counts.
    """
    builder = LineBuilder()
    builder.add(f"{row.n:>{digits}} ", Role.MUTED)
    builder.add(row.word.glyph, row.word.role)
    builder.add(row.hand or " ", Role.WARN)
    left = width - digits - 3
    badge = pad(cut(row.badge, _BADGE), _BADGE)
    builder.add(badge, _FAMILY_ROLES.get(row.badge))
    left -= _BADGE
    has_counts = left >= _DURATION + 1 + _COUNTS
    has_tokens = left >= _DURATION + _TOKENS + _COUNTS + 2
    fixed = _DURATION + 1 + (_COUNTS if has_counts else 0) + (_TOKENS + 1 if has_tokens else 0)
    if left - fixed >= _TITLE:
        title = cut(row.title, left - fixed - 2)
        builder.add(" ").add(pad(title, left - fixed - 1), Role.MUTED)
    elif left > fixed:
        builder.add(" " * (left - fixed))
    builder.add(f" {row.duration:>{_DURATION}}", None if row.duration else Role.MUTED)
    rest = (f" {row.tokens:>{_TOKENS}}" if has_tokens else "") + (
        _counts(row) if has_counts else ""
    )
    if row.word.word != "done" and len(rest) >= _COUNTS:
        builder.add(f" {cut(row.word.word, max(0, len(rest) - 1))}", row.word.role)
        rest = rest[len(row.word.word) + 1 :]
    return builder.add(rest, Role.MUTED).line()


def _counts(row: StepRow) -> str:
    """Pictures and files in nine cells: ` ▣12 +40 `."""
    frames = f"▣{fmt.few(row.frames)}" if row.frames else ""
    return f" {pad(frames, 4)}{pad(row.files, 4)}"[:_COUNTS]


def unloaded_line(n: int, digits: int) -> ViewLine:
    """The place of a step that is not read yet."""
    text = f"{n:>{digits}} ·"
    return ViewLine(text, ((0, cell_width(text), Role.MUTED),))
