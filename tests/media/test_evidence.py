"""What commands look at, listen to and make: real command lines, and real ffmpeg beside them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.media.conftest import ffmpeg
from workbench.media.badge import badge
from workbench.media.evidence import Look, Origin, clean_path, frame_times, looks, made_from
from workbench.media.ffmpeg_line import seconds

KNOWN = {"inputs/clip.mp4": 60.0, "inputs/talk.wav": 30.0, "inputs/odd.mkv": None}
CLIP = "inputs/clip.mp4"

Spans = list[tuple[float, float]]

SEEN: dict[str, Spans] = {
    "ffmpeg -ss 12 -i inputs/clip.mp4 -frames:v 1 f.png": [(12, 13)],
    "ffmpeg -y -i inputs/clip.mp4 -ss 00:00:12.5 -vframes 1 f.jpg": [(12.5, 13.5)],
    "ffmpeg -i inputs/clip.mp4 -vf fps=1 frames/f_%03d.png": [(0, 60)],
    "ffmpeg -i inputs/clip.mp4 -r 1 frames/f_%03d.png": [(0, 60)],
    "ffmpeg -ss 10 -t 6 -i inputs/clip.mp4 -vf fps=2,scale=320:-1 f_%03d.png": [(10, 16)],
    "ffmpeg -ss 10 -to 16 -i inputs/clip.mp4 -vf fps=2 f_%03d.png": [(10, 16)],
    "ffmpeg -ss 10 -i inputs/clip.mp4 -t 6 -vf fps=2 f_%03d.png": [(10, 16)],
    "ffmpeg -ss 10 -i inputs/clip.mp4 -to 6 -vf fps=2 f_%03d.png": [(10, 16)],
    "ffmpeg -i inputs/clip.mp4 -ss 10 -to 16 -vf fps=2 f_%03d.png": [(10, 16)],
    "ffmpeg -ss 10 -i inputs/clip.mp4 -ss 2 -t 3 -vf fps=2 f_%03d.png": [(12, 15)],
    "ffmpeg -sseof -5 -i inputs/clip.mp4 -vf fps=1 f_%d.png": [(55, 60)],
    "ffmpeg -ss 58 -i inputs/clip.mp4 -t 10 -vf fps=1 f_%d.png": [(58, 60)],
    "ffmpeg -i inputs/clip.mp4 -vf fps=1/20 f_%d.png": [(10, 11), (30, 31), (50, 51)],
    "ffmpeg -i inputs/clip.mp4 -vf 'fps=1/10,scale=160:-1,tile=3x2' -frames:v 1 sheet.png": [
        *((5, 6), (15, 16), (25, 26), (35, 36), (45, 46), (55, 56)),
    ],
    "ffmpeg -ss 20 -i inputs/clip.mp4 -vf fps=2 -frames:v 6 f_%d.png": [(20, 23)],
    "ffmpeg -i inputs/clip.mp4 -vf \"select='between(t,10,12)',fps=4\" f_%d.png": [(10, 12)],
    "ffmpeg -i inputs/clip.mp4 -vf \"select='between(t\\,10\\,12)'\" -vsync 0 f_%d.png": [(10, 12)],
    "ffmpeg -i inputs/clip.mp4 -vf trim=5:8,fps=1 f_%d.png": [(5, 8)],
    "ffmpeg -i inputs/clip.mp4 -vf trim=start=5:duration=2,fps=1 f_%d.png": [(5, 7)],
    "ffmpeg -i inputs/clip.mp4 -filter_complex '[0:v]fps=1[v]' -map '[v]' f_%d.png": [(0, 60)],
    "ffmpeg -ss 3 -i inputs/clip.mp4 -frames:v 1 -f image2pipe - | tesseract - -": [(3, 4)],
    "for t in 5 9 9.5; do ffmpeg -ss $t -i inputs/clip.mp4 -frames:v 1 f_$t.png; done": [
        *((5, 6), (9, 10.5)),
    ],
    "mkdir -p f && cd f && ffmpeg -ss 1 -i ../inputs/clip.mp4 -frames:v 1 a.png": [(1, 2)],
    "ffmpeg -ss 1 -i /workspace/inputs/clip.mp4 -frames:v 1 /tmp/a.png": [(1, 2)],
    "V=./inputs/clip.mp4; timeout 20 ffmpeg -ss 1 -i \"$V\" -frames:v 1 a.png": [(1, 2)],
    "cd inputs; ffmpeg -ss 1 -i clip.mp4 -frames:v 1 /tmp/a.png": [(1, 2)],
    "ffmpeg -i inputs/clip.mp4 -ss 1 -frames:v 1 a.png -ss 7 -frames:v 1 b.png": [(1, 2), (7, 8)],
    "ffmpeg -i inputs/talk.wav -i inputs/clip.mp4 -map 1:v -ss 4 -frames:v 1 a.png": [(4, 5)],
    "ffmpeg -ss 70 -i inputs/clip.mp4 -frames:v 1 a.png": [],
    "ffmpeg -i inputs/clip.mp4 -vf \"select='gt(scene,0.4)'\" -vsync vfr f_%d.png": [],
    "ffmpeg -skip_frame nokey -i inputs/clip.mp4 -vsync vfr f_%d.png": [],
    "ffmpeg -i inputs/odd.mkv -vf fps=1 f_%d.png": [],
    "ffmpeg -i inputs/clip.mp4 -vn -ac 1 -ar 16000 out.wav": [],
    "ffmpeg -i inputs/clip.mp4 -f null -": [],
    "ffmpeg -ss 3 -t 5 -i inputs/clip.mp4 -c copy cut.mp4": [],
    "ffprobe inputs/clip.mp4": [],
    "ffmpeg -i other.mp4 -vf fps=1 f_%d.png": [],
    "echo ffmpeg -ss 12 -i inputs/clip.mp4 -frames:v 1 f.png": [],
    "# ffmpeg -ss 12 -i inputs/clip.mp4 -frames:v 1 f.png": [],
    "ffmpeg -ss $UNKNOWN -i inputs/clip.mp4 -frames:v 1 f.png": [],
}  # fmt: skip


@pytest.mark.parametrize(("command", "spans"), SEEN.items())
def test_seconds_seen(command: str, spans: Spans) -> None:
    found = [look for look in looks(command, KNOWN) if look.sense == "seen"]
    assert [span for look in found for span in look.spans] == spans
    assert {(look.source, look.how) for look in found} <= {(CLIP, "ffmpeg")}


HEARD: dict[str, list[Look]] = {
    "whisper inputs/clip.mp4 --model small": [Look(CLIP, "heard", ((0, 60),), "whisper")],
    "whisper -f srt -o out ./inputs/talk.wav inputs/clip.mp4": [
        Look("inputs/talk.wav", "heard", ((0, 30),), "whisper"),
        Look(CLIP, "heard", ((0, 60),), "whisper"),
    ],
    "python3 -m whisper inputs/talk.wav": [
        Look("inputs/talk.wav", "heard", ((0, 30),), "whisper"),
    ],
    "cd inputs && nohup whisper talk.wav > log 2>&1 &": [
        Look("inputs/talk.wav", "heard", ((0, 30),), "whisper"),
    ],
    "ffmpeg -ss 5 -t 10 -i inputs/talk.wav -lavfi showspectrumpic=s=640x480 s.png": [
        Look("inputs/talk.wav", "heard", ((5, 15),), "ffmpeg"),
    ],
    "ffmpeg -i inputs/clip.mp4 -vn a.wav": [],
    "whisper --help": [],
    "cat whisper inputs/clip.mp4": [],
}


@pytest.mark.parametrize(("command", "expected"), HEARD.items())
def test_seconds_heard(command: str, expected: list[Look]) -> None:
    assert looks(command, KNOWN) == expected


MADE: dict[str, dict[str, Origin]] = {
    "ffmpeg -i inputs/clip.mp4 -vn -ac 1 out/a.wav": {"out/a.wav": Origin(CLIP, 0, 60)},
    "ffmpeg -ss 10 -t 20 -i inputs/clip.mp4 -ar 16000 /tmp/a.wav": {
        "/tmp/a.wav": Origin(CLIP, 10, 30)
    },
    "ffmpeg -i inputs/clip.mp4 -ss 10 -to 20 -c copy cut.mp4 && ffmpeg -ss 2 -i cut.mp4 b.mp3": {
        "cut.mp4": Origin(CLIP, 10, 20),
        "b.mp3": Origin(CLIP, 12, 20),
    },
    "cp inputs/talk.wav /workspace/w.wav": {"w.wav": Origin("inputs/talk.wav", 0, 30)},
    "ffmpeg -i inputs/odd.mkv a.wav": {"a.wav": Origin("inputs/odd.mkv", 0, None)},
    "ffmpeg -i inputs/clip.mp4 -filter:a atempo=2 fast.wav": {},
    "ffmpeg -i inputs/clip.mp4 -vf fps=1 f_%d.png": {},
    "ffmpeg -i other.mp4 a.wav": {},
}


@pytest.mark.parametrize(("command", "expected"), MADE.items())
def test_what_is_made_of_the_media(command: str, expected: dict[str, Origin]) -> None:
    assert made_from(command, KNOWN) == expected


def test_looks_go_through_to_the_source() -> None:
    origins = {"out/a.wav": Origin(CLIP, 10, 30), "cut.mp4": Origin(CLIP, 20, 40)}
    assert looks("whisper out/a.wav", KNOWN, origins) == [
        Look(CLIP, "heard", ((10, 30),), "whisper")
    ]
    (look,) = looks("ffmpeg -ss 3 -i cut.mp4 -frames:v 1 f.png", KNOWN, origins)
    assert (look.source, look.spans) == (CLIP, ((23, 24),))
    times = frame_times("ffmpeg -ss 3 -i cut.mp4 -frames:v 1 f.png", ["f.png"], KNOWN, origins)
    assert times == {"f.png": (CLIP, 23)}


TIMES: dict[str, list[float]] = {
    "ffmpeg -i ramp.mp4 -vf fps=1 o_%03d.png": [0.48, 1.48, 2.48, 3.48, 4.48, 5.48],
    "ffmpeg -i ramp.mp4 -vf fps=fps=4 o_%03d.png": [],
    "ffmpeg -ss 1.3 -i ramp.mp4 -vf fps=1 o_%03d.png": [],
    "ffmpeg -ss 1.3 -t 3 -i ramp.mp4 -vf 'fps=2,scale=32:-1' o_%d.png": [],
    "ffmpeg -i ramp.mp4 -ss 1.3 -t 3 -vf fps=2 o_%03d.png": [],
    "ffmpeg -ss 1 -i ramp.mp4 -ss 1.3 -vf fps=2 o_%03d.png": [],
    "ffmpeg -i ramp.mp4 -vf fps=1/2 -start_number 0 o_%03d.png": [],
    "ffmpeg -i ramp.mp4 -vf fps=1:round=up o_%03d.png": [],
    "ffmpeg -i ramp.mp4 -r 1 o_%03d.png": [],
    "ffmpeg -ss 2.2 -i ramp.mp4 -frames:v 1 o_1.png": [2.2],
    "ffmpeg -i ramp.mp4 -ss 2.2 -frames:v 1 o_1.png": [2.2],
    "ffmpeg -sseof -2 -i ramp.mp4 -frames:v 1 o_1.png": [4.0],
    "for t in 1 2.4 5; do ffmpeg -ss $t -i ramp.mp4 -frames:v 1 o_$t.png; done": [1, 2.4, 5],
    "ffmpeg -i ramp.mp4 o_%03d.png": [],
    "ffmpeg -i ramp.mp4 -vf \"select='not(mod(n,25))'\" -vsync vfr o_%03d.png": [],
    "ffmpeg -i ramp.mp4 -vf \"select='between(t,2,4)',fps=2\" o_%03d.png": [],
    "mkdir d && cd d && ffmpeg -ss 1 -i ../ramp.mp4 -vf fps=2 o_%02d.png": [],
}  # fmt: skip


@pytest.fixture(scope="module")
def ramp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds whose frames tell their number by their brightness."""
    path = tmp_path_factory.mktemp("ramp") / "ramp.mp4"
    grey = "color=black:s=64x64:r=25:d=6,geq=lum='20+N':cb=128:cr=128"
    ffmpeg("-f", "lavfi", "-i", grey, "-qp", "0", "-g", "50", "-pix_fmt", "yuv420p", path)
    ffmpeg("-i", path, path.parent / "all_%03d.png")
    return path


@pytest.mark.parametrize(("command", "expected"), TIMES.items())
def test_times_of_pictures_are_those_of_ffmpeg(
    ramp: Path, tmp_path: Path, command: str, expected: list[float]
) -> None:
    (tmp_path / "ramp.mp4").symlink_to(ramp)
    quiet = command.replace("ffmpeg", "ffmpeg -v error")
    subprocess.run(["bash", "-c", quiet], cwd=tmp_path, check=True)
    made = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("o_*.png"))
    told = frame_times(command, made, {"ramp.mp4": 6.0}, rates={"ramp.mp4": 25.0})
    assert sorted(told) == made
    assert made
    frames = np.array([_brightness(p) for p in sorted(ramp.parent.glob("all_*.png"))])
    for path, (source, time_s) in told.items():
        shown = np.abs(frames - _brightness(tmp_path / path)).argmin() / 25
        assert source == "ramp.mp4"
        assert time_s == pytest.approx(shown, abs=0.085), path
    if expected:
        assert [told[path][1] for path in made] == pytest.approx(expected)


def _brightness(path: Path) -> float:
    return float(np.asarray(Image.open(path).convert("L")).mean())


@pytest.mark.parametrize(
    ("command", "made", "expected"),
    [
        (
            "ffmpeg -ss 10 -i inputs/clip.mp4 -frames:v 1 frames/a.png",
            ["/workspace/frames/a.png", "frames/b.png"],
            {"/workspace/frames/a.png": (CLIP, 10.0)},
        ),
        (
            "ffmpeg -i inputs/clip.mp4 -vf fps=1,tile=3x3 -frames:v 1 sheet.png",
            ["sheet.png"],
            {"sheet.png": (CLIP, None)},
        ),
        (
            "ffmpeg -i inputs/clip.mp4 -vf \"select='gt(scene,0.4)'\" -vsync vfr s_%d.png",
            ["s_1.png"],
            {"s_1.png": (CLIP, None)},
        ),
        ("ffmpeg -i inputs/clip.mp4 f_%d.png", ["f_1.png", "f_2.png"],
         {"f_1.png": (CLIP, 0.0), "f_2.png": (CLIP, None)}),
        ("ffmpeg -ss 1 -i inputs/clip.mp4 -frames:v 1 a.png; ffmpeg -ss 2 -i inputs/clip.mp4 "
         "-frames:v 1 a.png", ["a.png"], {"a.png": (CLIP, 2.0)}),
        ("ffmpeg -i inputs/clip.mp4 -vf fps=1 f_%03d.png", ["f_x.png", "g_001.png"], {}),
        ("ffmpeg -i a.mp4 -i b.mp4", ["f.png"], {}),
        ("convert a.png b.png", ["b.png"], {}),
    ],
)  # fmt: skip
def test_pictures_and_their_sources(
    command: str, made: list[str], expected: dict[str, tuple[str, float | None]]
) -> None:
    assert frame_times(command, made, KNOWN) == expected


BADGES = {
    "ffprobe -v error -show_format inputs/clip.mp4 | jq .": "probe",
    "mediainfo inputs/clip.mp4": "probe",
    "ffmpeg -i inputs/clip.mp4": "probe",
    "mkdir -p frames && ffmpeg -i inputs/clip.mp4 -vf fps=1 frames/f_%03d.png": "frames",
    "ffmpeg -i inputs/clip.mp4 -vn a.wav && ls -la": "audio",
    "ffmpeg -i inputs/clip.mp4 -af silencedetect -f null -": "audio",
    "sox a.wav -n stat": "audio",
    "whisper inputs/clip.mp4 -o out && cat out/clip.txt": "speech",
    "timeout 50 whisper a.wav": "speech",
    "for f in frames/*.png; do tesseract $f -; done": "ocr",
    "montage frames/*.png -tile 4x -geometry +2+2 sheet.png": "image",
    "pdftotext inputs/a.pdf - | head": "document",
    "web_search 'red fox'": "search",
    "curl -s https://example.org": "search",
    "python3 -c 'print(1+1)'": "python",
    "python3 - <<'EOF'\nimport cv2\ncap = cv2.VideoCapture('a.mp4')\nEOF": "frames",
    "python3 - <<'EOF'\nfrom faster_whisper import WhisperModel\nEOF": "speech",
    "python3 - <<'EOF'\nfrom PIL import Image\nEOF": "image",
    "python3 -c 'import librosa'": "audio",
    "ls -la inputs": "files",
    "grep -n ready out/clip.srt": "files",
    "cd out; cat notes.md": "files",
    "sleep 5": "shell",
    "": "shell",
}


@pytest.mark.parametrize(("command", "expected"), BADGES.items())
def test_badges(command: str, expected: str) -> None:
    assert badge(command) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("12", 12), ("12.5", 12.5), (".5", 0.5), ("1:02", 62), ("01:02:03.5", 3723.5)),
        *(("500ms", 0.5), ("-3", -3), ("2s", 2), ("", None), ("abc", None), (None, None)),
    ],
)
def test_times_of_ffmpeg(text: str | None, value: float | None) -> None:
    assert seconds(text) == value


def test_paths_are_compared_from_the_workspace() -> None:
    assert clean_path("/workspace/./out/../a.wav") == "a.wav"
    assert clean_path("./a.wav") == "a.wav"
    assert clean_path("/tmp/a.wav") == "/tmp/a.wav"
