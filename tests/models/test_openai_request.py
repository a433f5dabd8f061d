"""What a chat completions server receives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.conftest import MakeOpenAI
from tests.models.server import ModelServer, refusal
from tests.models.wire import ASK, KEY, PNG, TOOLS, Told, call, said
from workbench.models.wire_chat import provider_of

LOOK = call("c1", "image_read", {"file_path": "a.png"})
PICTURE = {"type": "image_url", "image_url": {"url": PNG}}
SHOWN = {"role": "user", "content": [{"type": "text", "text": "image_read: 'a.png'"}, PICTURE]}
CONVERSATION: list[dict[str, Any]] = [
    *ASK,
    {"role": "assistant", "content": "", "tool_calls": [LOOK], "reasoning_content": "See."},
    {"role": "tool", "tool_call_id": "c1", "content": "Loaded 'a.png'."},
    SHOWN,
]


async def test_the_whole_request(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(said())
    await make_openai().complete(CONVERSATION, TOOLS, Told().listener)
    request = server.requests[0]
    assert request.headers["connection"] == "close"
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m",
        "messages": CONVERSATION,
        "tools": TOOLS,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_no_tools_no_field(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(said())
    await make_openai().complete(ASK, [], Told().listener)
    assert "tools" not in server.asked


async def test_keys_of_ours_stay_here(server: ModelServer, make_openai: MakeOpenAI) -> None:
    ours = {"_native": {"anthropic": []}, "_author": "ada", "_finish_reason": "stop"}
    server.play(said())
    turn = {"role": "assistant", "content": "Yes.", **ours}
    await make_openai().complete([*ASK, turn, ASK[1]], [], Told().listener)
    assert server.asked["messages"][2] == {"role": "assistant", "content": "Yes."}


async def test_qwen_gets_the_picture_in_the_reply(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    server.play(said())
    await make_openai("Qwen/Qwen3-VL-8B").complete(CONVERSATION, TOOLS, Told().listener)
    text = {"type": "text", "text": "Loaded 'a.png'.\nimage_read: 'a.png'"}
    folded = {"role": "tool", "tool_call_id": "c1", "content": [text, PICTURE]}
    assert server.asked["messages"] == [*CONVERSATION[:3], folded]
    assert CONVERSATION[3]["content"] == "Loaded 'a.png'."


@pytest.mark.parametrize(
    ("name", "options", "fields"),
    [
        ("m", {"temperature": 0.0}, {"temperature": 0.0}),
        (
            "gpt-5-mini",
            {"temperature": 0.5, "reasoning_effort": "high"},
            {"reasoning_effort": "high"},
        ),
        ("openai/o3", {"temperature": 0.5}, {}),
        (
            "qwen3",
            {"reasoning_effort": "none"},
            {"chat_template_kwargs": {"enable_thinking": False}},
        ),
        (
            "claude-x",
            {"temperature": 0.5, "reasoning_effort": "low"},
            {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        ),
    ],
)
async def test_sampling_in_the_words_of_the_provider(
    server: ModelServer,
    make_openai: MakeOpenAI,
    name: str,
    options: dict[str, Any],
    fields: dict[str, Any],
) -> None:
    server.play(said())
    await make_openai(name, **options).complete(ASK, [], Told().listener)
    usual = {"model", "messages", "stream", "stream_options"}
    assert {key: value for key, value in server.asked.items() if key not in usual} == fields


@pytest.mark.parametrize(
    ("name", "url", "provider"),
    [
        ("gpt-5", "https://api.openai.com/v1", "openai"),
        ("my-deployment", "https://x.openai.azure.com/v1", "openai"),
        ("qwen/qwen3-vl", "https://openrouter.ai/api/v1", "openrouter"),
        ("Qwen/Qwen3-VL-8B", "http://localhost:8000/v1", "qwen"),
        ("claude-opus-5", "https://api.anthropic.com/v1", "anthropic"),
        ("gpt-oss:20b", "http://localhost:11434/v1", "other"),
        ("qwen3", "https://notopenrouter.ai/v1", "qwen"),
    ],
)
def test_families(name: str, url: str, provider: str) -> None:
    assert provider_of(name, url) == provider


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("stream_options", "Unknown field: stream_options"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.5 with this model."),
        ("reasoning_content", "property 'messages.2.reasoning_content' is unsupported"),
    ],
)
async def test_a_refused_field_is_left_out_from_then_on(
    server: ModelServer, make_openai: MakeOpenAI, field: str, words: str
) -> None:
    server.play(refusal(400, {"error": {"message": words}}), said(), said())
    model, told = make_openai(temperature=0.5), Told()
    for _ in range(2):
        reply = await model.complete(CONVERSATION, TOOLS, told.listener)
        assert reply.message["content"] == "Hi."
    had = [field in str(request.body) for request in server.requests]
    assert had == [True, False, False]
    assert told.retries == []


async def test_openrouter_gets_its_details_back(
    server: ModelServer, make_openai: MakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_openai()
    model.provider = "openrouter"
    details = [{"type": "reasoning.encrypted", "data": "b3BhcXVl", "index": 0}]
    turn = {**CONVERSATION[2], "_native": {"reasoning_details": details}}
    edited = {**turn, "_original_arguments": {"c1": {"file_path": "b.png"}}}
    server.play(said(), said())
    for one in (turn, edited):
        await model.complete([*ASK, one, CONVERSATION[3]], TOOLS, Told().listener)
    sent = [request.body["messages"][2] for request in server.requests]
    assert sent[0] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [LOOK],
        "reasoning_details": details,
    }
    assert sent[1] == CONVERSATION[2]
    assert server.asked["usage"] == {"include": True}
