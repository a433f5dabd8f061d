"""Recognising a transcript by its content: srt, vtt, tsv, lrc, JSON, and what whisper prints."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from workbench.media.files import MediaError, read_bytes
from workbench.media.speech import Segment, Transcript
from workbench.media.transcripts import from_whisper

MAX_BYTES = 16 * 1024 * 1024
"""The longest file that is taken for a transcript."""

TranscriptFormat = Literal["srt", "vtt", "tsv", "lrc", "json", "printed"]


@dataclass(frozen=True, slots=True)
class Recognised:
    """A transcript and the form that it stood in."""

    format: TranscriptFormat
    transcript: Transcript


_CLOCK = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_CUE = re.compile(rf"^\s*{_CLOCK}\s+-->\s+{_CLOCK}", re.MULTILINE)
_PRINTED = re.compile(rf"^\[{_CLOCK} --> {_CLOCK}\]\s*(.*)$", re.MULTILINE)
_SRT_HEAD = re.compile(rf"\A\s*\d+\s*\n\s*{_CLOCK}\s+-->")
_TSV_HEAD = "start\tend\ttext"
_LRC_LINE = re.compile(r"^((?:\[\d{1,3}:\d{2}(?:[.:]\d{1,3})?\])+)(.*)$", re.MULTILINE)
_LRC_TIME = re.compile(r"\[(\d{1,3}):(\d{2})(?:[.:](\d{1,3}))?\]")
_TAG = re.compile(r"<[^<>\n]{1,200}>|\{\\[^{}\n]{1,80}\}")


def recognise_file(path: Path) -> Recognised | None:
    """The transcript in a file, or None where it holds none or is no readable regular file."""
    try:
        return recognise(read_bytes(path, MAX_BYTES))
    except MediaError:
        return None


def recognise(data: bytes) -> Recognised | None:
    """The transcript in these bytes, or None. Never raises."""
    try:
        text = data[:MAX_BYTES].decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = text.replace("\r\n", "\n")
    head = text.lstrip()[:1]
    if head in ("{", "["):
        found = _from_json(text)
        if found is not None:
            return found
    if text.startswith("WEBVTT"):
        return Recognised("vtt", Transcript(tuple(_cues(text))))
    if _SRT_HEAD.match(text):
        return Recognised("srt", Transcript(tuple(_cues(text))))
    if text.startswith(_TSV_HEAD):
        return Recognised("tsv", Transcript(tuple(_rows(text))))
    return _lined(text)


def _lined(text: str) -> Recognised | None:
    printed = [
        Segment(_clock(*m.groups()[:4]), _clock(*m.groups()[4:8]), f" {m[9]}")
        for m in _PRINTED.finditer(text)
    ]
    if printed:
        return Recognised("printed", Transcript(tuple(printed)))
    sung = _lyrics(text)
    return Recognised("lrc", Transcript(tuple(sung))) if sung else None


def _from_json(text: str) -> Recognised | None:
    try:
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("transcription"), list):
            return Recognised("json", _whisper_cpp(value))
        return Recognised("json", from_whisper(value))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _whisper_cpp(value: dict[str, Any]) -> Transcript:
    """The JSON of whisper.cpp: offsets in milliseconds."""
    segments = [
        Segment(part["offsets"]["from"] / 1000, part["offsets"]["to"] / 1000, part["text"])
        for part in value["transcription"]
    ]
    language = value.get("result", {}).get("language")
    return Transcript(tuple(segments), language=language)


def _clock(hour: str | None, minute: str, second: str, fraction: str) -> float:
    whole = int(hour or 0) * 3600 + int(minute) * 60 + int(second)
    return round(whole + float(f"0.{fraction}"), 3)


def _cues(text: str) -> Iterator[Segment]:
    """SubRip and WebVTT cues: everything from a line of times to the next blank line."""
    for block in re.split(r"\n[ \t]*\n", text):
        times = _CUE.search(block)
        if times is None or block.lstrip().startswith("NOTE"):
            continue
        _, _, body = block[times.end() :].partition("\n")
        said = " ".join(html.unescape(_TAG.sub("", body)).split())
        groups = times.groups()
        yield Segment(_clock(*groups[:4]), _clock(*groups[4:8]), f" {said}")


def _rows(text: str) -> Iterator[Segment]:
    for line in text.splitlines()[1:]:
        start, _, rest = line.partition("\t")
        end, _, said = rest.partition("\t")
        if start.isdigit() and end.isdigit() and len(start + end) < 30:
            yield Segment(int(start) / 1000, int(end) / 1000, f" {said}")


def _lyrics(text: str) -> list[Segment]:
    """LRC lines, each until the next; a line may carry several times.

    Lines without any fraction of a second are a chat or a log, not a song.
    """
    stamps = [
        (minute, second, fraction, line[2].strip())
        for line in _LRC_LINE.finditer(text)
        for minute, second, fraction in _LRC_TIME.findall(line[1])
    ]
    if not any(fraction for _, _, fraction, _ in stamps):
        return []
    starts = sorted(
        (_clock(None, m, s, fraction or "0"), words) for m, s, fraction, words in stamps
    )
    sung = [Segment(start, start, f" {words}") for start, words in starts]
    later = [*[segment.start for segment in sung[1:]], sung[-1].start] if sung else []
    ended = [replace(s, end=end) for s, end in zip(sung, later, strict=True)]
    return [segment for segment in ended if segment.text.strip()]
