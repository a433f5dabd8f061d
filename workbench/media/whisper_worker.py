"""The process that recognises speech: `python -m workbench.media.whisper_worker MODEL`.

JSON lines on standard input (`{"op": "transcribe", "id", "path", "language", "task", "words"}`,
`{"op": "cancel", "id"}`) and on standard output (`progress`, `segment`, then `done`, `failed` or
`cancelled`, each with the job's id). It works at idle priority, loads its model once, and ends with
its parent.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from workbench.media.files import MediaError
from workbench.media.languages import language_name
from workbench.media.sound import Stretch, stated_length_s, stretches
from workbench.media.speech import Segment, Word
from workbench.media.transcripts import segment_object
from workbench.media.voice import clips, speech_spans, trimmed
from workbench.media.whisper_model import SpeechError

if TYPE_CHECKING:
    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment as Heard

FIRST_S, REST_S = 30.0, 300.0
"""The first stretch is one window of Whisper, so that text comes soon; the rest is batched."""
SEQUENTIAL_S = 60.0
"""Shorter stretches gain nothing from batches."""
BATCH = 4
"""97 % of the speed of 8, with less memory and the first text sooner."""


class Cancelled(Exception):
    """The parent no longer wants the job."""


class Worker:
    """Takes one job after the other; a thread of its own reads what the parent sends."""

    def __init__(self, model: str, out: IO[str]) -> None:
        self._model_name = model
        self._out = out
        self._model: WhisperModel | None = None
        self._jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._cancelled: set[int] = set()

    def run(self, lines: Iterable[str]) -> None:
        """Work until the parent closes its end."""
        threading.Thread(target=self._listen, args=(lines,), daemon=True).start()
        while True:
            self._work(self._jobs.get())

    def _listen(self, lines: Iterable[str]) -> None:
        for line in lines:
            message = json.loads(line)
            if message["op"] == "cancel":
                self._cancelled.add(message["id"])
            else:
                self._jobs.put(message)
        os._exit(0)

    def _work(self, job: dict[str, Any]) -> None:
        number = job["id"]
        try:
            self._transcribe(job)
        except Cancelled:
            self._tell(number, "cancelled")
        except MediaError as error:
            self._tell(number, "failed", label=error.label, sentence=str(error))
        except Exception as error:
            sentence = f"The speech model failed: {type(error).__name__}: {error}."
            self._tell(number, "failed", label="failed", sentence=sentence)
        self._cancelled.discard(number)

    def _transcribe(self, job: dict[str, Any]) -> None:
        model = self._loaded()
        language = _checked_language(model, job["language"], job["task"])
        number, heard_s, path = job["id"], 0.0, Path(job["path"])
        total_s = stated_length_s(path)
        for stretch in stretches(path, FIRST_S, REST_S):
            self._stop_if_cancelled(number)
            found, detected = _recognise(model, stretch, language, job["task"], job["words"])
            for part in found:
                self._stop_if_cancelled(number)
                segment = part.shifted(stretch.offset_s)
                self._tell(number, "segment", segment=segment_object(segment))
                self._tell(number, "progress", heard_s=segment.end, total_s=total_s)
            language = language or detected
            heard_s = round(stretch.offset_s + stretch.length_s, 3)
            self._tell(number, "progress", heard_s=heard_s, total_s=total_s)
        self._tell(number, "done", language=language, duration_s=heard_s)

    def _loaded(self) -> WhisperModel:
        if self._model is None:
            self._model = _load(self._model_name)
        return self._model

    def _stop_if_cancelled(self, number: int) -> None:
        if number in self._cancelled:
            raise Cancelled

    def _tell(self, number: int, event: str, **fields: Any) -> None:
        self._out.write(json.dumps({"id": number, "event": event, **fields}) + "\n")
        self._out.flush()


def _load(name: str) -> WhisperModel:
    try:
        from faster_whisper import WhisperModel

        threads = min(4, os.cpu_count() or 1)
        return WhisperModel(name, device="cpu", compute_type="int8", cpu_threads=threads)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SpeechError(
            "no speech model", f"The speech model {Path(name).name} cannot be loaded: {reason}."
        ) from error


def _checked_language(model: WhisperModel, language: str | None, task: str) -> str | None:
    if model.model.is_multilingual:
        return language
    if task == "translate":
        raise SpeechError(
            "English only", "The speech model knows only English; it cannot translate."
        )
    if language not in (None, "en"):
        raise SpeechError(
            "English only",
            f"The speech model knows only English, not {language_name(language)}; leave the "
            "language out or choose a multilingual model.",
        )
    return "en"


def _recognise(
    model: WhisperModel, stretch: Stretch, language: str | None, task: str, words: bool
) -> tuple[Iterator[Segment], str | None]:
    """Segments of one stretch as they come, and its language; silence is never put into words."""
    from faster_whisper import BatchedInferencePipeline

    spans = speech_spans(stretch.samples)
    if not spans:
        return iter(()), language
    options: dict[str, Any] = {"language": language, "task": task, "word_timestamps": words}
    if stretch.length_s <= SEQUENTIAL_S:
        found, info = model.transcribe(stretch.samples, **options)
    else:
        parts = [{"start": start, "end": end} for start, end in clips(spans, stretch.length_s)]
        options |= {"batch_size": BATCH, "without_timestamps": False, "clip_timestamps": parts}
        found, info = BatchedInferencePipeline(model).transcribe(stretch.samples, **options)
    return (trimmed(_segment(heard), spans) for heard in found), info.language


def _segment(heard: Heard) -> Segment:
    words = tuple(
        Word(float(w.start), float(w.end), w.word, round(w.probability, 4))
        for w in heard.words or ()
    )
    return Segment(
        start=float(heard.start),
        end=float(heard.end),
        text=heard.text,
        words=words,
        seek=int(heard.seek),
        tokens=tuple(heard.tokens),
        temperature=float(heard.temperature or 0),
        avg_logprob=float(heard.avg_logprob),
        compression_ratio=float(heard.compression_ratio),
        no_speech_prob=float(heard.no_speech_prob),
    )


def _be_idle() -> None:
    """Run only when nothing else wants the processor; threads made later inherit it."""
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        with contextlib.suppress(OSError):
            os.nice(19)


def _private_stdout() -> IO[str]:
    """The line to the parent; whatever a library prints goes nowhere."""
    line = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return line


def main() -> None:
    """Entry of the process; the model's folder or name is its one argument."""
    _be_idle()
    Worker(sys.argv[1], _private_stdout()).run(sys.stdin)


if __name__ == "__main__":
    main()
