"""How soon a changed file is told: one at a time, and the last of a storm of 20,000.

Run: python bench/watch_latency.py. The limit is 200 ms; a bare `watchfiles` loop with its default
settings runs beside it as the peer.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from watchfiles import awatch

from workbench.sandbox.watch import Change, Watcher

LIMIT_S = 0.2
ROUNDS = 20
STORM = 20_000


async def ours(root: Path) -> tuple[float, float]:
    """Median seconds for one file, and seconds from the last file of a storm until all are told."""
    workspace, tmp = root / "workspace", root / "tmp"
    workspace.mkdir()
    tmp.mkdir()
    watcher = Watcher(workspace, tmp)
    told: set[str] = set()
    event = asyncio.Event()

    def take(changes: Sequence[Change]) -> None:
        told.update(change.path for change in changes)
        event.set()

    watcher.on_changes = take
    await watcher.start()
    await asyncio.sleep(0.5)
    times = []
    for n in range(ROUNDS):
        began = time.perf_counter()
        (workspace / f"one{n}").write_text("x")
        while f"one{n}" not in told:
            event.clear()
            await event.wait()
        times.append(time.perf_counter() - began)
        await asyncio.sleep(0.1)
    ended = await asyncio.to_thread(storm, workspace)
    while len(told) < ROUNDS + STORM:
        event.clear()
        await event.wait()
    last = time.perf_counter() - ended
    await watcher.stop()
    return statistics.median(times), last


def storm(folder: Path) -> float:
    """Make many files; when the last one was made."""
    for n in range(STORM):
        descriptor = os.open(folder / f"s{n}", os.O_CREAT | os.O_WRONLY)
        os.close(descriptor)
    return time.perf_counter()


async def peer(root: Path) -> float:
    """Median seconds for one file with watchfiles alone."""
    root.mkdir()
    times = []
    changes = awatch(root)
    waiting = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0.5)
    for n in range(ROUNDS):
        began = time.perf_counter()
        (root / f"one{n}").write_text("x")
        await waiting
        times.append(time.perf_counter() - began)
        waiting = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0.1)
    waiting.cancel()
    return statistics.median(times)


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        alone = await peer(Path(folder, "peer"))
        one, last = await ours(Path(folder))
    print(f"watchfiles alone, one file   {alone * 1e3:7.1f} ms   1.00x")
    print(f"watcher, one file            {one * 1e3:7.1f} ms {one / alone:6.2f}x")
    print(f"limit                        {LIMIT_S * 1e3:7.1f} ms")
    print(f"one file: {one / LIMIT_S:.2f} of the limit")
    share = last / LIMIT_S
    print(f"storm of {STORM}: all told {last * 1e3:.0f} ms after the last file, {share:.2f} of it")


if __name__ == "__main__":
    asyncio.run(main())
