"""The chat completions wire: what is asked of which provider."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from workbench.events import Message
from workbench.models.base import Provider
from workbench.models.wire import fold_pictures, was_edited, without_private_keys

if TYPE_CHECKING:
    from workbench.models.spec import ModelOptions

OPTIONAL = (
    "stream_options",
    "reasoning_content",
    "reasoning_details",
    "reasoning_effort",
    "chat_template_kwargs",
    "temperature",
    "thinking",
    "reasoning",
    "usage",
)
"""What a server may refuse and we can do without; longer names first, as some contain others."""

THINKING_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384}
"""Tokens of thinking for an effort, where a server wants a number; more for higher efforts."""
MOST_THINKING = 24576

_NO_SAMPLING = re.compile(r"(?:^|/)(?:gpt-5|o\d)")


def provider_of(model: str, base_url: str) -> Provider:
    """The family whose habits apply, from the host first and then from the name of the model."""
    host = urlsplit(base_url).hostname or ""
    name = model.lower().rpartition("/")[2]
    if host == "openrouter.ai" or host.endswith(".openrouter.ai"):
        return "openrouter"
    if re.match(r"(?:qwen|qwq|qvq)", name):
        return "qwen"
    if host.endswith("anthropic.com") or name.startswith("claude"):
        return "anthropic"
    if host.endswith(("openai.com", "openai.azure.com")) or re.match(
        r"gpt-[345]|o\d|chatgpt", name
    ):
        return "openai"
    return "other"


def chat_body(
    model: str,
    provider: Provider,
    messages: Sequence[Message],
    tools: Sequence[dict[str, Any]],
    options: ModelOptions,
    refused: Collection[str],
) -> dict[str, Any]:
    """The request, without what the server refused before (names of `OPTIONAL`)."""
    body: dict[str, Any] = {
        "model": model,
        "messages": sent_messages(messages, provider, refused),
        "stream_options": {"include_usage": True},
        **_sampling(model, provider, options),
    }
    if tools:
        body["tools"] = list(tools)
    if provider == "openrouter":
        body["usage"] = {"include": True}
    return {key: value for key, value in body.items() if key not in refused}


def sent_messages(
    messages: Sequence[Message], provider: Provider, refused: Collection[str] = ()
) -> list[Message]:
    """The conversation as the provider takes it: no keys of ours, pictures folded for qwen."""
    folded = fold_pictures(messages) if provider == "qwen" else messages
    unwanted = {"reasoning_content"} & set(refused)
    if provider in ("openai", "anthropic"):
        unwanted = {"reasoning_content"}
    sent = []
    for message in folded:
        clean = {k: v for k, v in without_private_keys(message).items() if k not in unwanted}
        details = _details_to_return(message) if provider == "openrouter" else None
        if details and "reasoning_details" not in refused:
            clean.pop("reasoning_content", None)
            clean["reasoning_details"] = details
        sent.append(clean)
    return sent


def _details_to_return(message: Message) -> Any:
    native = message.get("_native")
    if not isinstance(native, dict) or was_edited(message):
        return None
    return native.get("reasoning_details")


def _sampling(model: str, provider: Provider, options: ModelOptions) -> dict[str, Any]:
    """Temperature and effort where they were set, in the provider's words (K36)."""
    sampling: dict[str, Any] = {}
    if options.temperature is not None and not _NO_SAMPLING.search(model.lower()):
        sampling["temperature"] = options.temperature
    effort = options.reasoning_effort
    if not effort:
        return sampling
    thinks = effort != "none"
    if provider == "qwen":
        sampling["chat_template_kwargs"] = {"enable_thinking": thinks}
    elif provider == "openrouter":
        sampling["reasoning"] = {"effort": effort} if thinks else {"enabled": False}
    elif provider == "anthropic" and thinks:
        budget = THINKING_BUDGETS.get(effort, MOST_THINKING)
        sampling["thinking"] = {"type": "enabled", "budget_tokens": budget}
        sampling.pop("temperature", None)
    elif provider != "anthropic":
        sampling["reasoning_effort"] = effort
    return sampling
