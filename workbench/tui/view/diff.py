"""What an edit changes, line by line, for a person to check while they type."""

from __future__ import annotations

from difflib import SequenceMatcher

from workbench.text import clean
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

_CONTEXT_MARK = "  "


def diff_lines(old: str, new: str) -> tuple[ViewLine, ...]:
    """The new text with what went marked `-` and what came marked `+`; all lines, none left out."""
    before, after = clean(old).split("\n"), clean(new).split("\n")
    lines: list[ViewLine] = []
    for kind, low, high, first, last in SequenceMatcher(None, before, after, False).get_opcodes():
        if kind == "equal":
            lines += [_line(_CONTEXT_MARK, text, Role.MUTED) for text in before[low:high]]
            continue
        lines += [_line("- ", text, Role.BAD) for text in before[low:high]]
        lines += [_line("+ ", text, Role.GOOD) for text in after[first:last]]
    return tuple(lines)


def _line(mark: str, text: str, role: Role) -> ViewLine:
    return LineBuilder().add(mark, role).add(text, role).line(indent=2)
