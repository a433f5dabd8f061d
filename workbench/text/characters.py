"""Which characters may be shown, and what stands in for the others.

Control characters, invisible ones and those on whose width terminals disagree never reach a screen:
an agent could hide or reorder text with them, or push a border out of place.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from workbench.text.width import char_width

HIDDEN = "\ufffd"
"""Stands for a character that a person could not see, or bytes that are no text."""

CARRIER = "◌"
"""Carries a combining mark that has no character before it."""

_TONE = "\U0001f3fb-\U0001f3ff"
_REGION = "\U0001f1e6-\U0001f1ff"
_TAG = "\U000e0000-\U000e007f"
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINER = "\u200c\u200d"
# Bidirectional overrides and isolates, zero-width spaces, fillers, format controls.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_NO_CHARACTER = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff" + "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
_ODD = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TONE}{_REGION}{_TAG}{_SELECTOR}{_JOINER}{_INVISIBLE}"
    f"{_NO_CHARACTER}]"
)
_BLACK_FLAG = "\U0001f3f4"
_DROPPED = frozenset("\x07\x08\x1b\x9c")


def settle(text: str, before: str = "") -> str:
    """The text with every character that cannot be shown safely replaced; tabs and newlines stay.

    Escape sequences must be gone already (see `escapes`): their bodies would be left as text.

    Args:
        text: any text.
        before: the character that came before it, as it was before settling; "" at a line's start.
    """
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(_replacer(before), text)


def _replacer(before: str) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        at = match.start()
        return _stand_in(match[0], match.string[at - 1] if at else before)

    return replace


def _stand_in(odd: str, before: str) -> str:
    code = ord(odd)
    if code < 0xA0:
        return _control_stand_in(odd)
    if odd in _JOINER:
        if before.isascii():
            return HIDDEN
        return odd if odd == "\u200c" else ""
    if 0x1F1E6 <= code <= 0x1F1FF:
        return chr(code - 0x1F1E6 + ord("A"))
    if 0x1F3FB <= code <= 0x1F3FF:
        return "" if before and char_width(before) == 2 else HIDDEN
    if _is_selector(code):
        return HIDDEN if not before or _is_selector(ord(before)) else ""
    if 0xE0000 <= code <= 0xE007F:
        follows = before == _BLACK_FLAG or "\U000e0000" <= before <= "\U000e007f"
        return "" if follows else HIDDEN
    return HIDDEN


def _control_stand_in(control: str) -> str:
    code = ord(control)
    if control in _DROPPED:
        return ""
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else HIDDEN


def _is_selector(code: int) -> bool:
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
