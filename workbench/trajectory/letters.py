"""Option letters in the final text of a multiple-choice run (omnicoding-format 5.2)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.trajectory.tags import answer_payloads, last_answer

_WRAP = r"[\s\"'*_`(\[{]*"
_UNWRAP = r"[\s\"'*_`)\]}.,:;!?]*"
_BARE = re.compile(rf"{_WRAP}([A-Za-z]){_UNWRAP}")
_LABEL = re.compile(r"\s*[(\[*]*([A-Z])\s*[.):\]*]")
_PHRASE = re.compile(
    r"\b(?i:answer\s+is|answer\s*[:：]|i\s+choose|final\s+answer|correct\s+option\s+is|option)"
    rf"(?i:\s+is)?\s*[:：]?{_WRAP}([A-D])(?![A-Za-z])"
)
_LONE_CAPITAL = re.compile(r"(?<![\w./-])([A-D])(?![\w-])")
_OPTION_LINE = re.compile(r"^\s*[(\[*-]*\s*[A-D]\s*[.):\]].*$", re.MULTILINE)
_LABELLED = re.compile(
    rf"\b(?i:option|answer|choice)\b(?i:\s+is)?\s*[:：=]?{_WRAP}([A-Za-z])(?![A-Za-z])"
)
_AT_END = re.compile(rf"(?<![A-Za-z])([A-Z]){_UNWRAP}$")


def option_label(option: str) -> str | None:
    """The letter that an option starts with, as in `A. a red fox`."""
    match = _LABEL.match(option)
    return match[1] if match else None


def option_text(option: str) -> str:
    """The option without its letter."""
    match = _LABEL.match(option)
    return option[match.end() :].strip() if match else option.strip()


def letter_by_layers(text: str, options: Sequence[str]) -> str:
    """LVOmniBench: the letter A to D, by tag, phrase, lone capital, or option text; "" if none."""
    for payload in reversed(answer_payloads(text)):
        bare = _BARE.fullmatch(payload)
        if bare and bare[1].upper() in "ABCD":
            return bare[1].upper()
    if phrases := _PHRASE.findall(text):
        return str(phrases[-1])
    if capitals := _LONE_CAPITAL.findall(_OPTION_LINE.sub("", text)):
        return str(capitals[-1])
    return _only_option_in(text, options)


def _only_option_in(text: str, options: Sequence[str]) -> str:
    folded = text.casefold()
    found = [
        option_label(option) or "ABCD"[index : index + 1]
        for index, option in enumerate(options)
        if option_text(option) and option_text(option).casefold() in folded
    ]
    return found[0] if len(found) == 1 else ""


def letter_of_tag(text: str, allowed: str) -> str:
    """SocialOmni: the allowed letter that the last tag, or else the whole text, comes to."""
    payload = last_answer(text)
    scope = text if payload is None else payload
    lines = [line for line in scope.splitlines() if line.strip()]
    last_line = lines[-1] if lines else ""
    candidates = [
        *(match.upper() for match in reversed(_LABELLED.findall(scope))),
        *(
            match[1].upper()
            for match in (_BARE.fullmatch(scope), _BARE.fullmatch(last_line))
            if match
        ),
        *(match[1] for match in (_LABEL.match(last_line), _AT_END.search(scope)) if match),
    ]
    return next((letter for letter in candidates if letter in allowed), "")
