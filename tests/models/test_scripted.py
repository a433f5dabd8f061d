"""The scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.models.wire import ASK, Told
from workbench.models.base import (
    ContextOverflow,
    ModelError,
    ModelUnavailable,
    RefusedKey,
    UnknownModel,
)
from workbench.models.scripted import ScriptedModel, ScriptError

PLAY = """
- think: Where are we?
  say: I look around.
  call: execute_commands
  arguments: {keystrokes: "ls ü\\n", duration: 5}
- calls:
    - {call: image_read, arguments: {file_path: a.png}}
    - {call: task_complete}
- say: Half a
  finish_reason: length
"""


def model_of(folder: Path, text: str) -> ScriptedModel:
    path = folder / "play.yaml"
    path.write_text(text)
    return ScriptedModel(path)


def turn(number: int) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "_native": {"turn": number}}


async def test_a_whole_play(tmp_path: Path) -> None:
    model, told = model_of(tmp_path, PLAY), Told()
    first = await model.complete(ASK, [], told.listener)
    assert list(first.message) == ["role", "content", "tool_calls", "reasoning_content"]
    (one,) = first.message["tool_calls"]
    assert one["function"]["arguments"] == '{"keystrokes": "ls ü\\n", "duration": 5}'
    assert "".join(told.of("reasoning")) == "Where are we?"
    assert "".join(told.of("text")) == "I look around."
    second = await model.complete([*ASK, turn(0)], [], told.listener)
    assert [c["function"]["name"] for c in second.message["tool_calls"]] == [
        "image_read",
        "task_complete",
    ]
    third = await model.complete([*ASK, turn(0), turn(1)], [], told.listener)
    assert [r.finish_reason for r in (first, second, third)] == ["tool_calls"] * 2 + ["length"]
    with pytest.raises(ModelError, match=r"^The script has ended after 3 turns: .*play\.yaml\.$"):
        await model.complete([*ASK, turn(0), turn(1), turn(2)], [], told.listener)


async def test_a_restarted_model_goes_on_where_the_conversation_stands(tmp_path: Path) -> None:
    model = model_of(tmp_path, PLAY)
    reply = await model.complete([*ASK, turn(0), turn(1)], [], Told().listener)
    assert reply.message["content"] == "Half a"


async def test_after_a_rewind_turns_are_played_again(tmp_path: Path) -> None:
    model = model_of(tmp_path, PLAY)
    for played in ([], [turn(0)], [turn(0), turn(1)]):
        await model.complete([*ASK, *played], [], Told().listener)
    again = await model.complete([*ASK, turn(0)], [], Told().listener)
    assert again.native == {"turn": 1}


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("refused", RefusedKey),
        ("unknown", UnknownModel),
        ("overflow", ContextOverflow),
        ("unavailable", ModelUnavailable),
    ],
)
async def test_faults_are_played_once(tmp_path: Path, word: str, kind: type[ModelError]) -> None:
    model = model_of(tmp_path, f"- say: One\n- error: {word}\n- say: Three\n")
    await model.complete(ASK, [], Told().listener)
    with pytest.raises(kind):
        await model.complete([*ASK, turn(0)], [], Told().listener)
    reply = await model.complete([*ASK, turn(0)], [], Told().listener)
    assert reply.message["content"] == "Three"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "a script is a list of turns"),
        ("say: Hello", "a script is a list of turns"),
        ("- say: [", "is not YAML"),
        ("- say: One\n- sya: Two", "turn 2: .*sya"),
        ("- say: 5", "turn 1: Expected `str`"),
        ("- error: other", "turn 1: Invalid enum value"),
    ],
)
def test_scripts_that_cannot_be_played(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ScriptError, match=rf"play\.yaml: .*{words}"):
        model_of(tmp_path, text)
