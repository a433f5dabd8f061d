"""Small real media files, made once for each test process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


def ffmpeg(*arguments: str | Path) -> None:
    """Run ffmpeg quietly; a failure fails the test."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    subprocess.run(command, check=True)


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `clip.mp4`: 4 s, 320x180 at 25 frames a second, a keyframe each second, and
    the same in other containers. The frame at second T is a flat grey of brightness 40 + 40 * T.
    """
    folder = tmp_path_factory.mktemp("clips")
    clip = folder / "clip.mp4"
    grey = "color=black:s=320x180:r=25:d=4,geq=lum='40+40*T':cb=128:cr=128"
    source = ("-f", "lavfi", "-i", grey, "-f", "lavfi", "-i", "sine=440:d=4", "-shortest")
    h264 = ("-c:v", "libx264", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac")
    ffmpeg(*source, *h264, "-movflags", "+faststart", clip)
    ffmpeg(*source, "-c:v", "mjpeg", "-q:v", "2", folder / "clip.avi")
    for name in ("clip.mkv", "clip.ts", "clip.mov"):
        ffmpeg("-i", clip, "-c:v", "copy", folder / name)
    ffmpeg("-i", clip, "-vn", folder / "tone.wav")
    ffmpeg("-i", clip, "-vn", "-c:a", "libmp3lame", folder / "tone.mp3")
    return folder


def speak(path: Path, *lines: tuple[float, str], length_s: float) -> Path:
    """A wav file of this length in which each line is spoken from its second on."""
    inputs: list[str | Path] = ["-f", "lavfi", "-i", "anullsrc=r=22050:cl=mono"]
    filters, names = [], "[0]"
    for number, (at_s, words) in enumerate(lines, 1):
        spoken = path.with_suffix(f".{number}.wav")
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "140", "-w", spoken, words], check=True)
        inputs += ["-i", spoken]
        filters.append(f"[{number}]adelay={round(at_s * 1000)}[s{number}]")
        names += f"[s{number}]"
    mixed = f"{names}amix=inputs={len(lines) + 1}:duration=first:normalize=0"
    ffmpeg(*inputs, "-filter_complex", ";".join([*filters, mixed]), "-t", str(length_s), path)
    return path
