"""What the agent's commands cannot do, in the back ends that confine them."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.sandbox.places import CONFINED, config, run, running, said
from workbench.sandbox.base import Sandbox, SandboxError
from workbench.sandbox.choose import make_sandbox
from workbench.sandbox.docker import SESSION_LABEL, connect

pytestmark = pytest.mark.asyncio(loop_scope="module")
SECRET = "sk-this-is-a-secret"


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=CONFINED)
async def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Sandbox]:
    """A sandbox that the tests of this module share; a key stands in our own environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", SECRET)
        limits = {"memory": "256m", "pids": 64, "cpus": 1.0}
        async with running(request.param, tmp_path_factory.mktemp("cage"), **limits) as sandbox:
            yield sandbox


async def test_nobody_in_particular_without_rights(place: Sandbox) -> None:
    status = await said(place, "id -u; grep -E 'Cap(Prm|Eff)|NoNewPrivs' /proc/self/status")
    uid, *facts = status.split("\n")
    assert uid == str(os.geteuid() or 10001)
    assert [fact.split()[-1] for fact in facts if fact] == ["0" * 16, "0" * 16, "1"]
    for attempt in ("su -c true", "unshare -r true", "unshare -n true", "mount -t tmpfs t /tmp"):
        assert (await run(place, attempt))[0].exit_code != 0, attempt


async def test_the_system_is_read_only(place: Sandbox) -> None:
    for path in ("/usr/x", "/etc/x", "/x", "inputs/x", "/run/workbench/x", "/var/x", "/opt/x"):
        result, output = await run(place, f"touch {path}")
        assert result.exit_code != 0, (path, output)
    assert await said(place, "cat inputs/note.txt; echo in >a; echo in >/tmp/b; cat a /tmp/b") == (
        "an inputin\nin\n"
    )


async def test_no_network(place: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        result, output = await run(place, f"exec 3<>/dev/tcp/127.0.0.1/{port}")
    assert result.exit_code != 0
    assert b"refused" in output
    assert await said(place, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '") == "lo\n"


async def test_nothing_of_the_host_is_seen(place: Sandbox, tmp_path: Path) -> None:
    assert SECRET not in await said(
        place, "env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"
    )
    (tmp_path / "private").write_text("mine")
    result, _ = await run(place, f"cat {tmp_path}/private")
    assert result.exit_code == 1
    assert int(await said(place, "ls -d /proc/[0-9]* | wc -l")) < 12
    assert str(tmp_path.parent) not in await said(place, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")


async def test_processes_are_limited(place: Sandbox) -> None:
    result, output = await run(place, "for i in $(seq 200); do sleep 30 & done", 2)
    assert b"fork" in output or result.exit_code != 0
    assert await said(place, "kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; echo fine") == "fine\n"


async def test_memory_is_limited(place: Sandbox) -> None:
    result, _ = await run(place, "python3 -c 'b = bytearray(800 << 20); print(len(b))'")
    assert result.exit_code != 0
    assert await said(place, "echo fine") == "fine\n"


async def test_links_lead_nowhere(place: Sandbox) -> None:
    await said(place, "ln -s /etc/passwd out; ln -s ../../../../etc/passwd up; ln -s inputs in")
    assert place.to_host("out") is None
    assert place.to_host("up") is None
    assert place.to_host("../../etc/passwd") is None
    note = place.to_host("in/note.txt")
    assert note is not None
    assert note.read_text() == "an input"


@pytest.mark.parametrize("kind", CONFINED)
async def test_nothing_is_left(kind: str, tmp_path: Path) -> None:
    sandbox = make_sandbox(kind, config(tmp_path))
    await sandbox.start()
    mark = f"sleep 9{os.getpid()}7"
    await said(sandbox, f"setsid nohup {mark} >/dev/null 2>&1 &")
    assert is_running(mark)
    await sandbox.stop()
    await sandbox.stop()
    assert not is_running(mark)
    assert not (tmp_path / "bridge" / "shell.sock").exists()


@pytest.mark.parametrize("kind", CONFINED)
async def test_a_frozen_sandbox_can_be_stopped(kind: str, tmp_path: Path) -> None:
    sandbox = make_sandbox(kind, config(tmp_path))
    await sandbox.start()
    mark = f"sleep 8{os.getpid()}7"
    command = asyncio.create_task(run(sandbox, mark, 60))
    while not is_running(mark):
        await asyncio.sleep(0.01)
    await sandbox.freeze()
    await sandbox.stop()
    with pytest.raises(Exception, match="stopped"):
        await command
    assert not is_running(mark)


def is_running(arguments: str) -> bool:
    """Whether a process of this machine has these arguments."""
    wanted = arguments.replace(" ", "\0").encode() + b"\0"
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if (folder / "cmdline").read_bytes() == wanted:
                    return True
            except OSError:
                continue
    return False


@pytest.mark.parametrize("kind", CONFINED)
async def test_a_killed_engine_leaves_nothing_for_long(kind: str, tmp_path: Path) -> None:
    """Its processes die with it; its container goes when the next sandbox starts."""
    mark = f"sleep 7{os.getpid()}7"
    engine = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ENGINE, kind, str(tmp_path / "first"), mark
    )
    while not is_running(mark):
        assert engine.returncode is None
        await asyncio.sleep(0.02)
    engine.kill()
    await engine.wait()
    async with asyncio.timeout(10):
        while is_running(mark):
            await asyncio.sleep(0.02)
    async with running(kind, tmp_path / "second") as sandbox:
        assert await said(sandbox, "echo fine") == "fine\n"
        assert containers_of("test-first") == []


ENGINE = """
import asyncio, sys
from pathlib import Path
from tests.sandbox.places import run, running

async def main(kind, root, mark):
    async with running(kind, Path(root)) as sandbox:
        await run(sandbox, mark, 60)

asyncio.run(main(*sys.argv[1:]))
"""


def containers_of(session: str) -> list[str]:
    """Names of the containers that bear a session's label; none where there is no docker."""
    try:
        client = connect()
    except SandboxError:
        return []
    try:
        labels: dict[str, str | list[str] | bool] = {"label": f"{SESSION_LABEL}={session}"}
        return [container.name or "" for container in client.containers.list(True, filters=labels)]
    finally:
        client.close()


async def test_bubblewrap_lets_the_agent_read_what_programs_need(tmp_path: Path) -> None:
    async with running("bubblewrap", tmp_path) as sandbox:
        _, name = await run(sandbox, "whoami")
        listed, _ = await run(sandbox, "ls / /etc /etc/ssl /run /var >/dev/null")
        probed, _ = await run(sandbox, "ffprobe -version >/dev/null")
    assert name == b"agent\n"
    assert (listed.exit_code, probed.exit_code) == (0, 0)
