"""The `Sandbox` protocol: a place where an agent's commands run and can hurt nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.events import SandboxInfo

WORKSPACE = "/workspace"
"""Where the session's workspace stands inside every sandbox."""
INPUTS = "/workspace/inputs"
"""The staged inputs inside the sandbox: read-only."""
BRIDGE_DIR = "/run/workbench"
"""Where the session's bridge folder stands inside the sandbox."""
BRIDGE_SOCKET = "bridge.sock"
"""The name of the bridge's socket in its folder."""


class SandboxError(WorkbenchError):
    """The sandbox itself failed (not a command in it). Its text is one sentence."""


@dataclass(frozen=True, slots=True)
class SandboxConfig:
    """What a sandbox is made from. All folders are on the host and exist already.

    `network` is "none" or "full". `memory` is Docker's notation ("2g").
    """

    session_id: str
    owner: str
    workspace: Path
    tmp: Path
    inputs: Path
    bridge: Path
    network: str = "none"
    memory: str | None = "2g"
    cpus: float | None = 2.0
    pids: int | None = 256
    image: str | None = None
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended.

    `exit_code` is None when it was killed or the shell died. `killed` names why it was killed
    ("timeout", "interrupt", "shell died"), else None. `notes` are sentences that belong into the
    observation after the output (time-out, restarted shell with the cwd it really has).
    """

    exit_code: int | None
    duration_s: float
    cwd: str
    timed_out: bool = False
    killed: str | None = None
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    notes: tuple[str, ...] = ()


class Sandbox(Protocol):
    """Runs commands in one persistent bash, one at a time.

    cwd, variables and functions survive between commands. Standard input of a command is empty.
    Standard error is merged into output.
    """

    @property
    def info(self) -> SandboxInfo:
        """What this sandbox is; final after `start`."""
        ...

    @property
    def root(self) -> str:
        """The workspace as the agent names it: `/workspace`, but for the local sandbox."""
        ...

    def to_host(self, path: str) -> Path | None:
        """The host file behind a path as the agent names it (relative ones start at `root`).

        None when it lies outside the workspace, /tmp and the inputs after every symbolic link is
        followed: what an agent writes can never make us read another file of the host.
        """
        ...

    async def start(self) -> None:
        """Bring it up with a fresh shell whose cwd is /workspace.

        Raises:
            SandboxError: with what is missing and how to get it.
        """
        ...

    async def run(
        self, command: str, timeout_s: float, on_output: Callable[[bytes], None]
    ) -> CommandResult:
        """Run one command in the persistent shell.

        A time-out kills the command and all its descendants, wherever they re-parented to, proven
        by looking; the shell survives with its cwd, variables and functions where bash can keep
        them, and `notes` says when it could not. Cancelling the awaiting task does the same.
        Output is handed over as it comes, raw, including a last line without newline and nothing
        of our own markers; a time-out loses none of what was printed before it.
        """
        ...

    async def interrupt(self) -> bool:
        """Kill the running command and its descendants; `run` then returns with killed="interrupt".

        Returns whether there was one.
        """
        ...

    async def freeze(self) -> None:
        """Stop every process of the sandbox where it stands, and the running command's clock."""
        ...

    async def thaw(self) -> None:
        """Undo `freeze`."""
        ...

    async def stop(self) -> None:
        """End every process and remove what was made outside the session's folders. Idempotent."""
        ...
