"""What goes over the wire whatever the provider: clean messages, folded pictures, cost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.events import Message, Usage


def without_private_keys(message: Message) -> Message:
    """The message as a server may see it: keys with a leading underscore are ours."""
    return {key: value for key, value in message.items() if not key.startswith("_")}


def was_edited(message: Message) -> bool:
    """Whether a person changed an assistant message, which voids `_native`."""
    return bool(message.get("_original_arguments") or message.get("_amended"))


def calls_of(message: Message) -> list[dict[str, Any]]:
    """The tool calls of an assistant message that have the shape of a call."""
    calls = message.get("tool_calls") or []
    return [call for call in calls if isinstance(call, dict) and isinstance(function(call), dict)]


def function(call: Mapping[str, Any]) -> Any:
    """The `function` part of a call: name and arguments."""
    return call.get("function")


def arguments_object(text: object) -> dict[str, Any]:
    """Arguments as an object; what is none is kept under the key `arguments`."""
    if isinstance(text, dict):
        return text
    try:
        value = json.loads(str(text or "{}"), strict=False)
    except ValueError:
        return {"arguments": str(text)}
    return value if isinstance(value, dict) else {"arguments": value}


def parts_of(content: object) -> list[dict[str, Any]]:
    """Message content as a list of parts; empty text gives no part."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    if isinstance(content, list):
        return [part for part in content if isinstance(part, dict)]
    return []


def text_of(content: object) -> str:
    """The text of message content, its text parts joined by newlines."""
    texts = (str(part.get("text") or "") for part in parts_of(content) if _is_text(part))
    return "\n".join(texts)


def picture_url(part: Mapping[str, Any]) -> str:
    """The url of a picture part; empty for any other part."""
    image = part.get("image_url")
    return str(image.get("url") or "") if isinstance(image, dict) else ""


def fold_pictures(messages: Sequence[Message]) -> list[Message]:
    """Pictures moved into the tool reply that announces them (omnicoding-format K1).

    The announcement of an `image_read` is the first tool reply of its turn; the picture stands in
    the user message after all of them. The messages that were given stay as they are.
    """
    folded: list[Message] = []
    looks = False
    announced: int | None = None
    for message in messages:
        role = message.get("role")
        if role == "assistant":
            looks = any(function(call).get("name") == "image_read" for call in calls_of(message))
            announced = None
        elif role == "tool":
            announced = len(folded) if looks and announced is None else announced
        elif announced is not None and any(picture_url(p) for p in parts_of(message["content"])):
            folded[announced] = _with_picture(folded[announced], message)
            announced, looks = None, False
            continue
        else:
            announced, looks = None, False
        folded.append(message)
    return folded


def _with_picture(reply: Message, picture: Message) -> Message:
    parts = parts_of(picture["content"])
    text = "\n".join(filter(None, (text_of(reply.get("content")), text_of(parts))))
    pictures = [part for part in parts if not _is_text(part)]
    return {**reply, "content": [{"type": "text", "text": text}, *pictures]}


def _is_text(part: Mapping[str, Any]) -> bool:
    return part.get("type") == "text"


def tokens(value: object) -> int:
    """A token count as servers write it; anything that is none counts as 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        return 0
    return int(value)


def priced(usage: Usage, prices: Mapping[str, float]) -> Usage:
    """Usage with its cost, unless the provider named it or no prices are known.

    `prices` are dollars for a million tokens under `input`, `cached` (as `input` where it is not
    given) and `output`.
    """
    if usage.cost_usd is not None or not prices:
        return usage
    fresh_price = prices.get("input", 0.0)
    fresh = usage.prompt_tokens - usage.cached_tokens
    dollars = (
        fresh * fresh_price
        + usage.cached_tokens * prices.get("cached", fresh_price)
        + usage.completion_tokens * prices.get("output", 0.0)
    )
    return msgspec.structs.replace(usage, cost_usd=dollars / 1_000_000)
