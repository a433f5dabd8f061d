"""Opening files that someone untrusted wrote: regular ones only, never a wait, never a device."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import WorkbenchError


class MediaError(WorkbenchError):
    """A media file that cannot be used.

    `label` says why in a few words ("truncated", "not an image"), for a place as small as a
    thumbnail; the message is a whole sentence.
    """

    def __init__(self, label: str, sentence: str) -> None:
        super().__init__(sentence)
        self.label = label


@contextmanager
def open_regular(path: Path) -> Iterator[int]:
    """A read-only descriptor of a regular file; pipes, devices, sockets and folders are refused.

    Raises:
        MediaError: with a label and a sentence.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise _cannot_open(path, error) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            kind = _kind_of(mode)
            raise MediaError(kind, f"{path.name} is a {kind}, not a regular file.")
        yield descriptor
    finally:
        os.close(descriptor)


def read_bytes(path: Path, limit: int) -> bytes:
    """The whole file, refused when it is longer than `limit` bytes.

    Raises:
        MediaError: if it is no regular file, unreadable or too long.
    """
    with open_regular(path) as descriptor:
        size = os.fstat(descriptor).st_size
        if size > limit:
            raise MediaError(
                "too large", f"{path.name} has {size:,} bytes; the limit is {limit:,}."
            )
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)


def _cannot_open(path: Path, error: OSError) -> MediaError:
    if isinstance(error, FileNotFoundError):
        return MediaError("missing", f"{path.name} is not there.")
    if isinstance(error, PermissionError):
        return MediaError("not readable", f"{path.name} cannot be read: permission denied.")
    if stat.S_ISSOCK(_mode(path)):
        return MediaError("socket", f"{path.name} is a socket, not a regular file.")
    return MediaError("not readable", f"{path.name} cannot be read: {error.strerror}.")


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _kind_of(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "folder",
        stat.S_IFIFO: "pipe",
        stat.S_IFCHR: "device",
        stat.S_IFBLK: "device",
        stat.S_IFSOCK: "socket",
    }
    return kinds.get(stat.S_IFMT(mode), "special file")
