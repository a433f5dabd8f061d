"""What a file is, by its first bytes; and whether its own structure says that bytes are missing."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO, Literal

Kind = Literal["video", "audio", "image", "document", "text", "other"]

HEAD_BYTES = 65_536
"""How much of a file is looked at."""


@dataclass(frozen=True, slots=True)
class Sniffed:
    """A first guess. `kind` of an audio-visual container is decided by its streams, later."""

    kind: Kind
    container: str
    is_av: bool = False


_MAGIC: tuple[tuple[int, bytes, Sniffed], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", Sniffed("image", "png")),
    (0, b"\xff\xd8\xff", Sniffed("image", "jpeg")),
    (0, b"GIF87a", Sniffed("image", "gif")),
    (0, b"GIF89a", Sniffed("image", "gif")),
    (0, b"II*\0", Sniffed("image", "tiff")),
    (0, b"MM\0*", Sniffed("image", "tiff")),
    (8, b"WEBP", Sniffed("image", "webp")),
    (4, b"ftypavif", Sniffed("image", "avif")),
    (4, b"ftypheic", Sniffed("image", "heic")),
    (4, b"ftypmif1", Sniffed("image", "heic")),
    (4, b"ftypM4A", Sniffed("audio", "mp4", is_av=True)),
    (4, b"ftyp", Sniffed("video", "mp4", is_av=True)),
    (4, b"moov", Sniffed("video", "mp4", is_av=True)),
    (4, b"mdat", Sniffed("video", "mp4", is_av=True)),
    (0, b"\x1a\x45\xdf\xa3", Sniffed("video", "matroska", is_av=True)),
    (8, b"AVI ", Sniffed("video", "avi", is_av=True)),
    (8, b"WAVE", Sniffed("audio", "wav", is_av=True)),
    (0, b"OggS", Sniffed("audio", "ogg", is_av=True)),
    (0, b"fLaC", Sniffed("audio", "flac", is_av=True)),
    (0, b"ID3", Sniffed("audio", "mp3", is_av=True)),
    (0, b"FLV\x01", Sniffed("video", "flv", is_av=True)),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Sniffed("video", "asf", is_av=True)),
    (0, b"\0\0\x01\xba", Sniffed("video", "mpeg", is_av=True)),
    (8, b"AIFF", Sniffed("audio", "aiff", is_av=True)),
    (8, b"AIFC", Sniffed("audio", "aiff", is_av=True)),
    (0, b"#!AMR", Sniffed("audio", "amr", is_av=True)),
    (0, b"BM", Sniffed("image", "bmp")),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Sniffed("document", "ole")),
)

_ZIP_DOCUMENTS = (
    (b"word/", "docx"),
    (b"xl/", "xlsx"),
    (b"ppt/", "pptx"),
    (b"mimetypeapplication/epub+zip", "epub"),
    (b"mimetypeapplication/vnd.oasis.opendocument", "opendocument"),
)

_TEXT_CONTROLS = frozenset("\t\n\r\f\b\x1b")


def sniff(head: bytes) -> Sniffed:
    """The guess from the first `HEAD_BYTES` of a file."""
    if b"%PDF-" in head[:1024]:
        return Sniffed("document", "pdf")
    if _is_text(head):
        rich = head.startswith(b"{\\rtf")
        return Sniffed("document", "rtf") if rich else Sniffed("text", "text")
    for offset, magic, result in _MAGIC:
        if head.startswith(magic, offset):
            return result
    if head.startswith(b"PK\x03\x04"):
        return _zipped(head)
    return Sniffed("other", "unknown")


def _zipped(head: bytes) -> Sniffed:
    for marker, name in _ZIP_DOCUMENTS:
        if marker in head:
            return Sniffed("document", name)
    return Sniffed("other", "zip")


def _is_text(head: bytes) -> bool:
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = head.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError as error:
        if error.start < HEAD_BYTES - 4:
            return False
        text = head[: error.start].decode("utf-16" if wide else "utf-8")
    return bool(text) and not any(char < " " and char not in _TEXT_CONTROLS for char in set(text))


def missing_bytes(file: BinaryIO, container: str, size: int) -> int:
    """How many bytes the file's own structure promises beyond its end; 0 where it is whole.

    Known for RIFF (wav, avi, webp), ISO media (mp4, mov, heic, avif), Matroska and PNG; formats
    that promise nothing count as whole.
    """
    file.seek(0)
    if container in ("wav", "avi", "webp"):
        return _missing_riff(file, size)
    if container in ("mp4", "avif", "heic"):
        return _missing_iso(file, size)
    if container == "matroska":
        return _missing_matroska(file, size)
    if container == "png":
        return _missing_png(file, size)
    return 0


def _missing_riff(file: BinaryIO, size: int) -> int:
    head = file.read(8)
    promised: int = struct.unpack("<I", head[4:8])[0] if len(head) == 8 else 0
    streamed = promised in (0, 0xFFFFFFFF)
    return 0 if streamed else max(0, promised + 8 - size)


def _missing_iso(file: BinaryIO, size: int) -> int:
    """Walk the top-level boxes (ISO/IEC 14496-12, 4.2)."""
    position = 0
    for _ in range(10_000):
        file.seek(position)
        head = file.read(16)
        if len(head) < 8:
            return 8 - len(head) if head else 0
        length: int = struct.unpack(">I", head[:4])[0]
        if length == 1 and len(head) == 16:
            length = struct.unpack(">Q", head[8:16])[0]
        if length < 8:
            return 0
        position += length
        if position >= size:
            return position - size
    return 0


def _missing_png(file: BinaryIO, size: int) -> int:
    """Walk the chunks up to IEND (PNG specification, 5.3)."""
    position = 8
    for _ in range(1_000_000):
        file.seek(position)
        head = file.read(8)
        if len(head) < 8:
            return max(1, position + 12 - size)
        position += 12 + int(struct.unpack(">I", head[:4])[0])
        if position > size or head[4:] == b"IEND":
            return max(0, position - size)
    return 0


def _missing_matroska(file: BinaryIO, size: int) -> int:
    """The end that the Segment element claims (RFC 8794 for the element sizes)."""
    head = file.read(4096)
    try:
        header_length, position = _ebml_size(head, 4)
        position += header_length
        if head[position : position + 4] != b"\x18\x53\x80\x67":
            return 0
        length, start = _ebml_size(head, position + 4)
    except IndexError:
        return 0
    unknown = length >= (1 << 56) - 1
    return 0 if unknown else max(0, start + length - size)


def _ebml_size(data: bytes, position: int) -> tuple[int, int]:
    """A variable-length size at `position` and the position after it."""
    first = data[position]
    width = 9 - first.bit_length()
    value = first & ((1 << (8 - width)) - 1)
    for byte in data[position + 1 : position + width]:
        value = value << 8 | byte
    all_ones = value == (1 << (7 * width)) - 1
    return ((1 << 56) - 1 if all_ones else value), position + width
