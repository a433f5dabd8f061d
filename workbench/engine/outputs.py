"""Where the output of an action goes: the raw file, the log, and the part that the model sees."""

from __future__ import annotations

import asyncio
import codecs
import hashlib
from collections.abc import Callable
from typing import BinaryIO

from workbench.events import Output
from workbench.session.store import SessionDir

CAP_BYTES = 30_000
"""What the model sees of one command's output (omnicoding-format K27)."""
STORED_BYTES = 256 << 20
"""What is kept of one action's output; beyond it only the last `TAIL_BYTES` are."""
TAIL_BYTES = 1 << 20
LOGGED_BYTES = 64 << 10
"""How much of an action's output stands in the log itself, so that small ones need no file."""
COALESCE_S = 0.05


class Window:
    """The head and tail of one command's output, for the observation."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.size_bytes = 0

    def feed(self, data: bytes) -> None:
        """Take in more output."""
        self.size_bytes += len(data)
        room = CAP_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
        self._tail += data[-CAP_BYTES:]
        if len(self._tail) > 4 * CAP_BYTES:
            del self._tail[:-CAP_BYTES]

    def text(self, notes: tuple[str, ...] = ()) -> str:
        """What the model sees: the output and the notes after it, capped as K27 says."""
        note_text = "".join(f"[!] {note}\n" for note in notes)
        if self.size_bytes <= CAP_BYTES:
            body = self._head.decode(errors="replace")
            whole = body + ("\n" if note_text and body and not body.endswith("\n") else "")
            return cap(whole + note_text)
        half = CAP_BYTES // 2
        tail = (bytes(self._tail) + note_text.encode())[-half:]
        elided = self.size_bytes + len(note_text.encode()) - 2 * half
        return _around(bytes(self._head[:half]), elided, tail)


def cap(text: str) -> str:
    """A text shortened to its first and last 15,000 bytes where it is longer than 30,000."""
    data = text.encode(errors="replace")
    if len(data) <= CAP_BYTES:
        return text
    half = CAP_BYTES // 2
    return _around(data[:half], len(data) - 2 * half, data[-half:])


def _around(head: bytes, elided: int, tail: bytes) -> str:
    line = f"... [{elided} bytes elided; output capped at {CAP_BYTES} bytes] ..."
    return f"{head.decode(errors='replace')}\n{line}\n{tail.decode(errors='replace')}"


class OutputSink:
    """Takes the raw output of one action: stores it, hashes it, and logs its growth.

    Growth is logged at most every `COALESCE_S` seconds, whatever the rate of the output.
    """

    def __init__(
        self, session: SessionDir, action: str, step: int, record: Callable[[Output], object]
    ) -> None:
        self._session = session
        self._action = action
        self._step = step
        self._record = record
        self._path = session.output_path(action, None)
        self._file: BinaryIO = self._path.open("wb")
        self._hash = hashlib.sha256()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = bytearray()
        self._logged = 0
        self._last_end = 0
        self._timer: asyncio.TimerHandle | None = None
        self._tail = bytearray()
        self.stored_bytes = 0
        self.total_bytes = 0
        self.window = Window()

    def begin_command(self) -> Window:
        """A new command of the action begins; its own window is filled from now on."""
        self.window = Window()
        return self.window

    def feed(self, data: bytes) -> None:
        """Take in raw output of the current command."""
        self.window.feed(data)
        self.total_bytes += len(data)
        room = STORED_BYTES - self.stored_bytes
        if room > 0:
            self._store(data[:room])
        if len(data) > room:
            self._tail += data[max(0, room) :][-TAIL_BYTES:]
            if len(self._tail) > 4 * TAIL_BYTES:
                del self._tail[:-TAIL_BYTES]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(COALESCE_S, self._flush)

    def _store(self, data: bytes) -> None:
        self._file.write(data)
        self._hash.update(data)
        self.stored_bytes += len(data)
        if self._logged + len(self._pending) < LOGGED_BYTES:
            self._pending += data[: LOGGED_BYTES - self._logged - len(self._pending)]

    def _flush(self) -> None:
        self._timer = None
        self._file.flush()
        text = self._decoder.decode(bytes(self._pending)) if self._pending else None
        self._logged += len(self._pending)
        self._pending.clear()
        self._record(
            Output(
                step=self._step,
                action=self._action,
                start=self._last_end,
                end=self.stored_bytes,
                text=text or None,
            )
        )
        self._last_end = self.stored_bytes

    def finish(self) -> str | None:
        """Close the file and turn it into a blob; returns its hash, None where nothing came."""
        if self._timer is not None:
            self._timer.cancel()
            self._flush()
        missing = self.total_bytes - self.stored_bytes - len(self._tail[-TAIL_BYTES:])
        if self.total_bytes > self.stored_bytes:
            self._store(b"\n[%d bytes were not stored]\n" % max(0, missing))
            self._store(bytes(self._tail[-TAIL_BYTES:]))
        self._file.close()
        if not self.stored_bytes:
            self._path.unlink(missing_ok=True)
            return None
        sha256 = self._hash.hexdigest()
        self._session.blobs.adopt(self._path, sha256)
        return sha256
