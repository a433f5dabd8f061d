"""Who owns a session: one live process, or none.

The owner holds an advisory lock on `lease.json` as long as it lives; the kernel drops the lock with
the process, so a dead owner never blocks the next one.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError


class LeaseHeld(WorkbenchError):
    """Another live process owns the session."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that took the lease last."""

    pid: int
    host: str
    since: float


class Lease:
    """The exclusive right to write a session, from `acquire` to `release` or death."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, path: Path) -> Lease:
        """Take the lease, from a dead owner if need be.

        Raises:
            LeaseHeld: if a live process has it.
        """
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not _lock(descriptor):
            os.close(descriptor)
            owner = read_owner(path)
            who = f"process {owner.pid} on {owner.host}" if owner else "another process"
            raise LeaseHeld(f"The session is already run by {who}; attach to it instead.")
        owner_record = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(owner_record).encode(), 0)
        return cls(path, descriptor)

    def release(self) -> None:
        """Give the lease back. Safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _lock(descriptor: int, patience_s: float = 0.5) -> bool:
    """Lock exclusively; wait a little, since a reader's look holds a shared lock for a moment."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)


def read_owner(path: Path) -> Owner | None:
    """The owner on record, dead or alive; None if there never was one."""
    try:
        record = json.loads(path.read_bytes())
        return Owner(int(record["pid"]), str(record["host"]), float(record["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_held(path: Path) -> bool:
    """Whether a live process owns the session now."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
