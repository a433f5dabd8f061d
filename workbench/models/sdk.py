"""What the models behind an SDK share: one client, tries that are repeated, a time-out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from workbench.events import Message
from workbench.models.base import Listener, Reply
from workbench.models.retry import Backoff, with_retries
from workbench.models.spec import ModelOptions
from workbench.models.wire_endpoint import Endpoint

CONNECT_S = 10.0
IDLE_S = 300.0
"""How long a server may send nothing: a long prompt on a slow machine takes minutes to read."""


class Client(Protocol):
    """What is needed of an SDK's client, whichever it is."""

    async def close(self) -> None:
        """Give back the connections."""


class SdkModel(ABC):
    """A model behind a server; a subclass makes the client and one try."""

    def __init__(
        self,
        spec: str,
        endpoint: Endpoint,
        options: ModelOptions | None,
        backoff: Backoff | None,
        idle_s: float,
    ) -> None:
        self.spec = spec
        self._endpoint = endpoint
        self._options = options or ModelOptions()
        self._backoff = backoff or Backoff()
        self._idle_s = idle_s

    @property
    def _connect_s(self) -> float:
        """How long connecting may take."""
        return min(CONNECT_S, self._idle_s)

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """The next turn, streamed."""

        async def attempt() -> Reply:
            return await self._try(messages, tools, listener)

        return await with_retries(
            attempt, who=self._endpoint.host, listener=listener, backoff=self._backoff
        )

    async def close(self) -> None:
        """Give back the connections."""
        await self._connections().close()

    @abstractmethod
    def _connections(self) -> Client:
        """The SDK's client."""

    @abstractmethod
    async def _try(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """One try."""
