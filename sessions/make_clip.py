"""Make the sample clip: a host who speaks, cards that say READY?, and three guests.

Usage: python sessions/make_clip.py sessions/which-animal/clip.mp4 (needs ffmpeg and espeak-ng).

Every guest is announced by the same card, so the picture alone does not tell which one is meant;
the host never names a guest, so the sound alone does not either.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, FPS, LENGTH_S = 480, 270, 12, 24
SCALE = 2
"""Pictures are drawn this much larger and shrunk, for smooth edges."""

VOICE = ("-v", "en-us", "-s", "138", "-p", "48", "-a", "160")
SPEECH = (
    (0.5, "Welcome. Three guests will visit us today."),
    (4.2, "Here is the first one."),
    (10.1, "Now look closely. Are you ready? Here it comes."),
    (18.1, "And one more guest, before we go."),
)
"""What is said, and from which second on."""

Draw = ImageDraw.ImageDraw
Colour = tuple[int, int, int]

NIGHT, TEAL, SAND, CREAM = (24, 32, 48), (28, 96, 104), (236, 204, 148), (250, 244, 230)
PLUM, RUST, LEAF, INK = (104, 52, 92), (206, 94, 38), (88, 124, 72), (36, 34, 40)


@dataclass(frozen=True)
class Scene:
    """A stretch of the clip: from when, on which ground, drawn by what (told its seconds)."""

    start_s: float
    ground: Colour
    draw: Callable[[Draw, float], None]


def main() -> None:
    """Write the clip to the path that is the one argument."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(FPS * LENGTH_S):
            _frame(number / FPS).save(folder / f"{number:04d}.png")
        _encode(folder, _sound(folder), Path(sys.argv[1]))


def _frame(time_s: float) -> Image.Image:
    scene = max((s for s in SCENES if s.start_s <= time_s), key=lambda s: s.start_s)
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), scene.ground)
    draw = ImageDraw.Draw(image)
    scene.draw(draw, time_s - scene.start_s)
    return image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def _sound(folder: Path) -> Path:
    """All lines at their times, as one file."""
    inputs, delays, names = [], [], ""
    for number, (at_s, words) in enumerate(SPEECH):
        path = folder / f"{number}.wav"
        subprocess.run(["espeak-ng", *VOICE, "-w", path, words], check=True)
        inputs += ["-i", str(path)]
        delays.append(f"[{number}]adelay={round(at_s * 1000)}[d{number}]")
        names += f"[d{number}]"
    mix = f"{names}amix={len(SPEECH)}:normalize=0,apad=whole_dur={LENGTH_S},lowpass=6000"
    sound = folder / "sound.wav"
    filters = ";".join([*delays, mix])
    subprocess.run(
        ["ffmpeg", "-v", "error", *inputs, "-filter_complex", filters, str(sound)], check=True
    )
    return sound


def _encode(folder: Path, sound: Path, target: Path) -> None:
    pictures = ["-framerate", str(FPS), "-i", str(folder / "%04d.png")]
    video = ["-c:v", "libx264", "-preset", "veryslow", "-crf", "24", "-g", str(FPS * 4)]
    audio = ["-c:a", "aac", "-b:a", "48k", "-ac", "1", "-ar", "24000"]
    plain = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-t", str(LENGTH_S)]
    exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"]
    inputs = [*pictures, "-i", str(sound)]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *inputs, *video, *audio, *plain, *exact, str(target)],
        check=True,
    )


# --- drawing; all measures are in pixels of the finished picture -------------------------------


def _box(x: float, y: float, w: float, h: float) -> tuple[float, float, float, float]:
    """The box of an ellipse with centre (x, y) and half axes w and h."""
    return (x - w) * SCALE, (y - h) * SCALE, (x + w) * SCALE, (y + h) * SCALE


def _oval(draw: Draw, x: float, y: float, w: float, h: float, colour: Colour) -> None:
    draw.ellipse(_box(x, y, w, h), fill=colour)


def _shape(draw: Draw, colour: Colour, *points: tuple[float, float]) -> None:
    draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=colour)


def _text(draw: Draw, x: float, y: float, text: str, size: float, colour: Colour) -> None:
    font = ImageFont.load_default(size * SCALE)
    draw.text((x * SCALE, y * SCALE), text, fill=colour, font=font, anchor="mm")


def _title(draw: Draw, time_s: float) -> None:
    for ring in range(5, 0, -1):
        shade = 40 + 10 * ring
        _oval(draw, 240, 120, 34 * ring, 22 * ring, (shade - 12, shade, shade + 24))
    _text(draw, 240, 104, "THREE GUESTS", 40, CREAM)
    _text(draw, 240, 148, "a very short show", 18, SAND)
    for number in range(3):
        lit = time_s > 1.0 + 0.8 * number
        _oval(draw, 210 + 30 * number, 206, 7, 7, SAND if lit else (70, 80, 96))


def _card(draw: Draw, time_s: float) -> None:
    left, top, right, bottom = 90, 70, 390, 190
    corners = [(v + 4) * SCALE for v in (left, top, right, bottom)]
    draw.rounded_rectangle(corners, 18 * SCALE, fill=(20, 24, 32))
    draw.rounded_rectangle([v * SCALE for v in (left, top, right, bottom)], 18 * SCALE, fill=CREAM)
    _text(draw, 240, 126, "READY?", 56, INK)
    _oval(draw, 240 + 100 * math.sin(time_s * 2.2), 216, 8, 8, SAND)


def _stage(draw: Draw, light: Colour, floor: Colour) -> None:
    _oval(draw, 240, 128, 150, 118, light)
    _shape(draw, floor, (0, 226), (480, 226), (480, 270), (0, 270))


def _label(draw: Draw, name: str) -> None:
    _text(draw, 240, 250, name, 19, CREAM)


def _owl(draw: Draw, time_s: float) -> None:
    _stage(draw, (122, 78, 112), (66, 34, 60))
    sway = 2 * math.sin(time_s * 1.6)
    brown, pale, face = (148, 108, 70), (226, 200, 160), (250, 238, 218)
    _oval(draw, 240 + sway, 146, 62, 82, brown)
    _oval(draw, 240 + sway, 172, 40, 54, pale)
    _shape(draw, (112, 78, 48), (180 + sway, 110), (164, 206), (204 + sway, 200))
    _shape(draw, (112, 78, 48), (300 + sway, 110), (316, 206), (276 + sway, 200))
    _oval(draw, 214 + sway, 96, 34, 36, face)
    _oval(draw, 266 + sway, 96, 34, 36, face)
    for x in (214, 266):
        _oval(draw, x + sway, 96, 15, 15, INK)
        _oval(draw, x + sway + 5, 91, 5, 5, CREAM)
    _shape(draw, RUST, (232 + sway, 108), (248 + sway, 108), (240 + sway, 130))
    for x in (216, 264):
        _oval(draw, x, 226, 15, 6, RUST)
    _label(draw, "barn owl")


def _fox(draw: Draw, time_s: float) -> None:
    _stage(draw, (150, 176, 120), (52, 78, 44))
    nod = 2 * math.sin(time_s * 2.0)
    orange, dark, white = (222, 112, 40), (74, 40, 28), (252, 246, 238)
    _shape(draw, orange, (330, 226), (372, 150), (408, 172), (390, 226))
    _shape(draw, white, (372, 150), (398, 132), (408, 172))
    _oval(draw, 240, 214, 66, 46, orange)
    _shape(draw, (52, 78, 44), (150, 227), (330, 227), (330, 262), (150, 262))
    _oval(draw, 240, 208, 30, 34, white)
    _shape(draw, (52, 78, 44), (150, 227), (330, 227), (330, 262), (150, 262))
    for side in (-1, 1):
        ear = [(240 + side * dx, y + nod) for dx, y in ((66, 92), (58, 20), (12, 66))]
        _shape(draw, orange, *ear)
        tip = [(240 + side * dx, y + nod) for dx, y in ((60, 44), (58, 20), (42, 36))]
        _shape(draw, dark, *tip)
    face = [(164, 104), (202, 62), (278, 62), (316, 104), (262, 164), (240, 180), (218, 164)]
    _shape(draw, orange, *[(x, y + nod) for x, y in face])
    for side in (-1, 1):
        cheek = [(76, 104), (30, 112), (4, 150), (0, 180), (22, 164)]
        _shape(draw, white, *[(240 + side * dx, y + nod) for dx, y in cheek])
        _oval(draw, 240 + side * 32, 100 + nod, 8, 10, INK)
        _oval(draw, 240 + side * 32 + 3, 96 + nod, 3, 3, white)
    _oval(draw, 240, 174 + nod, 11, 9, INK)
    _label(draw, "red fox")


def _penguin(draw: Draw, time_s: float) -> None:
    _stage(draw, (156, 196, 214), (60, 96, 128))
    lean = 4 * math.sin(time_s * 2.4)
    coat, belly, yellow = (34, 42, 60), (250, 250, 246), (240, 176, 60)
    for x in (212, 268):
        _oval(draw, x, 228, 22, 8, yellow)
    _oval(draw, 240 + lean / 2, 150, 64, 80, coat)
    _shape(draw, coat, (184 + lean, 120), (150, 186), (190, 178))
    _shape(draw, coat, (296 + lean, 120), (330, 186), (290, 178))
    _oval(draw, 240 + lean / 2, 166, 44, 60, belly)
    _oval(draw, 240 + lean, 74, 44, 42, coat)
    for side in (-1, 1):
        _oval(draw, 240 + lean + side * 17, 76, 19, 22, belly)
        _oval(draw, 240 + lean + side * 15, 74, 7, 8, INK)
    _shape(draw, yellow, (226 + lean, 88), (254 + lean, 88), (240 + lean, 106))
    _label(draw, "penguin")


SCENES = (
    Scene(0.0, NIGHT, _title),
    Scene(4.0, PLUM, _card),
    Scene(6.0, (82, 44, 76), _owl),
    Scene(9.75, RUST, _card),
    Scene(14.0, LEAF, _fox),
    Scene(17.75, TEAL, _card),
    Scene(20.5, (84, 132, 160), _penguin),
)

if __name__ == "__main__":
    main()
