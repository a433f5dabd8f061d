"""Replies of chat completions, as many servers stream them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.conftest import MakeOpenAI
from tests.models.server import ModelServer
from tests.models.wire import ASK, TOOLS, Told, call, chat, chunk, said
from workbench.events import Usage
from workbench.models.base import Reply


async def ask(make: MakeOpenAI, told: Told | None = None, **options: Any) -> Reply:
    return await make(**options).complete(ASK, TOOLS, (told or Told()).listener)


async def test_text_is_streamed_and_whole(server: ModelServer, make_openai: MakeOpenAI) -> None:
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 16},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    server.play(
        chat(
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "Gr"}),
            chunk({"content": "üße 👋"}),
            chunk({}, "stop"),
            chunk(usage=usage),
        )
    )
    told = Told()
    reply = await ask(make_openai, told)
    assert reply.message == {"role": "assistant", "content": "Grüße 👋"}
    assert told.texts == [("text", "Gr"), ("text", "üße 👋")]
    assert reply.usage == Usage(
        prompt_tokens=20, completion_tokens=5, cached_tokens=16, reasoning_tokens=2
    )
    assert (reply.finish_reason, reply.native) == ("stop", None)


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
async def test_reasoning(server: ModelServer, make_openai: MakeOpenAI, key: str) -> None:
    server.play(
        chat(
            chunk({key: "Let "}),
            chunk({key: "me see."}),
            chunk({"content": "4", key: None}),
            chunk({}, "stop"),
        )
    )
    told = Told()
    reply = await ask(make_openai, told)
    assert list(reply.message) == ["role", "content", "reasoning_content"]
    assert reply.message["reasoning_content"] == "Let me see."
    assert told.of("reasoning") == ["Let ", "me see."]
    assert told.of("text") == ["4"]


async def test_content_as_a_list_of_parts(server: ModelServer, make_openai: MakeOpenAI) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    server.play(
        chat(
            chunk({"content": [thought]}),
            chunk({"content": [{"type": "text", "text": "Yes"}]}),
            chunk({}, "stop"),
        )
    )
    reply = await ask(make_openai)
    assert reply.message["content"] == "Yes"
    assert reply.message["reasoning_content"] == "Hm."


async def test_a_call_split_over_chunks(server: ModelServer, make_openai: MakeOpenAI) -> None:
    first = {"index": 0, "id": "call_1", "function": {"name": "execute_commands"}}
    pieces = ['{"keyst', 'rokes": "ls\\n"', "}"]
    server.play(
        chat(
            chunk({"content": "Looking."}),
            chunk({"tool_calls": [{**first, "type": "function"}]}),
            *(
                chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
                for piece in pieces
            ),
            chunk({}, "tool_calls"),
        )
    )
    told = Told()
    reply = await ask(make_openai, told)
    expected = call("call_1", "execute_commands", '{"keystrokes": "ls\\n"}')
    assert reply.message["tool_calls"] == [expected]
    assert told.of("call") == pieces
    assert reply.finish_reason == "tool_calls"


def _piece(arguments: str, **more: Any) -> dict[str, Any]:
    name = more.pop("name", None)
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return {**more, "type": "function", "function": function}


WAYS: dict[str, list[list[dict[str, Any]]]] = {
    "interleaved by index": [
        [_piece("", index=0, id="a", name="image_read")],
        [_piece("", index=1, id="b", name="task_complete")],
        [_piece('{"x"', index=0), _piece("{", index=1)],
        [_piece(":1}", index=0), _piece("}", index=1)],
    ],
    "all under index 0 (SGLang, Gemini)": [
        [_piece('{"x":1}', index=0, id="a", name="image_read")],
        [_piece("{}", index=0, id="b", name="task_complete")],
    ],
    "whole in one delta (Ollama)": [
        [
            _piece('{"x":1}', index=0, id="a", name="image_read"),
            _piece("{}", index=1, id="b", name="task_complete"),
        ],
    ],
    "without an index": [
        [_piece('{"x":1}', id="a", name="image_read")],
        [_piece("{}", id="b", name="task_complete")],
    ],
    "id and name with every piece": [
        [_piece('{"x"', index=0, id="a", name="image_read")],
        [_piece(":1}", index=0, id="a", name="image_read")],
        [_piece("{}", index=1, id="b", name="task_complete")],
    ],
}


@pytest.mark.parametrize("way", WAYS)
async def test_parallel_calls(server: ModelServer, make_openai: MakeOpenAI, way: str) -> None:
    deltas = [chunk({"tool_calls": pieces}) for pieces in WAYS[way]]
    server.play(chat(*deltas, chunk({}, "tool_calls")))
    reply = await ask(make_openai)
    assert reply.message["tool_calls"] == [
        call("a", "image_read", '{"x":1}'),
        call("b", "task_complete", "{}"),
    ]


async def test_the_same_tool_twice_without_ids(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    pieces = [_piece(f'{{"x":{number}}}', index=0, name="image_read") for number in (1, 2)]
    deltas = [chunk({"tool_calls": [piece]}) for piece in pieces]
    server.play(chat(*deltas, chunk({}, "tool_calls")))
    reply = await ask(make_openai)
    arguments = [one["function"]["arguments"] for one in reply.message["tool_calls"]]
    assert arguments == ['{"x":1}', '{"x":2}']


async def test_calls_without_ids_and_with_object_arguments(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    bare = {"function": {"name": "image_read", "arguments": {"file_path": "a.png"}}}
    server.play(chat(chunk({"tool_calls": [bare]}), chunk({}, "stop")))
    reply = await ask(make_openai)
    function = {"name": "image_read", "arguments": '{"file_path": "a.png"}'}
    assert reply.message["tool_calls"] == [{"type": "function", "function": function}]
    assert reply.finish_reason == "tool_calls"


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "execute_commands", "arguments": {"keystrokes": "ls',
        "<tool_call><function=image_read><parameter=file_path>a.png</parameter>",
        '{"name": "execute_commands"}\u2028 trailing  \n\n',
    ],
)
async def test_malformed_calls_stay_text(
    server: ModelServer, make_openai: MakeOpenAI, text: str
) -> None:
    server.play(said(text))
    reply = await ask(make_openai, None, name="qwen3-vl")
    assert reply.message == {"role": "assistant", "content": text}


async def test_broken_arguments_are_handed_over_as_they_came(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    broken = '{"keystrokes": "ls", "duration": 5'
    piece = _piece(broken, index=0, id="a", name="execute_commands")
    server.play(chat(chunk({"tool_calls": [piece]}), chunk({}, "tool_calls")))
    reply = await ask(make_openai)
    assert reply.message["tool_calls"] == [call("a", "execute_commands", broken)]


async def test_without_usage(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(said())
    assert (await ask(make_openai)).usage == Usage()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"prompt_tokens": 3, "completion_tokens": None}, Usage(prompt_tokens=3)),
        ({"prompt_cache_hit_tokens": 2}, Usage(cached_tokens=2)),
        ({"reasoning_tokens": 4}, Usage(reasoning_tokens=4)),
        ({"cost": 0.25, "prompt_tokens": 1}, Usage(prompt_tokens=1, cost_usd=0.25)),
        ({"prompt_tokens": "many", "prompt_tokens_details": 7}, Usage()),
    ],
)
async def test_usage_in_other_places(
    server: ModelServer, make_openai: MakeOpenAI, raw: dict[str, Any], expected: Usage
) -> None:
    server.play(chat(chunk({"content": "."}), chunk({}, "stop", usage=raw)))
    assert (await ask(make_openai)).usage == expected


async def test_usage_in_a_choice(server: ModelServer, make_openai: MakeOpenAI) -> None:
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 9}}
    server.play(chat(chunk({"content": "."}), {**chunk(), "choices": [choice]}))
    assert (await ask(make_openai)).usage == Usage(prompt_tokens=9)


async def test_prices_make_a_cost(server: ModelServer, make_openai: MakeOpenAI) -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 500_000},
    }
    server.play(chat(chunk({"content": "."}), chunk({}, "stop"), chunk(usage=usage)))
    prices = {"input": 2.0, "cached": 0.2, "output": 10.0}
    reply = await ask(make_openai, prices=prices)
    assert reply.usage.cost_usd == pytest.approx(1.0 + 0.1 + 1.0)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("length", "length"),
        ("max_tokens", "length"),
        ("content_filter", "content_filter"),
        ("eos", "stop"),
        ("function_call", "stop"),
    ],
)
async def test_finish_reasons(
    server: ModelServer, make_openai: MakeOpenAI, word: str, expected: str
) -> None:
    server.play(chat(chunk({"content": "Half a"}), chunk({}, word)))
    reply = await ask(make_openai)
    assert (reply.finish_reason, reply.message["content"]) == (expected, "Half a")


async def test_a_refusal_is_text(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(chat(chunk({"refusal": "I cannot."}), chunk({}, "stop")))
    assert (await ask(make_openai)).message["content"] == "I cannot."


async def test_openrouter_details_are_kept_whole(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    def detail(**more: Any) -> dict[str, Any]:
        return {"reasoning_details": [{"type": "reasoning.text", "index": 0, **more}]}

    server.play(
        chat(
            {"id": "gen-1", "choices": []},
            chunk(detail(text="Think")),
            chunk(detail(text="ing.")),
            chunk(detail(signature="c2ln")),
            chunk({"content": "Done."}),
            chunk({}, "stop"),
        )
    )
    reply = await ask(make_openai)
    whole = {"type": "reasoning.text", "index": 0, "text": "Thinking.", "signature": "c2ln"}
    assert reply.native == {"reasoning_details": [whole]}
    assert reply.message["reasoning_content"] == "Thinking."


async def test_half_a_thought_is_not_kept_for_later(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    detail = {"type": "reasoning.text", "text": "Let"}
    server.play(chat(chunk({"reasoning_details": [detail]}), chunk({}, "length")))
    reply = await ask(make_openai)
    assert (reply.native, reply.message["reasoning_content"]) == (None, "Let")


async def test_a_stream_without_done(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(chat(chunk({"content": "Hi."}), chunk({}, "stop"), done=False))
    assert (await ask(make_openai)).message["content"] == "Hi."
