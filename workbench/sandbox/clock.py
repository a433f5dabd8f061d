"""The clock of a running command: it can stand still, and calls when the time is up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class CommandClock:
    """Counts a command's seconds on the running loop. Time while it is stopped does not count."""

    def __init__(self, limit_s: float, on_expiry: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_expiry = on_expiry
        self._limit_s = limit_s
        self._spent_s = 0.0
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds that it has run."""
        running_s = 0.0 if self._since is None else self._loop.time() - self._since
        return self._spent_s + running_s

    def go(self) -> None:
        """Start, or go on."""
        if self._since is None:
            self._since = self._loop.time()
            self._timer = self._loop.call_later(self._limit_s - self._spent_s, self._on_expiry)

    def stop(self) -> None:
        """Stand still."""
        self._spent_s = self.elapsed_s
        self._since = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
