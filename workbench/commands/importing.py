"""`workbench import`: trajectories from elsewhere as finished sessions of the store."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import stat
from pathlib import Path

from workbench.commands.streams import say, write
from workbench.errors import UsageError
from workbench.session.blobs import BlobError, Blobs
from workbench.session.references import needed_blobs
from workbench.session.store import SessionDir, Store
from workbench.trajectory.jsonfiles import BadFile
from workbench.trajectory.sniff import sniff

INSIDE = ("messages.json", "events.jsonl")
"""Files that stand for the folder that they are in."""
NOT_COPIED = ("lease.json", "launch.json", "control.sock", "bridge", "engine.log")
"""Of a session: what belongs to its engine. Without a launch record no command of it runs here."""


class CannotImport(UsageError):
    """What stands at the path cannot be taken into the store; the sentence says why."""


def import_(args: argparse.Namespace) -> None:
    """Take each path into the store and print the new sessions' ids."""
    store = Store.default()
    for name in args.paths:
        for session in import_path(store, Path(name).expanduser().absolute()):
            write(f"{session.id}\n")


def import_path(store: Store, path: Path) -> list[SessionDir]:
    """Take what stands at `path` into a store; what cannot be read of it is said on stderr.

    Raises:
        CannotImport: if nothing of it can be taken.
        UnknownFormat: if it is no trajectory.
    """
    folder = path.parent if path.name in INSIDE else path
    found = sniff(folder)
    if found == "workbench" and folder.is_dir():
        return [_copy_session(store, folder)]
    if found == "omnicoding":
        return _import_run(store, folder)
    raise CannotImport(
        f"{path}: this is in the format {found}; import takes OmniCoding run folders and folders "
        "of Workbench sessions."
    )


def session_at(path: Path) -> SessionDir | None:
    """The session whose folder stands at `path`, with the blobs of the store around it."""
    folder = path.parent if path.name in INSIDE else path
    if not (folder / "events.jsonl").is_file():
        return None
    return SessionDir(folder, Blobs(folder.parent.parent / "blobs"))


def _import_run(store: Store, folder: Path) -> list[SessionDir]:
    from workbench.trajectory.into_session import import_item
    from workbench.trajectory.omnicoding_read import read_run

    sessions = []
    problems: list[str] = []
    for shard in read_run(folder):
        problems += shard.problems
        for item in shard.items:
            try:
                sessions.append(import_item(store, shard, item))
            except BadFile as error:
                problems.append(str(error))
    if not sessions:
        raise CannotImport(problems[0] if problems else f"{folder}: there is no item in this run.")
    for problem in problems:
        say(f"Left out: {problem}")
    return sessions


def _copy_session(store: Store, folder: Path) -> SessionDir:
    """Copy a session of another store with the blobs that it needs."""
    source = SessionDir(folder, Blobs(folder.parent.parent / "blobs"))
    if source.is_live():
        raise CannotImport(f"{folder}: this session is running; import it when it has ended.")
    is_taken = (store.sessions / folder.name).exists()
    target = store.create(None if is_taken else folder.name, folder.name)

    def left_out(inside: str, names: list[str]) -> set[str]:
        """The engine's files, and all that is no file, folder or link."""
        at = Path(inside)
        engines = NOT_COPIED if at == folder else ()
        return {name for name in names if name in engines or not _is_plain(at / name)}

    try:
        shutil.copytree(folder, target.folder, symlinks=True, ignore=left_out, dirs_exist_ok=True)
        _copy_blobs(source, store.blobs)
    except BaseException as error:
        shutil.rmtree(target.folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise CannotImport(f"{folder}: the session cannot be copied: {error}.") from error
        raise
    return target


def _is_plain(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)


def _copy_blobs(source: SessionDir, blobs: Blobs) -> None:
    """Copy what is there of the needed blobs, each under the hash that it really has."""
    for sha256 in needed_blobs(source):
        with contextlib.suppress(BlobError):
            blobs.put(source.blobs.get(sha256))
