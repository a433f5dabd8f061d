"""Processes as /proc shows them: who descends from whom, what they use, and their certain end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

MARK = "WORKBENCH_ACTION"
"""Environment variable that marks every process with the action that started it."""
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
DEAD = "ZXx"
"""States of processes that no longer run."""
END_DEADLINE_S = 5.0
"""How long killed processes may take to vanish (a process in a system call can hang on)."""


class Process(NamedTuple):
    """One process. `started` (clock ticks since boot) tells it from a later one of the same id."""

    pid: int
    parent: int
    started: int
    state: str
    cpu_s: float
    """Processor time of itself and of the children it has waited for."""


def small_file(path: str) -> bytes:
    """The first 4 kB of a file: for the small ones of /proc, four times as fast as `open`.

    Raises:
        OSError: if there is none.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def read(pid: int) -> Process | None:
    """The process with this id; None if there is none."""
    try:
        text = small_file(f"/proc/{pid}/stat")
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    cpu_ticks = sum(map(int, fields[11:15]))
    return Process(pid, int(fields[1]), int(fields[19]), chr(fields[0][0]), cpu_ticks / TICKS)


def scan() -> dict[int, Process]:
    """All processes that can be seen, by id."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := read(int(name))) is not None:
            table[process.pid] = process
    return table


def descendants(table: dict[int, Process], roots: Iterable[int]) -> list[Process]:
    """The living descendants of `roots`, without the roots themselves."""
    children: dict[int, list[Process]] = {}
    for process in table.values():
        children.setdefault(process.parent, []).append(process)
    found: dict[int, Process] = {}
    ahead = list(roots)
    while ahead:
        for child in children.get(ahead.pop(), ()):
            if child.pid not in found:
                found[child.pid] = child
                ahead.append(child.pid)
    return [process for process in found.values() if process.state not in DEAD]


def has_children(pid: int, besides: int = 0) -> bool:
    """Whether a single-threaded process has another child than `besides`.

    True where the kernel does not tell.
    """
    try:
        children = small_file(f"/proc/{pid}/task/{pid}/children")
        return any(int(child) != besides for child in children.split())
    except OSError:
        return True


def environment(pid: int) -> list[bytes]:
    """The variables that a process was started with, as `NAME=value`; none if they are not ours."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def resident_bytes(pid: int) -> int:
    """Resident memory of a process, 0 if it is gone."""
    try:
        return int(small_file(f"/proc/{pid}/statm").split()[1]) * PAGE_BYTES
    except (OSError, IndexError):
        return 0


def send(pid: int, number: int) -> bool:
    """Signal a process; False if it is gone or not ours to signal."""
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True


def stop_all(find: Callable[[], list[Process]], deadline: float) -> None:
    """Stop every process that `find` finds, also those that appear meanwhile.

    A stopped process can neither fork nor start the next command of a list when its child dies.
    """
    stopped: set[tuple[int, int]] = set()
    while time.monotonic() < deadline:
        fresh = [process for process in find() if (process.pid, process.started) not in stopped]
        if not fresh:
            return
        for process in fresh:
            send(process.pid, signal.SIGSTOP)
            stopped.add((process.pid, process.started))


def end_all(find: Callable[[], list[Process]], deadline_s: float = END_DEADLINE_S) -> int:
    """Kill every process that `find` finds and look until none is left.

    Returns:
        How many are still there after `deadline_s`; 0 is proof that all are dead.
    """
    deadline = time.monotonic() + deadline_s
    pause_s = 0.0005
    stop_all(find, deadline)
    while True:
        left = find()
        if not left or time.monotonic() > deadline:
            return len(left)
        for process in left:
            send(process.pid, signal.SIGKILL)
        time.sleep(pause_s)
        pause_s = min(pause_s * 2, 0.05)
