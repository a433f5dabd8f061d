"""The only door to a session's log: append, then apply to the state, then tell who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from workbench.events import Event
from workbench.session.log import LogWriter, read_events
from workbench.session.state import SessionState
from workbench.session.store import SessionDir

E = TypeVar("E", bound=Event)


class Recorder:
    """Writes events and keeps the state that they fold to."""

    def __init__(self, session: SessionDir) -> None:
        self.session = session
        self._writer = LogWriter(session.events)
        self.torn_bytes = self._writer.repair.dropped_bytes
        self.state = SessionState()
        for event in read_events(session.events):
            self.state.apply(event)
        self._changed = asyncio.Condition()
        self._wakes: set[asyncio.Task[None]] = set()

    def record(self, event: E) -> E:
        """Append `event`, apply it, and return it with its `seq` and time."""
        stamped = self._writer.append(event)
        self.state.apply(stamped)  # type: ignore[arg-type]
        task = asyncio.get_running_loop().create_task(self._wake())
        self._wakes.add(task)
        task.add_done_callback(self._wakes.discard)
        return stamped

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def wait_until(self, condition: Callable[[SessionState], bool]) -> None:
        """Return as soon as the state fulfils `condition`."""
        async with self._changed:
            await self._changed.wait_for(lambda: condition(self.state))

    def close(self) -> None:
        """Flush the log to disk. Safe to call twice."""
        self._writer.close()
