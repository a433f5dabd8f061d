"""Which processes belong to the command under way, and which to earlier background jobs."""

from __future__ import annotations

import os
import time

from workbench.sandbox.inside import processes
from workbench.sandbox.inside.processes import Process


class Jobs:
    """Tells the running command's processes from those that earlier commands left running."""

    def __init__(self) -> None:
        self.shell = 0
        """Process id of the bash, which is nobody's job."""
        self._mark = b""
        self._start_tick = 0
        self._earlier: set[tuple[int, int]] = set()

    def begin(self, action: str) -> None:
        """A command starts, marked as `action`."""
        self._mark = f"{processes.MARK}={action}".encode()
        self._start_tick = int(time.clock_gettime(time.CLOCK_BOOTTIME) * processes.TICKS)

    def end(self) -> None:
        """The command is over: what it left running is from now on an earlier job."""
        self._earlier = set()
        if self.has_background():
            self._earlier = {(process.pid, process.started) for process in self.family()}

    def family(self) -> list[Process]:
        """Everything that was ever started here and lives: it descends from this process."""
        return processes.descendants(processes.scan(), [os.getpid()])

    def mine(self) -> list[Process]:
        """What the running command started and still runs, wherever it re-parented to.

        All but the shell, earlier background jobs and what those started since.
        """
        table = processes.scan()
        family = processes.descendants(table, [os.getpid()])
        candidates = [process for process in family if process.pid != self.shell]
        earlier = {process.pid for process in candidates if self.is_earlier(process)}
        spared = {process.pid for process in processes.descendants(table, earlier)}
        return [
            process
            for process in candidates
            if process.pid not in earlier
            and (process.pid not in spared or self._mark in processes.environment(process.pid))
        ]

    def is_earlier(self, process: Process) -> bool:
        """Whether it was there before the running command."""
        known = (process.pid, process.started) in self._earlier
        return known or process.started < self._start_tick

    def has_background(self) -> bool:
        """Whether anything but the shell is running, at the price of two small reads."""
        return processes.has_children(self.shell) or processes.has_children(
            os.getpid(), besides=self.shell
        )
