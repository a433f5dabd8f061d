"""Which blobs a session needs: all that its log names, and what its snapshots stand on."""

from __future__ import annotations

import re
import zlib

import msgspec

from workbench.errors import WorkbenchError
from workbench.events import Snapshot
from workbench.session.blobs import BlobError, Blobs
from workbench.session.log import read_events
from workbench.session.manifest import referenced_blobs
from workbench.session.store import SessionDir

_SHA256 = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


class UnknownReferences(WorkbenchError):
    """What a session needs cannot be told; the sentence says why."""


def needed_blobs(session: SessionDir) -> set[str]:
    """The blobs without which the session would lose something.

    Whatever looks like a hash in the log counts, so that no kind of event is forgotten.

    Raises:
        UnknownReferences: if the log or a snapshot is there but cannot be read.
    """
    found: set[str] = set()
    try:
        with session.events.open("rb") as log:
            for line in log:
                found.update(name.decode() for name in _SHA256.findall(line))
        for event in read_events(session.events):
            if isinstance(event, Snapshot):
                found |= _behind(session.blobs, event.manifest)
    except FileNotFoundError:
        return found
    except OSError as error:
        reason = error.strerror or error
        raise UnknownReferences(f"{session.events}: the log cannot be read: {reason}.") from error
    return found


def _behind(blobs: Blobs, manifest: str) -> set[str]:
    """What a snapshot needs; nothing where its manifest is gone already."""
    try:
        return referenced_blobs(blobs, manifest)
    except BlobError:
        return set()
    except (zlib.error, msgspec.DecodeError, ValueError) as error:
        raise UnknownReferences(f"Snapshot {manifest[:12]}… is damaged: {error}.") from error
