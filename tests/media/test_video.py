"""Pictures out of real videos. The second of a frame can be told by its brightness."""

from __future__ import annotations

import itertools
from pathlib import Path

import av
import pytest

from tests.media.conftest import ffmpeg
from workbench.media.files import MediaError
from workbench.media.video import VideoFrame, frame_at, keyframes

CONTAINERS = ["clip.mp4", "clip.mkv", "clip.avi", "clip.ts", "clip.mov"]


def decoded_in_order(path: Path) -> list[tuple[float, float]]:
    """Second and mean brightness of every frame, by decoding the whole file."""
    with av.open(path) as container:
        start = (container.start_time or 0) / 1_000_000
        frames = container.decode(container.streams.video[0])
        return [(f.time - start, float(f.to_ndarray(format="rgb24").mean())) for f in frames]


def second_of(frame: VideoFrame) -> float:
    """What the picture itself says about its time: brightness is 40 + 40 * T in limited range."""
    return float((frame.pixels.mean() * 219 / 255 + 16 - 40) / 40)


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("wanted", [0.0, 0.5, 1.0, 1.98, 3.1])
def test_the_frame_on_screen_at_a_time(clips: Path, name: str, wanted: float) -> None:
    frame = frame_at(clips / name, wanted)
    truth = decoded_in_order(clips / name)
    time_s, brightness = max(f for f in truth if f[0] <= max(wanted + 0.0005, truth[0][0]))
    assert frame.time_s == pytest.approx(time_s)
    assert float(frame.pixels.mean()) == brightness


def test_a_frame_begins_at_its_time(clips: Path) -> None:
    times = [frame_at(clips / "clip.mp4", t).time_s for t in (0.999, 1.0, 1.039, 1.04)]
    assert times == [0.96, 1.0, 1.0, 1.04]


def test_times_outside_give_the_first_and_the_last(clips: Path) -> None:
    assert frame_at(clips / "clip.mp4", -5).time_s == 0
    assert frame_at(clips / "clip.mp4", 500).time_s == 3.96


@pytest.mark.parametrize("name", ["clip.mp4", "clip.mkv", "clip.ts", "clip.mov"])
def test_keyframes_come_in_order(clips: Path, name: str) -> None:
    strip = list(keyframes(clips / name, 64, 64))
    assert [frame.time_s for frame in strip] == pytest.approx([0, 1, 2, 3], abs=0.02)
    assert all(frame.pixels.shape == (36, 64, 3) for frame in strip)
    assert [second_of(frame) for frame in strip] == pytest.approx([0, 1, 2, 3], abs=0.06)


def test_a_long_strip_is_thinned_evenly(clips: Path, tmp_path: Path) -> None:
    all_keys = tmp_path / "keys.mp4"
    ffmpeg("-i", clips / "clip.mp4", "-an", "-g", "1", all_keys)
    strip = [frame.time_s for frame in keyframes(all_keys, limit=8)]
    assert len(strip) == 8
    assert all(0.4 < b - a < 0.6 for a, b in itertools.pairwise(strip))


def test_a_turned_video_is_shown_upright(clips: Path, tmp_path: Path) -> None:
    turned, upright = tmp_path / "phone.mp4", tmp_path / "upright.mp4"
    ffmpeg("-i", clips / "clip.mp4", "-metadata:s:v", "rotate=90", "-c", "copy", turned)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:d=1", upright)
    ffmpeg("-i", upright, "-metadata:s:v", "rotate=90", "-c", "copy", tmp_path / "t.mp4")
    assert frame_at(turned, 1).pixels.shape == (320, 180, 3)
    assert next(keyframes(turned, 90, 90)).pixels.shape == (90, 51, 3)
    straight = frame_at(upright, 0).pixels
    shown = frame_at(tmp_path / "t.mp4", 0).pixels
    assert (shown[:, ::-1].swapaxes(0, 1) == straight).mean() > 0.9 or (
        (shown[::-1].swapaxes(0, 1) == straight).mean() > 0.9
    )


def test_sound_alone_has_no_frames(clips: Path) -> None:
    with pytest.raises(MediaError, match="no video stream") as caught:
        frame_at(clips / "tone.wav", 0)
    assert caught.value.label == "no video"
    with pytest.raises(MediaError, match="no video stream"):
        list(keyframes(clips / "tone.wav"))


def test_a_cut_video_gives_what_it_has(clips: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.mp4"
    data = (clips / "clip.mp4").read_bytes()
    cut.write_bytes(data[: len(data) // 2])
    assert len(list(keyframes(cut))) in (1, 2, 3)
    assert frame_at(cut, 0.5).time_s == 0.48


def test_a_text_file_is_a_sentence(tmp_path: Path) -> None:
    text = tmp_path / "clip.mp4"
    text.write_text("no video here")
    with pytest.raises(MediaError, match=r"clip\.mp4 cannot be read"):
        frame_at(text, 0)
