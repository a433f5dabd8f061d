"""What a command looks at and listens to, told from its text alone.

Media are known by their path from where commands run, such as `inputs/clip.mp4`. A picture stands
for the second that begins with it, so "seen 14 s" means that fourteen seconds had a look.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from workbench.media import ffmpeg_line
from workbench.media.ffmpeg_line import Input, Output
from workbench.media.shell import Command, commands

Span: TypeAlias = tuple[float, float]
Lengths: TypeAlias = Mapping[str, float | None]
"""Known media and their lengths in seconds, None where unknown."""

LOOK_S = 1.0
"""Seconds of a source that one picture of it stands for."""
MAX_SPANS = 2_000
_ROOTS = ("/workspace/", "./")


@dataclass(frozen=True, slots=True)
class Look:
    """Seconds of a source that a command showed or played; `how` names the program."""

    source: str
    sense: Literal["seen", "heard"]
    spans: tuple[Span, ...]
    how: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a made file comes from: its second 0 is second `start_s` of the source."""

    source: str
    start_s: float = 0.0
    end_s: float | None = None


Origins: TypeAlias = Mapping[str, Origin]
"""Made files and where they come from, by path like the media."""


def looks(command: str, known: Lengths, origins: Origins | None = None) -> list[Look]:
    """What a command looks at or listens to, one entry for each source and sense.

    Args:
        command: a bash script.
        known: the media that there are.
        origins: what earlier commands made of them; see `made_from`.
    """
    found: dict[tuple[str, Literal["seen", "heard"], str], list[Span]] = {}
    for simple in commands(command, known):
        for look in _looks_of(simple, _Media(known, origins or {})):
            found.setdefault((look.source, look.sense, look.how), []).extend(look.spans)
    return [
        Look(source, sense, tuple(_merged(spans)[:MAX_SPANS]), how)
        for (source, sense, how), spans in found.items()
        if spans
    ]


def frame_times(
    command: str,
    made: Sequence[str],
    known: Lengths,
    origins: Origins | None = None,
    rates: Mapping[str, float | None] | None = None,
) -> dict[str, tuple[str, float | None]]:
    """For the pictures that a command made: source, and its second where the command says it.

    Args:
        command: a bash script.
        made: paths of pictures.
        known: the media that there are.
        origins: what earlier commands made of them.
        rates: frames a second of the media, where known.
    """
    media = _Media(known, origins or {})
    found: dict[str, tuple[str, float | None]] = {}
    for simple in commands(command, known):
        for source, output in _picture_outputs(simple):
            origin = media.origin(simple.path(source.path))
            if origin is None:
                continue
            rate = (rates or {}).get(origin.source)
            placed = Output(simple.path(output.path), output.options)
            for path in made:
                number = _number_in(placed, path)
                if number is not None:
                    time_s = _time_of(source, placed, number, media.length(source, simple), rate)
                    found[path] = (
                        origin.source,
                        None if time_s is None else round(origin.start_s + time_s, 3),
                    )
    return found


def made_from(command: str, known: Lengths, origins: Origins | None = None) -> dict[str, Origin]:
    """The sound and video files that a command makes of known media, and from which second on.

    So that speech heard in `out/a.wav` counts for the film that it was cut from.
    """
    media = _Media(known, dict(origins or {}))
    found: dict[str, Origin] = {}
    for simple in commands(command, known):
        for path, origin in _products(simple, media):
            found[path] = origin
            media.origins = {**media.origins, path: origin}
    return found


def clean_path(path: str) -> str:
    """A path as media are known by it: from the workspace, without `./` and `..`."""
    normal = posixpath.normpath(path)
    for root in _ROOTS:
        normal = normal.removeprefix(root)
    return normal


@dataclass(slots=True)
class _Media:
    known: Lengths
    origins: Origins

    def origin(self, path: str) -> Origin | None:
        """The known source behind a path: itself, a made file, or the only one of that name."""
        clean = clean_path(path)
        if clean in self.origins:
            return self.origins[clean]
        if clean in self.known:
            return Origin(clean, 0.0, self.known[clean])
        alike = [name for name in self.known if _same_tail(name, clean)]
        return Origin(alike[0], 0.0, self.known[alike[0]]) if len(alike) == 1 else None

    def length(self, source: Input, simple: Command) -> float | None:
        """Length of the file itself, in seconds."""
        origin = self.origin(simple.path(source.path))
        if origin is None or origin.end_s is None:
            return None
        return origin.end_s - origin.start_s


def _same_tail(known: str, path: str) -> bool:
    return known.endswith("/" + path) or path.endswith("/" + known)


def _looks_of(simple: Command, media: _Media) -> Iterator[Look]:
    if simple.program == "ffmpeg":
        for source, output in _picture_outputs(simple):
            origin = media.origin(simple.path(source.path))
            if origin is not None:
                spans = _spans(source, output, media.length(source, simple))
                sense: Literal["seen", "heard"] = "heard" if _draws_sound(output) else "seen"
                yield Look(origin.source, sense, tuple(_moved(spans, origin)), "ffmpeg")
    elif _is_whisper(simple):
        for word in simple.words[1:]:
            origin = media.origin(simple.path(word))
            if origin is not None and origin.end_s is not None:
                yield Look(origin.source, "heard", ((origin.start_s, origin.end_s),), "whisper")


def _picture_outputs(simple: Command) -> Iterator[tuple[Input, Output]]:
    if simple.program != "ffmpeg":
        return
    line = ffmpeg_line.parse(simple.words[1:])
    for output in line.outputs:
        source = _source_of(line.inputs, output)
        if source is not None and output.kind == "pictures":
            yield source, output


def _source_of(inputs: Sequence[Input], output: Output) -> Input | None:
    """The input of an output, as `-map N` says, else the first; None if its times are not plain."""
    number = output.options.get("map", "0").split(":")[0]
    index = int(number) if number.isdigit() else 0
    source = inputs[index] if index < len(inputs) else None
    return source if source is not None and source.is_plain and output.is_plain else None


def _draws_sound(output: Output) -> bool:
    return any(name in output.filters for name in ("showspectrum", "showwaves", "showcqt"))


def _spans(source: Input, output: Output, length_s: float | None) -> list[Span]:
    """Seconds of the file that the pictures stand for."""
    start, end = ffmpeg_line.window(source, output, length_s)
    rate, count = output.rate, output.count
    if _draws_sound(output):
        return [(start, end)] if end is not None and end > start else []
    if output.sampling == "unknown" or source.keyframes_only or (end is not None and start >= end):
        return []
    if count is not None and not output.is_tiled:
        reach = start + max(LOOK_S, count / (rate or 25.0))
        end = reach if end is None else min(end, reach)
    if end is None:
        return []
    if output.sampling != "rate" or not rate or rate >= 1 / LOOK_S:
        return [(start, end)]
    times = [start + (n + 0.5) / rate for n in range(min(MAX_SPANS, int((end - start) * rate) + 1))]
    return [(time, min(end, time + LOOK_S)) for time in times if time < end]


def _moved(spans: Sequence[Span], origin: Origin) -> Iterator[Span]:
    for start, end in spans:
        yield round(origin.start_s + start, 3), round(origin.start_s + end, 3)


def _time_of(
    source: Input, output: Output, number: int, length_s: float | None, rate: float | None
) -> float | None:
    if source.keyframes_only:
        return None
    start, end = ffmpeg_line.window(source, output, length_s)
    begin, _ = ffmpeg_line.window(source, Output(output.path), length_s)
    time_s = ffmpeg_line.picture_time(output, number, start, begin, rate)
    return time_s if time_s is None or end is None else min(time_s, end)


def _number_in(output: Output, path: str) -> int | None:
    """The number of a made picture, however much of the way to it its path tells."""
    clean, wanted = clean_path(path), clean_path(output.path)
    tail = "/".join(clean.split("/")[-(wanted.count("/") + 1) :])
    return Output(wanted, output.options).number_in(tail)


def _products(simple: Command, media: _Media) -> Iterator[tuple[str, Origin]]:
    if simple.program in ("cp", "mv", "ln"):
        paths = [word for word in simple.words[1:] if not word.startswith("-")]
        origin = media.origin(simple.path(paths[0])) if len(paths) == 2 else None
        if origin is not None:
            yield clean_path(simple.path(paths[1])), origin
        return
    if simple.program != "ffmpeg":
        return
    line = ffmpeg_line.parse(simple.words[1:])
    for output in line.outputs:
        source = _source_of(line.inputs, output)
        if source is None or output.kind not in ("sound", "video") or _warps(output):
            continue
        origin = media.origin(simple.path(source.path))
        if origin is not None:
            start, end = ffmpeg_line.window(source, output, media.length(source, simple))
            reach = None if end is None else round(origin.start_s + end, 3)
            made = Origin(origin.source, round(origin.start_s + start, 3), reach)
            yield clean_path(simple.path(output.path)), made


def _warps(output: Output) -> bool:
    """Whether the output's time runs otherwise than the source's."""
    marks = ("setpts=", "atempo", "silenceremove", "concat", "reverse", "segment", "select")
    text = output.filters.replace("setpts=PTS-STARTPTS", "") + output.options.get("f", "")
    return any(mark in text for mark in marks)


def _is_whisper(simple: Command) -> bool:
    if simple.program.startswith(("whisper", "faster-whisper", "faster_whisper")):
        return True
    is_python = simple.program.startswith("python")
    return is_python and any(word in ("whisper", "whisperx") for word in simple.words[1:3])


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
