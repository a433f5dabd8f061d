"""Text from anywhere, made safe to show: the boundary between agents and the user's terminal."""

from __future__ import annotations

from workbench.text.characters import CARRIER, settle
from workbench.text.escapes import SEQUENCE
from workbench.text.width import char_width, expand_tabs

_NEWLINE = "⏎"


def clean(text: str, keep_tabs: bool = False) -> str:
    """The text as it may be shown in any widget, notification, title or exception.

    Control sequences are dropped whole, other control characters become control pictures (␀),
    invisible and reordering characters �. Only printable characters and newlines come out.

    Args:
        text: names, model text, task text, errors: anything.
        keep_tabs: leave tabs for a widget that lays them out itself; else they become spaces.
    """
    if text.isascii() and text.isprintable():
        return text
    text = SEQUENCE.sub("", text.removeprefix("\ufeff")).replace("\r\n", "\n")
    lines = [_carried(line) for line in settle(text).split("\n")]
    return "\n".join(lines if keep_tabs else map(expand_tabs, lines))


def clean_line(text: str) -> str:
    """As `clean`, on one line: each line break shows as ⏎."""
    return clean(text).replace("\n", _NEWLINE)


def clean_bytes(data: bytes) -> str:
    """As `clean`, for bytes; those that are not UTF-8 become �."""
    return clean(data.decode("utf-8", "replace"))


def _carried(line: str) -> str:
    if line.isascii() or char_width(line[0]) or line[0] == "\t":
        return line
    return CARRIER + line
