"""Processes of a sandbox as this machine sees them: for sandboxes that are no container."""

from __future__ import annotations

import signal
import time

from workbench.sandbox.base import SandboxError
from workbench.sandbox.inside import processes
from workbench.sandbox.inside.processes import Process

STOP_DEADLINE_S = 5.0
_STOPPED = "Tt"


class ProcessTree:
    """Everything that descends from one process, that included, and whatever bears a mark.

    The mark finds the orphans of a process that was killed.
    """

    def __init__(self, root: int, mark: str = "") -> None:
        """Describe a tree.

        Args:
            root: process id of its first process.
            mark: a variable as `NAME=value`, unique to the environments of this tree.
        """
        self._root = root
        self._mark = mark.encode()
        self._left_alone: set[tuple[int, int]] = set()
        """What was stopped before `freeze`, by the agent itself: `thaw` must not wake it."""

    def members(self) -> list[Process]:
        """The living ones."""
        table = processes.scan()
        roots = {self._root}
        if self._mark:
            roots |= {pid for pid in table if self._mark in processes.environment(pid)}
        heads = [table[pid] for pid in roots if pid in table]
        found = {process.pid: process for process in processes.descendants(table, roots)}
        found.update({process.pid: process for process in heads})
        return [process for process in found.values() if process.state not in processes.DEAD]

    def freeze(self) -> None:
        """Stop all of them and look until none runs.

        Raises:
            SandboxError: if one cannot be stopped.
        """
        members = self.members()
        self._left_alone = {
            (process.pid, process.started) for process in members if process.state in _STOPPED
        }
        deadline = time.monotonic() + STOP_DEADLINE_S
        while running := [p for p in self.members() if p.state not in _STOPPED]:
            if time.monotonic() > deadline:
                self.thaw()
                raise SandboxError(f"{len(running)} processes of the sandbox do not stop.")
            for process in running:
                processes.send(process.pid, signal.SIGSTOP)
            time.sleep(0.001)

    def thaw(self) -> None:
        """Let those go on that `freeze` stopped."""
        for process in self.members():
            if (process.pid, process.started) not in self._left_alone:
                processes.send(process.pid, signal.SIGCONT)
        self._left_alone = set()

    def end(self) -> int:
        """Kill all of them; returns how many could not be killed."""
        return processes.end_all(self.members)
