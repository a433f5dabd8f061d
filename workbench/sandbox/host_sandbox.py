"""What the sandboxes share whose supervisor is a process of this machine, not of a container."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from workbench.events import SandboxInfo
from workbench.sandbox.base import WORKSPACE, SandboxConfig, SandboxError
from workbench.sandbox.host_processes import ProcessTree
from workbench.sandbox.supervised import SupervisedSandbox


class HostSandbox(SupervisedSandbox):
    """Its processes are found, frozen and ended as a tree; a back end says how it begins."""

    def __init__(self, config: SandboxConfig, info: SandboxInfo, root: str = WORKSPACE) -> None:
        super().__init__(config, info, root)
        self._process: asyncio.subprocess.Process | None = None
        self._tree: ProcessTree | None = None

    async def _spawn(
        self,
        command: Sequence[str],
        descriptors: Sequence[int],
        environment: Mapping[str, str],
        *,
        mark: str = "",
        executable: str | None = None,
    ) -> None:
        """Start the first process and take charge of it.

        Args:
            command: its arguments.
            descriptors: what it inherits of ours.
            environment: its whole environment.
            mark: see `ProcessTree`.
            executable: what runs, where that is not the first argument.

        Raises:
            SandboxError: if it does not start.
        """
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                executable=executable,
                pass_fds=descriptors,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"The {self.info.kind} sandbox does not start: {error}.") from error
        self._tree = ProcessTree(self._process.pid, mark)

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
