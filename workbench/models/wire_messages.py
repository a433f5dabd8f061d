"""The Anthropic messages wire: the request, within what the model takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.events import Message
from workbench.models.wire_chat import MOST_THINKING, THINKING_BUDGETS
from workbench.models.wire_pictures import leave_out
from workbench.models.wire_turns import THOUGHTS, Block, sent_turns

if TYPE_CHECKING:
    from workbench.models.spec import ModelOptions

Thinking = Literal["adaptive", "enabled", "none"]

MOST_TOKENS = 32_000
"""Tokens of a reply, which this API wants to be told; less where the model gives fewer."""
LEAST_BUDGET = 1024
"""The fewest tokens of thinking that the API takes, and what is left for the reply itself."""
_CACHED: Block = {"type": "ephemeral"}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model takes, as learned from its refusals.

    `without` holds what it does not take, of `temperature`, `effort`, `display`, `cache_control`
    and `signature` (thinking that was signed elsewhere); `pictures` the digests of those refused.
    """

    max_tokens: int = MOST_TOKENS
    thinking: Thinking = "adaptive"
    without: frozenset[str] = frozenset()
    pictures: frozenset[str] = frozenset()


def messages_body(
    model: str,
    messages: Sequence[Message],
    tools: Sequence[dict[str, Any]],
    options: ModelOptions,
    limits: Limits,
) -> dict[str, Any]:
    """The request, within what the model takes."""
    system, turns = sent_turns(messages, with_thoughts="signature" not in limits.without)
    leave_out(turns, limits.pictures)
    thinking = _thinking(turns, options, limits)
    body = {
        "model": model,
        "max_tokens": limits.max_tokens,
        "messages": turns,
        **({"system": system} if system else {}),
        **({"tools": [_tool(tool) for tool in tools]} if tools else {}),
        **thinking,
    }
    is_thinking = thinking.get("thinking", {}).get("type") in ("adaptive", "enabled")
    takes_temperature = "temperature" not in limits.without and not is_thinking
    if options.temperature is not None and takes_temperature:
        body["temperature"] = options.temperature
    if "cache_control" not in limits.without:
        _mark_cached(system, turns)
    return body


def _tool(tool: dict[str, Any]) -> Block:
    spec = tool["function"]
    return {
        "name": spec["name"],
        "description": spec.get("description", ""),
        "input_schema": spec.get("parameters") or {"type": "object", "properties": {}},
    }


def _thinking(turns: Sequence[Message], options: ModelOptions, limits: Limits) -> dict[str, Any]:
    """The fields that ask for thinking, where an effort was set (omnicoding-format K36)."""
    effort = options.reasoning_effort
    if not effort or limits.thinking == "none":
        return {}
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    shown = {} if "display" in limits.without else {"display": "summarized"}
    if limits.thinking == "adaptive":
        fields: dict[str, Any] = {"thinking": {"type": "adaptive", **shown}}
        if "effort" not in limits.without:
            fields["output_config"] = {"effort": "low" if effort == "minimal" else effort}
        return fields
    wanted = THINKING_BUDGETS.get(effort, MOST_THINKING)
    budget = min(wanted, limits.max_tokens - LEAST_BUDGET)
    if budget < LEAST_BUDGET or _acts_without_thought(turns):
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget, **shown}}


def _acts_without_thought(turns: Sequence[Message]) -> bool:
    """Whether the last turn calls tools unthought, a person's for example.

    With a budget the API takes no such turn; so this call goes without.
    """
    for turn in reversed(turns):
        if turn["role"] == "assistant":
            kinds = [block["type"] for block in turn["content"]]
            return "tool_use" in kinds and kinds[0] not in THOUGHTS
    return False


def _mark_cached(system: list[Block], turns: Sequence[Message]) -> None:
    """Cache what comes before the end of the system text and of the last two user turns.

    The one before the last is what the call before this one stored.
    """
    users = [turn["content"] for turn in turns if turn["role"] == "user"]
    for blocks in (system, *users[-2:]):
        if blocks:
            blocks[-1] = {**blocks[-1], "cache_control": _CACHED}
