"""What the sandboxes share whose supervisor is a process of this machine, not of a container."""

from __future__ import annotations

import asyncio

from workbench.events import SandboxInfo
from workbench.sandbox.base import WORKSPACE, SandboxConfig
from workbench.sandbox.host_processes import ProcessTree
from workbench.sandbox.supervised import SupervisedSandbox


class HostSandbox(SupervisedSandbox):
    """Its processes are found, frozen and ended as a tree; a back end says how it begins."""

    def __init__(self, config: SandboxConfig, info: SandboxInfo, root: str = WORKSPACE) -> None:
        super().__init__(config, info, root)
        self._process: asyncio.subprocess.Process | None = None
        self._tree: ProcessTree | None = None

    def _began(self, process: asyncio.subprocess.Process, mark: str = "") -> None:
        """Take charge of the first process; see `ProcessTree` for the mark."""
        self._process = process
        self._tree = ProcessTree(process.pid, mark)

    async def _freeze(self) -> None:
        if self._tree is not None:
            await asyncio.to_thread(self._tree.freeze)

    async def _thaw(self) -> None:
        if self._tree is not None:
            await asyncio.to_thread(self._tree.thaw)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None or self._tree is None:
            return
        await asyncio.to_thread(self._tree.end)
        await process.wait()
