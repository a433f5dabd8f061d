"""Tool calls as the loop reads them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectory.vectors import CALM, load
from workbench.trajectory.arguments import decode, decode_for_training, encode
from workbench.trajectory.parse import parse_turn
from workbench.trajectory.recover import recover_calls

_CASES = load("parse")


def _call(name: str, arguments: object, call_id: str | None = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_recorded_case(case: dict[str, Any]) -> None:
    turn = parse_turn({"role": "assistant", "content": "", "tool_calls": case["tool_calls"]})
    image = turn.image_read
    found = {
        "commands": [[command.keystrokes, command.duration_s] for command in turn.commands],
        "image_read": [image.file_path, image.instruction] if image else None,
        "task_complete": turn.task_complete,
        "analysis": turn.analysis,
        "plan": turn.plan,
        "n_warnings": len(turn.warnings),
    }
    assert found == case["expect"]


def test_several_calls_of_a_turn() -> None:
    calls = [
        _call("execute_commands", {"keystrokes": "a", "plan": "p"}),
        _call("image_read", {"file_path": "a.png", "image_read_instruction": "look"}, None),
        _call("execute_commands", {"keystrokes": "b", "analysis": "later", "plan": "q"}, ""),
        _call("image_read", {"file_path": "b.png", "image_read_instruction": "look"}),
    ]
    turn = parse_turn({"role": "assistant", "tool_calls": calls})
    assert [(command.keystrokes, command.call_index) for command in turn.commands] == [
        ("a", 0),
        ("b", 2),
    ]
    assert (turn.analysis, turn.plan) == ("later", "p")
    assert turn.image_read is not None
    assert turn.image_read.call_index == 1
    assert len(turn.warnings) == 1
    assert [call.id for call in turn.calls] == ["c1", "call_kira_1", "call_kira_2", "c1"]


def test_legacy_commands_follow_the_flat_one() -> None:
    arguments = {"keystrokes": "a", "commands": [{"keystrokes": "b", "duration": 5}, {}, "c"]}
    turn = parse_turn({"tool_calls": [_call("execute_commands", json.dumps(arguments))]})
    assert [(command.keystrokes, command.duration_s) for command in turn.commands] == [
        ("a", 1.0),
        ("b", 5.0),
    ]
    assert len(turn.warnings) == 2


@pytest.mark.parametrize("duration", [float("nan"), float("inf"), "inf", 10**400, [], "1e"])
def test_odd_durations_stay_in_bounds(duration: object) -> None:
    turn = parse_turn(
        {"tool_calls": [_call("execute_commands", {"command": "x", "duration": duration})]}
    )
    assert 0 < turn.commands[0].duration_s <= 60


def test_what_the_loop_stores_survives_the_converter() -> None:
    raw = '{"keystrokes": "echo a\nls", "note": "\\ud800"}}'
    turn = parse_turn({"tool_calls": [_call("execute_commands", raw, None)]})
    arguments = turn.calls[0].arguments
    assert arguments == {"keystrokes": "echo a\nls", "note": "\ufffd"}
    assert decode_for_training(raw) is None
    assert decode_for_training(encode(arguments)) == arguments


@CALM
@given(st.text() | st.none() | st.integers() | st.dictionaries(st.text(), st.integers()))
def test_any_arguments_become_an_object(raw: object) -> None:
    arguments, _warning = decode(raw)
    assert decode_for_training(encode(arguments)) == arguments
    encode(arguments).encode()


@CALM
@given(
    st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers(), max_size=4),
    st.data(),
)
def test_a_cut_object_never_breaks_the_decoder(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text)))
    arguments, warning = decode(text[:cut])
    assert isinstance(arguments, dict)
    assert warning is not None or set(arguments) <= set(value) or cut < len(text)


def test_deep_nesting_is_a_warning() -> None:
    arguments, warning = decode("[" * 100_000)
    assert arguments == {}
    assert warning is not None
    assert decode_for_training('{"a":' * 100_000) is None


def test_malformed_call_is_recovered_from_content_first() -> None:
    content = (
        "Now.\n<tool_call>\nfunction=execute_commands>\n<parameter=keystrokes>\n"
        'ls", "duration": 2}\n</parameter>\n</function></tool_call>'
    )
    calls = recover_calls(content, "")
    assert len(calls) == 1
    assert re.fullmatch(r"call_recovered_[0-9a-f]{16}", calls[0]["id"])
    arguments = json.loads(calls[0]["function"]["arguments"])
    assert arguments == {"keystrokes": "ls", "duration": 2}
    assert recover_calls("nothing", content)[0]["function"]["name"] == "execute_commands"


def test_well_formed_xml_and_unknown_tools_are_left_alone() -> None:
    good = (
        "<tool_call><function=execute_commands><parameter=keystrokes>ls</parameter>"
        "</function></tool_call>"
    )
    unknown = '<tool_call><function=browse><parameter=url>x"}</tool_call>'
    assert recover_calls(good, "") == []
    assert recover_calls(unknown, "") == []


@CALM
@given(st.text(alphabet='<>/="{}tool_cafunperms ', max_size=80))
def test_recovery_never_raises(text: str) -> None:
    recover_calls(f"<tool_call>{text}</tool_call>", text)
