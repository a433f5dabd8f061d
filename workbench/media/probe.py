"""What a media file is, by its content and never by its name."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.media.container import open_container, seconds
from workbench.media.files import MediaError, open_regular
from workbench.media.sniff import HEAD_BYTES, Kind, Sniffed, missing_bytes, sniff

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.stream import Stream

MAX_SCANNED_PACKETS = 500_000
"""Packets read to learn the length of a file that does not state it."""

_SUFFIX_KINDS: dict[str, Kind] = {
    **dict.fromkeys((".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".flv", ".ts"), "video"),
    **dict.fromkeys((".wav", ".mp3", ".m4a", ".flac", ".ogg", ".opus", ".aac"), "audio"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"), "image"),
    **dict.fromkeys((".pdf", ".docx", ".xlsx", ".pptx", ".epub", ".odt", ".rtf"), "document"),
}


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """One stream of a container. `cover` marks a picture that only decorates an audio file."""

    kind: str
    codec: str
    language: str | None = None
    cover: bool = False
    width: int = 0
    height: int = 0
    sample_rate: int = 0
    channels: int = 0


@dataclass(frozen=True, slots=True)
class MediaInfo:
    """What a file is. Width and height are as shown, after rotation (degrees, clockwise).

    `frames` counts the pictures of an image file. `problem` is a sentence where something is wrong:
    the file is cut short, is not what its name says, or could not be read at all.
    """

    kind: Kind
    container: str
    size_bytes: int = 0
    duration_s: float | None = None
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    rotation: int = 0
    codecs: tuple[str, ...] = ()
    has_audio: bool = False
    n_subtitles: int = 0
    frames: int = 1
    streams: tuple[StreamInfo, ...] = ()
    problem: str | None = None


def probe(path: Path) -> MediaInfo:
    """Look at a file. Never raises for what the file is or lacks: `problem` says it instead."""
    try:
        with open_regular(path) as descriptor, open(descriptor, "rb", closefd=False) as file:
            return _probe(path, file, os.fstat(descriptor).st_size)
    except MediaError as error:
        return MediaInfo("other", "none", problem=str(error))
    except OSError as error:
        problem = f"{path.name} cannot be read: {error.strerror}."
        return MediaInfo("other", "none", problem=problem)


def _probe(path: Path, file: BinaryIO, size: int) -> MediaInfo:
    if size == 0:
        return MediaInfo("other", "empty", problem=f"{path.name} is empty.")
    sniffed = sniff(file.read(HEAD_BYTES))
    if sniffed.kind == "image":
        info = _probe_image(path, file, sniffed)
    elif sniffed.is_av or sniffed.kind == "other":
        info = _probe_container(path, sniffed)
    else:
        info = MediaInfo(sniffed.kind, sniffed.container)
    missing = missing_bytes(file, sniffed.container, size)
    problem = info.problem or _mismatch(path, info)
    if missing and info.problem:
        problem = f"{path.name} is cut short and cannot be read: {missing:,} bytes are missing."
    elif missing:
        problem = f"{path.name} is cut short: at least {missing:,} bytes are missing at its end."
    return replace(info, size_bytes=size, problem=problem)


def _mismatch(path: Path, info: MediaInfo) -> str | None:
    claimed = _SUFFIX_KINDS.get(path.suffix.lower())
    if claimed is None or claimed == info.kind or {claimed, info.kind} == {"video", "audio"}:
        return None
    what = "unknown data" if info.container == "unknown" else info.container
    return f"{path.name} is named like {_article(claimed)}, but its content is {what}."


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _probe_image(path: Path, file: BinaryIO, sniffed: Sniffed) -> MediaInfo:
    from workbench.media.frames import BadImage, image_facts

    file.seek(0)
    try:
        facts = image_facts(file)
    except BadImage as error:
        problem = f"{path.name} looks like {sniffed.container} but cannot be read: {error.label}."
        return MediaInfo("image", sniffed.container, problem=problem)
    return MediaInfo(
        "image",
        sniffed.container,
        width=facts.width,
        height=facts.height,
        rotation=facts.rotation,
        codecs=(sniffed.container,),
        frames=facts.frames,
    )


def _probe_container(path: Path, sniffed: Sniffed) -> MediaInfo:
    try:
        with open_container(path) as container:
            info = _describe(container)
    except MediaError as error:
        problem = str(error) if sniffed.is_av else None
        return MediaInfo(sniffed.kind, sniffed.container, problem=problem)
    if sniffed.is_av or _is_believable(info):
        return info
    return MediaInfo("other", "unknown")


def _is_believable(info: MediaInfo) -> bool:
    """Demuxers of raw streams accept noise; a real stream has a size or a sample rate."""
    real = [s for s in info.streams if (s.width and s.height) or s.sample_rate]
    return bool(real) and bool(info.duration_s)


def _describe(container: InputContainer) -> MediaInfo:
    streams = tuple(_stream_info(stream) for stream in container.streams)
    videos = [s for s, i in zip(container.streams, streams, strict=True) if _moves(i)]
    has_audio = any(info.kind == "audio" for info in streams)
    kind: Kind = "video" if videos else "audio" if has_audio else "other"
    info = MediaInfo(
        kind,
        container.format.name.split(",")[0],
        codecs=tuple(dict.fromkeys(s.codec for s in streams if s.codec and not s.cover)),
        has_audio=has_audio,
        n_subtitles=sum(s.kind == "subtitle" for s in streams),
        streams=streams,
    )
    if videos:
        info = _with_picture(info, container, videos[0])
    return replace(info, duration_s=_duration_s(container))


def _moves(info: StreamInfo) -> bool:
    return info.kind == "video" and not info.cover


def _stream_info(stream: Stream) -> StreamInfo:
    from av.stream import Disposition

    codec = stream.codec_context
    return StreamInfo(
        kind=stream.type,
        codec=codec.name if codec is not None else "",
        language=stream.language,
        cover=bool(stream.disposition & Disposition.attached_pic),
        width=getattr(codec, "width", 0) or 0,
        height=getattr(codec, "height", 0) or 0,
        sample_rate=getattr(codec, "sample_rate", 0) or 0,
        channels=getattr(codec, "channels", 0) or 0,
    )


def _with_picture(info: MediaInfo, container: InputContainer, stream: Stream) -> MediaInfo:
    from workbench.media.video import rotation_of

    rotation = rotation_of(container, stream)
    codec = stream.codec_context
    width, height = getattr(codec, "width", 0), getattr(codec, "height", 0)
    if rotation in (90, 270):
        width, height = height, width
    rate = getattr(stream, "average_rate", None) or getattr(stream, "guessed_rate", None)
    return replace(
        info,
        width=width or None,
        height=height or None,
        fps=round(float(rate), 3) if rate else None,
        rotation=-rotation % 360,
    )


def _duration_s(container: InputContainer) -> float | None:
    """The stated length, else the end of the last packet of a bounded scan."""
    if container.duration:
        return float(container.duration) / 1_000_000
    stated = [seconds(s.duration, s.time_base) for s in container.streams if s.duration]
    if stated:
        return max(stated)
    first, last = None, 0.0
    for number, packet in enumerate(container.demux()):
        if number >= MAX_SCANNED_PACKETS:
            return None
        if packet.pts is None:
            continue
        start = seconds(packet.pts, packet.time_base)
        first = start if first is None else min(first, start)
        last = max(last, start + seconds(packet.duration, packet.time_base))
    return round(last - first, 6) if first is not None and last > first else None
