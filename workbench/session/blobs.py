"""Content-addressed bytes: pictures, long outputs, file versions, manifests.

A blob's name is the SHA-256 of its bytes; it stands at `blobs/<2 hex>/<62 hex>`, read-only, and is
shared by all sessions of a store. A picture in a message is `blob:<sha256>;<mime>`.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.events import Message

_REFERENCE = re.compile(r"^blob:([0-9a-f]{64});([\w.+/-]+)\Z")
_DATA_URL = re.compile(r"^data:([\w.+/-]+);base64,(.*)\Z", re.DOTALL)


class BlobError(WorkbenchError):
    """A blob is missing or damaged; the sentence names it."""


class Blobs:
    """The blob folder of a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        """Where the blob stands, whether it exists or not."""
        return self.folder / sha256[:2] / sha256[2:]

    def __contains__(self, sha256: object) -> bool:
        return isinstance(sha256, str) and self.path(sha256).is_file()

    def put(self, data: bytes) -> str:
        """Store bytes; return their hash. Storing the same bytes again costs a touch."""
        sha256 = hashlib.sha256(data).hexdigest()
        target = self.path(sha256)
        if _freshen(target):
            return sha256
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            _publish(Path(name), target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
        return sha256

    def adopt(self, path: Path, sha256: str) -> None:
        """Take over a finished file of this store whose hash is known; `path` is gone after."""
        target = self.path(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        if _freshen(target):
            path.unlink()
        else:
            _publish(path, target)

    def get(self, sha256: str) -> bytes:
        """The bytes.

        Raises:
            BlobError: if the blob is not there.
        """
        try:
            return self.path(sha256).read_bytes()
        except OSError as error:
            raise BlobError(f"Blob {sha256[:12]}… is missing from the store.") from error

    def read(self, sha256: str, start: int, length: int) -> bytes:
        """At most `length` bytes from `start`; raises as `get`."""
        try:
            with self.path(sha256).open("rb") as file:
                file.seek(start)
                return file.read(length)
        except OSError as error:
            raise BlobError(f"Blob {sha256[:12]}… is missing from the store.") from error


def _freshen(target: Path) -> bool:
    """Whether the blob is there; its time says when it was last wanted, so that none is freed
    between being stored again and being named in a log (see `commands.gc`)."""
    try:
        os.utime(target)
    except FileNotFoundError:
        return False
    except PermissionError:
        pass  # another user's: it is there, and only its owner frees it
    return True


def _publish(source: Path, target: Path) -> None:
    source.chmod(0o444)
    source.rename(target)


def reference(sha256: str, mime: str) -> str:
    """The url under which a message names a picture of the store."""
    return f"blob:{sha256};{mime}"


def parse_reference(url: str) -> tuple[str, str] | None:
    """(sha256, mime) of a `blob:` url, None for any other."""
    match = _REFERENCE.match(url)
    return (match[1], match[2]) if match else None


def hydrate(messages: Sequence[Message], blobs: Blobs) -> list[Message]:
    """The messages with each `blob:` picture as a `data:` url, ready to send or to export."""

    def load(url: str) -> str:
        parsed = parse_reference(url)
        if parsed is None:
            return url
        return f"data:{parsed[1]};base64,{base64.b64encode(blobs.get(parsed[0])).decode()}"

    return [_map_images(message, load) for message in messages]


def dehydrate(messages: Sequence[Message], blobs: Blobs) -> list[Message]:
    """The messages with each base64 picture stored as a blob, ready for a log."""

    def store(url: str) -> str:
        match = _DATA_URL.match(url)
        if match is None:
            return url
        return reference(blobs.put(base64.b64decode(match[2])), match[1])

    return [_map_images(message, store) for message in messages]


def _map_images(message: Message, change: Callable[[str], str]) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [_map_part(part, change) for part in content]}


def _map_part(part: Any, change: Callable[[str], str]) -> Any:
    if not (isinstance(part, dict) and part.get("type") == "image_url"):
        return part
    image = part.get("image_url")
    if not (isinstance(image, dict) and isinstance(image.get("url"), str)):
        return part
    return {**part, "image_url": {**image, "url": change(image["url"])}}
