"""What stands in a folder that agents write to: a walk that follows no symbolic link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

MAX_DEPTH = 100
"""Folders deeper than this are not looked into: a walk holds a descriptor for each level."""
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Entry(NamedTuple):
    """What tells one state of an entry from another."""

    is_folder: bool
    size: int
    mtime_ns: int
    inode: int


Skip = Callable[[str], bool]
"""Whether to leave out an entry (and what is below it), by its path from the root of the walk."""


def entry_of(status: os.stat_result) -> Entry:
    """The entry with this status. Of a folder, size and time tell nothing more than its files."""
    if stat.S_ISDIR(status.st_mode):
        return Entry(True, 0, 0, 0)
    return Entry(False, status.st_size, status.st_mtime_ns, status.st_ino)


def walk(root: str, skip: Skip) -> Iterator[tuple[str, Entry]]:
    """Every entry below `root` by its path from there; what vanishes meanwhile is left out."""
    try:
        descriptor = os.open(root, _FOLDER_FLAGS)
    except OSError:
        return
    yield from _walk(descriptor, "", skip, MAX_DEPTH)


def _walk(descriptor: int, prefix: str, skip: Skip, depth: int) -> Iterator[tuple[str, Entry]]:
    """Entries of an open folder, which is closed in the end."""
    folders = []
    try:
        with os.scandir(descriptor) as entries:
            for found in entries:
                path = prefix + found.name
                if skip(path):
                    continue
                try:
                    entry = entry_of(found.stat(follow_symlinks=False))
                except OSError:
                    continue
                yield path, entry
                if entry.is_folder:
                    folders.append(found.name)
        for name in folders if depth else ():
            try:
                below = os.open(name, _FOLDER_FLAGS, dir_fd=descriptor)
            except OSError:
                continue
            yield from _walk(below, f"{prefix}{name}/", skip, depth - 1)
    finally:
        os.close(descriptor)
