"""The prediction in a run's final text, as each benchmark reads it (omnicoding-format 5.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, get_args

from workbench.trajectory.letters import letter_by_layers, letter_of_tag, option_label
from workbench.trajectory.tags import answer_payloads, last_answer

Bench = Literal["omnigaia", "lvomnibench", "socialomni_l1", "socialomni_l2", "videozerobench"]
BENCHES: tuple[Bench, ...] = get_args(Bench)

_PLACEHOLDERS = frozenset({"YOUR_ANSWER", "FINAL_ANSWER", "ANSWER", "TBD", "N/A"})
_YES_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE)
_ANSWER_PHRASE = re.compile(r"\b(?:final\s+)?answer\s*(?:is\b|[:：=])\s*([^\n]+)", re.IGNORECASE)
_PHRASE_SCOPE = 4000
_PHRASE_MAX = 80
_HEDGE = re.compile(
    r"\b(?:unclear|unknown|unsure|uncertain|undetermined|not\s+\w+|cannot|can't|could\s+not|"
    r"couldn't|maybe|perhaps|possibly|probably|likely|tbd|n/a|i\s+think|i\s+guess)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extraction:
    """`prediction` is "" where none was found; `is_correct` is None where nobody can tell."""

    prediction: str
    is_correct: bool | None


def extract(bench: Bench, item: dict[str, Any], text: str) -> Extraction:
    """The prediction of a run.

    Args:
        bench: whose rules apply.
        item: the dataset row, for the options and the gold answer.
        text: the final text: all that the assistant and the tools said (`final_text.txt`).
    """
    return _EXTRACTORS[bench](item, text)


def _omnigaia(_item: dict[str, Any], text: str) -> Extraction:
    """The last tag that is no placeholder; correctness is judged elsewhere."""
    payloads = answer_payloads(text)
    real = [payload for payload in payloads if not _is_placeholder(payload)]
    return Extraction((real or payloads or [""])[-1], None)


def _is_placeholder(payload: str) -> bool:
    return payload.upper() in _PLACEHOLDERS or not any(map(str.isalnum, payload))


def _lvomnibench(item: dict[str, Any], text: str) -> Extraction:
    prediction = letter_by_layers(text, _options(item))
    return Extraction(prediction, _equals(prediction, item.get("correct_option")))


def _socialomni_l1(item: dict[str, Any], text: str) -> Extraction:
    options = _options(item)
    labels = [option_label(option) or chr(ord("A") + i) for i, option in enumerate(options)]
    prediction = letter_of_tag(text, "".join(labels) or "ABCD")
    return Extraction(prediction, _equals(prediction, item.get("correct_answer")))


def _socialomni_l2(item: dict[str, Any], text: str) -> Extraction:
    """Question 1 only: a letter, else the words YES (A) and NO (B), tagged or not."""
    prediction = letter_of_tag(text, "AB")
    if not prediction:
        payload = last_answer(text)
        words = _YES_NO.findall(text if payload is None else payload)
        prediction = {"yes": "A", "no": "B"}[words[-1].lower()] if words else ""
    question = item.get("question_1")
    gold = question.get("correct_answer") if isinstance(question, dict) else None
    return Extraction(prediction, _equals(prediction, gold))


def _videozerobench(item: dict[str, Any], text: str) -> Extraction:
    tagged = last_answer(text)
    prediction = _answer_phrase(text) if tagged is None else tagged
    gold = item.get("answer")
    if gold is None:
        return Extraction(prediction, None)
    return Extraction(prediction, same_short_answer(prediction, str(gold)))


def _answer_phrase(text: str) -> str:
    """What follows the last "answer is" or "answer:", unless it is long, filler or a hedge."""
    phrases = _ANSWER_PHRASE.findall(text[-_PHRASE_SCOPE:])
    phrase = phrases[-1].strip(" \t*_`\"'.") if phrases else ""
    is_answer = len(phrase) <= _PHRASE_MAX and not _HEDGE.search(phrase)
    return phrase if is_answer and not _is_placeholder(phrase) else ""


def same_short_answer(prediction: str, gold: str) -> bool:
    """Whether two short answers agree: as numbers if both are, else as words."""
    left, right = (unicodedata.normalize("NFKC", text).strip() for text in (prediction, gold))
    left_number, right_number = _number(left), _number(right)
    if left_number is not None and right_number is not None:
        return left_number == right_number
    return bool(_words(left)) and _words(left) == _words(right)


def _number(text: str) -> Decimal | None:
    try:
        value = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _words(text: str) -> str:
    plain = (" " if unicodedata.category(char)[0] in "PS" else char for char in text.lower())
    return " ".join("".join(plain).split())


def _options(item: dict[str, Any]) -> list[str]:
    options = item.get("options")
    return [str(option) for option in options] if isinstance(options, list) else []


def _equals(prediction: str, gold: object) -> bool | None:
    return None if gold is None else prediction == str(gold).strip()


_EXTRACTORS: dict[Bench, Callable[[dict[str, Any], str], Extraction]] = {
    "omnigaia": _omnigaia,
    "lvomnibench": _lvomnibench,
    "socialomni_l1": _socialomni_l1,
    "socialomni_l2": _socialomni_l2,
    "videozerobench": _videozerobench,
}
