"""Recognising real (synthetic) speech with a real model in a real child process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.media.conftest import ffmpeg, speak
from workbench.media.files import MediaError
from workbench.media.speech import Segment, Transcript
from workbench.media.transcribe import Progress, SpeechOptions, Transcriber, record
from workbench.media.whisper_model import SpeechError, find_model

READY = "Are you ready? Here it comes."


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds of video; somebody speaks from second 2 on."""
    folder = tmp_path_factory.mktemp("talk")
    spoken = speak(folder / "talk.wav", (2.0, READY), length_s=6)
    video = folder / "talk.mp4"
    ffmpeg("-f", "lavfi", "-i", "color=red:s=64x64:r=5:d=6", "-i", spoken, video)
    return video


@pytest.fixture
async def transcriber(tmp_path: Path) -> AsyncIterator[Transcriber]:
    made = Transcriber(tmp_path / "cache")
    yield made
    await made.close()


async def worker_of(transcriber: Transcriber, path: Path) -> tuple[asyncio.Task[Transcript], int]:
    """A running job and the process id of its worker, once it has begun to listen."""
    begun = asyncio.Event()
    task = asyncio.create_task(transcriber.transcribe(path, on_progress=lambda _p: begun.set()))
    await begun.wait()
    process = transcriber._process
    assert process is not None
    return task, process.pid


async def test_speech_with_its_times_and_words(transcriber: Transcriber, talk: Path) -> None:
    told: list[Segment] = []
    progress: list[Progress] = []
    transcript = await transcriber.transcribe(
        talk, SpeechOptions(word_timestamps=True), progress.append, told.append
    )
    assert "are you ready" in transcript.text.lower()
    assert (transcript.language, transcript.model) == ("en", "tiny.en")
    assert transcript.duration_s == pytest.approx(6, abs=0.1)
    ready = next(word for segment in told for word in segment.words if "ready" in word.text)
    assert 2.2 < ready.start < 3.2
    assert tuple(told) == transcript.segments
    assert progress[-1].heard_s == transcript.duration_s
    assert progress[-1].total_s == pytest.approx(6, abs=0.1)


async def test_a_result_is_remembered_by_content(
    transcriber: Transcriber, talk: Path, tmp_path: Path
) -> None:
    first = await transcriber.transcribe(talk)
    await transcriber.close()
    copy = tmp_path / "another name.bin"
    copy.write_bytes(talk.read_bytes())
    told: list[Segment] = []
    assert await transcriber.transcribe(copy, on_segment=told.append) == first
    assert tuple(told) == first.segments
    assert transcriber._process is None
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_text("{torn")
    assert await transcriber.transcribe(copy) == first


async def test_long_files_keep_their_times(transcriber: Transcriber, tmp_path: Path) -> None:
    lines = ((4.0, READY), (41.0, "The second sentence is here."), (110.0, "Now we say goodbye."))
    path = speak(tmp_path / "long.wav", *lines, length_s=120)
    transcript = await transcriber.transcribe(path)
    starts = {
        word: next((s.start for s in transcript.segments if word in s.text.lower()), None)
        for word in ("ready", "second", "goodbye")
    }
    assert starts["second"] == pytest.approx(41, abs=1)
    assert starts["goodbye"] == pytest.approx(110, abs=1)
    assert starts["ready"] is not None
    assert starts["ready"] < 7
    assert all(segment.end <= 120 for segment in transcript.segments)


async def test_a_cancelled_job_leaves_the_worker_for_the_next(
    transcriber: Transcriber, talk: Path, tmp_path: Path
) -> None:
    long = speak(tmp_path / "long.wav", *((t, READY) for t in range(0, 290, 5)), length_s=290)
    task, pid = await worker_of(transcriber, long)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "ready" in (await transcriber.transcribe(talk)).text.lower()
    assert transcriber._process is not None
    assert transcriber._process.pid == pid


async def test_a_killed_worker_costs_its_job_only(
    transcriber: Transcriber, talk: Path, tmp_path: Path
) -> None:
    long = speak(tmp_path / "long.wav", *((t, READY) for t in range(0, 200, 5)), length_s=200)
    task, pid = await worker_of(transcriber, long)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(SpeechError, match="signal SIGKILL") as caught:
        await task
    assert caught.value.label == "crashed"
    assert "ready" in (await transcriber.transcribe(talk)).text.lower()


async def test_the_worker_is_idle_and_ends_with_its_parent(
    transcriber: Transcriber, talk: Path
) -> None:
    await transcriber.transcribe(talk)
    process = transcriber._process
    assert process is not None
    assert os.sched_getscheduler(process.pid) == os.SCHED_IDLE
    assert process._process.stdin is not None
    process._process.stdin.close()
    assert await process._process.wait() == 0


async def test_silence_is_not_put_into_words(transcriber: Transcriber, tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.wav"
    ffmpeg("-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "8", quiet)
    transcript = await transcriber.transcribe(quiet)
    assert transcript.segments == ()
    assert transcript.duration_s == 8.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (SpeechOptions(language="fr"), "knows only English, not French"),
        (SpeechOptions(task="translate"), "cannot translate"),
    ],
)
async def test_an_english_model_says_what_it_cannot(
    transcriber: Transcriber, talk: Path, options: SpeechOptions, sentence: str
) -> None:
    with pytest.raises(SpeechError, match=sentence):
        await transcriber.transcribe(talk, options)


async def test_files_without_sound_are_sentences(transcriber: Transcriber, tmp_path: Path) -> None:
    mute = tmp_path / "mute.mp4"
    ffmpeg("-f", "lavfi", "-i", "color=red:s=64x64:r=5:d=1", mute)
    with pytest.raises(SpeechError, match=r"^mute\.mp4 has no sound\.$"):
        await transcriber.transcribe(mute)
    text = tmp_path / "text.wav"
    text.write_text("no sound")
    with pytest.raises(SpeechError, match=r"^text\.wav cannot be read"):
        await transcriber.transcribe(text)
    with pytest.raises(MediaError, match=r"^none\.wav is not there\.$"):
        await transcriber.transcribe(tmp_path / "none.wav")
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    with pytest.raises(MediaError, match="pipe"):
        await transcriber.transcribe(pipe)


async def test_without_a_model_a_sentence_says_how_to_get_one(
    transcriber: Transcriber, talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_WHISPER_MODEL", str(tmp_path))
    with pytest.raises(SpeechError, match=r"there is no model\.bin in it"):
        await transcriber.transcribe(talk)
    monkeypatch.setenv("WORKBENCH_WHISPER_MODEL", "surely-not-a-model")
    with pytest.raises(SpeechError, match="The speech model surely-not-a-model cannot be loaded"):
        await transcriber.transcribe(talk)


async def test_a_recording_stands_in_where_there_is_no_model(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Transcript((Segment(2.0, 3.0, " Are you ready?"),), "en", 6.0, "tiny.en")
    recording = tmp_path / "talk.transcript.json"
    recording.write_text(record(talk, words))
    broken = tmp_path / "broken.transcript.json"
    broken.write_text("[]")
    monkeypatch.setenv("WORKBENCH_WHISPER_MODEL", str(tmp_path))
    transcriber = Transcriber(recorded=[broken, recording])
    told: list[Segment] = []
    found = await transcriber.transcribe(talk, on_segment=told.append)
    assert found == replace(words, model="tiny.en, recorded")
    assert tuple(told) == words.segments
    with pytest.raises(SpeechError):
        await transcriber.transcribe(talk, SpeechOptions(language="fr"))
    other = tmp_path / "other.mp4"
    other.write_bytes(talk.read_bytes() + b"x")
    with pytest.raises(SpeechError):
        await transcriber.transcribe(other)


def test_the_model_can_be_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "base-int8"
    folder.mkdir()
    (folder / "model.bin").write_bytes(b"weights")
    monkeypatch.setenv("WORKBENCH_WHISPER_MODEL", str(folder))
    model = find_model()
    assert (model.location, model.name) == (str(folder), "base-int8")
    before = model.identity
    (folder / "model.bin").write_bytes(b"other weights")
    assert find_model().identity != before


async def test_secrets_stay_with_the_parent(
    transcriber: Transcriber, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    await transcriber.transcribe(talk)
    assert transcriber._process is not None
    environment = Path(f"/proc/{transcriber._process.pid}/environ").read_bytes()
    assert b"sk-secret" not in environment
    assert b"HF_HUB_OFFLINE=1" in environment


async def test_the_memory_holds_what_whisper_would_write(
    transcriber: Transcriber, talk: Path, tmp_path: Path
) -> None:
    await transcriber.transcribe(talk)
    (entry,) = (tmp_path / "cache").iterdir()
    value = json.loads(entry.read_text())
    assert set(value) == {"text", "segments", "language", "duration", "model"}
