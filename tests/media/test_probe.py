"""Probing real files, whole and spoilt."""

from __future__ import annotations

import os
import socket
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from tests.media.conftest import ffmpeg
from workbench.media.probe import probe


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.avi", "clip.ts", "clip.mov"])
def test_a_video_is_described_in_every_container(clips: Path, name: str) -> None:
    info = probe(clips / name)
    assert (info.kind, info.width, info.height, info.fps) == ("video", 320, 180, 25.0)
    assert info.duration_s == pytest.approx(4, abs=0.2)
    assert info.has_audio
    assert info.problem is None
    assert info.size_bytes == (clips / name).stat().st_size


@pytest.mark.parametrize(("name", "codec"), [("tone.wav", "pcm_s16le"), ("tone.mp3", "mp3float")])
def test_sound_is_audio(clips: Path, name: str, codec: str) -> None:
    info = probe(clips / name)
    assert (info.kind, info.codecs, info.width) == ("audio", (codec,), None)
    assert info.duration_s == pytest.approx(4, abs=0.1)


def test_the_name_plays_no_part(clips: Path, tmp_path: Path) -> None:
    disguised = tmp_path / "notes.txt"
    disguised.write_bytes((clips / "clip.mp4").read_bytes())
    assert probe(disguised).kind == "video"
    lie = tmp_path / "clip.mp4"
    Image.new("RGB", (8, 8)).save(lie, "PNG")
    info = probe(lie)
    assert info.kind == "image"
    assert info.problem == "clip.mp4 is named like a video, but its content is png."


def test_a_cover_picture_makes_no_video(clips: Path, tmp_path: Path) -> None:
    cover, song = tmp_path / "cover.png", tmp_path / "song.mp3"
    Image.new("RGB", (64, 64), "red").save(cover)
    ffmpeg("-i", clips / "tone.mp3", "-i", cover, "-map", "0", "-map", "1", "-c:a", "copy", song)
    info = probe(song)
    assert info.kind == "audio"
    assert [stream.cover for stream in info.streams] == [False, True]
    assert info.width is None


def test_width_and_height_are_those_on_screen(clips: Path, tmp_path: Path) -> None:
    turned = tmp_path / "phone.mp4"
    ffmpeg("-i", clips / "clip.mp4", "-metadata:s:v", "rotate=90", "-c", "copy", turned)
    info = probe(turned)
    assert (info.width, info.height) == (180, 320)
    assert info.rotation in (90, 270)
    photo = tmp_path / "photo.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 20)).save(photo, exif=exif)
    info = probe(photo)
    assert (info.width, info.height, info.rotation) == (20, 40, 90)


def test_subtitle_tracks_are_counted(clips: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.srt"
    lines.write_text("1\n00:00:00,000 --> 00:00:01,000\nhello\n")
    film = tmp_path / "film.mkv"
    ffmpeg("-i", clips / "clip.mp4", "-i", lines, "-c", "copy", "-c:s", "srt", film)
    assert probe(film).n_subtitles == 1


def test_a_length_that_is_not_stated_is_measured(clips: Path, tmp_path: Path) -> None:
    live = tmp_path / "live.mkv"
    ffmpeg("-i", clips / "clip.mp4", "-c", "copy", "-live", "1", live)
    assert probe(live).duration_s == pytest.approx(4, abs=0.2)


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.avi", "tone.wav"])
def test_a_cut_file_says_so(clips: Path, tmp_path: Path, name: str) -> None:
    data = (clips / name).read_bytes()
    cut = tmp_path / name
    cut.write_bytes(data[: len(data) * 3 // 4])
    info = probe(cut)
    assert info.problem is not None
    assert info.problem.startswith(f"{name} is cut short: at least ")


def test_a_cut_file_without_its_index_says_so(clips: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.mov"
    data = (clips / "clip.mov").read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    info = probe(cut)
    assert info.kind == "video"
    assert info.problem is not None
    assert "cut short" in info.problem


@pytest.mark.parametrize(
    ("content", "kind", "container"),
    [
        (b"", "other", "empty"),
        (b"a plain text, \xc3\xa9t\xc3\xa9\n", "text", "text"),
        ("über".encode("utf-16"), "text", "text"),
        (b"BM stands for British Museum", "text", "text"),
        (b"the moov atom", "text", "text"),
        (b"%PDF-1.7\n%\xe2\xe3\n", "document", "pdf"),
        (b"{\\rtf1 hello}", "document", "rtf"),
        (b"\x7fELF\x02\x01\x01" + bytes(64), "other", "unknown"),
        (bytes(range(256)) * 64, "other", "unknown"),
    ],
)
def test_other_content(tmp_path: Path, content: bytes, kind: str, container: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    info = probe(file)
    assert (info.kind, info.container) == (kind, container)
    assert (info.problem is None) == bool(content)


def test_an_office_document_is_no_archive(tmp_path: Path) -> None:
    file = tmp_path / "letter.docx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w/>")
    assert (probe(file).kind, probe(file).container) == ("document", "docx")


def test_a_spoilt_picture_says_so(tmp_path: Path) -> None:
    whole = tmp_path / "whole.png"
    Image.effect_noise((200, 200), 50).save(whole)
    assert probe(whole).problem is None
    cut = tmp_path / "cut.png"
    cut.write_bytes(whole.read_bytes()[:-500])
    assert probe(cut).problem == (
        "cut.png is cut short: at least 488 bytes are missing at its end."
    )
    false = tmp_path / "false.png"
    false.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    assert probe(false).problem is not None


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)
    assert probe(pipe).problem == "pipe.mp4 is a pipe, not a regular file."
    assert probe(tmp_path).problem == f"{tmp_path.name} is a folder, not a regular file."
    assert probe(Path("/dev/zero")).problem == "zero is a device, not a regular file."
    assert probe(tmp_path / "none.mp4").problem == "none.mp4 is not there."
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert probe(tmp_path / "s").problem == "s is a socket, not a regular file."


def test_a_playlist_leads_to_no_other_file(clips: Path, tmp_path: Path) -> None:
    for name, text in (
        ("a.mp4", f"#EXTM3U\n#EXTINF:4,\nfile://{clips}/clip.ts\n#EXT-X-ENDLIST\n"),
        ("b.mp4", f"ffconcat version 1.0\nfile '{clips}/clip.mp4'\n"),
        ("c.mp4", f"v=0\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\na=control:{clips}/clip.ts\n"),
    ):
        (tmp_path / name).write_text(text)
        info = probe(tmp_path / name)
        assert info.kind == "text"
        binary = tmp_path / f"binary-{name}"
        binary.write_bytes(text.encode() + b"\0\1")
        assert (probe(binary).kind, probe(binary).streams) == ("other", ())


def test_a_gif_counts_its_pictures(tmp_path: Path) -> None:
    file = tmp_path / "anim.gif"
    pictures = [Image.new("RGB", (10, 10), colour) for colour in ("red", "green", "blue")]
    pictures[0].save(file, save_all=True, append_images=pictures[1:])
    assert (probe(file).kind, probe(file).frames) == ("image", 3)
