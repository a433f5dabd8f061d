"""Failures of chat completions servers: tried again, or told in one sentence."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.models.conftest import MakeOpenAI
from tests.models.server import Answer, ModelServer, refusal
from tests.models.wire import ASK, KEY, TOOLS, Told, chat, chunk, said
from workbench.models.base import (
    ContextOverflow,
    ModelError,
    ModelUnavailable,
    RefusedKey,
    UnknownModel,
)


async def ask(make: MakeOpenAI, told: Told | None = None, **options: Any) -> str:
    reply = await make(**options).complete(ASK, TOOLS, (told or Told()).listener)
    return str(reply.message["content"])


def error(message: str, **more: Any) -> dict[str, Any]:
    """An error as OpenAI writes it."""
    return {"error": {"message": message, "type": "server_error", "code": None, **more}}


async def test_retry_after_is_honoured_and_seen(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    server.play(refusal(429, error("Slow down."), retry_after="0.01"), said())
    told = Told()
    assert await ask(make_openai, told) == "Hi."
    (retry,) = told.retries
    assert (retry.attempt, retry.wait_s) == (1, 0.01)
    assert retry.reason == f"too many requests from {server.host}: Slow down"


async def test_retry_after_in_milliseconds_comes_first(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    server.play(
        refusal(503, error("Busy."), retry_after_ms="20", retry_after="9"),
        said(),
    )
    told = Told()
    await ask(make_openai, told)
    assert [retry.wait_s for retry in told.retries] == [0.02]


async def test_a_very_long_wait_is_not_waited_for(
    server: ModelServer, make_openai: MakeOpenAI
) -> None:
    server.play(refusal(429, error("Daily limit."), retry_after="7200"))
    told = Told()
    with pytest.raises(ModelUnavailable, match=r"asks to wait 7200 s .*Daily limit\.$"):
        await ask(make_openai, told)
    assert told.retries == []


CUT = chunk({"content": "Half a"})
PASSING = {
    "500": refusal(500, error("Internal error.")),
    "502 as a page": Answer([b"<html><h1>Bad gateway</h1></html>"], 502, "text/html"),
    "529": refusal(529, {}),
    "408": refusal(408, error("Too slow.")),
    "cut before the body": Answer([], ending="cut"),
    "cut in the middle": chat(CUT, ending="cut"),
    "ended in the middle": chat(CUT, done=False),
    "done in the middle": chat(CUT),
    "error in the stream (OpenAI)": chat(CUT, error("Overloaded.")),
    "error in the stream (vLLM)": chat(
        CUT, {"error": {"object": "error", "message": "EngineDead", "code": 500}}
    ),
    "error in a choice (OpenRouter)": chat(CUT, chunk({}, "error")),
    "aborted (SGLang)": chat(CUT, chunk({}, "abort")),
    "not JSON": Answer([b"data: {oops\n\n"]),
    "not an object": Answer([b"data: 5\n\n"]),
    "nothing at all": Answer([]),
}


@pytest.mark.parametrize("name", PASSING)
async def test_passing_failures_are_tried_again(
    server: ModelServer, make_openai: MakeOpenAI, name: str
) -> None:
    server.play(PASSING[name], said("Whole."))
    told = Told()
    assert await ask(make_openai, told) == "Whole."
    assert [retry.attempt for retry in told.retries] == [1]
    assert "\n" not in told.retries[0].reason
    assert "<" not in told.retries[0].reason


async def test_after_the_last_try(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(*[refusal(500, error("Internal error."))] * 3)
    told = Told()
    sentence = (
        f"{server.host} failed 3 times in a row; "
        f"the last time: error 500 from {server.host}: Internal error."
    )
    with pytest.raises(ModelUnavailable) as caught:
        await ask(make_openai, told)
    assert str(caught.value) == sentence
    assert [retry.attempt for retry in told.retries] == [1, 2]
    assert len(server.requests) == 3


async def test_nobody_listens(server: ModelServer, make_openai: MakeOpenAI) -> None:
    await server.stop()
    with pytest.raises(ModelUnavailable, match=f"no connection to {server.host}: "):
        await ask(make_openai)


async def test_a_server_that_falls_silent(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(chat(CUT, ending="hang"), said())
    told = Told()
    assert await ask(make_openai, told, idle_s=0.1) == "Hi."
    assert [retry.reason for retry in told.retries] == [f"{server.host} sent nothing for 0.1 s"]


OVERFLOWS: dict[str, tuple[int, Any]] = {
    "OpenAI": (
        400,
        error(
            "Your input exceeds the context window of this model.",
            code="context_length_exceeded",
            type="invalid_request_error",
        ),
    ),
    "vLLM": (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested "
            "5000 tokens in the messages. Please reduce the length of the messages.",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "vLLM, newer": (
        400,
        error("The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "message": "The input (9000 tokens) is longer than the model's context length (8192).",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "SGLang, total": (
        400,
        {"message": "Requested token count exceeds the model's maximum context length of 8192."},
    ),
    "Ollama": (400, error("prompt too long; exceeded max context length by 20 tokens")),
    "Ollama, other runner": (500, error("the input length exceeds the context length")),
    "llama.cpp": (
        400,
        error(
            "request (5000 tokens) exceeds the available context size (2048 tokens)",
            type="exceed_context_size_error",
            code=400,
        ),
    ),
    "OpenRouter": (
        400,
        error(
            "This endpoint's maximum context length is 131072 tokens. However, you requested "
            "about 200000 tokens. Please reduce the length of either one.",
            code=400,
        ),
    ),
    "OpenRouter, of a provider": (
        400,
        error(
            "Provider returned error",
            code=400,
            metadata={"raw": json.dumps({"message": "Input is too long for requested model."})},
        ),
    ),
    "Gemini": (
        400,
        error("The input token count (1100000) exceeds the maximum number of tokens (1048576)."),
    ),
    "too large a body": (413, error("Payload Too Large")),
}


@pytest.mark.parametrize("name", OVERFLOWS)
async def test_context_overflow(server: ModelServer, make_openai: MakeOpenAI, name: str) -> None:
    server.play(refusal(*OVERFLOWS[name]))
    with pytest.raises(ContextOverflow, match=r"^The conversation is too long for m: .+\.$"):
        await ask(make_openai)
    assert len(server.requests) == 1


async def test_overflow_inside_a_stream(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(chat(CUT, error("x", code="context_length_exceeded")))
    with pytest.raises(ContextOverflow):
        await ask(make_openai)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key(server: ModelServer, make_openai: MakeOpenAI, status: int) -> None:
    words = f"Incorrect API key provided: {KEY}. You sent Bearer {KEY}"
    server.play(refusal(status, error(words, code="invalid_api_key")))
    with pytest.raises(RefusedKey) as caught:
        await ask(make_openai)
    assert str(caught.value).startswith(f"{server.host} refuses the key in OPENAI_API_KEY: ")
    assert KEY not in str(caught.value)
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "said"),
    [("my_own_pass_phrase", "my_own_pass_phrase"), (KEY, "sk-proj-****cdef")],
)
async def test_no_key_is_quoted(
    server: ModelServer,
    make_openai: MakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    said: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    server.play(refusal(500, error(f"Cannot use {said} here.")), refusal(401, error(f"No {said}.")))
    told = Told()
    with pytest.raises(RefusedKey) as caught:
        await ask(make_openai, told)
    assert str(caught.value).endswith("refuses the key in OPENAI_API_KEY: No ***.")
    assert told.retries[0].reason.endswith(": Cannot use *** here")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, error("The model `m` does not exist or you do not have access to it.")),
        (404, {"object": "error", "message": "The model `m` does not exist.", "code": 404}),
        (404, error("model 'm' not found")),
        (404, "404 page not found"),
        (400, error("m is not a valid model ID", code=400)),
    ],
)
async def test_an_unknown_model(
    server: ModelServer, make_openai: MakeOpenAI, status: int, body: Any
) -> None:
    server.play(refusal(status, body))
    with pytest.raises(UnknownModel, match=rf"^{server.host} does not know m: .*base url\.$"):
        await ask(make_openai)


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (402, error("Insufficient credits"), r"^The account at .* has no credit left"),
        (
            429,
            error("You exceeded your current quota.", code="insufficient_quota"),
            r"^The account at .* has no credit left",
        ),
        (500, error("image input is not supported - hint: provide the mmproj"), r"\(500\): image"),
        (404, error("No endpoints found that support image input"), r"\(404\): No endpoints"),
        (500, error("this model is missing data required for image input"), r"\(500\): this"),
        (
            400,
            error("'messages' must contain\nthe word\x1b[31m json"),
            r"refuses the request \(400\): 'm",
        ),
    ],
)
async def test_other_refusals(
    server: ModelServer, make_openai: MakeOpenAI, status: int, body: Any, sentence: str
) -> None:
    server.play(refusal(status, body))
    with pytest.raises(ModelError, match=sentence) as caught:
        await ask(make_openai)
    assert str(caught.value).isprintable()
    assert len(server.requests) == 1


async def test_a_web_page(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(Answer([b"<html>Welcome</html>"], 200, "text/html"))
    with pytest.raises(ModelError, match=r"answers with a web page"):
        await ask(make_openai)


@pytest.mark.parametrize("answer", [Answer([], ending="hang"), chat(CUT, ending="hang")])
async def test_cancelling_closes_the_connection(
    server: ModelServer, make_openai: MakeOpenAI, answer: Answer
) -> None:
    server.play(answer)
    told = Told()
    task = asyncio.create_task(ask(make_openai, told))
    await server.silent.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5):
        await server.gone.wait()
    assert told.retries == []


async def test_cancelling_while_waiting(server: ModelServer, make_openai: MakeOpenAI) -> None:
    server.play(refusal(429, error("Slow down."), retry_after="30"))
    told = Told()
    task = asyncio.create_task(ask(make_openai, told))
    async with asyncio.timeout(5):
        while not told.retries:
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(server.requests) == 1
