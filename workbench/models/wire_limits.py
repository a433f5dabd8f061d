"""What a refusal of the messages API teaches about a model's limits, so that it can be obeyed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.models.wire_errors import is_overflow, said, status_of
from workbench.models.wire_messages import Limits
from workbench.models.wire_pictures import refused_picture

LEAST_ROOM = 1024
"""With fewer tokens left for a reply, the conversation counts as too long."""

_MOST = re.compile(r"max_tokens\D{0,40}(\d+)\s*>\s*(\d+)(?!\d|\s*-)")
_FULL = re.compile(r"(\d+)\s*\+\s*(\d+)\s*>\s*(\d+)|(?<!\+ )\b(\d+)\s*>\s*(\d+)\s*-\s*(\d+)")
"""“190000 + 32000 > 200000” as Anthropic says it, “32000 > 4096 - 100” as vLLM does."""


def room_left(error: Exception, max_tokens: int) -> int | None:
    """Tokens that are left for a reply to this conversation, if a shorter one would fit."""
    if status_of(error) not in (400, 422):
        return None
    found = _FULL.search(said(error))
    if found is None:
        return None
    whole, used = (found[3], found[1]) if found[1] else (found[5], found[6])
    room = int(whole) - int(used)
    return room if LEAST_ROOM <= room < max_tokens else None


def learned(error: Exception, body: Mapping[str, Any], limits: Limits) -> Limits | None:
    """Narrower limits that avoid a refusal; None if it is about something else."""
    words = said(error)
    if status_of(error) not in (400, 422):
        return None
    if (found := _MOST.search(words)) and 0 < int(found[2]) < limits.max_tokens:
        return replace(limits, max_tokens=int(found[2]))
    if is_overflow(error):
        return None
    if picture := refused_picture(words, body):
        return replace(limits, pictures=limits.pictures | {picture})
    for name in _sent(body) - limits.without:
        if re.search(rf"\b{name}\b", words):
            return replace(limits, without=limits.without | {name})
    if "thinking" in body and re.search(r"\b(?:thinking|adaptive|budget_tokens)\b", words):
        kind = body["thinking"]["type"]
        return replace(limits, thinking="enabled" if kind == "adaptive" else "none")
    return None


def _sent(body: Mapping[str, Any]) -> set[str]:
    """What the request has of `Limits.without`."""
    names = {"temperature"} & set(body)
    if "output_config" in body:
        names.add("effort")
    if "display" in body.get("thinking", {}):
        names.add("display")
    whole = [*body.get("system", ()), *(b for turn in body["messages"] for b in turn["content"])]
    if any("cache_control" in block for block in whole):
        names.add("cache_control")
    if any(block["type"] in ("thinking", "redacted_thinking") for block in whole):
        names.add("signature")
    return names
