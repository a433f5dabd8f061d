"""Taking snapshots: what stands below /workspace and /tmp, with as little reading as possible.

Only files whose size, times or inode differ from the last snapshot are read; their bytes are
stored before the manifest. The staged inputs are left out: they cannot change.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.session.blobs import Blobs
from workbench.session.manifest import Entry, Key, Manifest, Root, read_manifest, write_manifest
from workbench.session.store import SessionDir

INPUTS = b"inputs"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """What is kept at most. A file beyond `file_bytes`, or all when the quota or the disk's reserve
    is reached, is listed without its bytes and cannot be restored."""

    file_bytes: int = 2 << 30
    quota_bytes: int = 20 << 30
    reserve_bytes: int = 1 << 30


@dataclass(slots=True)
class Taken:
    """A snapshot: its manifest's hash, what it holds, and which files' bytes are not kept."""

    manifest: str
    files: int
    size_bytes: int
    new_bytes: int
    not_kept: list[tuple[str, str]] = field(default_factory=list)
    """(path as the agent names it, why)."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The stat of a file when its entry was made: the same stat means the same bytes."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    entry: Entry


class Snapshots:
    """Takes the snapshots of one session, each as a change against the one before."""

    def __init__(self, session: SessionDir, limits: SnapshotLimits | None = None) -> None:
        self._blobs: Blobs = session.blobs
        self._roots: dict[Root, Path] = {"workspace": session.workspace, "tmp": session.tmp}
        self._limits = limits or SnapshotLimits()
        self._seen: dict[Key, _Seen] = {}
        self._last: tuple[str, Manifest] | None = None
        self.stored_bytes = 0
        """Bytes that this object has added to the store."""

    def start_from(self, manifest: str) -> None:
        """Take the next snapshot as a change against this one; files are compared by content."""
        self._last = (manifest, read_manifest(self._blobs, manifest))
        self._seen.clear()

    def take(self, always: bool = False) -> Taken | None:
        """A snapshot of what stands there now; None where nothing changed since the last.

        Args:
            always: take one even then, since something beside the files changed.
        """
        manifest: Manifest = {}
        seen: dict[Key, _Seen] = {}
        taken = Taken("", 0, 0, 0)
        first_names: dict[tuple[int, int], bytes] = {}
        for root, folder in self._roots.items():
            for path, status in walk(folder, skip=INPUTS if root == "workspace" else None):
                entry = self._entry(root, folder, path, status, first_names, taken)
                if entry is None:
                    continue
                manifest[(root, path)] = entry
                if entry.is_file:
                    taken.files += 1
                    taken.size_bytes += entry.size
                    if entry.sha256 is not None:
                        seen[(root, path)] = _Seen(
                            status.st_ino,
                            status.st_size,
                            status.st_mtime_ns,
                            status.st_ctime_ns,
                            entry,
                        )
        self._seen = seen
        if not always and self._last is not None and self._last[1] == manifest:
            return None
        taken.manifest = write_manifest(self._blobs, manifest, self._last)
        self._last = (taken.manifest, manifest)
        return taken

    def _entry(
        self,
        root: Root,
        folder: Path,
        path: bytes,
        status: os.stat_result,
        first_names: dict[tuple[int, int], bytes],
        taken: Taken,
    ) -> Entry | None:
        mode = status.st_mode
        base = Entry(mode, status.st_mtime_ns, 0, status.st_uid, status.st_gid)
        if stat.S_ISDIR(mode):
            return base
        full = os.path.join(os.fsencode(folder), path)
        if stat.S_ISLNK(mode):
            with contextlib.suppress(OSError):
                return _with(base, target=os.readlink(full))
            return None
        if not stat.S_ISREG(mode):
            return None  # sockets, pipes and devices do not outlive their process
        if status.st_nlink > 1:
            inode = (status.st_dev, status.st_ino)
            if inode in first_names:
                return _with(base, size=status.st_size, target=first_names[inode])
            first_names[inode] = path
        return self._file_entry((root, path), full, status, taken)

    def _file_entry(
        self, key: Key, full: bytes, status: os.stat_result, taken: Taken
    ) -> Entry | None:
        known = self._seen.get(key)
        if known is not None and _is_same(known, status):
            entry = known.entry
            if entry.mode == status.st_mode and entry.uid == status.st_uid:
                return entry
        entry = Entry(
            status.st_mode,
            status.st_mtime_ns,
            status.st_size,
            status.st_uid,
            status.st_gid,
            is_sparse=status.st_blocks * 512 < status.st_size,
        )
        if why := self._refusal(status.st_size):
            taken.not_kept.append((f"{key[0]}/{os.fsdecode(key[1])}", why))
            return entry
        stored = self._store(full, taken)
        return None if stored is None else _with(entry, sha256=stored)

    def _refusal(self, size: int) -> str | None:
        if size > self._limits.file_bytes:
            return f"larger than {self._limits.file_bytes} bytes"
        if self.stored_bytes + size > self._limits.quota_bytes:
            return f"the session's snapshots reached {self._limits.quota_bytes} bytes"
        if shutil.disk_usage(self._blobs.folder.parent).free < size + self._limits.reserve_bytes:
            return "the disk is nearly full"
        return None

    def _store(self, full: bytes, taken: Taken) -> bytes | None:
        """Copy a file's bytes into the store; None if it vanished meanwhile."""
        self._blobs.folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        size = 0
        try:
            source = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        descriptor, name = tempfile.mkstemp(dir=self._blobs.folder, prefix=".new-")
        try:
            with os.fdopen(source, "rb") as reader, os.fdopen(descriptor, "wb") as writer:
                while chunk := reader.read(_CHUNK):
                    digest.update(chunk)
                    writer.write(chunk)
                    size += len(chunk)
            sha256 = digest.hexdigest()
            if sha256 not in self._blobs:
                self.stored_bytes += size
                taken.new_bytes += size
            self._blobs.adopt(Path(name), sha256)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
        return digest.digest()


def _with(entry: Entry, **changes: object) -> Entry:
    import msgspec

    return msgspec.structs.replace(entry, **changes)


def _is_same(seen: _Seen, status: os.stat_result) -> bool:
    return (
        seen.inode == status.st_ino
        and seen.size == status.st_size
        and seen.mtime_ns == status.st_mtime_ns
        and seen.ctime_ns == status.st_ctime_ns
    )


def walk(folder: Path, skip: bytes | None = None) -> Iterator[tuple[bytes, os.stat_result]]:
    """Relative path and lstat of everything below a folder; folders before their content."""
    pending = [b""]
    while pending:
        at = pending.pop()
        try:
            entries = sorted(
                os.scandir(os.path.join(os.fsencode(folder), at)), key=lambda one: one.name
            )
        except OSError:
            continue
        for entry in entries:
            path = os.path.join(at, entry.name) if at else entry.name
            if path == skip:
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield path, status
            if stat.S_ISDIR(status.st_mode):
                pending.append(path)
