"""`workbench gc`: free blobs that no session needs, and sessions that were removed."""

from __future__ import annotations

import argparse
import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from workbench.commands.streams import write, write_json
from workbench.session.references import needed_blobs
from workbench.session.store import SessionDir, Store
from workbench.session.trash import purge, trashed

GRACE_S = 3600.0
"""How old a blob must be: an engine stores bytes first and names them in its log afterwards."""


@dataclass(frozen=True, slots=True)
class Freed:
    """What was freed, or with a dry run would be."""

    sessions: int
    blobs: int
    size_bytes: int
    kept_blobs: int


def gc(args: argparse.Namespace) -> None:
    """Free what no session needs any more.

    Raises:
        UnknownReferences: if it cannot be told what a session needs; no blob is freed then.
    """
    freed = free(Store.default(), dry_run=args.dry_run)
    if args.json:
        write_json({**asdict(freed), "dry_run": args.dry_run})
        return
    verb = "Would free" if args.dry_run else "Freed"
    write(
        f"{verb}: removed sessions {freed.sessions}, blobs {freed.blobs} "
        f"({_size(freed.size_bytes)}); blobs that stay: {freed.kept_blobs}.\n"
    )


def free(store: Store, *, dry_run: bool) -> Freed:
    """Purge the trash, then free every old blob that no session of the store names."""
    removed = trashed(store)
    if not dry_run:
        purge(store, older_than_s=0.0)
    oldest = time.time() - GRACE_S
    candidates = dict(_old_blobs(store, oldest))
    needed: set[str] = set()
    for name in store.ids():
        needed |= needed_blobs(SessionDir(store.sessions / name, store.blobs))
    count = size = 0
    for sha256, path in candidates.items():
        if sha256 not in needed and (found := _stat_if_old(path, oldest)) is not None:
            count, size = count + 1, size + found.st_size
            if not dry_run:
                path.unlink(missing_ok=True)
    return Freed(len(removed), count, size, _count(store) if not dry_run else _count(store) - count)


def _old_blobs(store: Store, oldest: float) -> Iterator[tuple[str, Path]]:
    """Blobs, and leftovers of writes that were cut off, last wanted before `oldest`."""
    for path in store.blobs.folder.glob("[0-9a-f][0-9a-f]/*"):
        if _stat_if_old(path, oldest) is not None:
            yield path.parent.name + path.name, path


def _stat_if_old(path: Path, oldest: float) -> os.stat_result | None:
    """Looked at again before it is freed: whoever stores the same bytes makes the blob young."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        if found.st_mtime < oldest:
            return found
    return None


def _count(store: Store) -> int:
    return sum(1 for _path in store.blobs.folder.glob("[0-9a-f][0-9a-f]/*"))


def _size(size_bytes: int) -> str:
    size = float(size_bytes)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
