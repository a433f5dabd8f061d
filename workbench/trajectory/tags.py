"""The `<answer>` tag: how a prediction travels in text."""

from __future__ import annotations

import re

_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)


def answer_payloads(text: str) -> list[str]:
    """What stands between answer tags, in order, without surrounding blanks."""
    return [payload.strip() for payload in _ANSWER.findall(text)]


def last_answer(text: str) -> str | None:
    """The last tagged answer of a text; None where there is no tag."""
    payloads = answer_payloads(text)
    return payloads[-1] if payloads else None
