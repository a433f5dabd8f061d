"""What a command used: processor time of what has ended, memory of what runs."""

from __future__ import annotations

import time
from collections.abc import Callable

from workbench.sandbox.inside import processes
from workbench.sandbox.inside.processes import Process

FIRST_SAMPLE_S = 0.02
LAST_PAUSE_S = 0.5
"""Memory is looked at first after `FIRST_SAMPLE_S`, then ever more rarely, down to this."""


class Usage:
    """Measures one command.

    `cpu_s` is the time of the shell and of every process that has ended, to the clock tick (10 ms);
    what still runs in the background is not in it. `peak_bytes` is the highest sum of resident
    memory that was seen; None where the command was gone before the first look.
    """

    def __init__(
        self, shell: int, find: Callable[[], list[Process]], shell_cpu_s: float | None
    ) -> None:
        """Begin to measure.

        Args:
            shell: process id of the bash.
            find: gives the processes of the command.
            shell_cpu_s: what the bash had used before.
        """
        self._find = find
        self._shell = shell
        self._shell_cpu_s = shell_cpu_s
        self._orphans_cpu_s = 0.0
        self.peak_bytes: int | None = None
        self._first_tick = time.monotonic() + 1 / processes.TICKS
        self._pause_s = FIRST_SAMPLE_S
        self.next_sample = time.monotonic() + FIRST_SAMPLE_S

    def add_orphan(self, cpu_s: float) -> None:
        """Count a process that the supervisor itself had to wait for."""
        self._orphans_cpu_s += cpu_s

    def sample(self) -> None:
        """Look at the memory of what runs now, if it is time to."""
        if time.monotonic() < self.next_sample:
            return
        if found := self._find():
            total = sum(processes.resident_bytes(process.pid) for process in found)
            self.peak_bytes = max(total, self.peak_bytes or 0)
        self._pause_s = min(self._pause_s * 2, LAST_PAUSE_S)
        self.next_sample = time.monotonic() + self._pause_s

    def cpu_s(self) -> float | None:
        """Processor seconds so far, also of a shell that has ended and is not reaped yet."""
        if time.monotonic() < self._first_tick:
            return 0.0
        now = cpu_s(self._shell)
        if now is None or self._shell_cpu_s is None:
            return None
        return round(now - self._shell_cpu_s + self._orphans_cpu_s, 3)


def cpu_s(pid: int) -> float | None:
    """Processor seconds of a process and the children it has waited for; None if it is gone."""
    process = processes.read(pid)
    return process.cpu_s if process else None
