"""A conversation in OpenAI's shape as turns of blocks, as Anthropic's messages API takes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from workbench.events import Message
from workbench.models.wire import (
    arguments_object,
    calls_of,
    fold_pictures,
    function,
    parts_of,
    picture_url,
    text_of,
)

Block = dict[str, Any]

THOUGHTS = ("thinking", "redacted_thinking")
"""The kinds of blocks that go back unchanged."""
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,", re.ASCII)


def sent_turns(
    messages: Sequence[Message], *, with_thoughts: bool = True
) -> tuple[list[Block], list[Message]]:
    """The system blocks, and the conversation as alternating turns of blocks.

    Replies of tools and messages of people that follow each other become one user turn.
    """
    system: list[Block] = []
    turns: list[Message] = []
    ids = _CallIds()
    for message in fold_pictures(messages):
        role = message["role"]
        if role in ("system", "developer") and not turns:
            system += _content_blocks(message.get("content"))
            continue
        if role == "assistant":
            blocks = _assistant_blocks(message, ids, with_thoughts)
        elif role == "tool":
            blocks = _reply_blocks(message, ids)
        else:
            blocks = _content_blocks(message.get("content"))
        _append(turns, "assistant" if role == "assistant" else "user", blocks)
    return system, turns


def _append(turns: list[Message], role: str, blocks: list[Block]) -> None:
    if blocks and turns and turns[-1]["role"] == role:
        turns[-1]["content"] += blocks
    elif blocks:
        turns.append({"role": role, "content": blocks})


class _CallIds:
    """Ids of calls as this API takes them: of letters and digits, none twice in a conversation."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: dict[str, list[str]] = {}

    def begin_turn(self) -> None:
        self._open = {}

    def of_call(self, identity: str) -> str:
        clean = re.sub(r"[^a-zA-Z0-9_-]", "_", identity) or "call"
        unique, count = clean, 1
        while unique in self._used:
            count += 1
            unique = f"{clean}-{count}"
        self._used.add(unique)
        self._open.setdefault(identity, []).append(unique)
        return unique

    def of_reply(self, identity: str) -> str | None:
        """The id of the call that a reply answers; None if there is none in its turn."""
        waiting = self._open.get(identity)
        return waiting.pop(0) if waiting else None


def _assistant_blocks(message: Message, ids: _CallIds, with_thoughts: bool) -> list[Block]:
    """The turn as it came where it was kept, with the calls as they stand now.

    A turn of thoughts alone is left out: the API takes none that ends so.
    """
    ids.begin_turn()
    calls = calls_of(message)
    uses = [_use(call, ids) for call in calls]
    plain = [*_content_blocks(message.get("content")), *uses]
    if not plain:
        return []
    kept = _kept(message) if with_thoughts else []
    kept_ids = [block["id"] for block in kept if block["type"] == "tool_use"]
    if not kept or kept_ids != [call.get("id") for call in calls]:
        return [*(block for block in kept if block["type"] in THOUGHTS), *plain]
    in_order = iter(uses)
    return [next(in_order) if block["type"] == "tool_use" else block for block in kept]


def _kept(message: Message) -> list[Block]:
    """The blocks of `native` (see `wire_blocks`); empty for a turn of another kind of model."""
    native = message.get("_native")
    blocks = native.get("anthropic") if isinstance(native, dict) else None
    return blocks if isinstance(blocks, list) else []


def _use(call: dict[str, Any], ids: _CallIds) -> Block:
    return {
        "type": "tool_use",
        "id": ids.of_call(str(call.get("id") or "")),
        "name": str(function(call).get("name") or ""),
        "input": arguments_object(function(call).get("arguments")),
    }


def _reply_blocks(message: Message, ids: _CallIds) -> list[Block]:
    blocks = _content_blocks(message.get("content"))
    identity = ids.of_reply(str(message.get("tool_call_id") or ""))
    if identity is None:
        return blocks
    result: Block = {"type": "tool_result", "tool_use_id": identity}
    return [{**result, "content": blocks}] if blocks else [result]


def _content_blocks(content: object) -> list[Block]:
    """Text and pictures as blocks; blank text is left out, as the API refuses it."""
    blocks: list[Block] = []
    for part in parts_of(content):
        if url := picture_url(part):
            blocks.append(_picture(url))
        elif (text := text_of([part])).strip():
            blocks.append({"type": "text", "text": text})
    return blocks


def _picture(url: str) -> Block:
    found = _DATA_URL.match(url)
    if found is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    source = {"type": "base64", "media_type": found[1], "data": url[found.end() :]}
    return {"type": "image", "source": source}
