"""Python's garbage collector, kept from pausing the screen in the middle of something.

Automatic collection is off; the young generations are collected once a second, and everything only
after some seconds without a key (measured: stalls of 55 to 70 ms become 16).
"""

from __future__ import annotations

import gc
import time

YOUNG_EVERY_S = 1.0
QUIET_S = 5.0
_FULL_EVERY_S = 60.0
_WORTH = 2_000
"""New objects from which on a collection is worth its pause."""


class GcTamer:
    """Owns the collector from `start` on."""

    def __init__(self) -> None:
        self._key_t = self._full_t = time.monotonic()

    def start(self) -> None:
        """Call once everything is mounted: what lives now is never looked at again."""
        gc.disable()
        self.settle()

    def settle(self) -> None:
        """Much was made that will stay: leave it out from now on."""
        gc.freeze()

    def note_key(self) -> None:
        """A person is at work."""
        self._key_t = time.monotonic()

    def tick(self) -> None:
        """Collect what is due. Called every `YOUNG_EVERY_S`."""
        now = time.monotonic()
        if now - self._key_t > QUIET_S and now - self._full_t > _FULL_EVERY_S:
            self._full_t = now
            if sum(gc.get_count()) > 0:
                gc.collect()
        elif gc.get_count()[0] > _WORTH:
            gc.collect(1)
