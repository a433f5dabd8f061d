"""From a path as the agent names it to a file of the host, never outside the session's folders.

Symbolic links are resolved as the sandbox sees them: an absolute target starts at its root, not at
ours. What `to_host` returns was free of links at that time; an agent may swap one in afterwards, so
it is opened with `open_regular` or `read_bounded`, which follow none.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from workbench.sandbox.base import INPUTS, WORKSPACE, SandboxConfig

MAX_LINKS = 40
"""So many symbolic links in one path are a loop, as for the kernel."""


class PathMap:
    """The folders that a sandbox shares with the host, by where they stand inside."""

    def __init__(self, root: str, folders: Mapping[str, Path]) -> None:
        """Map paths of one sandbox.

        Args:
            root: where relative paths start, as the agent names it.
            folders: host folders by their absolute path inside; one may stand inside another.
        """
        self._root = root
        self._folders = {
            _split(inside): host.resolve()
            for inside, host in sorted(folders.items(), key=lambda item: -len(_split(item[0])))
        }

    def to_host(self, path: str) -> Path | None:
        """The host path behind `path`, whether or not there is a file; None outside the folders."""
        if not path or "\0" in path:
            return None
        ahead = list(reversed(_split(os.path.join(self._root, path))))
        here: tuple[str, ...] = ()
        links = 0
        while ahead:
            name = ahead.pop()
            if name == "..":
                here = here[:-1]
                continue
            here = (*here, name)
            host = self._host(here)
            if host is None:
                if not self._leads_to_folder(here):
                    return None
                continue
            target = _link_target(host)
            if target is None:
                continue
            links += 1
            if links > MAX_LINKS:
                return None
            here = () if target.startswith("/") else here[:-1]
            ahead.extend(reversed(_split(target)))
        return self._host(here)

    def _host(self, inside: tuple[str, ...]) -> Path | None:
        for prefix, host in self._folders.items():
            if inside[: len(prefix)] == prefix:
                return host.joinpath(*inside[len(prefix) :])
        return None

    def _leads_to_folder(self, inside: tuple[str, ...]) -> bool:
        return any(prefix[: len(inside)] == inside for prefix in self._folders)


def mounted(config: SandboxConfig) -> PathMap:
    """The folders of a session under the names that they have inside a sandbox with walls."""
    return PathMap(
        WORKSPACE, {WORKSPACE: config.workspace, "/tmp": config.tmp, INPUTS: config.inputs}
    )


def _split(path: str) -> tuple[str, ...]:
    return tuple(name for name in path.split("/") if name not in ("", "."))


def _link_target(host: Path) -> str | None:
    try:
        return os.readlink(host)
    except OSError:  # no link, or nothing at all
        return None


def open_regular(path: Path) -> int:
    """Open a regular file for reading, following no symbolic link anywhere on the way.

    Args:
        path: absolute, as `PathMap.to_host` gives it.

    Returns:
        A descriptor, to be closed by the caller.

    Raises:
        OSError: if it is not there, not a regular file (pipe, device, folder), or behind a link.
    """
    if not path.is_absolute() or ".." in path.parts:
        raise OSError(errno.EINVAL, "not an absolute path without “..”", str(path))
    flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open("/", flags | os.O_DIRECTORY)
    try:
        for name in path.parts[1:-1]:
            there = os.open(name, flags | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = there
        there = os.open(path.name, flags, dir_fd=here)
        os.close(here)
        here = there
        if not stat.S_ISREG(os.fstat(here).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.open(f"/proc/self/fd/{here}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    finally:
        os.close(here)


def read_bounded(path: Path, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes, opened as `open_regular` does.

    Raises:
        OSError: as `open_regular`, and if there is more (also if it grows meanwhile).
    """
    with open(open_regular(path), "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"more than {limit} bytes", str(path))
    return content
