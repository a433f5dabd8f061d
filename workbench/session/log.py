"""The append-only event log: one writer, any number of readers that follow it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from workbench.errors import WorkbenchError
from workbench.events import AnyEvent, Event, EventDecodeError, decode, encode

E = TypeVar("E", bound=Event)
_BLOCK = 1 << 20


class LogError(WorkbenchError):
    """The log cannot be read or written; the sentence names the file."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What opening a log for writing found: bytes of a torn last line that were dropped."""

    dropped_bytes: int


class LogWriter:
    """Appends events. There is at most one for a session (see `session.lease`).

    An event is written with a single `write`, newline included, before it is returned: a killed
    process loses at most the line that it was writing.
    """

    def __init__(self, path: Path) -> None:
        """Open `path` for appending, dropping a torn last line.

        Raises:
            LogError: if the file cannot be opened.
        """
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LogError(f"{path}: the event log cannot be opened: {error.strerror}.") from error
        self.path = path
        self.repair = Repair(_drop_torn_line(self._fd))
        self.last_seq = _last_seq(self._fd)

    def append(self, event: E, t: float | None = None) -> E:
        """Stamp `event` with the next `seq` and the time, write it, and return it.

        Raises:
            LogError: if the disk is full or gone; nothing half-written stays behind.
        """
        stamped = msgspec.structs.replace(
            event, seq=self.last_seq + 1, t=time.time() if t is None else t
        )
        line = encode(stamped) + b"\n"
        before = os.fstat(self._fd).st_size
        try:
            written = 0
            while written < len(line):
                written += os.write(self._fd, line[written:])
        except OSError as error:
            os.ftruncate(self._fd, before)
            raise LogError(
                f"{self.path}: the event log cannot be written: {error.strerror}."
            ) from error
        self.last_seq += 1
        return stamped

    def close(self) -> None:
        """Flush to the disk and close. Safe to call twice."""
        if self._fd >= 0:
            os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1


class Tail:
    """Follows a log that another process writes. Never blocks and never reads a line twice."""

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path = path
        self.offset = offset
        """Bytes consumed: always the end of a whole line."""
        self.bad_lines = 0
        """Whole lines that were not events; they are skipped."""

    def poll(self, limit_bytes: int | None = None) -> list[AnyEvent]:
        """The events that were completed since the last call.

        Args:
            limit_bytes: read about this much at most, so that a caller can show progress.
        """
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return []
        try:
            size = os.fstat(fd).st_size
            if size <= self.offset:
                return []
            wanted = size - self.offset if limit_bytes is None else limit_bytes
            return self._decode(fd, min(wanted, size - self.offset))
        finally:
            os.close(fd)

    def _decode(self, fd: int, wanted: int) -> list[AnyEvent]:
        data = os.pread(fd, wanted, self.offset)
        end = data.rfind(b"\n")
        while end < 0 and len(data) == wanted:
            more = os.pread(fd, _BLOCK, self.offset + len(data))
            if not more:
                return []
            data += more
            wanted = len(data)
            end = data.rfind(b"\n")
        if end < 0:
            return []
        self.offset += end + 1
        events: list[AnyEvent] = []
        for line in data[:end].split(b"\n"):
            try:
                events.append(decode(line))
            except EventDecodeError:
                self.bad_lines += 1
        return events


def read_events(path: Path) -> Iterator[AnyEvent]:
    """All whole events of a log, in order; a torn last line is left out.

    Raises:
        LogError: if the file cannot be read.
    """
    if not path.is_file():
        raise LogError(f"{path}: there is no event log here.")
    tail = Tail(path)
    while events := tail.poll(8 * _BLOCK):
        yield from events


def _drop_torn_line(fd: int) -> int:
    """Cut the file after its last newline; return how many bytes went."""
    size = os.fstat(fd).st_size
    position = size
    while position > 0:
        start = max(0, position - _BLOCK)
        newline = os.pread(fd, position - start, start).rfind(b"\n")
        if newline >= 0:
            keep = start + newline + 1
            break
        position = start
    else:
        keep = 0
    if keep < size:
        os.ftruncate(fd, keep)
    return size - keep


def _last_seq(fd: int) -> int:
    """`seq` of the last line, 0 for an empty log."""
    size = os.fstat(fd).st_size
    block = _BLOCK
    while size:
        start = max(0, size - block)
        lines = os.pread(fd, size - start, start).rstrip(b"\n").split(b"\n")
        if start == 0 or len(lines) > 1:
            try:
                return decode(lines[-1]).seq
            except EventDecodeError as error:
                raise LogError(
                    f"The last line of the event log is not an event: {error}"
                ) from error
        block *= 4
    return 0
