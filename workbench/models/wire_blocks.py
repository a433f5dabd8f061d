"""A reply put together from the events of Anthropic's messages API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.events import Message, Usage
from workbench.models.base import Channel, ContextOverflow, Listener, Reply
from workbench.models.retry import PassingFault
from workbench.models.wire import tokens

_FINISHED = {
    "max_tokens": "length",
    "refusal": "content_filter",
}
_TEXTS: dict[str, tuple[Channel, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("reasoning", "thinking"),
}
"""Deltas of text: the channel to tell, and the key of the delta and of its block."""


class MessageStream:
    """Collects one reply, telling the listener as it comes."""

    def __init__(self, model: str, listener: Listener) -> None:
        self._model = model
        self._listener = listener
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}
        self._usage: dict[str, Any] = {}
        self._stop_reason = ""
        self._has_stopped = False

    def feed(self, event: Mapping[str, Any]) -> None:
        """Take one event; kinds that are not known are passed over."""
        kind = event.get("type")
        if kind == "message_start":
            self._add_usage(_object(event, "message"))
        elif kind == "content_block_start":
            self._begin(_index(event), _object(event, "content_block"))
        elif kind == "content_block_delta":
            self._grow(_index(event), _object(event, "delta"))
        elif kind == "message_delta":
            self._add_usage(event)
            self._stop_reason = str(_object(event, "delta").get("stop_reason") or "")
        elif kind == "message_stop":
            self._has_stopped = True

    def _add_usage(self, holder: Mapping[str, Any]) -> None:
        usage = _object(holder, "usage")
        self._usage.update({key: value for key, value in usage.items() if value is not None})

    def _begin(self, index: int, block: dict[str, Any]) -> None:
        self._blocks[index] = {key: value for key, value in block.items() if value is not None}
        for channel, key in _TEXTS.values():
            if block.get("type") == key and block.get(key):
                self._listener.on_text(channel, str(block[key]))

    def _grow(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self._blocks.setdefault(index, {"type": ""})
        kind = str(delta.get("type"))
        if kind in _TEXTS:
            channel, key = _TEXTS[kind]
            text = str(delta.get(key) or "")
            block[key] = str(block.get(key) or "") + text
            self._listener.on_text(channel, text)
        elif kind == "signature_delta":
            block["signature"] = str(delta.get("signature") or "")
        elif kind == "input_json_delta":
            text = str(delta.get("partial_json") or "")
            self._inputs[index] = self._inputs.get(index, "") + text
            self._listener.on_text("call", text)

    def reply(self) -> Reply:
        """The whole reply.

        Raises:
            PassingFault: if the stream ended before the reply did.
            ContextOverflow: if the reply ended because the context was full.
        """
        if not (self._has_stopped and self._stop_reason):
            raise PassingFault("the stream ended before the reply was complete")
        if self._stop_reason == "model_context_window_exceeded":
            raise ContextOverflow(f"The context of {self._model} was full before its reply ended.")
        message: Message = {"role": "assistant", "content": self._joined("text")}
        calls = [
            self._call(index, block)
            for index, block in sorted(self._blocks.items())
            if block.get("type") == "tool_use"
        ]
        if calls:
            message["tool_calls"] = calls
        if reasoning := self._joined("thinking"):
            message["reasoning_content"] = reasoning
        finish = _FINISHED.get(self._stop_reason, "tool_calls" if calls else "stop")
        native = self._native() if finish in ("tool_calls", "stop") else None
        return Reply(message, _usage_of(self._usage), finish, native)

    def _joined(self, kind: str) -> str:
        blocks = [block for _, block in sorted(self._blocks.items()) if block.get("type") == kind]
        return "".join(str(block.get(kind) or "") for block in blocks)

    def _call(self, index: int, block: Mapping[str, Any]) -> dict[str, Any]:
        whole = json.dumps(block.get("input") or {}, ensure_ascii=False)
        return {
            "id": str(block.get("id") or ""),
            "type": "function",
            "function": {
                "name": str(block.get("name") or ""),
                "arguments": self._inputs.get(index) or whole,
            },
        }

    def _native(self) -> dict[str, Any] | None:
        """The blocks in their order where there are thoughts among them; calls by id alone."""
        blocks: list[dict[str, Any]] = []
        for _, block in sorted(self._blocks.items()):
            kind = block.get("type")
            if kind in ("thinking", "redacted_thinking"):
                blocks.append(block)
            elif kind == "text" and str(block.get("text") or "").strip():
                blocks.append({"type": "text", "text": block["text"]})
            elif kind == "tool_use":
                blocks.append({"type": "tool_use", "id": str(block.get("id") or "")})
        has_thoughts = any(block["type"] not in ("text", "tool_use") for block in blocks)
        return {"anthropic": blocks} if has_thoughts else None


def _usage_of(raw: Mapping[str, Any]) -> Usage:
    """Usage in OpenAI's sense: the prompt includes what was read from and written to the cache."""
    read = tokens(raw.get("cache_read_input_tokens"))
    written = tokens(raw.get("cache_creation_input_tokens"))
    return Usage(
        prompt_tokens=tokens(raw.get("input_tokens")) + read + written,
        completion_tokens=tokens(raw.get("output_tokens")),
        cached_tokens=read,
        reasoning_tokens=tokens(_object(raw, "output_tokens_details").get("thinking_tokens")),
    )


def _object(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
