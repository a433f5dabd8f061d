"""Loads the summaries of a store in a thread of its own, and keeps them up to date."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread

from workbench.session.library import Library, Summary
from workbench.session.store import Store
from workbench.session.trash import purge

_BATCH_S = 0.05
_LEAST_PAUSE_S = 1.0
_SHARE = 20
"""A look that took long is followed by a pause this many times as long."""


@dataclass(slots=True)
class News:
    """What changed since the last one."""

    changed: list[Summary] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    is_complete: bool = False
    """Whether every session was looked at by now."""
    fault: str | None = None


class LibraryFeed:
    """Tells `deliver`, in its own thread, what came, changed and went."""

    def __init__(self, store: Store, deliver: Callable[[News], object]) -> None:
        self._store = store
        self._deliver = deliver
        self._stop = Event()
        self._look = Event()
        self._known: dict[str, Summary] = {}
        self._thread = Thread(target=self._run, name="library", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def look(self) -> None:
        """Look again now."""
        self._look.set()

    def stop(self) -> None:
        """End the thread; returns when it has ended."""
        self._stop.set()
        self._look.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            library = Library(self._store)
            try:
                self._follow(library)
            finally:
                library.close()
        except Exception as error:  # the thread's edge: logged, and shown on the screen
            traceback.print_exc(file=sys.stderr)
            self._deliver(News(fault=f"The store cannot be read: {error}"))

    def _follow(self, library: Library) -> None:
        is_first = True
        while not self._stop.is_set():
            started = time.monotonic()
            self._look.clear()
            self._look_at(library, is_first)
            if is_first:
                purge(self._store)
            is_first = False
            took = time.monotonic() - started
            self._look.wait(max(_LEAST_PAUSE_S, _SHARE * took))

    def _look_at(self, library: Library, is_first: bool) -> None:
        batch: list[Summary] = []
        seen: set[str] = set()
        sent = time.monotonic()
        for summary in library.summaries():
            if self._stop.is_set():
                return
            seen.add(summary.id)
            if self._known.get(summary.id) != summary:
                self._known[summary.id] = summary
                batch.append(summary)
            if batch and time.monotonic() - sent > _BATCH_S:
                self._deliver(News(batch))
                batch, sent = [], time.monotonic()
        gone = [name for name in self._known if name not in seen]
        for name in gone:
            del self._known[name]
        if batch or gone or is_first:
            self._deliver(News(batch, gone, is_complete=True))
