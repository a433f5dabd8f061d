"""Round trip of `true` in a live sandbox, beside a bare exec socket and `docker exec`.

Run: python bench/shell_roundtrip.py [ROUNDS]. All are measured in turn in the same run; what counts
is the ratio to the attached socket, which does nothing but carry a line to a bash and one back.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from workbench.sandbox.base import Sandbox, SandboxConfig
from workbench.sandbox.choose import make_sandbox
from workbench.sandbox.docker import SESSION_LABEL, connect
from workbench.sandbox.owner import this_process

GOAL = 2.0
"""Times the attached socket."""


@contextlib.asynccontextmanager
async def sandbox(kind: str, root: Path) -> AsyncIterator[Sandbox]:
    """A running sandbox in folders of its own."""
    for name in ("workspace", "tmp", "inputs", "bridge"):
        (root / name).mkdir(parents=True)
    made = make_sandbox(
        kind,
        SandboxConfig(
            session_id=f"bench-{kind}",
            owner=this_process(),
            workspace=root / "workspace",
            tmp=root / "tmp",
            inputs=root / "inputs",
            bridge=root / "bridge",
        ),
    )
    await made.start()
    try:
        yield made
    finally:
        await made.stop()


async def median_ms(rounds: int, once: Callable[[], Awaitable[object]]) -> float:
    """Median time of one round trip after a short warm-up."""
    times = []
    for n in range(rounds + rounds // 10):
        began = time.perf_counter()
        await once()
        if n >= rounds // 10:
            times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times)


def exec_socket() -> tuple[str, socket.socket]:
    """The id of the bench's container, and a socket attached to a plain bash in it."""
    client = connect()
    container = client.containers.list(filters={"label": f"{SESSION_LABEL}=bench-docker"})[0]
    made = client.api.exec_create(container.id, ["bash"], stdin=True, tty=False)
    attached = client.api.exec_start(made["Id"], socket=True)
    return container.id or "", attached._sock  # type: ignore[union-attr]  # the SDK's own way in


async def main(rounds: int) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            sandbox("docker", Path(folder, "d")) as docker,
            sandbox("bubblewrap", Path(folder, "b")) as bubblewrap,
        ):
            container, line = exec_socket()

            async def bare() -> None:
                line.sendall(b"true; echo\n")
                line.recv(64)

            async def execute() -> None:
                subprocess.run(["docker", "exec", container, "true"], check=True)

            base = await median_ms(rounds, bare)
            results = {
                "docker exec, a process each": await median_ms(20, execute),
                "workbench docker": await median_ms(
                    rounds, lambda: docker.run("true", 5, lambda _: None)
                ),
                "workbench bubblewrap": await median_ms(
                    rounds, lambda: bubblewrap.run("true", 5, lambda _: None)
                ),
            }
            print(f"attached exec socket          {base:8.3f} ms   1.00x")
            for name, value in results.items():
                print(f"{name:<28}  {value:8.3f} ms {value / base:6.2f}x")
            ratio = results["workbench docker"] / base
            print(f"goal: within {GOAL:g}x of the socket: {'met' if ratio <= GOAL else 'MISSED'}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else 500))
