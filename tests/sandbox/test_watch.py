"""Changes in the sandbox's folders: soon, and in the end complete."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from workbench.sandbox.watch import Change, Watcher


class Seen:
    """A watcher on two folders, and what it told."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "workspace"
        self.tmp = root / "tmp"
        for folder in (self.workspace / "inputs", self.tmp / "home" / ".cache"):
            folder.mkdir(parents=True)
        self.watcher = Watcher(self.workspace, self.tmp)
        self.watcher.on_changes = self.take
        self.changes: list[Change] = []

    def take(self, changes: Sequence[Change]) -> None:
        """What the watcher tells by itself."""
        self.changes += changes

    @property
    def state(self) -> dict[str, int | None]:
        """Paths that are there, with their sizes, by what was told."""
        found: dict[str, int | None] = {}
        for change in self.changes:
            if change.op == "removed":
                del found[change.path]
            else:
                assert (change.path in found) == (change.op == "modified"), change
                found[change.path] = change.size
        return found

    async def until(self, count: int) -> None:
        """Wait until so many paths are there, without asking."""
        async with asyncio.timeout(20):
            while len(self.state) != count:
                await asyncio.sleep(0.01)


@pytest.fixture
async def seen(tmp_path: Path) -> AsyncIterator[Seen]:
    """A started watcher."""
    seen = Seen(tmp_path)
    (seen.workspace / "old").write_text("1")
    await seen.watcher.start()
    yield seen
    await seen.watcher.stop()


async def test_changes_come_by_themselves(seen: Seen) -> None:
    (seen.workspace / "a").write_text("12")
    (seen.tmp / "b").write_text("123")
    (seen.workspace / "deep" / "er").mkdir(parents=True)
    (seen.workspace / "deep" / "er" / "c").write_text("1234")
    await seen.until(3)
    assert seen.state == {"a": 2, "/tmp/b": 3, "deep/er/c": 4}
    shutil.rmtree(seen.workspace / "deep")
    (seen.workspace / "a").unlink()
    await seen.until(1)
    assert await seen.watcher.settle() == []


async def test_settling_tells_what_was_not_told_and_only_once(seen: Seen) -> None:
    (seen.workspace / "old").write_text("changed")
    (seen.workspace / "new").write_text("")
    told = [*seen.changes, *await seen.watcher.settle()]
    assert sorted((change.path, change.op, change.size) for change in told) == [
        ("new", "added", 0),
        ("old", "modified", 7),
    ]
    assert await seen.watcher.settle() == []


async def test_inputs_and_caches_are_left_out(seen: Seen) -> None:
    (seen.workspace / "inputs" / "x").write_text("x")
    (seen.tmp / "home" / ".cache" / "x").write_text("x")
    (seen.tmp / "home" / "y").write_text("y")
    await seen.until(1)
    assert await seen.watcher.settle() == []
    assert list(seen.state) == ["/tmp/home/y"]


async def test_a_storm_is_complete(seen: Seen) -> None:
    def storm() -> None:
        for n in range(20_000):
            folder = seen.workspace / f"d{n // 1000}"
            if n % 1000 == 0:
                folder.mkdir()
            (folder / f"f{n}").write_bytes(b"x" * (n % 7))

    await asyncio.to_thread(storm)
    await seen.until(20_000)
    seen.take(await seen.watcher.settle())
    assert sum(size or 0 for size in seen.state.values()) == sum(n % 7 for n in range(20_000))
    await asyncio.to_thread(shutil.rmtree, seen.workspace / "d3")
    await seen.until(19_000)


async def test_odd_names_are_told(seen: Seen) -> None:
    Path(os.fsdecode(os.fsencode(seen.workspace) + b"/na\xffme")).write_text("1")
    (seen.workspace / "tab\tline\nend").write_text("1")
    await seen.until(2)
    assert set(seen.state) == {"na\\xffme", "tab\tline\nend"}
    (seen.workspace / "after").write_text("1")
    await seen.until(3)


async def test_links_are_entries_and_never_followed(seen: Seen, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("x")
    (seen.workspace / "link").symlink_to(outside)
    (seen.workspace / "loop").symlink_to(".")
    await seen.until(2)
    seen.take(await seen.watcher.settle())
    assert set(seen.state) == {"link", "loop"}


async def test_a_file_becomes_a_folder(seen: Seen) -> None:
    (seen.workspace / "x").write_text("1")
    await seen.until(1)
    (seen.workspace / "x").unlink()
    (seen.workspace / "x").mkdir()
    (seen.workspace / "x" / "y").write_text("12")
    seen.take(await seen.watcher.settle())
    assert seen.state == {"x/y": 2}
