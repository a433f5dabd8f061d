"""Whether ms-swift trains on a converted row (omnicoding-format 2.4, T1 to T7).

A row that breaks these rules raises inside the training job, or silently teaches the wrong picture;
here it is a sentence before anything is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

_ROLES = frozenset({"system", "user", "assistant", "tool_call", "tool_response", "tool"})
_NAMES = {"user": "a user message", "tool": "a tool reply", "system": "a system message"}
_PICTURE_TAG = "<image>"

RowMessage = dict[str, Any]


def why_not_trained(row: dict[str, Any]) -> str | None:
    """One sentence why the row breaks the training job (T1 to T6); None if it trains."""
    messages: Sequence[RowMessage] = row["messages"]
    return (
        _fault_of_a_message(messages)
        or _fault_of_system_messages(messages)
        or _fault_of_order(messages)
    )


def why_pictures_differ(row: dict[str, Any]) -> str | None:
    """One sentence where `<image>` tags and pictures do not match one to one (T7)."""
    tags = sum(_count_tags(message["content"]) for message in row["messages"])
    pictures = len(row.get("images", []))
    if tags == pictures:
        return None
    cause = (
        "a text holds the tag literally, so pictures would go to the wrong places"
        if tags > pictures
        else "the missing tags would be put at the very beginning"
    )
    return f"The row has {tags} {_PICTURE_TAG} tags for {pictures} pictures: {cause}."


def _count_tags(content: str) -> int:
    return len(re.findall(_PICTURE_TAG, content))


def _fault_of_a_message(messages: Sequence[RowMessage]) -> str | None:
    for number, message in enumerate(messages, 1):
        role, content = message.get("role"), message.get("content")
        if role not in _ROLES:
            return f"Message {number} has the role {role!r}, which ms-swift does not know (T1)."
        if not isinstance(content, str):
            return f"Message {number} ({role}) has no text content (T1)."
        if role == "tool_call" and (fault := _fault_of_call(content)):
            return f"Message {number}: {fault} (T5)."
    return None


def _fault_of_call(content: str) -> str | None:
    try:
        call = json.loads(content)
    except ValueError:
        return "the tool call is not JSON"
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return "the tool call has no name"
    if not isinstance(call.get("arguments"), dict):
        return f"the arguments of {call['name']!r} are not an object"
    return None


def _fault_of_system_messages(messages: Sequence[RowMessage]) -> str | None:
    for number, message in enumerate(messages[1:], 2):
        if message["role"] == "system":
            return f"Message {number} is a second system message; only the first may be one (T4)."
    return None


def _fault_of_order(messages: Sequence[RowMessage]) -> str | None:
    """Turns must alternate: (user or tool), assistant, …, and a tool follows an assistant (T3)."""
    turns = _turns(messages)
    if "assistant" not in [role for role, _number in turns]:
        return "There is no assistant turn to learn from."
    if turns[0][0] == "assistant":
        turns.insert(0, ("user", 0))
    for (before, _), (role, number) in pairwise(turns):
        if before != "assistant" and role != "assistant":
            return (
                f"Message {number} is {_NAMES[role]} right after {_NAMES[before]}, "
                "where the model's turn must follow (T3)."
            )
    if turns[0][0] == "tool":
        return "The conversation starts with a tool reply (T3)."
    return None


def _turns(messages: Sequence[RowMessage]) -> list[tuple[str, int]]:
    """(role, number of its first message) after adjacent messages are merged (T2)."""
    names = {"tool_call": "assistant", "tool_response": "tool"}
    turns: list[tuple[str, int]] = []
    for number, message in enumerate(messages, 1):
        role = names.get(message["role"]) or str(message["role"])
        if role == "system":
            continue
        if not turns or turns[-1][0] != role:
            turns.append((role, number))
    return turns
