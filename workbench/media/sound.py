"""The sound of a file as stretches of 16 kHz samples, cut where it is quiet.

The position of a sample is its time in the file: where the sound begins late or has a gap, silence
fills it. Memory stays bounded by one stretch, whatever the length of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from workbench.media.container import open_container
from workbench.media.files import MediaError

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.container import InputContainer
    from numpy.typing import NDArray

    Samples: TypeAlias = NDArray[np.int16]

RATE = 16_000
"""Samples a second, as Whisper wants them."""
MAX_S = 12 * 3600.0
"""The longest sound that is listened to, in seconds."""
_GAP_S = 0.25
_QUIET_FRAME = RATE // 50


@dataclass(frozen=True, slots=True)
class Stretch:
    """Samples between -1 and 1, and the second of the file at which they begin."""

    offset_s: float
    samples: NDArray[np.float32]

    @property
    def length_s(self) -> float:
        """Seconds of sound in it."""
        return len(self.samples) / RATE


def stated_length_s(path: Path) -> float | None:
    """The length that the file states, in seconds; None where it states none.

    Raises:
        MediaError: if the file cannot be read.
    """
    with open_container(path) as container:
        return container.duration / 1_000_000 if container.duration else None


def stretches(path: Path, first_s: float, rest_s: float) -> Iterator[Stretch]:
    """The sound in pieces: one of at most `first_s` seconds, then of at most `rest_s` each.

    Raises:
        MediaError: if the file has no sound, cannot be read or is longer than `MAX_S`.
    """
    limit, start = int(first_s * RATE), 0
    waiting: list[Samples] = []
    for piece in _decoded(path):
        waiting.append(piece)
        while sum(map(len, waiting)) >= limit:
            joined = np.concatenate(waiting)
            cut = _quietest(joined[:limit])
            yield _stretch(start, joined[:cut])
            start, waiting, limit = start + cut, [joined[cut:]], int(rest_s * RATE)
    rest = np.concatenate(waiting) if waiting else np.zeros(0, np.int16)
    if len(rest):
        yield _stretch(start, rest)


def _stretch(start: int, samples: Samples) -> Stretch:
    return Stretch(start / RATE, samples.astype(np.float32) / np.float32(32768))


def _quietest(samples: Samples) -> int:
    """Where to cut: amid the quietest fifth of a second of the last third (10 s at most)."""
    tail = min(len(samples) // 3, 10 * RATE)
    frames = samples[len(samples) - tail :][: tail // _QUIET_FRAME * _QUIET_FRAME]
    energy = (frames.astype(np.float32) ** 2).reshape(-1, _QUIET_FRAME).mean(axis=1)
    if len(energy) < 10:
        return len(samples)
    smooth = np.convolve(energy, np.ones(10), mode="valid")
    return len(samples) - tail + (int(smooth.argmin()) + 5) * _QUIET_FRAME


def _decoded(path: Path) -> Iterator[Samples]:
    """Resampled pieces in order, with silence where the file's clock says that nothing sounds."""
    from av import AudioResampler

    with open_container(path) as container:
        if not container.streams.audio:
            raise MediaError("no sound", f"{path.name} has no sound.")
        begin = (container.start_time or 0) / 1_000_000
        resampler = AudioResampler(format="s16", layout="mono", rate=RATE)
        position = 0
        for frame in _frames(container):
            pieces = [_samples(out) for out in resampler.resample(frame)]
            for piece in (_silence(frame, begin, position), *pieces):
                position += len(piece)
                if position > MAX_S * RATE:
                    limit = f"{MAX_S / 3600:.0f} hours"
                    raise MediaError("too long", f"{path.name} has more than {limit} of sound.")
                if len(piece):
                    yield piece
        for out in resampler.resample(None):
            yield _samples(out)


def _samples(frame: AudioFrame) -> Samples:
    return frame.to_ndarray().reshape(-1).astype(np.int16, copy=False)


def _frames(container: InputContainer) -> Iterator[AudioFrame]:
    """Decoded frames; spoilt packets are passed over."""
    from av import FFmpegError

    for packet in container.demux(container.streams.audio[0]):
        try:
            yield from packet.decode()
        except FFmpegError:
            continue


def _silence(frame: AudioFrame, begin: float, position: int) -> Samples:
    """Zeros from `position` up to where the frame belongs, if that is later by a gap."""
    if frame.time is None:
        return np.zeros(0, np.int16)
    ahead = frame.time - begin - position / RATE
    return np.zeros(round(min(ahead, MAX_S) * RATE) if ahead > _GAP_S else 0, np.int16)
