"""Which runs the reference filter keeps for training (omnicoding-format 9.1)."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.events import Message
from workbench.trajectory.tags import answer_payloads

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a prediction passes, and the filter's own word for why."""

    ok: bool
    reason: str


def normalise(text: str) -> str:
    """Lower case, without punctuation, blanks collapsed."""
    return " ".join(text.lower().translate(_NO_PUNCTUATION).split())


def verdict(answer_type: str, predicted: str, ground_truths: Sequence[str]) -> Verdict:
    """Compare a prediction with the accepted answers.

    The rules are the filter's, blunt as they are: of a multiple-choice answer the first word
    decides ("a cat" passes against "a dog"), of an open one any substring either way.
    """
    if not predicted.strip():
        return Verdict(False, "empty_prediction")
    if not ground_truths:
        return Verdict(False, "no_ground_truth")
    prediction = normalise(predicted)
    if not prediction:
        return Verdict(False, "prediction_empty_after_normalize")
    truths = [truth for truth in map(normalise, ground_truths) if truth]
    return _mcq(prediction, truths) if answer_type == "mcq" else _open(prediction, truths)


def _mcq(prediction: str, truths: list[str]) -> Verdict:
    if prediction in truths:
        return Verdict(True, "exact_match")
    first = prediction.split()[0]
    if any(first == truth or first == truth.split()[0] for truth in truths):
        return Verdict(True, "first_token_match")
    return Verdict(False, "no_match_mcq")


def _open(prediction: str, truths: list[str]) -> Verdict:
    for truth in truths:
        if truth in prediction or prediction in truth:
            return Verdict(True, f"open_substring(g_in_p={truth in prediction})")
    return Verdict(False, "no_match_open")


def row_verdict(
    row: dict[str, Any],
    item: dict[str, Any] | None,
    messages: Iterable[Message],
    *,
    rescue_partial: bool = True,
) -> Verdict:
    """The verdict on a result row.

    Args:
        row: of `results.json`.
        item: the dataset row with the same `id`; None if there is none.
        messages: of the run, searched for a tag where the row has no prediction.
        rescue_partial: keep correct runs that did not end by themselves.
    """
    exit_reason = str(row.get("exit_reason"))
    finished = exit_reason == "task_complete"
    if not finished and not rescue_partial:
        return Verdict(False, f"bad_exit({exit_reason})")
    item = item or {}
    truths = [str(truth) for truth in item.get("ground_truth") or []]
    found = verdict(str(item.get("answer_type", "open")), _prediction(row, messages), truths)
    return found if finished else Verdict(found.ok, f"{found.reason};rescue=on")


def _prediction(row: dict[str, Any], messages: Iterable[Message]) -> str:
    predicted = row.get("predicted_answer")
    if isinstance(predicted, str) and predicted.strip():
        return predicted
    answer = ""
    for message in messages:
        content = message.get("content")
        if message.get("role") in ("assistant", "tool") and isinstance(content, str):
            answer = (answer_payloads(content) or [answer])[-1]
    return answer
