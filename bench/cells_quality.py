"""How true text-mode pictures are to their source, beside chafa's at equal cells.

Both outputs are read back as pixels (8 x 16 a cell, from the shape of each character) and compared
with the source at that size. Usage: python bench/cells_quality.py [PICTURE…]
Without pictures, frames that ffmpeg generates are used.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from workbench.media.cells import Cell, Mode, Rgb, fitted, render
from workbench.media.frames import thumbnail

CHAFA = ["chafa", "-f", "symbols", "-c", "full", "--stretch", "-w", "9", "--polite", "on"]
COLS, ROWS = 80, 40
CELL_W, CELL_H = 8, 16
SYMBOLS: dict[Mode, tuple[str, ...]] = {
    "half": ("vhalf+space",),
    "quadrant": ("block+space", "block+border+space-wide-inverted"),
    "sextant": ("block+sextant+space",),
    "braille": ("braille+space",),
}
"""Our modes and the symbol classes of chafa with the same, or its default, repertoire."""
SOURCES = (
    "testsrc2=s=640x360",
    "mandelbrot=s=640x480",
    "smptehdbars=s=640x360",
    "cellauto=s=320x240",
)

Grid = NDArray[np.float64]


def main() -> None:
    """Print a table: for each repertoire PSNR, SSIM and bytes of both."""
    with tempfile.TemporaryDirectory() as folder:
        pictures = [Path(name) for name in sys.argv[1:]] or list(_generated(Path(folder)))
        print(f"{'mode':10}{'chafa symbols':38}{'PSNR dB':>16}{'SSIM':>16}{'kB':>14}")
        for mode, classes in SYMBOLS.items():
            for symbols in classes:
                rows = [_compare(picture, mode, symbols) for picture in pictures]
                ours, theirs = zip(*rows, strict=True)
                columns = [f"{_column(ours, i)} /{_column(theirs, i)}" for i in range(3)]
                print(f"{mode:10}{symbols:38}" + "".join(f"{text:>16}" for text in columns))
        print("each pair: ours / chafa; PSNR and SSIM: higher is truer")


def _column(rows: tuple[tuple[float, float, float], ...], index: int) -> str:
    return (
        f"{mean(row[index] for row in rows):6.3f}" if index else f"{mean(r[0] for r in rows):6.2f}"
    )


def _generated(folder: Path) -> Iterator[Path]:
    for number, source in enumerate(SOURCES):
        path = folder / f"{number}.png"
        command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source]
        subprocess.run([*command, "-ss", "2", "-frames:v", "1", str(path)], check=True)
        yield path


def _compare(
    picture: Path, mode: Mode, symbols: str
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    rgb = thumbnail(picture.read_bytes(), 4096, 4096)
    cols, lines = fitted(rgb.shape[1], rgb.shape[0], COLS, ROWS)
    size = (cols * CELL_W, lines * CELL_H)
    source = np.asarray(Image.fromarray(rgb).resize(size, Image.Resampling.BOX), float)
    cells = render(rgb, COLS, ROWS, mode)
    output = subprocess.run(
        [*CHAFA, "--symbols", symbols, "-s", f"{cols}x{lines}", str(picture)],
        check=True,
        capture_output=True,
    ).stdout
    theirs = _parse(output.decode(), cols)
    return (
        (*_similarity(source, _pixels(cells)), len(_ansi(cells).encode()) / 1000),
        (*_similarity(source, _pixels(theirs)), len(output) / 1000),
    )


def _similarity(source: Grid, shown: Grid) -> tuple[float, float]:
    error = float(((source - shown) ** 2).mean())
    return 10 * np.log10(255**2 / max(error, 1e-9)), _ssim(source.mean(2), shown.mean(2))


def _ssim(one: Grid, two: Grid, window: int = 8) -> float:
    """Mean structural similarity of luma over windows of 8 x 8 (Wang et al. 2004)."""
    views = [
        np.lib.stride_tricks.sliding_window_view(x, (window, window))[::4, ::4] for x in (one, two)
    ]
    (mu1, mu2), (v1, v2) = ([v.mean((2, 3)) for v in views], [v.var((2, 3)) for v in views])
    covariance = (views[0] * views[1]).mean((2, 3)) - mu1 * mu2
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * mu1 * mu2 + c1) * (2 * covariance + c2)
    return float((top / ((mu1**2 + mu2**2 + c1) * (v1 + v2 + c2))).mean())


def _pixels(cells: list[list[Cell]]) -> Grid:
    """What a terminal shows."""
    shown = np.zeros((len(cells) * CELL_H, len(cells[0]) * CELL_W, 3))
    for y, line in enumerate(cells):
        for x, cell in enumerate(line):
            ink = _ink(cell.char)[:, :, None]
            tile = ink * np.array(cell.fg or (255,) * 3) + (1 - ink) * np.array(cell.bg or (0,) * 3)
            shown[y * CELL_H : (y + 1) * CELL_H, x * CELL_W : (x + 1) * CELL_W] = tile
    return shown


@cache
def _ink(char: str) -> Grid:
    """Which part of a cell a character covers: exact for blocks, from a font for the rest."""
    code, (row, column) = ord(char), np.indices((CELL_H, CELL_W))
    if char == " ":
        return np.zeros((CELL_H, CELL_W))
    if 0x2581 <= code <= 0x2588:
        return (row >= CELL_H * (0x2588 - code) / 8).astype(float)
    if 0x2589 <= code <= 0x258F:
        return (column < CELL_W * (0x2590 - code) / 8).astype(float)
    edges = {"▀": row < 8, "▐": column >= 4, "▔": row < 2, "▕": column >= 7}
    if char in edges:
        return edges[char].astype(float)
    if 0x2591 <= code <= 0x2593:
        return np.full((CELL_H, CELL_W), (code - 0x2590) / 4)
    if 0x2596 <= code <= 0x259F:
        quarters = (4, 8, 1, 13, 9, 7, 11, 2, 6, 14)[code - 0x2596]
        return (quarters >> ((row >= 8) * 2 + (column >= 4)) & 1).astype(float)
    if 0x1FB00 <= code <= 0x1FB3B:
        index = code - 0x1FB00 + 1
        pattern = index + (index > 20) + (index > 40)
        return (pattern >> (row * 3 // CELL_H * 2 + (column >= 4)) & 1).astype(float)
    return _from_font(char)


def _from_font(char: str) -> Grid:
    font = ImageFont.truetype("DejaVuSansMono.ttf", 54)
    ascent, descent = font.getmetrics()
    image = Image.new("L", (round(font.getlength("M")), ascent + descent))
    ImageDraw.Draw(image).text((0, 0), char, 255, font=font)
    return np.asarray(image.resize((CELL_W, CELL_H), Image.Resampling.BOX), float) / 255


def _ansi(cells: list[list[Cell]]) -> str:
    """Escapes as a careful terminal program sends them: only what changes."""
    parts: list[str] = []
    for line in cells:
        fg = bg = None
        for cell in line:
            codes = []
            if cell.fg != fg and cell.char != " ":
                fg = cell.fg
                codes.append("38;2;{};{};{}".format(*(fg or (0, 0, 0))))
            if cell.bg != bg:
                bg = cell.bg
                codes.append("48;2;{};{};{}".format(*(bg or (0, 0, 0))))
            parts.append((f"\x1b[{';'.join(codes)}m" if codes else "") + cell.char)
        parts.append("\x1b[0m\n")
    return "".join(parts)


def _parse(text: str, cols: int) -> list[list[Cell]]:
    """Chafa's output as cells: SGR colours, inverse, and REP (repeat the last character)."""
    fg = bg = None
    inverse, lines, last = False, [], " "
    text = re.sub(r"\x1b\[\?\d+[hl]", "", text)
    for raw in text.splitlines():
        line: list[Cell] = []
        for token in re.findall(r"\x1b\[([\d;]*)([A-Za-z])|([^\x1b])", raw):
            if token[1] == "m":
                fg, bg, inverse = _sgr(token[0], fg, bg, inverse)
                continue
            repeat = int(token[0] or 1) if token[1] == "b" else 1
            last = token[2] or last
            cell = Cell(last, bg, fg) if inverse else Cell(last, fg, bg)
            line += [cell] * repeat
        if len(line) == cols:
            lines.append(line)
    return lines


def _sgr(
    codes: str, fg: Rgb | None, bg: Rgb | None, inverse: bool
) -> tuple[Rgb | None, Rgb | None, bool]:
    numbers = [int(code or 0) for code in codes.split(";")]
    while numbers:
        head = numbers.pop(0)
        if head in (38, 48):
            colour, numbers = (numbers[1], numbers[2], numbers[3]), numbers[4:]
            fg, bg = (colour, bg) if head == 38 else (fg, colour)
        elif head == 0:
            fg, bg, inverse = None, None, False
        elif head == 7:
            inverse = True
    return fg, bg, inverse


if __name__ == "__main__":
    main()
