"""The manifest of a snapshot: every entry below /workspace and /tmp, and the blob of its bytes.

A manifest is a blob of zlib-compressed MessagePack. It is whole, or a change against another
manifest (`base`), so that a step that touched ten files of ten thousand costs ten entries. Paths
are bytes, relative to their root: names that are not UTF-8 survive.
"""

from __future__ import annotations

import stat
import zlib
from typing import Literal

import msgspec

from workbench.session.blobs import Blobs

MAX_CHAIN = 24
"""How many changes may stand on one whole manifest before the next is whole again."""

Root = Literal["workspace", "tmp"]
Key = tuple[Root, bytes]


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """One directory entry. Times are nanoseconds, `mode` holds type and permission bits.

    `sha256` is set for regular files whose bytes are kept; a file without it was too large.
    `target` is a symbolic link's text, or for a hard link the relative path of its first name.
    """

    mode: int
    mtime_ns: int
    size: int
    uid: int
    gid: int
    sha256: bytes | None = None
    target: bytes | None = None
    is_sparse: bool = False

    @property
    def is_file(self) -> bool:
        """A regular file with bytes of its own."""
        return stat.S_ISREG(self.mode) and self.target is None

    @property
    def is_directory(self) -> bool:
        """A folder."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_symlink(self) -> bool:
        """A symbolic link."""
        return stat.S_ISLNK(self.mode)

    @property
    def is_hard_link(self) -> bool:
        """A further name of a regular file."""
        return stat.S_ISREG(self.mode) and self.target is not None


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    version: int
    chain: int
    base: bytes | None
    entries: list[tuple[Root, bytes, Entry]]
    removed: list[Key]


Manifest = dict[Key, Entry]

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Stored)


def write_manifest(
    blobs: Blobs, manifest: Manifest, base: tuple[str, Manifest] | None = None
) -> str:
    """Store a manifest, as a change against `base` (its hash and content) where that is shorter."""
    chain = 0
    entries = [(root, path, entry) for (root, path), entry in manifest.items()]
    removed: list[Key] = []
    base_hash: bytes | None = None
    if base is not None:
        chain = _read(blobs, base[0]).chain + 1
        if chain <= MAX_CHAIN:
            base_hash = bytes.fromhex(base[0])
            old = base[1]
            entries = [row for row in entries if old.get((row[0], row[1])) != row[2]]
            removed = [key for key in old if key not in manifest]
        else:
            chain = 0
    stored = _Stored(1, chain, base_hash, entries, removed)
    return blobs.put(zlib.compress(_encoder.encode(stored), 1))


def read_manifest(blobs: Blobs, sha256: str) -> Manifest:
    """The whole manifest behind a hash.

    Raises:
        BlobError: if it, or one that it stands on, is missing.
    """
    stack = [_read(blobs, sha256)]
    while (base := stack[-1].base) is not None:
        stack.append(_read(blobs, base.hex()))
    manifest: Manifest = {}
    for stored in reversed(stack):
        for key in stored.removed:
            manifest.pop(key, None)
        manifest.update({(root, path): entry for root, path, entry in stored.entries})
    return manifest


def referenced_blobs(blobs: Blobs, sha256: str) -> set[str]:
    """Every blob that a manifest needs: itself, those it stands on, and the files' bytes."""
    found = {sha256}
    stored = _read(blobs, sha256)
    while stored.base is not None:
        found.add(stored.base.hex())
        stored = _read(blobs, stored.base.hex())
    entries = read_manifest(blobs, sha256).values()
    return found | {entry.sha256.hex() for entry in entries if entry.sha256}


def _read(blobs: Blobs, sha256: str) -> _Stored:
    return _decoder.decode(zlib.decompress(blobs.get(sha256)))
