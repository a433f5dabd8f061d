"""What is known of each medium of a session: what it is, and which seconds were seen and heard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench import events as ev

Span = tuple[float, float]


@dataclass(slots=True)
class MediaState:
    """One source. Spans are seconds, merged and in order; those of the person stand apart."""

    path: str
    kind: str = "unknown"
    duration_s: float | None = None
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    codecs: list[str] = field(default_factory=list)
    seen: list[Span] = field(default_factory=list)
    heard: list[Span] = field(default_factory=list)
    seen_by_person: list[Span] = field(default_factory=list)
    heard_by_person: list[Span] = field(default_factory=list)

    def fraction(self, spans: list[Span]) -> float | None:
        """Share of the source that `spans` cover, 0 to 1; None where the length is unknown."""
        if not self.duration_s:
            return None
        return min(1.0, sum(end - start for start, end in spans) / self.duration_s)


def merge(spans: Iterable[Span]) -> list[Span]:
    """The union of spans, in order, without overlaps."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def heard_of(heard: ev.Heard) -> tuple[str, list[Span]]:
    """The source that was heard and which seconds of it; for sound cut from a film, the film."""
    at = heard.offset_s
    spans = [(at + segment.start, at + segment.end) for segment in heard.segments]
    return heard.origin or heard.source, spans


def note_evidence(media: dict[str, MediaState], event: ev.Probed | ev.Heard | ev.Looked) -> None:
    """Take an event about a source into the table of sources."""
    if isinstance(event, ev.Probed):
        known = media.setdefault(event.path, MediaState(event.path))
        known.kind = event.media
        known.duration_s = event.duration_s
        known.width, known.height, known.fps = event.width, event.height, event.fps
        known.codecs = list(event.codecs)
    elif isinstance(event, ev.Heard):
        source, spans = heard_of(event)
        duration_s = None if event.origin else event.duration_s
        known = media.setdefault(source, MediaState(source, duration_s=duration_s))
        if event.by == "agent":
            known.heard = merge([*known.heard, *spans])
        else:
            known.heard_by_person = merge([*known.heard_by_person, *spans])
    elif event.source in media:
        known = media[event.source]
        name = event.sense if event.by == "agent" else f"{event.sense}_by_person"
        setattr(known, name, merge([*getattr(known, name), *event.spans]))
