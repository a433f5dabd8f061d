"""Does it train: the recorded cases, and the outcomes of typical interventions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectory.vectors import load
from workbench.trajectory.ms_swift import convert
from workbench.trajectory.pairing import why_not_trained, why_pictures_differ

_CASES = load("convert")
_PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_recorded_case(case: dict[str, Any]) -> None:
    row = convert(case["messages"], [], "item_0000", "images", **case["options"]).row
    why_not = why_not_trained(row)
    assert (why_not is None) == case["trains"], why_not


def _row(*messages: tuple[str, str], images: int = 0) -> dict[str, Any]:
    row: dict[str, Any] = {"messages": [{"role": r, "content": c} for r, c in messages]}
    return {**row, "images": ["x"] * images} if images else row


_CALL = '{"name": "execute_commands", "arguments": {}}'


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (_row(("user", "q"), ("note", "n")), "T1"),
        (_row(("user", "q"), ("assistant", "a"), ("system", "s")), "T4"),
        (_row(("user", "q"), ("tool_call", '{"name": "x", "arguments": [1]}')), "T5"),
        (_row(("user", "q"), ("tool_call", "oops")), "T5"),
        (_row(("user", "q"), ("tool_response", "r"), ("assistant", "a")), "T3"),
        (_row(("tool_response", "r"), ("assistant", "a")), "T3"),
        (_row(("user", "q"), ("tool_call", _CALL), ("tool_response", "r"), ("user", "n")), "T3"),
        (_row(("user", "q")), "no assistant turn"),
        (_row(), "no assistant turn"),
    ],
)
def test_the_sentence_names_the_rule(row: dict[str, Any], rule: str) -> None:
    assert rule in (why_not_trained(row) or "")


@pytest.mark.parametrize(
    "row",
    [
        _row(("assistant", "a"), ("user", "q"), ("user", "q2"), ("assistant", "a")),
        _row(("user", "q"), ("tool_call", _CALL), ("tool_call", _CALL), ("tool_response", "r")),
        _row(("user", "q"), ("assistant", "a"), ("user", "n")),
    ],
)
def test_rows_that_train(row: dict[str, Any]) -> None:
    assert why_not_trained(row) is None


def test_tags_and_pictures_match_one_to_one() -> None:
    assert why_pictures_differ(_row(("user", "<image>"), images=1)) is None
    assert "literally" in (why_pictures_differ(_row(("user", "a <image>"))) or "")
    assert "beginning" in (why_pictures_differ(_row(("user", "a"), images=1)) or "")


def test_a_picture_shown_by_a_person_breaks_the_row() -> None:
    reply: list[dict[str, Any]] = [
        {"role": "tool", "content": "out"},
        {"role": "user", "content": [_PICTURE]},
    ]
    call = {"function": {"name": "execute_commands", "arguments": "{}"}}
    head: list[dict[str, Any]] = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [call]},
    ]
    row = convert([*head, *reply], [], "i", "images", multimodal=True).row
    assert "Message 5 is a user message right after a tool reply" in (why_not_trained(row) or "")
