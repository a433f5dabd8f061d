"""A reply put together from the chunks of a chat completion."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from workbench.events import Message, Usage
from workbench.models.base import Channel, Listener, Reply
from workbench.models.retry import PassingFault
from workbench.models.wire import tokens
from workbench.models.wire_calls import CallAssembler

_FINISHED = {
    "function_call": "tool_calls",
    "max_tokens": "length",
    "model_length": "length",
    "eos": "stop",
    "end_turn": "stop",
}
_CUT = ("error", "abort", "cancelled")
"""Finish reasons that mean that the server gave up."""


class ChatStream:
    """Puts one reply together from the chunks of a stream, telling the listener as they come."""

    def __init__(self, tool_names: Collection[str], listener: Listener) -> None:
        self._calls = CallAssembler(tool_names)
        self._listener = listener
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._details: list[dict[str, Any]] = []
        self._usage: Mapping[str, Any] = {}
        self._finish_reason = ""

    def feed(self, chunk: Mapping[str, Any]) -> None:
        """Take one chunk.

        Raises:
            PassingFault: if the server says in it that it gave up.
        """
        choice = _first(chunk.get("choices"))
        for usage in (chunk.get("usage"), choice.get("usage")):
            if isinstance(usage, dict):
                self._usage = usage
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self._feed_delta(delta)
        if reason := choice.get("finish_reason"):
            if reason in _CUT:
                raise PassingFault(f"the server broke the reply off ({reason})")
            self._finish_reason = str(reason)

    def _feed_delta(self, delta: Mapping[str, Any]) -> None:
        thought, text = _split_content(delta.get("content"))
        details = [d for d in delta.get("reasoning_details") or [] if isinstance(d, dict)]
        for detail in details:
            _merge_detail(self._details, detail)
        spoken = _text(delta, "reasoning_content") or _text(delta, "reasoning")
        self._tell("reasoning", self._reasoning, thought + (spoken or _detail_text(details)))
        self._tell("text", self._text, text + _text(delta, "refusal"))
        if arguments := self._calls.feed(delta.get("tool_calls")):
            self._listener.on_text("call", arguments)

    def _tell(self, channel: Channel, parts: list[str], text: str) -> None:
        if text:
            parts.append(text)
            self._listener.on_text(channel, text)

    def reply(self) -> Reply:
        """The whole reply.

        Raises:
            PassingFault: if the stream ended before the reply did.
        """
        if not self._finish_reason:
            raise PassingFault("the stream ended before the reply was complete")
        message: Message = {"role": "assistant", "content": "".join(self._text)}
        calls = self._calls.calls()
        if calls:
            message["tool_calls"] = calls
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        finish = self._mapped_reason(bool(calls))
        is_whole = finish in ("stop", "tool_calls")
        native = {"reasoning_details": self._details} if self._details and is_whole else None
        return Reply(message, usage_of(self._usage), finish, native)

    def _mapped_reason(self, has_calls: bool) -> str:
        reason = _FINISHED.get(self._finish_reason, self._finish_reason)
        if reason in ("length", "content_filter"):
            return reason
        return "tool_calls" if has_calls else "stop"


def usage_of(raw: Mapping[str, Any]) -> Usage:
    """Usage from the many places where servers put it (K35)."""
    prompt = raw.get("prompt_tokens_details")
    completion = raw.get("completion_tokens_details")
    cached = prompt.get("cached_tokens") if isinstance(prompt, dict) else None
    reasoning = completion.get("reasoning_tokens") if isinstance(completion, dict) else None
    cost = raw.get("cost")
    priced = isinstance(cost, (int, float)) and not isinstance(cost, bool)
    return Usage(
        prompt_tokens=tokens(raw.get("prompt_tokens")),
        completion_tokens=tokens(raw.get("completion_tokens")),
        cached_tokens=tokens(cached) or tokens(raw.get("prompt_cache_hit_tokens")),
        reasoning_tokens=tokens(reasoning) or tokens(raw.get("reasoning_tokens")),
        cost_usd=float(cost) if priced and cost is not None else None,
    )


def _first(choices: object) -> dict[str, Any]:
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return {}


def _text(delta: Mapping[str, Any], key: str) -> str:
    value = delta.get(key)
    return value if isinstance(value, str) else ""


def _split_content(content: object) -> tuple[str, str]:
    """Reasoning and text of a delta's content, which some servers send as a list of parts."""
    if isinstance(content, str):
        return "", content
    thought, text = "", ""
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == "thinking":
            inner = part.get("thinking")
            thought += _split_content(inner)[1]
        elif isinstance(part, dict):
            text += str(part.get("text") or "")
    return thought, text


def _detail_text(details: Sequence[Mapping[str, Any]]) -> str:
    return "".join(str(d.get("text") or d.get("summary") or "") for d in details)


def _merge_detail(details: list[dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a piece of `reasoning_details` to the entry that it continues, or as a new one."""
    last = details[-1] if details else {}
    identity = ("type", "index", "format")
    if not last or any(last.get(key) != piece.get(key) for key in identity):
        details.append(dict(piece))
        return
    for key, value in piece.items():
        if key in ("text", "summary", "data") and isinstance(value, str):
            last[key] = str(last.get(key) or "") + value
        elif value is not None:
            last[key] = value
