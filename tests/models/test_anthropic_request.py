"""What a server of the messages API receives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.conftest import MakeAnthropic
from tests.models.server import ModelServer, refusal
from tests.models.wire import (
    ASK,
    FAST,
    KEY,
    PNG,
    TOOLS,
    Told,
    call,
    ended,
    events,
    spoken,
    started,
    text_block,
    thinking_block,
    use_block,
)
from workbench.models.anthropic import AnthropicModel
from workbench.models.wire_pictures import NOTE

CACHED = {"cache_control": {"type": "ephemeral"}}
LOOK = call("c1", "image_read", {"file_path": "a.png"})
PICTURE = {"type": "image_url", "image_url": {"url": PNG}}
SHOWN = {"role": "user", "content": [{"type": "text", "text": "image_read: 'a.png'"}, PICTURE]}
CONVERSATION: list[dict[str, Any]] = [
    *ASK,
    {"role": "assistant", "content": " ", "tool_calls": [LOOK], "reasoning_content": "See."},
    {"role": "tool", "tool_call_id": "c1", "content": "Loaded 'a.png'."},
    SHOWN,
]
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


async def test_the_whole_request(server: ModelServer, make_anthropic: MakeAnthropic) -> None:
    server.play(spoken())
    await make_anthropic().complete(CONVERSATION, TOOLS[:1], Told().listener)
    request = server.requests[0]
    assert request.headers["connection"] == "close"
    assert request.path == "/v1/messages"
    assert any(KEY in value for value in request.headers.values())
    result = [text("Loaded 'a.png'.\nimage_read: 'a.png'"), IMAGE]
    use = {"type": "tool_use", "id": "c1", "name": "image_read", "input": {"file_path": "a.png"}}
    assert request.body == {
        "model": "claude",
        "max_tokens": 32_000,
        "stream": True,
        "system": [{**text("Be brief."), **CACHED}],
        "tools": [
            {
                "name": "execute_commands",
                "description": "Do execute_commands.",
                "input_schema": {"type": "object", "properties": {}, "required": []},
            }
        ],
        "messages": [
            {"role": "user", "content": [{**text("Hello"), **CACHED}]},
            {"role": "assistant", "content": [use]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": result, **CACHED}
                ],
            },
        ],
    }


async def test_a_base_url_that_ends_in_v1(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    server.play(spoken())
    model = AnthropicModel("m", base_url=f"{server.url}/v1/", backoff=FAST)
    await model.complete(ASK, [], Told().listener)
    await model.close()
    assert server.requests[0].path == "/v1/messages"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in server.requests[0].headers


async def test_thinking_goes_back_unchanged(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    thought = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnLTE="}
    server.play(
        events(
            started(),
            *thinking_block(0, ["Let me ", "see."], "c2lnLTE="),
            *text_block(1, "Looking."),
            *use_block(2, "toolu_1", "task_complete", '{"n": ', "1}"),
            *ended("tool_use"),
        ),
        spoken(),
    )
    model = make_anthropic(reasoning_effort="high")
    reply = await model.complete(ASK, TOOLS, Told().listener)
    answer = {"role": "tool", "tool_call_id": "toolu_1", "content": "Done."}
    turn = {**reply.message, "_native": reply.native}
    await model.complete([*ASK, turn, answer], TOOLS, Told().listener)
    use = {"type": "tool_use", "id": "toolu_1", "name": "task_complete", "input": {"n": 1}}
    assert server.asked["messages"][1]["content"] == [thought, text("Looking."), use]
    assert server.asked["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert server.asked["output_config"] == {"effort": "high"}


async def test_the_cache_is_marked_at_the_end_of_the_last_two_user_turns(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    def step(number: int) -> list[dict[str, Any]]:
        identity = f"c{number}"
        calls = [call(identity, "execute_commands", {})]
        return [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": identity, "content": "ok"},
        ]

    conversation = [*ASK, *step(1), *step(2), *step(3)]
    server.play(spoken())
    await make_anthropic().complete(conversation, [], Told().listener)
    users = [turn for turn in server.asked["messages"] if turn["role"] == "user"]
    assert ["cache_control" in turn["content"][-1] for turn in users] == [False, False, True, True]


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({}, {}),
        ({"temperature": 0.3}, {"temperature": 0.3}),
        ({"reasoning_effort": "none"}, {"thinking": {"type": "disabled"}}),
        (
            {"reasoning_effort": "minimal", "temperature": 0.3},
            {
                "thinking": {"type": "adaptive", "display": "summarized"},
                "output_config": {"effort": "low"},
            },
        ),
    ],
)
async def test_sampling(
    server: ModelServer,
    make_anthropic: MakeAnthropic,
    options: dict[str, Any],
    fields: dict[str, Any],
) -> None:
    server.play(spoken())
    await make_anthropic(**options).complete(ASK, [], Told().listener)
    usual = {"model", "max_tokens", "messages", "stream", "system"}
    assert {key: value for key, value in server.asked.items() if key not in usual} == fields


def invalid(words: str) -> Any:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    return refusal(400, body)


async def test_an_older_model_is_given_a_budget(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(
        invalid("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens"),
        invalid("This model does not support the effort parameter."),
        invalid("adaptive thinking is not supported on this model"),
        spoken(),
        spoken(),
    )
    model = make_anthropic(reasoning_effort="high")
    await model.complete(ASK, [], Told().listener)
    await model.complete(ASK, [], Told().listener)
    assert len(server.requests) == 5
    assert server.asked["max_tokens"] == 8192
    assert "output_config" not in server.asked
    thinking = {"type": "enabled", "budget_tokens": 8192 - 1024, "display": "summarized"}
    assert server.asked["thinking"] == thinking


async def test_with_a_budget_no_thinking_after_a_person_acted(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(invalid("thinking.type: adaptive is not supported"), spoken(), spoken())
    model = make_anthropic(reasoning_effort="low")
    await model.complete(ASK, TOOLS, Told().listener)
    assert server.asked["thinking"]["type"] == "enabled"
    await model.complete(CONVERSATION, TOOLS, Told().listener)
    assert "thinking" not in server.asked


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("messages.1.content.0: Invalid `signature` in `thinking` block", "signature"),
        ("system.0.cache_control: Extra inputs are not permitted", "cache_control"),
        ("temperature: Extra inputs are not permitted", "temperature"),
    ],
)
async def test_what_is_refused_is_left_out_from_then_on(
    server: ModelServer, make_anthropic: MakeAnthropic, words: str, gone: str
) -> None:
    kept = {"anthropic": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, text("Go.")]}
    turn = {"role": "assistant", "content": "Go.", "_native": kept}
    server.play(invalid(words), spoken(), spoken())
    model = make_anthropic(temperature=0.5)
    for _ in range(2):
        await model.complete([*ASK, turn, ASK[1]], [], Told().listener)
    assert [gone in str(request.body) for request in server.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("place", "size"),
    [
        ("messages.2.content.0.tool_result.content.1.image.source.base64", "exceeds 5 MB maximum"),
        (
            "messages.2.content.0.content.1.image.source.base64.data",
            "dimensions exceed 2000 pixels",
        ),
    ],
)
async def test_a_refused_picture_becomes_a_note(
    server: ModelServer, make_anthropic: MakeAnthropic, place: str, size: str
) -> None:
    server.play(invalid(f"{place}: image {size}"), spoken(), spoken())
    model = make_anthropic()
    other = {"type": "image_url", "image_url": {"url": PNG.replace("Ggo", "Ggp")}}
    talk = [*CONVERSATION, {"role": "user", "content": [other]}]
    for _ in range(2):
        await model.complete(talk, TOOLS, Told().listener)
    assert len(server.requests) == 3
    result, rest = server.asked["messages"][2]["content"]
    assert result["content"][1] == text(NOTE)
    assert rest["type"] == "image"


@pytest.mark.parametrize(
    "words",
    [
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease "
        "input length or `max_tokens` and try again",
        "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context "
        "length is 200000 tokens and your request has 190000 input tokens "
        "(32000 > 200000 - 190000).",
    ],
)
async def test_a_shorter_reply_where_the_context_is_nearly_full(
    server: ModelServer, make_anthropic: MakeAnthropic, words: str
) -> None:
    server.play(invalid(words), spoken(), spoken())
    model = make_anthropic()
    await model.complete(ASK, [], Told().listener)
    await model.complete(ASK, [], Told().listener)
    asked = [request.body["max_tokens"] for request in server.requests]
    assert asked == [32_000, 10_000, 32_000]
