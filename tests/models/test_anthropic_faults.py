"""Failures of servers of the messages API."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.models.conftest import MakeAnthropic
from tests.models.server import Answer, ModelServer, refusal
from tests.models.wire import ASK, KEY, TOOLS, Told, ended, events, spoken, started, text_block
from workbench.models.base import (
    ContextOverflow,
    ModelError,
    ModelUnavailable,
    RefusedKey,
    UnknownModel,
)


async def ask(make: MakeAnthropic, told: Told | None = None, **options: Any) -> str:
    reply = await make(**options).complete(ASK, TOOLS, (told or Told()).listener)
    return str(reply.message["content"])


def error(kind: str, message: str = "Something is wrong.") -> dict[str, Any]:
    """An error as Anthropic writes it."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


HALF = [started(), *text_block(0, "Half a")]
PASSING = {
    "529": (refusal(529, error("overloaded_error", "Overloaded")), "Overloaded"),
    "500": (refusal(500, error("api_error")), "error 500"),
    "429": (refusal(429, error("rate_limit_error")), "too many requests"),
    "overloaded in the stream": (
        events(*HALF, error("overloaded_error", "Overloaded")),
        "error 529 from HOST: Overloaded",
    ),
    "an error in the stream": (events(*HALF, error("api_error")), "error 500"),
    "cut in the middle": (events(*HALF, ending="cut"), "no connection to HOST"),
    "ended in the middle": (events(*HALF), "ended before the reply was complete"),
    "ended before its last event": (
        events(*HALF, ended()[0]),
        "ended before the reply was complete",
    ),
    "not JSON": (Answer([b"event: message_start\ndata: {oops\n\n"]), "not JSON"),
}


@pytest.mark.parametrize("name", PASSING)
async def test_passing_failures_are_tried_again(
    server: ModelServer, make_anthropic: MakeAnthropic, name: str
) -> None:
    answer, words = PASSING[name]
    server.play(answer, spoken("Whole."))
    told = Told()
    assert await ask(make_anthropic, told) == "Whole."
    (retry,) = told.retries
    assert words.replace("HOST", server.host) in retry.reason


async def test_retry_after_is_honoured(server: ModelServer, make_anthropic: MakeAnthropic) -> None:
    server.play(refusal(429, error("rate_limit_error"), retry_after="0.01"), spoken())
    told = Told()
    await ask(make_anthropic, told)
    assert [retry.wait_s for retry in told.retries] == [0.01]


async def test_after_the_last_try(server: ModelServer, make_anthropic: MakeAnthropic) -> None:
    server.play(*[refusal(529, error("overloaded_error", "Overloaded"))] * 3)
    with pytest.raises(ModelUnavailable, match=r"failed 3 times in a row; .*: Overloaded\.$"):
        await ask(make_anthropic)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
        (400, "invalid_request_error", "prompt is too long with its thinking and cache_control"),
        (413, "request_too_large", "Request exceeds the maximum size"),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 199500 + 32000 > 200000",
        ),
    ],
)
async def test_context_overflow(
    server: ModelServer, make_anthropic: MakeAnthropic, status: int, kind: str, message: str
) -> None:
    server.play(refusal(status, error(kind, message)))
    with pytest.raises(ContextOverflow, match=r"^The conversation is too long for claude: .+\.$"):
        await ask(make_anthropic)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "kind", "message", "expected"),
    [
        (401, "authentication_error", f"invalid x-api-key {KEY}", RefusedKey),
        (403, "permission_error", "No access.", RefusedKey),
        (404, "not_found_error", "model: claude", UnknownModel),
        (400, "invalid_request_error", "Your credit balance is too low.", ModelError),
        (400, "invalid_request_error", "messages: at least one message is required", ModelError),
    ],
)
async def test_refusals(
    server: ModelServer,
    make_anthropic: MakeAnthropic,
    status: int,
    kind: str,
    message: str,
    expected: type[ModelError],
) -> None:
    server.play(refusal(status, error(kind, message)))
    with pytest.raises(ModelError) as caught:
        await ask(make_anthropic)
    assert type(caught.value) is expected
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


async def test_a_web_page(server: ModelServer, make_anthropic: MakeAnthropic) -> None:
    server.play(Answer([b"<html>Welcome</html>"], 200, "text/html"))
    with pytest.raises(ModelError, match=r"answers with a web page"):
        await ask(make_anthropic)


@pytest.mark.parametrize("answer", [Answer([], ending="hang"), events(*HALF, ending="hang")])
async def test_cancelling_closes_the_connection(
    server: ModelServer, make_anthropic: MakeAnthropic, answer: Answer
) -> None:
    server.play(answer)
    task = asyncio.create_task(ask(make_anthropic))
    await server.silent.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(5):
        await server.gone.wait()


async def test_a_server_that_falls_silent(
    server: ModelServer, make_anthropic: MakeAnthropic
) -> None:
    server.play(events(*HALF, ending="hang"), spoken())
    told = Told()
    assert await ask(make_anthropic, told, idle_s=0.1) == "Hi."
    assert [retry.reason for retry in told.retries] == [f"{server.host} sent nothing for 0.1 s"]
