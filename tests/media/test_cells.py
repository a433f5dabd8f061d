"""Pictures as text: golden cells for small pictures, and errors that can only shrink."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from workbench.media.cells import Cell, Mode, fitted, render

BLACK, WHITE, RED, BLUE = (0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 0, 255)


def picture(*lines: str) -> NDArray[np.uint8]:
    """`#` is white, `.` black, `r` red, `b` blue."""
    colours = {"#": WHITE, ".": BLACK, "r": RED, "b": BLUE}
    return np.array([[colours[char] for char in line] for line in lines], dtype=np.uint8)


def text(cells: list[list[Cell]]) -> list[str]:
    return ["".join(cell.char for cell in line) for line in cells]


def test_half_blocks_hold_two_pixels() -> None:
    cells = render(picture("r#", "b."), 2, 1, "half")
    assert cells == [[Cell("▀", RED, BLUE), Cell("▀", WHITE, BLACK)]]


@pytest.mark.parametrize(
    ("lines", "char", "swapped"),
    [
        (("#.", ".."), "▘", "▟"),
        ((".#", ".."), "▝", "▙"),
        (("..", "#."), "▖", "▜"),
        (("..", ".#"), "▗", "▛"),
        (("#.", ".#"), "▚", "▞"),
        (("#.", "#."), "▌", "▐"),
    ],
)
def test_quadrants(lines: tuple[str, str], char: str, swapped: str) -> None:
    tall = [line for line in lines for _ in range(2)]
    cell = render(picture(*tall), 1, 1, "quadrant")[0][0]
    assert cell in (Cell(char, WHITE, BLACK), Cell(swapped, BLACK, WHITE))


@pytest.mark.parametrize("height", range(1, 8))
def test_eighths_from_below(height: int) -> None:
    lines = ["...." for _ in range(8 - height)] + ["####"] * height
    cell = render(picture(*lines), 1, 1, "quadrant")[0][0]
    if height == 4:
        assert cell == Cell("▀", BLACK, WHITE)
    else:
        assert cell == Cell("▁▂▃▄▅▆▇"[height - 1], WHITE, BLACK)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 6, 7])
def test_eighths_from_the_left(width: int) -> None:
    lines = ["#" * width + "." * (8 - width)] * 16
    assert render(picture(*lines), 1, 1, "quadrant") == [[Cell("▏▎▍▌▋▊▉"[width - 1], WHITE, BLACK)]]


@pytest.mark.parametrize("pattern", range(1, 63))
def test_every_sextant_is_shown_without_error(pattern: int) -> None:
    bits = [(pattern >> n) & 1 for n in range(6)]
    pixels = np.array(bits, dtype=np.uint8).reshape(3, 2) * 255
    rgb = np.repeat(pixels.repeat(4, axis=0).repeat(3, axis=1)[:, :, None], 3, axis=2)
    cell = render(rgb, 1, 1, "sextant")[0][0]
    assert {cell.fg, cell.bg} == {BLACK, WHITE}
    if 0x1FB00 <= ord(cell.char) <= 0x1FB3B:
        index = ord(cell.char) - 0x1FB00 + 1
        drawn = index + (index > 20) + (index > 40)
        assert drawn == (pattern if cell.fg == WHITE else 63 - pattern)
    else:
        assert cell.char in "▌▐"


def test_braille_sets_the_few_dots() -> None:
    one_bright = picture("#.", "..", "..", "..")
    assert text(render(one_bright, 1, 1, "braille")) == ["⠁"]
    one_dark = picture("##", "##", "##", "#.")
    cell = render(one_dark, 1, 1, "braille")[0][0]
    assert (cell.char, cell.fg) == ("⢀", BLACK)
    assert cell.bg is not None
    assert cell.bg[0] > 200


def test_a_flat_area_is_spaces() -> None:
    for mode in ("half", "quadrant", "sextant", "braille"):
        cells = render(np.full((20, 20, 3), 77, np.uint8), 10, 5, mode)
        assert text(cells) == [" " * 10] * 5
        assert {cell.bg for line in cells for cell in line} == {(77, 77, 77)}


def test_ascii_is_plain_and_follows_brightness() -> None:
    ramp = np.repeat(np.linspace(0, 255, 64).astype(np.uint8)[None, :, None], 3, 2).repeat(16, 0)
    line = text(render(ramp, 32, 8, "ascii"))[1]
    assert line.isascii()
    assert line[0] == " "
    assert line[-1] in "@N&M#$"
    assert {cell.fg for row in render(ramp, 32, 8, "ascii") for cell in row} == {None}


@pytest.mark.parametrize(
    ("size", "room", "used"),
    [
        ((640, 480), (80, 40), (80, 30)),
        ((160, 160), (80, 40), (80, 40)),
        ((1000, 10), (80, 40), (80, 1)),
        ((10, 1000), (80, 40), (1, 40)),
        ((1, 1), (3, 10), (3, 2)),
    ],
)
def test_the_aspect_is_kept(
    size: tuple[int, int], room: tuple[int, int], used: tuple[int, int]
) -> None:
    assert fitted(*size, *room) == used
    cells = render(np.zeros((size[1], size[0], 3), np.uint8), *room, "half")
    assert (len(cells[0]), len(cells)) == used


def test_nothing_to_draw() -> None:
    assert render(np.zeros((0, 0, 3), np.uint8), 10, 10, "half") == []
    assert render(np.zeros((5, 5, 3), np.uint8), 0, 10, "half") == []
    assert render(np.zeros((5, 5, 3), np.uint8), 10, 10, "none") == []


def error_of(rgb: NDArray[np.uint8], cells: list[list[Cell]], rows: int, columns: int) -> float:
    """Squared error of cells whose shapes lie on a grid of `rows` x `columns` samples."""
    total = 0.0
    samples = rgb.astype(float)
    for y, line in enumerate(cells):
        for x, cell in enumerate(line):
            area = samples[y * rows : (y + 1) * rows, x * columns : (x + 1) * columns]
            colours = np.array([cell.fg, cell.bg], dtype=float)
            nearest = ((area[:, :, None] - colours) ** 2).sum(3).min(2)
            total += float(nearest.sum())
    return total


def test_more_shapes_never_show_less() -> None:
    rgb = np.random.default_rng(3).integers(0, 256, (48, 32, 3), dtype=np.uint8)
    blurred = np.asarray(
        [[rgb[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4].mean((0, 1)) for x in range(32)]
         for y in range(48)]
    ).astype(np.uint8)  # fmt: skip
    modes: tuple[Mode, ...] = ("half", "quadrant", "sextant")
    half, quadrant, sextant = (
        error_of(blurred, render(blurred, 4, 3, mode), 16, 8) for mode in modes
    )
    assert quadrant <= half * 1.001
    assert sextant <= quadrant * 1.001


def test_edges_that_cut_pixels_keep_the_mean() -> None:
    rgb = np.random.default_rng(5).integers(0, 256, (37, 53, 3), dtype=np.uint8)
    cells = render(rgb, 20, 7, "half")
    means = [np.add(cell.fg or (), cell.bg or ()) / 2 for line in cells for cell in line]
    assert np.mean(means, axis=0) == pytest.approx(rgb.mean((0, 1)), abs=0.5)
