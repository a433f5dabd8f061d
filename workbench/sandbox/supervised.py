"""What all sandboxes share: a supervisor reached over a socket, folders, freezing, a new start."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.events import SandboxInfo
from workbench.sandbox.base import WORKSPACE, CommandResult, SandboxConfig, SandboxError
from workbench.sandbox.identity import agent_identity, hand_over, make_readable
from workbench.sandbox.link import Link, LinkLost
from workbench.sandbox.names import printable
from workbench.sandbox.notes import relaunched
from workbench.sandbox.paths import PathMap
from workbench.sandbox.shell import Shell


def walled(kind: str, config: SandboxConfig, image: str | None = None) -> SandboxInfo:
    """What a sandbox with walls and limits is shown as."""
    return SandboxInfo(
        kind=kind,
        image=image,
        network=config.network,
        memory=config.memory,
        cpus=config.cpus,
        pids=config.pids,
    )


class SupervisedSandbox(ABC):
    """A sandbox whose commands run under a supervisor; see `Sandbox` for what the methods do.

    A back end says how the supervisor's process is launched, frozen, thawed and ended.
    """

    def __init__(self, config: SandboxConfig, info: SandboxInfo, root: str = WORKSPACE) -> None:
        self.config = config
        self._info = info
        self._root = root
        self._paths = self.path_map()
        self._shell: Shell | None = None
        self._is_frozen = False
        self._changing = asyncio.Lock()

    @property
    def info(self) -> SandboxInfo:
        """What this sandbox is."""
        return self._info

    @property
    def root(self) -> str:
        """The workspace as the agent names it."""
        return self._root

    def to_host(self, path: str) -> Path | None:
        """The host file behind a path as the agent names it; None outside the folders."""
        return self._paths.to_host(path)

    async def start(self) -> None:
        """Bring it up with a fresh shell."""
        if self._shell is not None:
            return
        await asyncio.to_thread(self._prepare_folders)
        await self._open(self._root)

    async def run(
        self, command: str, timeout_s: float, on_output: Callable[[bytes], None]
    ) -> CommandResult:
        """Run one command in the persistent shell."""
        if self._shell is None:
            raise SandboxError("The sandbox is not running.")
        loop = asyncio.get_running_loop()
        began = loop.time()
        shell = self._shell
        try:
            return await shell.run(command, timeout_s, on_output)
        except LinkLost:
            if shell is not self._shell:
                raise SandboxError("The sandbox was stopped.") from None
            return await self._revive(shell, loop.time() - began)

    async def interrupt(self) -> bool:
        """Kill the running command with its descendants."""
        return self._shell is not None and self._shell.kill("interrupt")

    async def freeze(self) -> None:
        """Stop every process where it stands, and the running command's clock."""
        async with self._changing:
            if self._is_frozen or self._shell is None:
                return
            shell = self._shell
            shell.hold_clock()
            try:
                await self._freeze()
            except BaseException:
                shell.release_clock()
                raise
            self._is_frozen = True

    async def thaw(self) -> None:
        """Undo `freeze`."""
        async with self._changing:
            if not self._is_frozen:
                return
            await self._thaw()
            self._is_frozen = False
            if self._shell is not None:
                self._shell.release_clock()

    async def stop(self) -> None:
        """End every process and remove what was made outside the session's folders."""
        shell, self._shell = self._shell, None
        if shell is not None:
            shell.close()
        async with self._changing:
            await self._end()
            self._is_frozen = False

    # --- what a back end says -----------------------------------------------------------------

    @abstractmethod
    def path_map(self) -> PathMap:
        """Which host folder stands where."""

    @abstractmethod
    async def _launch(self) -> socket.socket:
        """Start the process of the supervisor; returns the socket that leads to it."""

    @abstractmethod
    async def _freeze(self) -> None:
        """Stop every process of the sandbox."""

    @abstractmethod
    async def _thaw(self) -> None:
        """Let them go on."""

    @abstractmethod
    async def _end(self) -> None:
        """End every process of the sandbox, also a frozen one. Idempotent."""

    def limits(self) -> dict[str, Any]:
        """Limits that the supervisor itself sets (see `inside.supervisor.main`)."""
        return {}

    # --- private ------------------------------------------------------------------------------

    def _prepare_folders(self) -> None:
        config, identity = self.config, agent_identity()
        home = config.tmp / "home"
        with contextlib.suppress(FileExistsError):
            home.mkdir()
        hand_over(config.workspace, identity)
        hand_over(config.tmp, identity)
        make_readable(config.inputs)
        mount_point = config.workspace / "inputs"
        if not config.inputs.is_relative_to(config.workspace) and not mount_point.is_symlink():
            mount_point.mkdir(exist_ok=True)

    async def _open(self, cwd: str) -> None:
        connection = await self._launch()
        settings = {"root": self._root, "cwd": cwd, **self.limits()}
        try:
            link = await Link.open(connection, settings)
        except BaseException:
            await self._end()
            raise
        self._shell = Shell(link, self.thaw)

    async def _revive(self, lost: Shell, spent_s: float) -> CommandResult:
        """The supervisor died, so all is dead: make that sure, and start anew."""
        lost.close()
        async with self._changing:
            await self._end()
            self._is_frozen = False
        await self._open(lost.cwd)
        assert self._shell is not None
        cwd = printable(self._shell.cwd)
        return CommandResult(
            exit_code=None,
            duration_s=spent_s,
            cwd=cwd,
            killed="shell died",
            notes=(relaunched(cwd),),
        )
