"""Transcript files: the exact bytes of OpenAI's whisper, and reading everybody's."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.media.recognise import recognise, recognise_file
from workbench.media.speech import Segment, Transcript, Word
from workbench.media.transcripts import FORMATS, from_whisper, timestamp, to_whisper, write

SAID = Transcript(
    segments=(
        Segment(0.0, 1.5, " Are you\tready?", seek=0, tokens=(50363, 4231), avg_logprob=-0.25),
        Segment(3661.25, 3662.0005, " Here it comes --> now."),
    ),
    language="en",
)

EXPECTED = {
    "txt": "Are you\tready?\nHere it comes --> now.\n",
    "tsv": "start\tend\ttext\n0\t1500\tAre you ready?\n3661250\t3662000\tHere it comes --> now.\n",
    "srt": (
        "1\n00:00:00,000 --> 00:00:01,500\nAre you\tready?\n\n"
        "2\n01:01:01,250 --> 01:01:02,000\nHere it comes -> now.\n\n"
    ),
    "vtt": (
        "WEBVTT\n\n00:00.000 --> 00:01.500\nAre you\tready?\n\n"
        "01:01:01.250 --> 01:01:02.000\nHere it comes -> now.\n\n"
    ),
}


@pytest.mark.parametrize(("kind", "content"), EXPECTED.items())
def test_files_are_those_of_whisper(kind: str, content: str) -> None:
    assert {name: write(SAID, name) for name in FORMATS}[kind] == content  # type: ignore[index]


def test_json_has_the_keys_of_whisper() -> None:
    value = json.loads(write(SAID, "json"))
    assert list(value) == ["text", "segments", "language"]
    assert value["text"] == " Are you\tready? Here it comes --> now."
    assert list(value["segments"][0]) == [
        *("id", "seek", "start", "end", "text", "tokens", "temperature"),
        *("avg_logprob", "compression_ratio", "no_speech_prob"),
    ]
    assert value["segments"][1]["id"] == 1


def test_words_give_a_cue_its_times() -> None:
    words = (Word(0.4, 0.8, " Are", 0.9), Word(0.8, 1.1, " you?", 0.5))
    spoken = Transcript((Segment(0.0, 1.5, " Are you?", words=words),))
    assert write(spoken, "srt") == "1\n00:00:00,400 --> 00:00:01,100\nAre you?\n\n"
    assert write(spoken, "tsv") == "start\tend\ttext\n0\t1500\tAre you?\n"
    assert json.loads(write(spoken, "json"))["segments"][0]["words"][1] == {
        "word": " you?",
        "start": 0.8,
        "end": 1.1,
        "probability": 0.5,
    }
    assert from_whisper(to_whisper(spoken)) == spoken


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "00:00.000"), (59.9996, "01:00.000"), (3600, "01:00:00.000"), (-1, "00:00.000")],
)
def test_timestamps(seconds: float, shown: str) -> None:
    assert timestamp(seconds) == shown


@pytest.mark.parametrize("kind", ["srt", "vtt", "tsv", "json"])
def test_what_is_written_is_recognised(kind: str) -> None:
    content = {name: write(SAID, name) for name in FORMATS}[kind]  # type: ignore[index]
    found = recognise(content.encode())
    assert found is not None
    assert found.format == kind
    times = [(s.start, s.end) for s in found.transcript.segments]
    assert times == [(0.0, 1.5), (3661.25, 3662.0 if kind != "json" else 3662.0005)]
    assert "ready?" in found.transcript.segments[0].text


@pytest.mark.parametrize(
    ("content", "kind", "segments"),
    [
        (
            "WEBVTT - made by hand\n\nSTYLE\n::cue { color: red }\n\nNOTE 00:00.000 --> 00:09.000\n"
            "\nintro\n00:01.000 --> 00:02.500 align:start\n<v Ann>Hello <i>you</i> &amp; me\n",
            "vtt",
            [(1.0, 2.5, " Hello you & me")],
        ),
        (
            "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\n<b>One</b>\r\ntwo\r\n\r\n",
            "srt",
            [(1.0, 2.0, " One two")],
        ),
        (
            "[ar:x]\n[00:01.50]La\n[00:03]\n[01:00.5]li\n",
            "lrc",
            [(1.5, 3.0, " La"), (60.5, 60.5, " li")],
        ),
        ("[00:00.000 --> 00:02.000]  Hi\nnoise\n", "printed", [(0.0, 2.0, " Hi")]),
        ('[{"start": 1, "end": 2.5, "text": "Hi"}]', "json", [(1.0, 2.5, "Hi")]),
        ('{"text": "", "segments": [], "language": "en"}', "json", []),
        (
            '{"transcription": [{"offsets": {"from": 10, "to": 900}, "text": " Hi"}]}',
            "json",
            [(0.01, 0.9, " Hi")],
        ),
    ],
)  # fmt: skip
def test_transcripts_of_others(
    content: str, kind: str, segments: list[tuple[float, float, str]]
) -> None:
    found = recognise(content.encode())
    assert found is not None
    assert found.format == kind
    assert [(s.start, s.end, s.text) for s in found.transcript.segments] == segments


@pytest.mark.parametrize(
    "content",
    [
        "",
        "just text",
        "[12:30] Ann: hello\n[12:31] Bob: hi\n",
        "{}",
        "[]",
        "[1, 2]",
        "[[[[",
        '{"segments": "x"}',
        '{"segments": [{"start": "a", "text": "b"}]}',
        '{"transcription": [{"text": 1}]}',
        '[{"name": "x"}]',
        "start\tstop\n",
        "[" * 100_000,
    ],
)
def test_other_files_are_not_transcripts(content: str) -> None:
    assert recognise(content.encode()) is None


@given(
    st.binary(max_size=300) | st.text(alphabet='0123456789:,.->[]{}"\n start\ttext', max_size=80)
)
def test_no_content_raises(content: bytes | str) -> None:
    recognise(content if isinstance(content, bytes) else content.encode())


def test_a_pipe_is_no_transcript(tmp_path: Path) -> None:
    assert recognise_file(tmp_path) is None
    assert recognise_file(tmp_path / "none.srt") is None
    (tmp_path / "a.txt").write_text(EXPECTED["srt"])
    assert recognise_file(tmp_path / "a.txt") is not None


def test_a_segment_moves_with_its_words() -> None:
    segment = replace(SAID.segments[0], words=(Word(0.5, 1.0, " Are"),)).shifted(30)
    assert (segment.start, segment.end, segment.seek) == (30.0, 31.5, 3000)
    assert segment.words[0].start == 30.5
    assert segment.confidence == 0.7788
