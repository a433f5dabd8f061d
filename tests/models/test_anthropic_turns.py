"""Conversations as turns of blocks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.wire import call
from workbench.models.wire_turns import sent_turns


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def turns(*messages: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    return sent_turns(messages, **options)[1]


NATIVE = {
    "anthropic": [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        text("Go."),
        {"type": "tool_use", "id": "c1"},
        {"type": "thinking", "thinking": "And.", "signature": "t"},
        {"type": "tool_use", "id": "c2"},
    ]
}


def test_calls_that_a_person_edited_stand_where_they_stood() -> None:
    calls = [call("c1", "execute_commands", {"keystrokes": "pwd"}), call("c2", "task_complete", {})]
    turn = {"role": "assistant", "content": "Go.", "tool_calls": calls, "_native": NATIVE}
    (sent,) = turns(turn)
    kinds = [block["type"] for block in sent["content"]]
    assert kinds == ["thinking", "text", "tool_use", "thinking", "tool_use"]
    assert sent["content"][2]["input"] == {"keystrokes": "pwd"}


def test_thoughts_come_first_when_the_calls_are_others() -> None:
    calls = [call("x", "task_complete", {})]
    turn = {"role": "assistant", "content": "Go.", "tool_calls": calls, "_native": NATIVE}
    kinds = [block["type"] for block in turns(turn)[0]["content"]]
    assert kinds == ["thinking", "thinking", "text", "tool_use"]
    kinds = [block["type"] for block in turns(turn, with_thoughts=False)[0]["content"]]
    assert kinds == ["text", "tool_use"]


@pytest.mark.parametrize("native", [None, {"turn": 3}, {"reasoning_details": []}, "x"])
def test_what_another_model_kept_is_not_sent(native: Any) -> None:
    turn = {"role": "assistant", "content": "Go.", "_native": native, "reasoning_content": "Hm."}
    assert turns(turn) == [{"role": "assistant", "content": [text("Go.")]}]


def test_a_turn_of_thoughts_alone_is_left_out() -> None:
    kept = {"anthropic": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]}
    turn = {"role": "assistant", "content": " \n", "_native": kept}
    ask, again = {"role": "user", "content": "A?"}, {"role": "user", "content": "Go on."}
    assert turns(ask, turn, again) == [{"role": "user", "content": [text("A?"), text("Go on.")]}]


def test_replies_and_words_of_a_person_are_one_turn() -> None:
    calls = [call("c1", "execute_commands", {}), call("c2", "execute_commands", {})]
    sent = turns(
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "  "},
        {"role": "user", "content": "Faster."},
    )
    assert sent[1:] == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [text("one")]},
                {"type": "tool_result", "tool_use_id": "c2"},
                text("Faster."),
            ],
        }
    ]


def test_ids_are_unique_and_of_plain_characters() -> None:
    step: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "tool_calls": [call("f.run:0", "task_complete", {})]},
        {"role": "tool", "tool_call_id": "f.run:0", "content": "ok"},
    ]
    blocks = [block for turn in turns(*step, *step) for block in turn["content"]]
    ids = [block.get("id") or block["tool_use_id"] for block in blocks]
    assert ids == ["f_run_0", "f_run_0", "f_run_0-2", "f_run_0-2"]


def test_a_reply_to_no_call_is_text() -> None:
    assert turns({"role": "tool", "tool_call_id": "gone", "content": "ok"}) == [
        {"role": "user", "content": [text("ok")]}
    ]


def test_arguments_that_are_no_object_are_sent_as_one() -> None:
    broken = {
        "role": "assistant",
        "content": "",
        "tool_calls": [call("a", "task_complete", "{oops")],
    }
    assert turns(broken)[0]["content"][0]["input"] == {"arguments": "{oops"}


def test_pictures_by_url() -> None:
    far = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    source = {"type": "url", "url": "https://example.org/a.png"}
    assert turns({"role": "user", "content": [far]})[0]["content"] == [
        {"type": "image", "source": source}
    ]
