"""Where somebody speaks: stretches of speech, clips for a batch, and segments kept to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from workbench.media.speech import Segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Span: TypeAlias = tuple[float, float]

_RATE = 16_000
_LONGEST_S = 29.0
"""A clip fits one window of Whisper."""
_SILENCE_S = 2.0
"""A longer silence separates clips: joined over it, one segment would claim both sides."""
_MARGIN_S = 0.4


def speech_spans(samples: NDArray[np.float32]) -> list[Span]:
    """Seconds in which somebody speaks, by the voice detector that faster-whisper brings."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(
        max_speech_duration_s=_LONGEST_S - 2 * _MARGIN_S,
        min_silence_duration_ms=160,
        speech_pad_ms=30,
    )
    found = get_speech_timestamps(samples, options)
    return [(span["start"] / _RATE, span["end"] / _RATE) for span in found]


def clips(spans: list[Span], length_s: float) -> list[Span]:
    """Neighbouring spans joined into clips of at most a window, with a margin on both sides."""
    joined: list[Span] = []
    for start, end in spans:
        near = bool(joined) and start - joined[-1][1] <= _SILENCE_S
        if near and end - joined[-1][0] <= _LONGEST_S - 2 * _MARGIN_S:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    before = [0.0, *[end for _, end in joined]]
    after = [*[start for start, _ in joined[1:]], length_s]
    return [
        (start - _margin(start - low), end + _margin(high - end))
        for (start, end), low, high in zip(joined, before, after, strict=False)
    ]


def _margin(gap_s: float) -> float:
    """Neighbours share a gap, so that nothing is heard twice."""
    return max(0.0, min(_MARGIN_S, gap_s / 2))


def trimmed(segment: Segment, spans: list[Span]) -> Segment:
    """The segment without the silence that Whisper likes to count at its ends."""
    spoken = [span for span in spans if span[0] < segment.end and span[1] > segment.start]
    if not spoken:
        return segment
    start, end = max(segment.start, spoken[0][0]), min(segment.end, spoken[-1][1])

    def kept(time_s: float) -> float:
        return round(min(max(time_s, start), end), 3)

    words = tuple(
        replace(word, start=kept(word.start), end=kept(word.end)) for word in segment.words
    )
    return replace(segment, start=round(start, 3), end=round(end, 3), words=words)
