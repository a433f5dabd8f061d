"""What was said: words, segments, transcripts. All times are seconds from the start of the file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Word:
    """One word as Whisper cuts it, with its leading space; `probability` is 0 to 1."""

    start: float
    end: float
    text: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech. The last six fields are Whisper's own figures, where it made the text.

    `text` keeps the leading space that Whisper gives it. `seek` counts hundredths of a second.
    """

    start: float
    end: float
    text: str
    words: tuple[Word, ...] = ()
    seek: int = 0
    tokens: tuple[int, ...] = ()
    temperature: float = 0.0
    avg_logprob: float | None = None
    compression_ratio: float = 0.0
    no_speech_prob: float = 0.0

    @property
    def confidence(self) -> float | None:
        """Geometric mean probability of the tokens, 0 to 1; None where nobody knows."""
        return None if self.avg_logprob is None else round(math.exp(min(0.0, self.avg_logprob)), 4)

    def shifted(self, offset_s: float) -> Segment:
        """The same segment, later by `offset_s`."""

        def moved(time_s: float) -> float:
            return round(time_s + offset_s, 3)

        return replace(
            self,
            start=moved(self.start),
            end=moved(self.end),
            seek=self.seek + round(offset_s * 100),
            words=tuple(replace(w, start=moved(w.start), end=moved(w.end)) for w in self.words),
        )


@dataclass(frozen=True, slots=True)
class Transcript:
    """All segments of a file, in order; `model` names what recognised them."""

    segments: tuple[Segment, ...]
    language: str | None = None
    duration_s: float | None = None
    model: str | None = None

    @property
    def text(self) -> str:
        """The whole text, as Whisper joins it."""
        return "".join(segment.text for segment in self.segments)
