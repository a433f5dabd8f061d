"""Pictures that a server of the messages API refuses: too large, or not readable to it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from workbench.events import Message

NOTE = "The model takes no picture like this one: make a smaller PNG of it and look at that."
"""What the model reads in place of a picture, so that it can do something about it."""

_PLACE = re.compile(
    r"messages\.(\d+)\.content\.(\d+)(?:\.tool_result)?(?:\.content\.(\d+))?\.image\b"
)


def refused_picture(words: str, body: Mapping[str, Any]) -> str | None:
    """The digest of the picture of the request that a refusal points at; None without one."""
    found = _PLACE.search(words)
    if found is None:
        return None
    try:
        block = body["messages"][int(found[1])]["content"][int(found[2])]
        block = block["content"][int(found[3])] if found[3] else block
    except (IndexError, KeyError):
        return None
    return _digest(block) if block["type"] == "image" else None


def leave_out(turns: Sequence[Message], refused: Collection[str]) -> None:
    """Put a note in the place of each picture that was refused."""
    for turn in turns if refused else ():
        turn["content"] = [_noted(block, refused) for block in turn["content"]]


def _noted(block: dict[str, Any], refused: Collection[str]) -> dict[str, Any]:
    if block["type"] == "tool_result" and "content" in block:
        return {**block, "content": [_noted(inner, refused) for inner in block["content"]]}
    if block["type"] == "image" and _digest(block) in refused:
        return {"type": "text", "text": NOTE}
    return block


def _digest(block: Mapping[str, Any]) -> str:
    source = block["source"]
    return hashlib.sha256(str(source.get("data") or source.get("url")).encode()).hexdigest()
