"""The reward against the recorded cases, the sample run, and its group rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.trajectory.vectors import SAMPLE_RUN, load, read_json
from workbench.curation.reward import Reward, grade, normalise_answer, shape_group
from workbench.curation.reward_tools import ToolSets

_CASES = load("reward")


def _grade(messages: list[dict[str, Any]], given: dict[str, Any]) -> Reward:
    wanted = {key: value for key, value in given.items() if key != "answer_type"}
    return grade(messages, wanted.pop("ground_truth"), **wanted)


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_recorded_case(case: dict[str, Any]) -> None:
    record = _grade(case["messages"], case["input"]).record()
    assert list(record) == list(case["expect"])
    for key, expected in case["expect"].items():
        wanted = pytest.approx(expected) if isinstance(expected, float) else expected
        assert record[key] == wanted, key


def test_sample_run() -> None:
    shard = SAMPLE_RUN / "omnigaia_kira" / "shard_00"
    golden = (SAMPLE_RUN / "golden" / "reward.jsonl").read_text().splitlines()
    items = read_json(SAMPLE_RUN / "omnigaia_kira" / "items.json")
    for index, (item, line) in enumerate(zip(items, golden, strict=True)):
        messages = read_json(shard / f"item_{index:04d}" / "messages.json")
        expected = json.loads(line)
        expected.pop("num_steps")
        record = grade(messages, item["ground_truth"], exit_reason="task_complete").record()
        assert record == expected


def _one_call(name: str, arguments: object) -> list[dict[str, Any]]:
    call = {"function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "assistant", "content": "<answer>7</answer>"},
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "score"),
    [
        ("browse", "{}", 0.75),
        ("browse", {"a": {"deep": ["see https://x"]}}, 0.5),
        ("execute_commands", {"analysis": "see /etc/hosts"}, -0.05),
        ("execute_commands", {"keystrokes": "cat '/workspace/../etc/x'"}, -0.05),
        ("execute_commands", {"keystrokes": "cat /tmp/a /workspace/b it's"}, 1.0),
        ("", "{}", 0.75),
        ("execute_commands", "", 1.0),
    ],
)
def test_documented_scores(name: str, arguments: object, score: float) -> None:
    reward = grade(_one_call(name, arguments), ["7"], exit_reason="task_complete")
    assert reward.score == pytest.approx(score)


def test_raw_call_blocks_count_as_calls() -> None:
    block = '<tool_call>{"name": "execute_commands", "arguments": {"plan": "sox"}}</tool_call>'
    messages = [{"role": "assistant", "content": f"{block}<answer>7</answer>"}]
    media = {"audios": ["a.wav"]}
    reward = grade(messages, ["7"], exit_reason="task_complete", media=media)
    assert (reward.score, reward.n_tool, reward.n_unparseable) == (1.0, 1.0, 0.0)
    assert reward.tool_names_used == ["execute_commands", "sox"]


def test_answers_are_compared_without_separators() -> None:
    assert normalise_answer(" Red, green;blue  and  White ") == "red green blue white"


def test_tool_sets_come_from_the_environment() -> None:
    tools = ToolSets.from_environment(
        {"RELAX_ROUTER_ALLOWED_TOOLS": "browse, x", "RELAX_ROUTER_VIDEO_TOOLS": ""}
    )
    assert tools.allowed == {"browse", "x"}
    assert tools.video == frozenset()
    assert tools.audio == ToolSets().audio


def test_group_shaping() -> None:
    right = grade(_one_call("execute_commands", "{}"), ["7"], exit_reason="task_complete")
    wrong = grade(_one_call("execute_commands", "{}"), ["8"], exit_reason="task_complete")
    shaped = shape_group([right, right, right, right, wrong], [4, 6, 12, 40, 1])
    assert shaped is not None
    assert [round(score, 6) for score, _factor in shaped] == [1.0, 0.9, 0.6, 0.5, 0.2]
    assert shape_group([right, right], [4, 4]) is None
    assert shape_group([right], [4]) is None
    removed = grade([], ["7"], exit_reason="timeout")
    assert shape_group([right, removed], [4, 1]) is None
