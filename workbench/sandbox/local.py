"""The local sandbox: none at all. Commands run on this machine as the person who started them."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import sys
from pathlib import Path

from workbench.events import SandboxInfo
from workbench.resources import shipped
from workbench.sandbox.base import BRIDGE_SOCKET, SandboxConfig
from workbench.sandbox.environment import SYSTEM_PATH, agent_environment, kept_from_host
from workbench.sandbox.host_sandbox import HostSandbox
from workbench.sandbox.launch import supervisor_command
from workbench.sandbox.paths import PathMap

WARNING = (
    "No sandbox: commands run on this machine, as you and without limits, and can read, change and "
    "send whatever you can."
)
MARK = "WORKBENCH_SESSION"
"""Variable by which the sandbox's processes are found when their parents are gone."""


class LocalSandbox(HostSandbox):
    """The same shell with the same certain ends, but confined by nothing."""

    def __init__(self, config: SandboxConfig) -> None:
        info = SandboxInfo(kind="local", network="full", warning=WARNING)
        super().__init__(config, info, root=str(config.workspace.resolve()))
        self._mark = secrets.token_hex(8)

    def path_map(self) -> PathMap:
        """The folders stand where they are; the session's own /tmp is also found by that name."""
        config = self.config
        folders = (config.workspace, config.tmp, config.inputs)
        here = {str(folder.resolve()): folder for folder in folders}
        # The link to the inputs is named too: it stands only once the shell has started.
        named = {f"{self.root}/inputs": config.inputs, "/tmp": config.tmp}
        return PathMap(self.root, {**here, **named})

    async def _launch(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                await self._spawn(
                    supervisor_command(Path(sys.executable), str(theirs.fileno())),
                    [theirs.fileno()],
                    self._environment(),
                    mark=f"{MARK}={self._mark}",
                    executable=sys.executable,
                )
            except BaseException:
                ours.close()
                raise
        return ours

    def _prepare_folders(self) -> None:
        """Nobody else runs here: nothing is handed over, and the inputs are a link."""
        (self.config.tmp / "home").mkdir(exist_ok=True)
        inputs = self.config.workspace / "inputs"
        if inputs.resolve() != self.config.inputs.resolve():
            with contextlib.suppress(FileExistsError):
                inputs.symlink_to(self.config.inputs.resolve())

    def _environment(self) -> dict[str, str]:
        tmp = self.config.tmp.resolve()
        path = f"{shipped('sandbox') / 'shims'}:{os.environ.get('PATH', SYSTEM_PATH)}"
        special = {
            "WORKBENCH_BRIDGE": str(self.config.bridge.resolve() / BRIDGE_SOCKET),
            MARK: self._mark,
            **kept_from_host(),
        }
        extra = {**special, **self.config.environment}
        return agent_environment(str(tmp / "home"), str(tmp), path, extra)
