"""Changes in the sandbox's folders: told as they happen, and complete whenever it is asked for.

watchfiles only says *where* something happened; what is there now is found by looking. So nothing
depends on every notification arriving: a storm, an overflow or a name that is no UTF-8 costs a walk
over the folders, never a change.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.sandbox.names import printable
from workbench.sandbox.scan import Entry, entry_of, walk

GROUP_MS = 80
"""Longest time in which notifications are gathered."""
QUIET_MS = 20
"""Silence after which gathered notifications are handed over."""
MANY = 256
"""More paths at once are looked at in a thread; a walk over everything is cheaper than a look at
each where there are more of them than files were known."""
REST = 0.5
"""A walk may take one part of the time, with so much of a part as rest after it."""
AWAKE_MS = 1000
"""How often it is looked whether the watching shall end; once it failed, also at everything."""
RETRY_S = 0.2
"""Pause after notifications failed (for example: no inotify watches left)."""

Op = Literal["added", "modified", "removed"]


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it was found. `path` is relative for the workspace, else it begins with /tmp/.

    `size` is in bytes and `mtime` in seconds since 1970; both None for what was removed.
    """

    path: str
    op: Op
    size: int | None = None
    mtime: float | None = None


@dataclass(frozen=True, slots=True)
class _Root:
    folder: str
    prefix: str
    skipped: tuple[str, ...]

    def skips(self, path: str) -> bool:
        return path in self.skipped


class Watcher:
    """Compares the folders with what was last told of them."""

    def __init__(self, workspace: Path, tmp: Path) -> None:
        """Nothing is read before `start`.

        Args:
            workspace: host folder of /workspace; its read-only `inputs` are left out.
            tmp: host folder of /tmp; caches in the home folder there are left out.
        """
        self._roots = (
            _Root(str(workspace.resolve()), "", ("inputs",)),
            _Root(str(tmp.resolve()), "/tmp/", ("home/.cache",)),
        )
        self._known: dict[str, Entry] = {}
        self._looking = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self.on_changes: Callable[[Sequence[Change]], None] = lambda _changes: None
        """Told of changes on the event loop, as they happen."""

    async def start(self) -> None:
        """Take what is there now as known, and watch from now on."""
        self._known = await asyncio.to_thread(self._walk)
        self._task = asyncio.create_task(self._watch())

    async def settle(self) -> list[Change]:
        """Every change until now that `on_changes` was not told of; it will not be any more."""
        async with self._looking:
            return await asyncio.to_thread(self._compare_all)

    async def stop(self) -> None:
        """Stop watching."""
        task, self._task = self._task, None
        if task is None:
            return
        self._stopping.set()
        await asyncio.wait([task], timeout=1.0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    # --- notifications ------------------------------------------------------------------------

    async def _watch(self) -> None:
        """Follow the notifications; where they fail, begin again and look at everything."""
        is_stale = False
        while not self._stopping.is_set():
            # A name that is no UTF-8 and exhausted inotify watches arrive here, as groups.
            with contextlib.suppress(Exception):
                await self._follow(is_stale)
            is_stale = True
            await self._tell(None)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), RETRY_S)

    async def _follow(self, is_stale: bool) -> None:
        """Tell of what is notified; if `is_stale`, also of what happened before it was watched."""
        from watchfiles import awatch

        notified = awatch(
            *(root.folder for root in self._roots),
            watch_filter=None,
            debounce=GROUP_MS,
            step=QUIET_MS,
            stop_event=self._stopping,
            rust_timeout=AWAKE_MS,
            yield_on_timeout=is_stale,
            ignore_permission_denied=True,
        )
        async for changes in notified:
            await self._tell(None if is_stale else {path for _, path in changes})

    async def _tell(self, paths: set[str] | None) -> None:
        """Look at these host paths, None for all, and tell what changed there."""
        if paths is not None and len(paths) > max(MANY, len(self._known)):
            paths = None
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with self._looking:
            if paths is None:
                changes = await asyncio.to_thread(self._compare_all)
            elif len(paths) > MANY:
                changes = await asyncio.to_thread(self._compare, paths)
            else:
                changes = self._compare(paths)
            if changes:
                self.on_changes(changes)
        if paths is None:
            await asyncio.sleep((loop.time() - began) * REST)

    # --- looking ------------------------------------------------------------------------------

    def _compare(self, paths: Iterable[str]) -> list[Change]:
        """Changes at these host paths; where a folder is concerned, changes everywhere."""
        found: list[Change] = []
        for path in sorted(paths):
            name = self._name(path)
            if name is None:
                continue
            try:
                entry = entry_of(os.lstat(path))
            except OSError:
                entry = None
            before = self._known.get(name)
            if (entry is not None and entry.is_folder) or (before is not None and before.is_folder):
                return found + self._compare_all()
            if entry is None:
                self._known.pop(name, None)
            else:
                self._known[name] = entry
            found += _changes(name, before, entry)
        return found

    def _compare_all(self) -> list[Change]:
        before, now = self._known, self._walk()
        self._known = now
        found = [
            change
            for name in sorted(before.keys() - now.keys())
            for change in _changes(name, before[name], None)
        ]
        for name, entry in now.items():
            if (old := before.get(name)) != entry:
                found += _changes(name, old, entry)
        return found

    def _walk(self) -> dict[str, Entry]:
        return {
            root.prefix + path: entry
            for root in self._roots
            for path, entry in walk(root.folder, root.skips)
        }

    def _name(self, path: str) -> str | None:
        """A host path as the agent names it; None for what is left out."""
        for root in self._roots:
            relative = path.removeprefix(f"{root.folder}/")
            if relative != path:
                parts = relative.split("/")
                heads = ("/".join(parts[: n + 1]) for n in range(len(parts)))
                return None if any(map(root.skips, heads)) else root.prefix + relative
        return None


def _changes(name: str, before: Entry | None, now: Entry | None) -> Iterator[Change]:
    """What became of one entry; folders themselves are not told of."""
    was_file = before is not None and not before.is_folder
    if now is None or now.is_folder:
        if was_file:
            yield Change(printable(name), "removed")
    elif now != before:
        op: Op = "modified" if was_file else "added"
        yield Change(printable(name), op, now.size, now.mtime_ns / 1e9)
