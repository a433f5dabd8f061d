"""One model turn: call the model, keep what it streams, and give back an action list."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Sequence
from typing import Any

from workbench.engine.gate import digest
from workbench.engine.prompts import SUMMARY_REQUEST, TOOLS_SPEC, resume_request
from workbench.engine.recorder import Recorder
from workbench.errors import WorkbenchError
from workbench.events import Action, Compacted, Message, Proposed, Retried, Thinking, Thought
from workbench.models.base import Channel, ContextOverflow, Listener, Model, Reply, Retry
from workbench.session.blobs import dehydrate, hydrate
from workbench.session.steps import StepState
from workbench.trajectory.parse import parse_turn, recover_calls

STREAM_S = 0.1
"""Streamed text is logged at most this often."""
SHORT_MESSAGE = 4000
"""Characters of each message that a summary is made from (omnicoding-format K33)."""


class ConversationTooLong(WorkbenchError):
    """Still too long after it was summarised."""


class _Stream:
    """Coalesces what a model streams into `thought` events."""

    def __init__(self, recorder: Recorder, step: int) -> None:
        self._recorder = recorder
        self._step = step
        self._texts: dict[Channel, list[str]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, channel: Channel, text: str) -> None:
        self._texts.setdefault(channel, []).append(text)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(STREAM_S, self.flush)

    def flush(self) -> None:
        self._timer = None
        for channel, parts in self._texts.items():
            self._recorder.record(Thought(step=self._step, channel=channel, text="".join(parts)))
        self._texts.clear()

    def retried(self, retry: Retry) -> None:
        self.drop()
        self._recorder.record(
            Retried(
                step=self._step, attempt=retry.attempt, wait_s=retry.wait_s, reason=retry.reason
            )
        )

    def drop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._texts.clear()


class Turns:
    """Asks the model for the next turn and records it as a step."""

    def __init__(self, recorder: Recorder, model: Model) -> None:
        self._recorder = recorder
        self._model = model

    def open_step(self) -> int:
        """Record that the next step begins; returns its id."""
        state = self._recorder.state
        step_id = max(state.steps, default=0) + 1
        depth = len(state.path()) + 1
        self._recorder.record(Thinking(step=step_id, n=depth, parent=state.leaf))
        return step_id

    async def next_turn(self) -> StepState:
        """The model's next turn, recorded.

        Raises:
            ModelError: a sentence for the person; the step stays without a message.
            ConversationTooLong: if a summary did not help.
        """
        step_id = self.open_step()
        started = time.monotonic()
        try:
            reply = await self._call(step_id)
        except ContextOverflow:
            await self._compact(step_id)
            try:
                reply = await self._call(step_id)
            except ContextOverflow as error:
                raise ConversationTooLong(
                    "The conversation is too long for the model even after a summary of it."
                ) from error
        return self._propose(step_id, reply, time.monotonic() - started)

    async def _call(self, step_id: int) -> Reply:
        stream = _Stream(self._recorder, step_id)
        listener = Listener(on_text=stream.feed, on_retry=stream.retried)
        messages = hydrate(self._recorder.state.conversation(), self._recorder.session.blobs)
        try:
            return await self._model.complete(messages, TOOLS_SPEC, listener)
        finally:
            stream.drop()

    async def _compact(self, step_id: int) -> None:
        """Replace the conversation by the opening and a summary (omnicoding-format K33).

        Unlike the reference, the whole system message stays, answer rules included.
        """
        state = self._recorder.state
        conversation = state.conversation()
        request = [
            *(_shortened(message) for message in conversation),
            {"role": "user", "content": SUMMARY_REQUEST},
        ]
        reply = await self._model.complete(_without_calls(request), [], Listener())
        summary = str(reply.message.get("content") or "")
        system, task = state.prompt[0], str(state.prompt[1].get("content") or "")
        handover: Message = {"role": "user", "content": resume_request(task, summary)}
        self._recorder.record(
            Compacted(step=step_id, messages=[system, handover], usage=reply.usage)
        )

    def _propose(self, step_id: int, reply: Reply, latency_s: float) -> StepState:
        message, warnings = normalised(reply.message, reply.finish_reason)
        actions = actions_of(message, step_id)
        if reply.finish_reason == "length":
            actions, warnings = [], []
            message = {
                "role": "assistant",
                "content": message["content"],
                "_synthetic_truncated": True,
                "_finish_reason": "length",
            }
        stored = dehydrate([message], self._recorder.session.blobs)[0]
        self._recorder.record(
            Proposed(
                step=step_id,
                message=stored,
                actions=actions,
                usage=reply.usage,
                latency_s=round(latency_s, 4),
                finish_reason=reply.finish_reason,
                warnings=warnings,
                native=reply.native,
            )
        )
        return self._recorder.state.steps[step_id]

    def propose_again(self, earlier: StepState) -> StepState:
        """An earlier proposal as the next step, as the model made it, edits undone."""
        assert earlier.proposal is not None
        step_id = self.open_step()
        message = earlier.proposal
        self._recorder.record(
            Proposed(
                step=step_id,
                message=message,
                actions=actions_of(message, step_id),
                finish_reason=earlier.finish_reason,
                warnings=earlier.warnings,
                native=earlier.native,
            )
        )
        return self._recorder.state.steps[step_id]

    def human_turn(self, message: Message, author: str) -> StepState:
        """A turn that a person acts in the agent's place."""
        step_id = self.open_step()
        finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
        message, warnings = normalised(message, finish_reason)
        self._recorder.record(
            Proposed(
                step=step_id,
                message={**message, "_author": author},
                actions=actions_of(message, step_id),
                warnings=warnings,
                finish_reason=finish_reason,
                author=author,
            )
        )
        return self._recorder.state.steps[step_id]


def normalised(message: Message, finish_reason: str) -> tuple[Message, list[str]]:
    """The message as it is stored: ids, recovered calls, clean arguments (format 1.4, 10.1).

    Also the parser's warnings about the calls as they came.
    """
    warnings: list[str] = []
    calls = list(message.get("tool_calls") or [])
    reasoning = str(message.get("reasoning_content") or "")
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    recovered = [] if calls else recover_calls(text, reasoning)
    stored: Message = {"role": "assistant", "content": text}
    if calls or recovered:
        stored["tool_calls"] = [
            _with_id(call, position) for position, call in enumerate(calls or recovered)
        ]
        parsed = parse_turn(stored)
        warnings = list(parsed.warnings)
        for call, found in zip(stored["tool_calls"], parsed.calls, strict=True):
            call["function"]["arguments"] = json.dumps(found.arguments, ensure_ascii=False)
    if reasoning:
        stored["reasoning_content"] = reasoning
    if recovered:
        stored["_recovered_from_content"] = True
    stored["_finish_reason"] = finish_reason
    return stored, warnings


def _with_id(call: dict[str, Any], position: int) -> dict[str, Any]:
    function = call.get("function") or {}
    return {
        "id": str(call.get("id") or f"call_kira_{position}"),
        "type": "function",
        "function": {
            "name": str(function.get("name") or ""),
            "arguments": function.get("arguments") or "{}",
        },
    }


def actions_of(message: Message, step_id: int) -> list[Action]:
    """The actions of a stored message, one for each call."""
    return [
        Action(
            id=f"{step_id}.{position}",
            call_id=call.id,
            tool=call.name,
            arguments=call.arguments,
            digest=digest(call.name, call.arguments),
        )
        for position, call in enumerate(parse_turn(message).calls, 1)
    ]


def new_call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A tool call as a person makes it."""
    return {
        "id": f"call_human_{secrets.token_hex(8)}",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)},
    }


def _shortened(message: Message) -> Message:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(
            str(part.get("text", "")) for part in content if part.get("type") == "text"
        )
    text = str(content or "")
    if len(text) > SHORT_MESSAGE:
        half = SHORT_MESSAGE // 2
        text = f"{text[:half]}\n…\n{text[-half:]}"
    return {**message, "content": text}


def _without_calls(messages: Sequence[Message]) -> list[Message]:
    """The conversation as plain text turns, so that a summary needs no tools."""
    plain: list[Message] = []
    for message in messages:
        role = message["role"]
        text = str(message.get("content") or "")
        for call in message.get("tool_calls") or []:
            text += f"\n[called {call['function']['name']}: {call['function']['arguments'][:1000]}]"
        if role == "tool":
            role, text = "user", f"[tool reply]\n{text}"
        if text.strip():
            plain.append({"role": role, "content": text.strip()})
    return plain
