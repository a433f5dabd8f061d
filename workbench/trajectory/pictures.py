"""Pictures of a conversation: where their bytes are, and what their files are called."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_DATA_URL = re.compile(r"data:image/([\w.+-]+);base64,(?=.)", re.IGNORECASE)
_BLOB_URL = re.compile(r"blob:([0-9a-f]{64});image/([\w.+-]+)$")
_LEGACY_REPLY = re.compile(r"image_read result for '(.*?)':\n")

ReadBlob = Callable[[str], bytes]


def extension_of(subtype: str) -> str:
    """File extension, without a dot, for what stands after `image/`."""
    subtype = subtype.lower()
    return "jpg" if subtype == "jpeg" else subtype.partition("+")[0]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a message: its bytes, or the blob of the store that holds them."""

    extension: str
    data: bytes | None = None
    blob: str | None = None

    def read(self, read_blob: ReadBlob | None = None) -> bytes:
        """The bytes; `read_blob` is asked for those that stand in a store."""
        if self.data is not None:
            return self.data
        if self.blob is None or read_blob is None:
            raise ValueError("the picture stands in a store that is not at hand")
        return read_blob(self.blob)


def picture_of(part: dict[str, Any]) -> Picture | None:
    """The picture of an `image_url` part; None unless it is an image by `data:` or `blob:` url."""
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    if not isinstance(url, str):
        return None
    if match := _BLOB_URL.match(url):
        return Picture(extension_of(match[2]), blob=match[1])
    match = _DATA_URL.match(url)
    return picture_from_base64(match[1], url[match.end() :]) if match else None


def picture_from_base64(subtype: str, encoded: str) -> Picture | None:
    """A picture of the type `image/<subtype>`; None where the text is no base64."""
    try:
        return Picture(extension_of(subtype), data=base64.b64decode(encoded))
    except (binascii.Error, ValueError):
        return None


def legacy_path(reply: str) -> str | None:
    """The path that a reply of the old `image_read`, answered by a sub-model, speaks of (C19)."""
    match = _LEGACY_REPLY.match(reply)
    return match[1] if match else None
