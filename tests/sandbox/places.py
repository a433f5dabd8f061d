"""Sandboxes for tests: each back end in folders of its own."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from workbench.sandbox.base import CommandResult, Sandbox, SandboxConfig
from workbench.sandbox.choose import make_sandbox
from workbench.sandbox.owner import this_process

KINDS = ["local", "bubblewrap", pytest.param("docker", marks=pytest.mark.docker)]
CONFINED = KINDS[1:]


def config(root: Path, **more: Any) -> SandboxConfig:
    """A configuration with fresh folders and one input."""
    for name in ("workspace", "tmp", "inputs", "bridge"):
        (root / name).mkdir(parents=True)
    (root / "inputs" / "note.txt").write_text("an input")
    return SandboxConfig(
        session_id=f"test-{root.name}",
        owner=this_process(),
        workspace=root / "workspace",
        tmp=root / "tmp",
        inputs=root / "inputs",
        bridge=root / "bridge",
        **more,
    )


@contextlib.asynccontextmanager
async def running(kind: str, root: Path, **more: Any) -> AsyncIterator[Sandbox]:
    """A started sandbox, stopped at the end."""
    sandbox = make_sandbox(kind, config(root, **more))
    await sandbox.start()
    try:
        yield sandbox
    finally:
        await sandbox.stop()


async def run(
    sandbox: Sandbox, command: str, timeout_s: float = 20.0
) -> tuple[CommandResult, bytes]:
    """Run a command; how it ended, and all that it printed."""
    output = bytearray()
    result = await sandbox.run(command, timeout_s, output.extend)
    return result, bytes(output)


async def said(sandbox: Sandbox, command: str, timeout_s: float = 20.0) -> str:
    """What a command printed, that must succeed."""
    result, output = await run(sandbox, command, timeout_s)
    assert result.exit_code == 0, (result, output)
    return output.decode()
