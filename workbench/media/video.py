"""Pictures out of a video: its keyframes as a strip, and the exact frame at a time.

Times are seconds from the start of the file, as `ffmpeg -ss` counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.media.container import open_container, seconds
from workbench.media.files import MediaError

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.stream import Stream
    from av.video.frame import VideoFrame as AvFrame
    from av.video.stream import VideoStream

    from workbench.media.frames import Pixels

MAX_DECODED = 20_000
"""Frames decoded in search of one; more than that lie between keyframes only in broken files."""
SAME_S = 0.0005
"""Times that differ by less are the same: Matroska rounds to milliseconds."""
_MAX_SOURCE_PIXELS = 50_000_000


@dataclass(frozen=True, slots=True)
class VideoFrame:
    """One picture and the second at which it is shown."""

    time_s: float
    pixels: Pixels


def keyframes(
    path: Path, max_w: int = 160, max_h: int = 90, limit: int = 600
) -> Iterator[VideoFrame]:
    """The keyframes in order, shrunk to fit; thinned out evenly when there are more than `limit`.

    Only keyframe packets are decoded, so ten minutes take about a second.

    Raises:
        MediaError: if the file has no video or cannot be read.
    """
    with open_container(path) as container:
        stream = _video_stream(container, path)
        stream.codec_context.skip_frame = "NONKEY"
        start = _start_s(container)
        rotation = rotation_of(container, stream)
        length = float(container.duration or 0) / 1_000_000
        gap, due = length / limit, float("-inf")
        given = 0
        for packet in container.demux(stream):
            stamp = packet.dts if packet.pts is None else packet.pts
            time = seconds(stamp, stream.time_base) - start
            is_flush = packet.size == 0
            if not is_flush and (not packet.is_keyframe or time < due):
                continue
            due = time + gap
            for frame in packet.decode():
                if given < limit:
                    given += 1
                    pixels = _shrunk(frame, rotation, max_w, max_h)
                    yield VideoFrame(round(_time_s(frame, stream) - start, 6), pixels)


def frame_at(path: Path, time_s: float, max_w: int = 4096, max_h: int = 4096) -> VideoFrame:
    """The frame that is on screen at `time_s`: the last one that starts no later.

    Before the first frame this is the first, after the end the last.

    Raises:
        MediaError: if the file has no video or cannot be read.
    """
    with open_container(path) as container:
        stream = _video_stream(container, path)
        stream.thread_type = "AUTO"
        start = _start_s(container)
        wanted = time_s + start
        found = _last_up_to(container, stream, wanted, seek=True)
        if found is None or _time_s(found, stream) > wanted + SAME_S:
            found = _last_up_to(container, stream, wanted, seek=False) or found
        if found is None:
            raise MediaError("no picture", f"{path.name} has no frame that can be decoded.")
        pixels = _shrunk(found, found.rotation % 360, max_w, max_h)
        return VideoFrame(round(_time_s(found, stream) - start, 6), pixels)


def rotation_of(container: InputContainer, stream: Stream) -> int:
    """Degrees, counter-clockwise as PyAV counts, by which the video is turned when shown.

    Decodes one frame and goes back to the start.
    """
    from av import FFmpegError

    try:
        for frame in container.decode(stream):
            return int(getattr(frame, "rotation", 0)) % 360
        return 0
    except (FFmpegError, EOFError):
        return 0
    finally:
        container.seek(0)


def _last_up_to(
    container: InputContainer, stream: VideoStream, wanted: float, *, seek: bool
) -> AvFrame | None:
    """Decode on from the keyframe before `wanted` (or from the start) until a frame is later."""
    from av import FFmpegError

    offset = int(wanted / stream.time_base) if seek and stream.time_base else 0
    try:
        container.seek(offset, stream=stream if seek else None, backward=True)
    except FFmpegError:
        container.seek(0)
    latest: AvFrame | None = None
    for number, frame in enumerate(container.decode(stream)):
        later = _time_s(frame, stream) > wanted + SAME_S
        if latest is not None and later:
            return latest
        latest = frame
        if later or number >= MAX_DECODED:
            return latest
    return latest


def _time_s(frame: AvFrame, stream: VideoStream) -> float:
    """Frames flushed out of a decoder carry no clock of their own, so the stream's is used."""
    return seconds(frame.pts, stream.time_base)


def _video_stream(container: InputContainer, path: Path) -> VideoStream:
    from av.stream import Disposition

    for stream in container.streams.video:
        if not stream.disposition & Disposition.attached_pic:
            if stream.codec_context.width * stream.codec_context.height > _MAX_SOURCE_PIXELS:
                raise MediaError("too large", f"{path.name} has frames too large to decode.")
            return stream
    raise MediaError("no video", f"{path.name} has no video stream.")


def _start_s(container: InputContainer) -> float:
    return float(container.start_time or 0) / 1_000_000


def _shrunk(frame: AvFrame, rotation: int, max_w: int, max_h: int) -> Pixels:
    import numpy as np

    if rotation in (90, 270):
        max_w, max_h = max_h, max_w
    scale = min(1.0, max_w / frame.width, max_h / frame.height)
    width, height = max(1, round(frame.width * scale)), max(1, round(frame.height * scale))
    pixels = frame.to_ndarray(format="rgb24", width=width, height=height)
    return np.ascontiguousarray(np.rot90(pixels, rotation // 90))
