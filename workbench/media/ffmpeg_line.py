"""An ffmpeg command line: which part of which input goes into which output, and how it is sampled.

Rules follow ffmpeg's manual (main options, seeking) and were measured with ffmpeg 5.1: `fps=R` puts
into picture n the last source frame before (n + 0.5) / R; `-r R` as an output option that before
(n - 1.1) / R.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["pictures", "sound", "video", "nothing"]
Sampling = Literal["rate", "output rate", "one", "every frame", "each nth", "unknown"]

_FLAGS = frozenset(
    (
        *("y", "n", "nostdin", "hide_banner", "stats", "nostats", "vn", "an", "sn", "dn", "re"),
        *("shortest", "copyts", "copy_unknown", "ignore_unknown", "accurate_seek", "autorotate"),
        *("noaccurate_seek", "noautorotate", "bitexact", "report", "xerror", "start_at_zero"),
        *("fix_sub_duration", "version", "benchmark", "find_stream_info"),
    )
)
"""Options that take no value."""
_ALIASES = {
    "vframes": "frames:v",
    "frames": "frames:v",
    "filter:v": "vf",
    "lavfi": "filter_complex",
    "r:v": "r",
    "vcodec": "c:v",
    "codec:v": "c:v",
}
_PICTURES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".gif"))
_SOUND = frozenset((".wav", ".mp3", ".m4a", ".flac", ".ogg", ".opus", ".aac", ".wma"))
_CLOCK = re.compile(r"(-)?(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d*)?|\.\d+)(ms|us|s)?")
_FPS = re.compile(r"(?<![\w.])fps=(?:fps=)?(\d+(?:\.\d+)?)(?:/(\d+(?:\.\d+)?))?")
_BETWEEN = re.compile(r"between\(t\\*,\s*([\d.]+)\\*,\s*([\d.]+)\)")
_NTH = re.compile(r"not\(mod\(n\\*,\s*(\d+)\)\)")
_TRIM = re.compile(r"(?<![\w.])a?trim=([^,;\[\]'\"]+)")
_PATTERN = re.compile(r"%(?:0\d+)?d")


@dataclass(frozen=True, slots=True)
class Input:
    """A file that is read, from `start_s` to `end_s`; a start below zero counts from the end.

    It `is_plain` when its times are numbers, and not variables that only the shell knows. With
    `keyframes_only` nobody can tell which of its seconds are shown.
    """

    path: str
    start_s: float = 0.0
    end_s: float | None = None
    is_plain: bool = True
    keyframes_only: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """A file that is written, and the options that stand before it."""

    path: str
    options: dict[str, str] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether its times are numbers."""
        return _has_plain_times(self.options)

    @property
    def filters(self) -> str:
        """All filter texts that apply, as written."""
        names = ("vf", "filter_complex", "af", "filter:a")
        return ",".join(self.options[name] for name in names if name in self.options)

    @property
    def kind(self) -> Kind:
        """What is written, by the name and the options."""
        suffix = posixpath.splitext(self.path)[1].lower()
        form = self.options.get("f", "")
        if form == "null" or self.path in ("/dev/null", "NUL"):
            return "nothing"
        if suffix in _PICTURES or form in ("image2", "image2pipe"):
            return "pictures"
        if suffix in _SOUND or "vn" in self.options or form in ("wav", "s16le", "mp3", "flac"):
            return "sound"
        return "video"

    @property
    def count(self) -> int | None:
        """How many pictures at most; one where the name has no place for a number."""
        frames = self.options.get("frames:v", "")
        if frames.isdigit():
            return int(frames)
        single = self.kind == "pictures" and not _PATTERN.search(self.path)
        return 1 if single and not self.path.startswith(("-", "pipe:")) else None

    @property
    def rate(self) -> float | None:
        """Pictures a second that a filter or `-r` asks for."""
        found = _FPS.search(self.filters)
        if found:
            return _positive(found[1], found[2])
        numerator, _, denominator = self.options.get("r", "").partition("/")
        return _positive(numerator, denominator or None)

    @property
    def nth(self) -> int:
        """n of `select='not(mod(n,N))'`, else 0."""
        found = _NTH.search(self.filters)
        return int(found[1]) if found else 0

    @property
    def is_tiled(self) -> bool:
        """Whether one picture holds several."""
        return bool(re.search(r"(?<!\w)(?:x?tile|[hv]stack|xstack)(?!\w)", self.filters))

    @property
    def sampling(self) -> Sampling:
        """How the pictures are chosen."""
        text = self.filters
        odd = ("scene", "pict_type", "thumbnail", "mpdecimate", "setpts", "loop=", "reverse")
        if any(mark in text for mark in odd):
            return "unknown"
        if _FPS.search(text):
            return "rate"
        if self.nth:
            return "each nth"
        if self.count == 1:
            return "one"
        return "output rate" if self.rate else "every frame"

    @property
    def first_number(self) -> int:
        """The number in the first file's name."""
        text = self.options.get("start_number", "1")
        return int(text) if text.isdigit() else 1

    def number_in(self, path: str) -> int | None:
        """The number that the pattern of this output has in `path`; None if it made another name.

        An output without a pattern has the first number.
        """
        parts = [re.escape(part) for part in _PATTERN.split(self.path)]
        match = re.fullmatch(r"(\d+)".join(parts), path)
        if match is None:
            return None
        return int(match[1]) if match.groups() else self.first_number


@dataclass(frozen=True, slots=True)
class Line:
    """The whole command line."""

    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]


def parse(words: Sequence[str]) -> Line:
    """The words after `ffmpeg`."""
    inputs: list[Input] = []
    outputs: list[Output] = []
    options: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name = word[1:]
        if not word.startswith("-") or word == "-":
            outputs.append(Output(word, options))
            options = {}
        elif name == "i" and at < len(words):
            inputs.append(_input(words[at], options))
            options, at = {}, at + 1
        elif name in _FLAGS:
            options[name] = ""
        elif at < len(words):
            options[_ALIASES.get(name, name)] = words[at]
            at += 1
    return Line(tuple(inputs), tuple(outputs))


def window(source: Input, output: Output, length_s: float | None) -> tuple[float, float | None]:
    """Seconds of the source that reach the output; the end is None where nobody knows it."""
    begin = source.start_s
    if begin < 0:
        begin = max(0.0, (length_s or 0.0) + begin)
    ends = [length_s, source.end_s]
    skipped = seconds(output.options.get("ss")) or 0.0
    start = begin + skipped
    limit, to = seconds(output.options.get("t")), seconds(output.options.get("to"))
    if limit is not None:
        ends.append(start + limit)
    elif to is not None:
        ends.append(begin + to)
    for low, high in _cuts(output.filters):
        start = max(start, begin + low)
        ends.append(None if high is None else begin + high)
    known = [end for end in ends if end is not None]
    return round(start, 6), round(min(known), 6) if known else None


def picture_time(
    output: Output, number: int, start_s: float, begin_s: float, source_rate: float | None
) -> float | None:
    """The source's second that the picture with this number shows; None where it is not plain.

    Args:
        output: what made it.
        number: the number in its name.
        start_s: where the output begins in the source.
        begin_s: where reading began in the source; filters count from there.
        source_rate: the source's frames a second.
    """
    index = number - output.first_number
    rate = output.rate
    if output.is_tiled or index < 0:
        return None
    match output.sampling:
        case "rate" if rate:
            return round(_at_rate(output, index, start_s, begin_s, rate), 3)
        case "output rate" if rate:
            return round(start_s + max(0.0, (index - 1.1) / rate - _HALF_FRAME_S), 3)
        case "one":
            return round(start_s, 3)
        case "every frame" if source_rate or index == 0:
            return round(start_s + index / (source_rate or 1.0), 3)
        case "each nth" if source_rate:
            return round(start_s + index * output.nth / source_rate, 3)
        case _:
            return None


def _at_rate(output: Output, index: int, start_s: float, begin_s: float, rate: float) -> float:
    """The filter counts intervals from where reading began, wherever the output begins."""
    first = int((start_s - begin_s) * rate + 0.5)
    if "round=up" in output.filters:
        return begin_s + (first + index) / rate
    return begin_s + max(0.0, (first + index + 0.5) / rate - _HALF_FRAME_S)


_HALF_FRAME_S = 0.02
"""The last frame before a moment began up to a frame earlier; half of one at 25 a second."""


def seconds(text: str | None) -> float | None:
    """`12`, `12.5`, `1:02:03.5`, `500ms` as seconds; None for anything else."""
    match = _CLOCK.fullmatch(text.strip()) if text else None
    if match is None:
        return None
    sign, hours, minutes, rest, unit = match.groups()
    value = int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(rest)
    value *= {"ms": 1e-3, "us": 1e-6}.get(unit or "", 1.0)
    return -value if sign else value


def _input(path: str, options: dict[str, str]) -> Input:
    start = seconds(options.get("ss")) or 0.0
    from_end = seconds(options.get("sseof"))
    plain, sparse = _has_plain_times(options), options.get("skip_frame") in ("nokey", "nointra")
    if from_end is not None:
        return Input(path, min(from_end, 0.0), None, plain, sparse)
    limit, to = seconds(options.get("t")), seconds(options.get("to"))
    end = start + limit if limit is not None else to
    return Input(path, start, end, plain, sparse)


def _has_plain_times(options: dict[str, str]) -> bool:
    times = [options[name] for name in ("ss", "sseof", "t", "to") if name in options]
    return all(seconds(time) is not None for time in times)


def _cuts(filters: str) -> list[tuple[float, float | None]]:
    """Stretches that `select=between(t,a,b)` and `trim` let pass, from where reading began."""
    cuts: list[tuple[float, float | None]] = [
        (float(low), float(high)) for low, high in _BETWEEN.findall(filters)
    ]
    if len(cuts) > 1:
        cuts = [(min(low for low, _ in cuts), max(high or 0.0 for _, high in cuts))]
    for text in _TRIM.findall(filters):
        named = dict(zip(("start", "end"), text.split(":"), strict=False))
        named |= dict(part.split("=", 1) for part in text.split(":") if "=" in part)
        low, high = seconds(named.get("start")) or 0.0, seconds(named.get("end"))
        length = seconds(named.get("duration"))
        cuts.append((low, low + length if high is None and length is not None else high))
    return cuts


def _positive(numerator: str, denominator: str | None) -> float | None:
    try:
        value = float(numerator) / float(denominator or 1)
    except (ValueError, ZeroDivisionError):
        return None
    return value if 0 < value < 1000 else None
