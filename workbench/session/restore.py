"""Putting a snapshot back: the folders become what the manifest says, and nothing else.

The sandbox's processes must have ended. Nothing is followed: a symbolic link in the way of a folder
is replaced, never entered, so a restore cannot write outside the session's folders.
"""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.session.blobs import Blobs
from workbench.session.manifest import Entry, Key, Manifest, Root, read_manifest
from workbench.session.snapshot import INPUTS, walk
from workbench.session.store import SessionDir

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Change:
    """One entry that a restore adds, replaces or removes."""

    path: str
    op: Literal["added", "modified", "removed"]
    size: int | None
    is_lost: bool = False
    """Its bytes were not kept: the restore cannot bring them back."""


class Restore:
    """A restore that was prepared: `changes` can be shown before `apply` makes them."""

    def __init__(self, session: SessionDir, manifest: str) -> None:
        """Compare the folders with a snapshot; changes nothing.

        Raises:
            BlobError: if the manifest is missing.
        """
        self._blobs: Blobs = session.blobs
        self._roots: dict[Root, Path] = {"workspace": session.workspace, "tmp": session.tmp}
        self._wanted: Manifest = read_manifest(session.blobs, manifest)
        self._present = {
            (root, path): status
            for root, folder in self._roots.items()
            for path, status in walk(folder, skip=INPUTS if root == "workspace" else None)
        }
        self.changes = self._compare()

    def _compare(self) -> list[Change]:
        changes = [
            Change(_name(key), "removed", None) for key in self._present if key not in self._wanted
        ]
        for key, entry in self._wanted.items():
            present = self._present.get(key)
            if present is not None and self._is_as_wanted(key, entry, present):
                continue
            lost = entry.is_file and (entry.sha256 is None or entry.sha256.hex() not in self._blobs)
            op: Literal["added", "modified"] = "added" if present is None else "modified"
            changes.append(Change(_name(key), op, entry.size, lost))
        return sorted(changes, key=lambda change: change.path)

    def _is_as_wanted(self, key: Key, entry: Entry, present: os.stat_result) -> bool:
        if present.st_mode != entry.mode:
            return False
        if entry.is_directory:
            return True
        if entry.is_symlink:
            return os.readlink(self._full(key)) == entry.target
        if entry.is_hard_link:
            assert entry.target is not None
            first = self._present.get((key[0], entry.target))
            return first is not None and first.st_ino == present.st_ino
        return present.st_size == entry.size and present.st_mtime_ns == entry.mtime_ns

    def _full(self, key: Key) -> bytes:
        return os.path.join(os.fsencode(self._roots[key[0]]), key[1])

    def apply(self) -> None:
        """Make the changes. Files whose bytes were not kept stay as they are, if they are there."""
        for key in sorted(self._present, key=lambda one: one[1], reverse=True):
            if key not in self._wanted or self._is_other_kind(key):
                _remove(self._full(key))
        links: list[tuple[Key, Entry]] = []
        for key, entry in sorted(self._wanted.items(), key=lambda item: item[0][1]):
            if entry.is_hard_link:
                links.append((key, entry))
            else:
                self._put(key, entry)
        for key, entry in links:
            self._link(key, entry)
        for key, entry in sorted(self._wanted.items(), key=lambda item: item[0][1], reverse=True):
            if entry.is_directory:
                _set_attributes(self._full(key), entry)

    def _is_other_kind(self, key: Key) -> bool:
        return stat.S_IFMT(self._present[key].st_mode) != stat.S_IFMT(self._wanted[key].mode)

    def _put(self, key: Key, entry: Entry) -> None:
        full = self._full(key)
        present = self._present.get(key)
        if entry.is_directory:
            if not os.path.isdir(full) or os.path.islink(full):
                os.mkdir(full, 0o700)
            return
        if present is not None and self._is_as_wanted(key, entry, present):
            return
        if entry.is_symlink:
            assert entry.target is not None
            if os.path.lexists(full):
                os.unlink(full)
            os.symlink(entry.target, full)
            _own(full, entry)
        elif entry.sha256 is not None and entry.sha256.hex() in self._blobs:
            _write(self._blobs.path(entry.sha256.hex()), full, entry)

    def _link(self, key: Key, entry: Entry) -> None:
        assert entry.target is not None
        full = self._full(key)
        first = self._full((key[0], entry.target))
        if os.path.lexists(full) and os.path.lexists(first):
            if os.lstat(full).st_ino == os.lstat(first).st_ino:
                return
            os.unlink(full)
        if os.path.lexists(first):
            os.link(first, full, follow_symlinks=False)


def _name(key: Key) -> str:
    path = os.fsdecode(key[1])
    return path if key[0] == "workspace" else f"/tmp/{path}"


def _remove(full: bytes) -> None:
    if os.path.isdir(full) and not os.path.islink(full):
        shutil.rmtree(full, ignore_errors=True)
    elif os.path.lexists(full):
        os.unlink(full)


def _write(source: Path, full: bytes, entry: Entry) -> None:
    """Write beside, then rename: a restore that is cut off leaves whole files."""
    beside = os.path.join(os.path.dirname(full), b".workbench-restore")
    with source.open("rb") as reader, open(beside, "wb") as writer:
        while block := reader.read(_BLOCK):
            if entry.is_sparse and not any(block):
                writer.seek(len(block), os.SEEK_CUR)
            else:
                writer.write(block)
        writer.truncate(entry.size)
    _set_attributes(beside, entry)
    os.replace(beside, full)


def _set_attributes(full: bytes, entry: Entry) -> None:
    _own(full, entry)
    os.chmod(full, stat.S_IMODE(entry.mode))
    os.utime(full, ns=(entry.mtime_ns, entry.mtime_ns))


def _own(full: bytes, entry: Entry) -> None:
    if os.geteuid() == 0:
        os.chown(full, entry.uid, entry.gid, follow_symlinks=False)
