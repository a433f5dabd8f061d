"""A screen's two doors to a session: the log that is followed, the engine that is told things."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from workbench import events as ev
from workbench.engine.control import ControlClient, NotLive
from workbench.session.log import Tail
from workbench.session.state import SessionState
from workbench.session.store import SessionDir
from workbench.tui.view.model import drop_kept_output

PREVIEW_BYTES = 2 << 20
"""A longer log shows its end first, while the rest of it is read."""
_TAIL_BYTES = 512 << 10
_HEAD_BYTES = 64 << 10
_CHUNK_BYTES = 1 << 20
_ALIVE_S = 1.0
"""How often it is looked whether the engine lives."""
_IDLE_S = 0.5
"""How often a log is looked at that nobody writes."""


@dataclass(slots=True)
class Batch:
    """What happened since the last one."""

    events: list[ev.AnyEvent] = field(default_factory=list)
    """To be folded into the state at hand."""
    state: SessionState | None = None
    """A whole state, to be put in its place first."""
    is_partial: bool = False
    """Whether `state` holds only the end of the session, as long as the rest is being read."""
    is_live: bool = False
    """Whether an engine runs the session."""
    read: float = 1.0
    """Share of the log that is read, 0 to 1."""
    bad_lines: int = 0
    """Lines of the log so far that are no events and were skipped."""
    fault: str | None = None
    """Why the log cannot be followed, as a sentence."""


class Feed:
    """Follows a session's log in a thread of its own, from `start` to `stop`.

    Batches go to `deliver`, in the feed's thread, one at a time: the next comes when `taken` was
    called, so that a slow screen gets fewer and larger ones.
    """

    def __init__(self, session: SessionDir, deliver: Callable[[Batch], object], hz: int) -> None:
        self._session = session
        self._deliver = deliver
        self._interval_s = 1 / hz
        self._tail = Tail(session.events)
        self._stop = Event()
        self._free = Event()
        self._free.set()
        self._was_live = False
        self._looked_t = 0.0
        self._thread = Thread(target=self._run, name=f"feed-{session.id}", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; returns when it has ended."""
        self._stop.set()
        self._free.set()
        if self._thread.is_alive():
            self._thread.join()

    def taken(self) -> None:
        """The last batch was folded and shown: the next may come."""
        self._free.set()

    # --- in the thread ------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._load()
            while not self._stop.wait(self._interval_s if self._was_live else _IDLE_S):
                self._follow()
        except OSError as error:
            sentence = f"The log cannot be read: {error.strerror or error}. Leave and come back."
            self._send(Batch(is_live=self._was_live, fault=sentence))
        except Exception as error:  # the thread's edge: logged, and shown on the screen
            traceback.print_exc(file=sys.stderr)
            sentence = f"The log cannot be followed: {type(error).__name__}: {error}"
            self._send(Batch(is_live=self._was_live, fault=sentence))

    def _load(self) -> None:
        """Fold what there is, in this thread: the screen stays free meanwhile."""
        live = self._look_alive()
        size = self._size()
        if size > PREVIEW_BYTES and (preview := self._preview(size)) is not None:
            read = self._tail.offset / size
            self._send(Batch(state=preview, is_partial=True, is_live=live, read=read))
        state = SessionState()
        while not self._stop.is_set() and (events := self._tail.poll(_CHUNK_BYTES)):
            for event in events:
                state.apply(event)
                drop_kept_output(state, event)
            if size > PREVIEW_BYTES and self._free.is_set():
                self._send(Batch(is_live=live, read=min(0.99, self._tail.offset / size)))
        self._send(Batch(state=state, is_live=live, bad_lines=self._tail.bad_lines))

    def _preview(self, size: int) -> SessionState | None:
        """The state that the log's first and last part alone give; None if it says nothing."""
        state = SessionState()
        for event in Tail(self._session.events).poll(_HEAD_BYTES):
            if isinstance(event, ev.Thinking):
                break
            state.apply(event)
        end = Tail(self._session.events, self._line_start(size - _TAIL_BYTES)).poll()
        first = next((at for at, event in enumerate(end) if isinstance(event, ev.Thinking)), None)
        if first is None or state.created is None:
            return None
        for event in end[first:]:
            state.apply(event)
        return state

    def _line_start(self, near: int) -> int:
        """The start of the first whole line after `near`."""
        with self._session.events.open("rb") as log:
            log.seek(near)
            log.readline()
            return log.tell()

    def _follow(self) -> None:
        events = self._tail.poll(4 * _CHUNK_BYTES)
        live = self._was_live
        if time.monotonic() - self._looked_t > _ALIVE_S:
            live = self._look_alive()
            if live < self._was_live:
                events += self._tail.poll()
        if events or live != self._was_live:
            self._send(Batch(events=events, is_live=live, bad_lines=self._tail.bad_lines))

    def _look_alive(self) -> bool:
        self._looked_t = time.monotonic()
        return self._session.is_live()

    def _send(self, batch: Batch) -> None:
        self._free.wait()
        if self._stop.is_set():
            return
        self._was_live = batch.is_live
        self._free.clear()
        self._deliver(batch)

    def _size(self) -> int:
        try:
            return os.stat(self._session.events).st_size
        except FileNotFoundError:
            return 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a command. `sentence` says why it failed; it is empty if it did not."""

    ok: bool
    sentence: str = ""
    answer: dict[str, Any] = field(default_factory=dict)


class Steering:
    """Tells the engine what a person wants."""

    def __init__(self, session: SessionDir, author: str, *, observe: bool = False) -> None:
        """Args:
        session: whose engine it is.
        author: who steers, as it shall stand in the log: `human:ann`.
        observe: refuse every command; the person may only watch.
        """
        self.observe = observe
        self._client = ControlClient(session.control, author)

    async def send(self, command: str, **arguments: Any) -> Outcome:
        """Send a command. Never raises for what a person or the engine can have wrong."""
        if self.observe:
            return Outcome(False, "You only observe this session: nothing was sent.")
        try:
            answer = await self._client.send(command, **arguments)
        except NotLive as error:
            return Outcome(False, f"{error} Nothing was sent.")
        if answer.get("ok"):
            return Outcome(True, answer=answer)
        return Outcome(False, str(answer.get("error") or "The engine refused."), answer)

    async def close(self) -> None:
        """End the connection. Safe to call twice."""
        await self._client.close()
