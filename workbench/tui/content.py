"""The bytes of a file that an agent wrote: as a snapshot kept them, else as they are now."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from workbench.errors import WorkbenchError
from workbench.session.manifest import Key, read_manifest
from workbench.session.state import SessionState
from workbench.session.store import SessionDir

MAX_BYTES = 4 << 20
"""More of a file is not read."""
_WORKSPACE, _TMP, _INPUTS = "/workspace/", "/tmp/", "inputs/"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class NoContent(WorkbenchError):
    """The file cannot be shown; the sentence says why."""


class Content(NamedTuple):
    """The first `MAX_BYTES` of a file at most, its whole size, and from when it is."""

    data: bytes
    size: int
    when: str


def read_content(session: SessionDir, state: SessionState, step: int | None, path: str) -> Content:
    """A file as it was after a step (None: the newest that there is).

    Args:
        session: whose file it is.
        state: the session.
        step: id of the step that is looked at.
        path: as the agent names it, from the workspace or from the root.

    Raises:
        NoContent: if it is not there, no regular file, or was too large to keep.
    """
    inside = path.removeprefix(_WORKSPACE)
    if not inside.startswith(_INPUTS):
        kept = _from_snapshot(session, state, step, inside)
        if kept is not None:
            return kept
    if step is not None and step != state.leaf and not inside.startswith(_INPUTS):
        raise NoContent("No snapshot kept this file as it was after this step.")
    return _as_it_is(session, inside)


def _from_snapshot(
    session: SessionDir, state: SessionState, step: int | None, inside: str
) -> Content | None:
    """What the last snapshot on the path holds; None where it knows nothing of the file."""
    taken = next((one for one in reversed(state.path(step)) if one.snapshot is not None), None)
    if taken is None or taken.snapshot is None:
        return None
    entry = read_manifest(session.blobs, taken.snapshot.manifest).get(_key(inside))
    if entry is None:
        return None
    if not stat.S_ISREG(entry.mode):
        raise NoContent("It is no regular file.")
    if entry.sha256 is None:
        raise NoContent("The file was too large for the snapshot, so its content was not kept.")
    data = session.blobs.read(entry.sha256.hex(), 0, MAX_BYTES)
    return Content(data, entry.size, f"as after step {taken.n}")


def _key(inside: str) -> Key:
    if inside.startswith(_TMP):
        return "tmp", os.fsencode(inside.removeprefix(_TMP))
    return "workspace", os.fsencode(inside)


def _as_it_is(session: SessionDir, inside: str) -> Content:
    """What stands in the session's folder now. No symbolic link on the way is followed."""
    if inside.startswith(_INPUTS):
        root, rest = session.inputs, inside.removeprefix(_INPUTS)
    elif inside.startswith(_TMP):
        root, rest = session.tmp, inside.removeprefix(_TMP)
    else:
        root, rest = session.workspace, inside
    try:
        return _read_below(root, rest.split("/"))
    except FileNotFoundError as error:
        raise NoContent("The file is not there any more.") from error
    except OSError as error:
        raise NoContent(f"The file cannot be read: {error.strerror or error}.") from error


def _read_below(root: Path, names: list[str]) -> Content:
    if any(name in ("", ".", "..") for name in names):
        raise NoContent("That is no path below the workspace.")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names[:-1]:
            there = os.open(name, _FOLDER, dir_fd=here)
            os.close(here)
            here = there
        descriptor = os.open(names[-1], _FILE, dir_fd=here)
    finally:
        os.close(here)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NoContent("It is no regular file.")
        return Content(file.read(MAX_BYTES), status.st_size, "as it is now")
