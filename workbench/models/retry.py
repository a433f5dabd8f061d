"""Trying again after a passing failure, visibly."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from workbench.models.base import Listener, ModelUnavailable, Retry

T = TypeVar("T")

PATIENCE_S = 60.0
"""A server that asks for a longer wait than this is not waited for."""


class PassingFault(Exception):
    """A failure that may not happen again. Its text is a clause without a full stop.

    `wait_s` is what the server asked to wait, if it did.
    """

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits of `first_s`, then twice as long each time, up to `longest_s` (format K31)."""

    tries: int = 5
    first_s: float = 0.5
    longest_s: float = 4.0

    def wait_s(self, failed: int, asked_s: float | None = None) -> float:
        """How long to wait after the `failed`-th try (from 1): what was asked, or with jitter."""
        if asked_s is not None and not math.isnan(asked_s):
            return max(asked_s, 0.0)
        full = min(self.first_s * 2.0 ** (failed - 1), self.longest_s)
        return full * random.uniform(0.75, 1.0)


async def with_retries(
    attempt: Callable[[], Awaitable[T]], *, who: str, listener: Listener, backoff: Backoff
) -> T:
    """What `attempt` gives, tried again after each passing fault.

    Args:
        attempt: makes one request.
        who: whom the final sentence blames, for example a host.
        listener: told before each wait.
        backoff: how often and how long.

    Raises:
        ModelUnavailable: after the last try, or if the server asks for a very long wait.
    """
    for number in range(1, backoff.tries):
        try:
            return await attempt()
        except PassingFault as fault:
            wait_s = backoff.wait_s(number, fault.wait_s)
            if wait_s > PATIENCE_S:
                raise ModelUnavailable(
                    f"{who} asks to wait {wait_s:.0f} s before the next call: {fault.reason}."
                ) from fault
            listener.on_retry(Retry(number, wait_s, fault.reason))
        await asyncio.sleep(wait_s)
    try:
        return await attempt()
    except PassingFault as fault:
        raise ModelUnavailable(
            f"{who} failed {backoff.tries} times in a row; the last time: {fault.reason}."
        ) from fault
