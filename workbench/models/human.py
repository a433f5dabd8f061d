"""The human model: a person types the agent's actions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from workbench.errors import WorkbenchError
from workbench.events import Message
from workbench.models.base import Listener, Provider, Reply


class NotWaiting(WorkbenchError):
    """A turn was handed in while none was asked for."""


class HumanModel:
    """Waits for each turn until a person hands it in."""

    spec = "human"
    provider: Provider = "human"

    def __init__(self) -> None:
        self._turn: asyncio.Future[Message] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a turn is asked for now."""
        return self._turn is not None and not self._turn.done()

    def submit(self, message: Message) -> None:
        """Hand in the turn that is asked for.

        Raises:
            NotWaiting: if none is.
        """
        if self._turn is None or self._turn.done():
            raise NotWaiting("The session does not wait for a turn now.")
        self._turn.set_result(message)

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """The turn that a person hands in; waits as long as it takes."""
        del messages, tools, listener
        self._turn = asyncio.get_running_loop().create_future()
        try:
            message = await self._turn
        finally:
            self._turn = None
        return Reply(message, finish_reason="tool_calls" if message.get("tool_calls") else "stop")

    async def close(self) -> None:
        """Nothing is held."""
