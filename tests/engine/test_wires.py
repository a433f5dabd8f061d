"""Whole sessions through both wires: real engine, real SDKs, a server that plays its part."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.engine.live import make_session, replies, run_to_end
from tests.models.server import Answer, ModelServer, refusal
from tests.models.wire import (
    KEY,
    call,
    chat,
    chunk,
    ended,
    events,
    spoken,
    started,
    text_block,
    thinking_block,
    use_block,
)
from workbench.session.store import Store
from workbench.trajectory.export import export_sessions


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    """A model server, and keys for it."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    server = ModelServer()
    await server.start()
    yield server
    await server.stop()


PICTURE = {"file_path": "red.png", "image_read_instruction": "Which colour?"}
COMMAND = {"analysis": "a", "plan": "p", "keystrokes": "echo $((6 * 7))", "duration": 5}


def called(name: str, arguments: dict[str, Any], thought: str = "") -> Answer:
    """A chat completion with one call, its arguments in two pieces."""
    text = json.dumps(arguments)
    first = {"index": 0, **call(f"id-{name}", name, text[:5])}
    rest = {"index": 0, "function": {"arguments": text[5:]}}
    return chat(
        chunk({"role": "assistant", "reasoning_content": thought}),
        chunk({"tool_calls": [first]}),
        chunk({"tool_calls": [rest]}),
        chunk({}, "tool_calls"),
        chunk(None, usage={"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}),
    )


def used(name: str, arguments: dict[str, Any]) -> Answer:
    """A reply of the messages API: thinking, then one call."""
    text = json.dumps(arguments)
    return events(
        started(),
        *thinking_block(0, ["Let me ", "see."], "c2lnbmVk"),
        *use_block(1, f"toolu_{name}", name, text[:5], text[5:]),
        *ended("tool_use"),
    )


async def test_a_session_over_chat_completions(tmp_path: Path, server: ModelServer) -> None:
    final = chat(chunk({"role": "assistant", "content": "<answer>42</answer>"}), chunk({}, "stop"))
    server.play(
        refusal(429, {"error": {"message": "slow down"}}, retry_after="0"),
        called("execute_commands", COMMAND, thought="Six times seven."),
        called("image_read", PICTURE),
        final,
        called("task_complete", {}),
    )
    session = make_session(tmp_path, [], model="openai:m", base_url=f"{server.url}/v1")
    Image.new("RGB", (4, 3), "red").save(session.workspace / "red.png")
    state = await run_to_end(session)
    assert state.closed is not None
    assert (state.closed.exit_reason, state.answer) == ("task_complete", "42")
    assert replies(session)[0] == "42"
    assert state.path()[0].think == "Six times seven."
    assert state.path()[0].retries, "the refusal is on record"
    shown = server.asked["messages"][6]["content"]
    assert shown[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert state.totals().prompt_tokens == 300
    assert KEY not in (session.folder / "events.jsonl").read_text()
    _check_export(tmp_path)


async def test_a_session_over_messages(tmp_path: Path, server: ModelServer) -> None:
    server.play(
        refusal(529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        used("execute_commands", COMMAND),
        used("image_read", PICTURE),
        events(started(), *text_block(0, "<answer>42</answer>"), *ended()),
        used("task_complete", {}),
        spoken(),
    )
    session = make_session(tmp_path, [], model="anthropic:claude", base_url=server.url)
    Image.new("RGB", (4, 3), "red").save(session.workspace / "red.png")
    state = await run_to_end(session)
    assert state.closed is not None
    assert (state.closed.exit_reason, state.answer) == ("task_complete", "42")
    assert replies(session)[0] == "42"
    sent = server.asked["messages"]
    thinking = sent[1]["content"][0]
    assert (thinking["type"], thinking["signature"]) == ("thinking", "c2lnbmVk")
    picture = sent[4]["content"][0]["content"]
    assert any(part["type"] == "image" for part in picture)
    _check_export(tmp_path)


def _check_export(root: Path) -> None:
    """The session becomes an OmniCoding run that trains."""
    session = Store(root / "store").session("s")
    export_sessions([session], "omnicoding", root / "run")
    item = next((root / "run").rglob("trajectory.json"))
    assert json.loads(item.read_text())
    export_sessions([session], "ms-swift", root / "rows")
    rows = next((root / "rows").rglob("*.jsonl")).read_text().splitlines()
    assert "42" in rows[0]
