"""Transcript files: written as OpenAI's whisper writes them, read whoever wrote them.

The written forms follow `whisper/utils.py` of openai-whisper (20240930): file name
`<stem>.<format>`, text without its leading space, times rounded to milliseconds.
"""

from __future__ import annotations

import json
from typing import Any, Literal, get_args

from workbench.media.speech import Segment, Transcript, Word

Format = Literal["txt", "vtt", "srt", "tsv", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)


def write(transcript: Transcript, kind: Format) -> str:
    """The transcript as the content of a file of this kind."""
    writers = {"txt": _txt, "vtt": _vtt, "srt": _srt, "tsv": _tsv, "json": _json}
    return writers[kind](transcript)


def timestamp(seconds: float, *, hours: bool = False, mark: str = ".") -> str:
    """`[HH:]MM:SS.mmm`; hours stand there when asked for or not zero."""
    millis = round(max(0.0, seconds) * 1000)
    hour, millis = divmod(millis, 3_600_000)
    minute, millis = divmod(millis, 60_000)
    second, millis = divmod(millis, 1000)
    prefix = f"{hour:02d}:" if hours or hour else ""
    return f"{prefix}{minute:02d}:{second:02d}{mark}{millis:03d}"


def _txt(transcript: Transcript) -> str:
    return "".join(f"{segment.text.strip()}\n" for segment in transcript.segments)


def _tsv(transcript: Transcript) -> str:
    rows = ["start\tend\ttext\n"]
    for segment in transcript.segments:
        text = segment.text.strip().replace("\t", " ")
        rows.append(f"{round(1000 * segment.start)}\t{round(1000 * segment.end)}\t{text}\n")
    return "".join(rows)


def _vtt(transcript: Transcript) -> str:
    cues = [f"{_times(s, hours=False, mark='.')}\n{_cue_text(s)}\n\n" for s in transcript.segments]
    return "WEBVTT\n\n" + "".join(cues)


def _srt(transcript: Transcript) -> str:
    return "".join(
        f"{number}\n{_times(segment, hours=True, mark=',')}\n{_cue_text(segment)}\n\n"
        for number, segment in enumerate(transcript.segments, 1)
    )


def _times(segment: Segment, *, hours: bool, mark: str) -> str:
    """A cue's times: those of its words, where there are any."""
    start = segment.words[0].start if segment.words else segment.start
    end = segment.words[-1].end if segment.words else segment.end
    return " --> ".join(timestamp(time, hours=hours, mark=mark) for time in (start, end))


def _cue_text(segment: Segment) -> str:
    text = "".join(word.text for word in segment.words) if segment.words else segment.text
    return text.strip().replace("-->", "->")


def _json(transcript: Transcript) -> str:
    return json.dumps(to_whisper(transcript))


def to_whisper(transcript: Transcript) -> dict[str, Any]:
    """The result object of `whisper.transcribe`: text, segments, language."""
    return {
        "text": transcript.text,
        "segments": [segment_object(s, i) for i, s in enumerate(transcript.segments)],
        "language": transcript.language,
    }


def segment_object(segment: Segment, number: int = 0) -> dict[str, Any]:
    """A segment as an object of whisper's JSON."""
    out: dict[str, Any] = {
        "id": number,
        "seek": segment.seek,
        "start": segment.start,
        "end": segment.end,
        "text": segment.text,
        "tokens": list(segment.tokens),
        "temperature": segment.temperature,
        "avg_logprob": segment.avg_logprob,
        "compression_ratio": segment.compression_ratio,
        "no_speech_prob": segment.no_speech_prob,
    }
    if segment.words:
        out["words"] = [
            {"word": w.text, "start": w.start, "end": w.end, "probability": w.probability}
            for w in segment.words
        ]
    return out


def from_whisper(value: Any) -> Transcript:
    """The inverse of `to_whisper`; also takes bare segment lists and lists of `[start, end, text]`.

    Raises:
        ValueError: if the value is no transcript.
    """
    whole: dict[str, Any] = value if isinstance(value, dict) else {"segments": value}
    raw = whole.get("segments")
    if not isinstance(raw, list) or not all(_is_segment(item) for item in raw):
        raise ValueError("no list of segments")
    if not raw and not isinstance(value, dict):
        raise ValueError("an empty list")
    return Transcript(
        segments=tuple(segment_from(item) for item in raw),
        language=_string(whole.get("language")),
        duration_s=_number(whole.get("duration"), None),
        model=_string(whole.get("model")),
    )


def _is_segment(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        return False
    return _number(item.get("start"), None) is not None


def segment_from(item: dict[str, Any]) -> Segment:
    """A segment object of whisper; it must have a `start` and a `text`."""
    start = _number(item["start"], 0.0) or 0.0
    tokens = item.get("tokens")
    words = item.get("words")
    return Segment(
        start=start,
        end=_number(item.get("end"), start) or start,
        text=item["text"],
        words=tuple(_words_in(words)) if isinstance(words, list) else (),
        seek=int(_number(item.get("seek"), 0.0) or 0),
        tokens=tuple(t for t in tokens if isinstance(t, int)) if isinstance(tokens, list) else (),
        temperature=_number(item.get("temperature"), 0.0) or 0.0,
        avg_logprob=_number(item.get("avg_logprob"), None),
        compression_ratio=_number(item.get("compression_ratio"), 0.0) or 0.0,
        no_speech_prob=_number(item.get("no_speech_prob"), 0.0) or 0.0,
    )


def _words_in(raw: list[Any]) -> list[Word]:
    words = []
    for item in raw:
        if isinstance(item, dict) and isinstance(item.get("word"), str):
            start, end = _number(item.get("start"), None), _number(item.get("end"), None)
            if start is not None and end is not None:
                probability = _number(item.get("probability", item.get("score")), 1.0) or 0.0
                words.append(Word(start, end, item["word"], probability))
    return words


def _number(value: Any, default: float | None) -> float | None:
    """A finite number, else the default; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value) if abs(value) < 1e12 else default


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
