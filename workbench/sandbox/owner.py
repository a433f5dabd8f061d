"""Who owns a sandbox: a process of this machine that is alive, or one that is gone."""

from __future__ import annotations

import os
import socket


def started_ticks(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None if there is none (any more)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def this_process() -> str:
    """This process as an owner: host, process id and start, joined by colons."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{started_ticks(pid)}"


def is_gone(owner: str) -> bool:
    """Whether the owner was a process of this machine and no longer runs.

    An owner on another machine, or one that cannot be read, counts as alive.
    """
    host, *numbers = owner.rsplit(":", 2)
    if host != socket.gethostname() or not all(number.isdigit() for number in numbers):
        return False
    started = started_ticks(int(numbers[0]))
    return started is None or started != int(numbers[1])
