"""Recognising speech without disturbing anybody: one idle-priority process, results remembered."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from workbench.media.files import open_regular
from workbench.media.speech import Segment, Transcript
from workbench.media.transcripts import from_whisper, segment_from, to_whisper
from workbench.media.whisper_model import SpeechError, WhisperModel, find_model
from workbench.media.whisper_process import WhisperProcess

OnProgress = Callable[["Progress"], None]
OnSegment = Callable[[Segment], None]


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """What is asked of the model. `language` is a code such as "en"; None lets it find out."""

    language: str | None = None
    task: Literal["transcribe", "translate"] = "transcribe"
    word_timestamps: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Seconds of the file done, of how many; `total_s` is None where the file does not say."""

    heard_s: float
    total_s: float | None


class Transcriber:
    """Turns the sound of files into transcripts, one file at a time.

    The child process starts with the first file, keeps its model, and is replaced when it dies. A
    transcript is remembered in `cache` by the content of the file, the options and the model.
    """

    def __init__(self, cache: Path | None = None, recorded: Sequence[Path] = ()) -> None:
        """Nothing is started yet.

        Args:
            cache: folder of remembered transcripts, made when needed; None remembers nothing.
            recorded: transcripts that came with their media (`*.transcript.json`), used where no
                model is installed.
        """
        self._cache = cache
        self._recorded = recorded
        self._process: WhisperProcess | None = None
        self._turn = asyncio.Lock()

    async def transcribe(
        self,
        path: Path,
        options: SpeechOptions = SpeechOptions(),
        on_progress: OnProgress = lambda _progress: None,
        on_segment: OnSegment = lambda _segment: None,
    ) -> Transcript:
        """The speech of a video or audio file. Cancelling the awaiting task ends the work.

        Args:
            path: the file; only regular ones are read.
            options: language, task and word times.
            on_progress: told how far it is, on the event loop.
            on_segment: told each segment as soon as it is known, on the event loop.

        Raises:
            MediaError: if the file has no sound or cannot be read.
            SpeechError: if there is no model, it does not know the language, or its process died.
        """
        content = await asyncio.to_thread(_content_hash, path)
        model = self._model_or_recording(content, options)
        if isinstance(model, Transcript):
            return _replayed(model, on_progress, on_segment)
        entry = self._entry(content, options, model)
        async with self._turn:
            known = await asyncio.to_thread(_load, entry)
            if known is not None:
                return _replayed(known, on_progress, on_segment)
            transcript = await self._recognised(path, options, model, on_progress, on_segment)
            await asyncio.to_thread(_save, entry, transcript)
            return transcript

    async def close(self) -> None:
        """End the child process. Safe to call twice."""
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _recognised(
        self,
        path: Path,
        options: SpeechOptions,
        model: WhisperModel,
        on_progress: OnProgress,
        on_segment: OnSegment,
    ) -> Transcript:
        process = await self._running(model)
        segments: list[Segment] = []
        request = {
            "path": str(path),
            "language": options.language,
            "task": options.task,
            "words": options.word_timestamps,
        }
        async with contextlib.aclosing(process.ask(request)) as events:
            async for event in events:
                if event["event"] == "segment":
                    segments.append(segment_from(event["segment"]))
                    on_segment(segments[-1])
                elif event["event"] == "progress":
                    on_progress(Progress(event["heard_s"], event["total_s"]))
                elif event["event"] == "failed":
                    raise SpeechError(event["label"], event["sentence"])
                else:
                    length_s = event["duration_s"]
                    return Transcript(tuple(segments), event["language"], length_s, model.name)
        raise SpeechError("crashed", f"The speech process ended ({process.ending}); try again.")

    async def _running(self, model: WhisperModel) -> WhisperProcess:
        """The child for this model, ready for a job."""
        process = self._process
        if process is not None and not (process.model == model and await process.is_ready()):
            await self.close()
        if self._process is None:
            self._process = await WhisperProcess.start(model)
        return self._process

    def _model_or_recording(
        self, content: str, options: SpeechOptions
    ) -> WhisperModel | Transcript:
        try:
            return find_model()
        except SpeechError:
            for path in self._recorded:
                recording = _recording(path, content, options)
                if recording is not None:
                    return recording
            raise

    def _entry(self, content: str, options: SpeechOptions, model: WhisperModel) -> Path | None:
        if self._cache is None:
            return None
        key = json.dumps([content, asdict(options), model.identity])
        return self._cache / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def _replayed(known: Transcript, on_progress: OnProgress, on_segment: OnSegment) -> Transcript:
    for segment in known.segments:
        on_segment(segment)
    on_progress(Progress(known.duration_s or 0.0, known.duration_s))
    return known


def _content_hash(path: Path) -> str:
    with open_regular(path) as descriptor, open(descriptor, "rb", closefd=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _stored(transcript: Transcript) -> dict[str, Any]:
    """Whisper's own form, and what it lacks."""
    extra = {"duration": transcript.duration_s, "model": transcript.model}
    return {**to_whisper(transcript), **extra}


def _load(entry: Path | None) -> Transcript | None:
    """A remembered transcript; a spoilt or foreign file counts as none."""
    if entry is None:
        return None
    try:
        return from_whisper(json.loads(entry.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return None


def _save(entry: Path | None, transcript: Transcript) -> None:
    """Write whole or not at all; a full disk costs only the memory of it."""
    if entry is None:
        return
    with contextlib.suppress(OSError):
        entry.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=entry.parent, suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(_stored(transcript), file)
            os.replace(name, entry)
        except OSError:
            os.unlink(name)
            raise


def record(media: Path, transcript: Transcript) -> str:
    """The content of a `*.transcript.json` that ships with `media`: see `Transcriber`.

    Raises:
        MediaError: if the media file cannot be read.
    """
    return json.dumps({"media_sha256": _content_hash(media), **_stored(transcript)}, indent=1)


def _recording(path: Path, content: str, options: SpeechOptions) -> Transcript | None:
    """The transcript in `path` if it belongs to this content and answers these options."""
    try:
        value = json.loads(path.read_bytes())
        transcript = from_whisper(value)
        matches = value["media_sha256"] == content
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not matches or options.task == "translate":
        return None
    if options.language not in (None, transcript.language):
        return None
    segments = transcript.segments
    if not options.word_timestamps:
        segments = tuple(replace(segment, words=()) for segment in segments)
    return replace(transcript, segments=segments, model=f"{transcript.model}, recorded")
