"""The `Model` protocol: one assistant turn at a time, streamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from workbench.errors import WorkbenchError
from workbench.events import Message, Usage

Channel = Literal["reasoning", "text", "call"]
Provider = Literal["qwen", "openai", "anthropic", "openrouter", "scripted", "human", "other"]


@dataclass(frozen=True, slots=True)
class Retry:
    """A passing failure: the `attempt`-th try (from 1) follows after `wait_s` seconds."""

    attempt: int
    wait_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class Listener:
    """What a model tells while it works. Both are called on the event loop and must not block."""

    on_text: Callable[[Channel, str], None] = lambda _channel, _text: None
    on_retry: Callable[[Retry], None] = lambda _retry: None


@dataclass(frozen=True, slots=True)
class Reply:
    """One assistant turn.

    `message` has `role`, `content` (a string, `""` when absent), and where present `tool_calls`
    (OpenAI shape, `arguments` a JSON string as the provider sent it) and `reasoning_content`, in
    the key order of omnicoding-format 1.4. `native` is what the provider wants back verbatim with
    this turn (Anthropic thinking blocks with their signatures); the engine stores it in the log and
    hands it back as `message["_native"]` on later calls. `finish_reason` uses OpenAI's words:
    stop, tool_calls, length, content_filter.
    """

    message: Message
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = "stop"
    native: Any = None


class ModelError(WorkbenchError):
    """A model call that cannot succeed by being repeated as it is. Its text is one sentence."""


class RefusedKey(ModelError):
    """The key is missing, wrong, or lacks the permission (401, 403)."""


class UnknownModel(ModelError):
    """The server does not know the model (404, or 400 that says so)."""


class ContextOverflow(ModelError):
    """The conversation is longer than the model takes; the loop summarises and tries again."""


class ModelUnavailable(ModelError):
    """Still failing after all retries: connection, rate limit, 5xx, cut stream, time-out."""


class Model(Protocol):
    """Something that writes the next assistant turn.

    A model is stateless between calls: the conversation comes whole with each call. Cancelling the
    task that awaits `complete` ends the request and its connection.
    """

    @property
    def spec(self) -> str:
        """As the user named it, for example `openai:gpt-5`."""
        ...

    @property
    def provider(self) -> Provider:
        """The family whose habits apply (reminder budgets, sampling, image folding)."""
        ...

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """The next turn.

        Args:
            messages: the whole conversation, pictures as `data:` urls. Keys with a leading
                underscore are ours: they are not sent, save `_native`, which is used.
            tools: OpenAI function specs.
            listener: told of streamed text and of retries.

        Raises:
            ModelError: with a sentence for the person.
        """
        ...

    async def close(self) -> None:
        """Give back connections. Safe to call twice."""
        ...
