"""Replies of the messages API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.conftest import MakeAnthropic
from tests.models.server import ModelServer
from tests.models.wire import (
    ASK,
    TOOLS,
    Told,
    block,
    call,
    ended,
    events,
    spoken,
    started,
    text_block,
    thinking_block,
    use_block,
)
from workbench.events import Usage
from workbench.models.base import ContextOverflow, Reply


async def ask(make: MakeAnthropic, told: Told | None = None, **options: Any) -> Reply:
    return await make(**options).complete(ASK, TOOLS, (told or Told()).listener)


async def test_text_is_streamed_and_whole(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(
        events(
            started(input_tokens=10, cache_read_input_tokens=100, cache_creation_input_tokens=5),
            {"type": "ping"},
            *text_block(0, "Gr", "üße 👋"),
            *ended(output_tokens=12, output_tokens_details={"thinking_tokens": 4}),
        )
    )
    told = Told()
    reply = await ask(make_anthropic, told)
    assert reply.message == {"role": "assistant", "content": "Grüße 👋"}
    assert told.texts == [("text", "Gr"), ("text", "üße 👋")]
    assert reply.usage == Usage(
        prompt_tokens=115, completion_tokens=12, cached_tokens=100, reasoning_tokens=4
    )
    assert (reply.finish_reason, reply.native) == ("stop", None)


async def test_prompt_tokens_that_come_last_hold(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(events(started(input_tokens=0), *text_block(0, "."), *ended(input_tokens=33)))
    assert (await ask(make_anthropic)).usage.prompt_tokens == 33


async def test_parallel_calls_in_pieces(server: ModelServer, make_anthropic: MakeAnthropic) -> None:
    server.play(
        events(
            started(),
            *text_block(0, "Looking."),
            *use_block(1, "toolu_1", "image_read", "", '{"file_path"', ': "a.png"}'),
            *use_block(2, "toolu_2", "task_complete"),
            *ended("tool_use"),
        )
    )
    told = Told()
    reply = await ask(make_anthropic, told)
    assert reply.message == {
        "role": "assistant",
        "content": "Looking.",
        "tool_calls": [
            call("toolu_1", "image_read", '{"file_path": "a.png"}'),
            call("toolu_2", "task_complete", "{}"),
        ],
    }
    assert "".join(told.of("call")) == '{"file_path": "a.png"}'
    assert reply.finish_reason == "tool_calls"


async def test_a_call_whose_input_comes_whole(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    begin = {"type": "tool_use", "id": "t", "name": "image_read", "input": {"file_path": "ü"}}
    server.play(events(started(), *block(0, begin), *ended("tool_use")))
    reply = await ask(make_anthropic)
    assert reply.message["tool_calls"] == [call("t", "image_read", '{"file_path": "ü"}')]


async def test_broken_input_is_handed_over_as_it_came(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(
        events(started(), *use_block(0, "t", "execute_commands", '{"key'), *ended("max_tokens"))
    )
    reply = await ask(make_anthropic)
    assert reply.message["tool_calls"] == [call("t", "execute_commands", '{"key')]
    assert reply.finish_reason == "length"


async def test_thinking_is_streamed_and_kept_with_its_signature(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    hidden = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    server.play(
        events(
            started(),
            *thinking_block(0, ["Let ", "me see."], "c2lnLTE="),
            *block(1, hidden),
            *text_block(2, "Looking."),
            *use_block(3, "toolu_1", "task_complete", "{}"),
            *ended("tool_use"),
        )
    )
    told = Told()
    reply = await ask(make_anthropic, told)
    assert told.of("reasoning") == ["Let ", "me see."]
    assert list(reply.message) == ["role", "content", "tool_calls", "reasoning_content"]
    assert reply.message["reasoning_content"] == "Let me see."
    assert reply.native == {
        "anthropic": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnLTE="},
            hidden,
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "toolu_1"},
        ]
    }


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
    ],
)
async def test_finish_reasons(
    server: ModelServer, make_anthropic: MakeAnthropic, word: str, expected: str
) -> None:
    server.play(events(started(), *text_block(0, "Half a"), *ended(word)))
    reply = await ask(make_anthropic)
    assert (reply.finish_reason, reply.message["content"]) == (expected, "Half a")


async def test_half_a_thought_is_not_sent_back(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    begin = {"type": "thinking", "thinking": "", "signature": ""}
    delta = {"type": "thinking_delta", "thinking": "Let"}
    server.play(events(started(), *block(0, begin, delta), *ended("max_tokens")))
    reply = await ask(make_anthropic)
    assert (reply.native, reply.message["reasoning_content"]) == (None, "Let")


async def test_a_full_context_ends_the_reply(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(events(started(), *text_block(0, "Ha"), *ended("model_context_window_exceeded")))
    with pytest.raises(ContextOverflow, match=r"^The context of claude was full"):
        await ask(make_anthropic)


async def test_prices_make_a_cost(server: ModelServer, make_anthropic: MakeAnthropic) -> None:
    server.play(
        events(started(input_tokens=1_000_000), *text_block(0, "."), *ended(output_tokens=100_000)),
        spoken(),
    )
    assert (await ask(make_anthropic, prices={"input": 3.0, "output": 15.0})).usage.cost_usd == 4.5
    assert (await ask(make_anthropic)).usage.cost_usd is None
