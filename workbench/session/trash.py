"""Deleted sessions, kept aside for a while so that deleting can be taken back."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.session.store import SessionDir, Store

KEPT_S = 24 * 3600.0
"""How long a deleted session can be taken back."""


class CannotDelete(WorkbenchError):
    """The session cannot be deleted, or taken back; the sentence says why."""


def _folder(store: Store) -> Path:
    return store.root / "trash"


def discard(store: Store, session: SessionDir) -> None:
    """Move a session out of sight; `restore` takes it back.

    Raises:
        CannotDelete: if an engine runs it, or the disk does not allow it.
    """
    if session.is_live():
        raise CannotDelete(f"Session {session.id} is running; stop it before you delete it.")
    target = _folder(store) / f"{session.id}@{time.time_ns()}"
    try:
        target.parent.mkdir(mode=0o700, exist_ok=True)
        session.folder.rename(target)
    except OSError as error:
        reason = error.strerror or error
        raise CannotDelete(f"Session {session.id} cannot be deleted: {reason}.") from error


def restore(store: Store, session_id: str) -> SessionDir:
    """Take back the session of this id that was deleted last.

    Raises:
        CannotDelete: if it is gone for good, or another one has its id by now.
    """
    kept = sorted(_folder(store).glob(f"{session_id}@*"))
    target = store.sessions / session_id
    if not kept:
        raise CannotDelete(f"Session {session_id} is gone for good.")
    if target.exists():
        raise CannotDelete(f"Another session is called {session_id} by now.")
    try:
        kept[-1].rename(target)
    except OSError as error:
        reason = error.strerror or error
        raise CannotDelete(f"Session {session_id} cannot be taken back: {reason}.") from error
    return SessionDir(target, store.blobs)


def trashed(store: Store) -> list[str]:
    """Ids of the sessions that can still be taken back, one for each time it was deleted."""
    return sorted(folder.name.rpartition("@")[0] for folder in _folder(store).glob("*@*"))


def purge(store: Store, older_than_s: float = KEPT_S) -> list[str]:
    """Delete for good what was discarded longer ago than this; ids of what went."""
    gone = []
    oldest = time.time_ns() - int(older_than_s * 1e9)
    for folder in _folder(store).glob("*@*"):
        name, _, when = folder.name.rpartition("@")
        if when.isdecimal() and int(when) <= oldest:
            shutil.rmtree(folder, onerror=_make_writable)
            if not folder.exists():
                gone.append(name)
    return sorted(gone)


def _make_writable(_function: object, path: str, _error: object) -> None:
    """An agent may have made folders read-only: open the parent up and try once more."""
    with contextlib.suppress(OSError):
        os.chmod(os.path.dirname(path), stat.S_IRWXU)
        if os.path.isdir(path) and not os.path.islink(path):
            os.chmod(path, stat.S_IRWXU)
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
