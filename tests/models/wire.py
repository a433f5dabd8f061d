"""What tests of models share: both wires as servers write them, a listener that notes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.models.server import Answer
from workbench.models.base import Channel, Listener, Retry
from workbench.models.retry import Backoff

FAST = Backoff(tries=3, first_s=0.001, longest_s=0.002)
KEY = "sk-test-0123456789abcdef"
PNG = "data:image/png;base64,iVBORw0KGgo="
ASK = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Do {name}.",
            "parameters": {"type": "object", "properties": {}, "required": []},
        },
    }
    for name in ("execute_commands", "task_complete", "image_read")
]

Ending = Literal["end", "cut", "hang"]


@dataclass
class Told:
    """A listener that notes what it is told."""

    texts: list[tuple[Channel, str]] = field(default_factory=list)
    retries: list[Retry] = field(default_factory=list)

    @property
    def listener(self) -> Listener:
        """What a model is given."""
        return Listener(lambda *told: self.texts.append(told), self.retries.append)

    def of(self, channel: Channel) -> list[str]:
        """The pieces of one channel."""
        return [text for name, text in self.texts if name == channel]


def call(identity: str, name: str, arguments: object) -> dict[str, Any]:
    """A tool call in OpenAI's shape."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": text}}


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> Any:
    """A chunk of a chat completion."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": choices,
        **more,
    }


def chat(*chunks: Any, done: bool = True, ending: Ending = "end") -> Answer:
    """A streamed chat completion."""
    pieces = [f"data: {json.dumps(one)}\n\n".encode() for one in chunks]
    if done and ending == "end":
        pieces.append(b"data: [DONE]\n\n")
    return Answer(pieces, ending=ending)


def said(text: str = "Hi.") -> Answer:
    """A short chat completion."""
    return chat(chunk({"role": "assistant", "content": text}), chunk({}, "stop"))


def events(*parts: dict[str, Any], ending: Ending = "end") -> Answer:
    """A stream of the messages API."""
    pieces = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in parts]
    return Answer(pieces, ending=ending)


def started(**usage: int) -> dict[str, Any]:
    """The first event of a message."""
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1, **usage},
    }
    return {"type": "message_start", "message": message}


def block(index: int, begin: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of one content block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": begin},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *texts: str) -> list[dict[str, Any]]:
    """The events of a block of text."""
    deltas = [{"type": "text_delta", "text": text} for text in texts]
    return block(index, {"type": "text", "text": ""}, *deltas)


def thinking_block(index: int, texts: Sequence[str], signature: str) -> list[dict[str, Any]]:
    """The events of a block of thinking."""
    deltas = [{"type": "thinking_delta", "thinking": text} for text in texts]
    begin = {"type": "thinking", "thinking": "", "signature": ""}
    return block(index, begin, *deltas, {"type": "signature_delta", "signature": signature})


def use_block(index: int, identity: str, name: str, *pieces: str) -> list[dict[str, Any]]:
    """The events of a tool call."""
    begin = {"type": "tool_use", "id": identity, "name": name, "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block(index, begin, *deltas)


def ended(reason: str = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    """The last events of a message."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, **usage}},
        {"type": "message_stop"},
    ]


def spoken(text: str = "Hi.") -> Answer:
    """A short reply of the messages API."""
    return events(started(), *text_block(0, text), *ended())
