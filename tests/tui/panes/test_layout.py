"""Rows of documents of any size: heights, files by blocks, and windows that never jump."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.text import OutputCleaner
from workbench.tui.panes.document import Position
from workbench.tui.panes.filelines import BLOCK, FileLines
from workbench.tui.panes.heights import Heights
from workbench.tui.panes.layout import Layout
from workbench.tui.panes.needle import Needle
from workbench.tui.panes.output import OutputSection

heights = st.lists(st.integers(0, 5), max_size=40)
in_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)


@given(heights, heights, st.integers(0, 40))
def test_heights_are_a_list_with_sums(first: list[int], more: list[int], kept: int) -> None:
    tree = Heights(first)
    for height in more:
        tree.append(height)
    expected = first + more
    tree.truncate(kept)
    del expected[kept:]
    for index in range(len(expected)):
        expected[index] = (expected[index] * 7 + 1) % 6
        tree.set(index, expected[index])
    assert [tree[at] for at in range(len(tree))] == expected
    assert [tree.before(at) for at in range(len(expected) + 1)] == [
        sum(expected[:at]) for at in range(len(expected) + 1)
    ]
    rows = [(part, row) for part, height in enumerate(expected) for row in range(height)]
    assert [tree.locate(row) for row in range(tree.total)] == rows
    with pytest.raises(IndexError):
        tree.locate(tree.total)


pieces = st.sampled_from(
    [
        b"short\n",
        b"\n",
        b"x" * 1000 + b"\n",
        b"y" * (BLOCK - 1) + b"\n",
        b"z" * BLOCK + b"\n",
        "é漢".encode() * 9000 + b"\n",
        b"a" * (3 * BLOCK) + b"\n",
        b"\x1b[31mred\x1b[0m\n" * 50,
    ]
)


@in_folder
@given(parts=st.lists(pieces, max_size=12), ends=st.booleans())
def test_blocks_hold_every_byte_of_a_file_once(
    tmp_path: Path, parts: list[bytes], ends: bool
) -> None:
    data = b"".join(parts) + (b"" if ends else b"last line")
    path = tmp_path / "output"
    path.write_bytes(data)
    file = FileLines(path, len(data))
    lines = [line for block in range(file.block_count) for line in file.block(block).lines]
    assert b"".join(lines) == data.replace(b"\n", b"")
    assert all(len(line) < 2 * BLOCK for line in lines)
    whole = data.removesuffix(b"\n").split(b"\n") if data else []
    assert [line for line in lines if len(line) < BLOCK // 2] == [
        line for line in whole if len(line) < BLOCK // 2
    ] or any(len(line) >= BLOCK for line in whole)


def make_file(folder: Path, data: bytes) -> FileLines:
    path = folder / "output"
    path.write_bytes(data)
    return FileLines(path, len(data))


def shown(section: OutputSection) -> list[str]:
    blocks = (section.block(index, 80) for index in range(section.block_count))
    return [block.line(index).text for block in blocks for index in range(len(block))]


def test_a_file_reads_as_its_stream_does(tmp_path: Path) -> None:
    data = b"".join(
        b"\x1b[3%dm%06d\x1b[0m a line of some output\twith a tab\r\n" % (number % 8, number)
        for number in range(5000)
    )
    section = OutputSection(make_file(tmp_path, data))
    cleaner = OutputCleaner()
    assert shown(section) == [line.text for line in cleaner.feed(data)]


def test_colour_carries_into_a_block_that_is_read_alone(tmp_path: Path) -> None:
    data = b"\x1b[31m" + b"a line that stays red to the end of the output\n" * 1500
    block = OutputSection(make_file(tmp_path, data)).block(2, 80)
    assert block.line(0).spans == ((0, 46, (1, None, 0)),)
    assert block.line(len(block) - 1).spans == block.line(0).spans


def test_a_progress_bar_of_a_megabyte_is_one_line(tmp_path: Path) -> None:
    data = b"start\n" + b"".join(b"\r%6d of 100000" % count for count in range(70_000)) + b"\nend\n"
    assert len(data) > 1_000_000
    assert shown(OutputSection(make_file(tmp_path, data))) == ["start", " 69999 of 100000", "end"]


def test_a_picture_of_a_megabyte_within_a_control_string_is_dropped(tmp_path: Path) -> None:
    data = b"before\n\x1bPq" + b"#0~~@@vv" * 150_000 + b"\x1b\\after\nend\n"
    assert "".join(shown(OutputSection(make_file(tmp_path, data)))) == "beforeafterend"


def test_a_colour_that_a_block_edge_cuts_in_two_is_whole(tmp_path: Path) -> None:
    for shift in range(8):
        data = b"x" * (BLOCK - shift) + b"\x1b[1;31m" + b"y" * BLOCK + b"\n"
        lines = shown(OutputSection(make_file(tmp_path, data)))
        assert set("".join(lines)) == {"x", "y"}


def test_a_growing_file_is_read_on(tmp_path: Path) -> None:
    file = make_file(tmp_path, b"one\ntw")
    section = OutputSection(file)
    assert shown(section) == ["one", "tw"]
    file.path.write_bytes(b"one\ntwo\nthree\n")
    file.size = 14
    section.note_change()
    assert shown(section) == ["one", "two", "three"]


def test_a_link_or_nothing_in_place_of_the_output_reads_as_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    link = tmp_path / "link"
    link.symlink_to(secret)
    assert shown(OutputSection(FileLines(link, 7))) == []
    assert shown(OutputSection(FileLines(tmp_path / "gone", 7))) == []


def scanned(file: FileLines, text: str) -> Iterator[int]:
    return file.scan(Needle(text))


def test_scanning_names_the_blocks_that_hold_a_text(tmp_path: Path) -> None:
    lines = [b"%07d filler line to make blocks\n" % number for number in range(20_000)]
    lines[100] = b"here is the Needle\n"
    lines[9000] = b"colours \x1b[31mnee\x1b[32mdle\x1b[0m inside\n"
    lines[19_999] = "ÉTÉ needle\n".encode()
    file = make_file(tmp_path, b"".join(lines))
    block_of = {at: sum(map(len, lines[:at])) // BLOCK for at in (100, 9000, 19_999)}
    assert set(block_of.values()) <= set(scanned(file, "needle"))
    assert len(list(scanned(file, "needle"))) <= 2 * len(block_of)
    assert block_of[100] in set(scanned(file, "Needle"))
    assert block_of[19_999] not in set(scanned(file, "Needle"))
    assert block_of[19_999] in set(scanned(file, "été"))
    assert list(scanned(file, "absent")) == []
    found = list(scanned(file, "filler"))
    assert found == list(range(file.block_count))


# --- layouts ----------------------------------------------------------------------------------


def sections_of(folder: Path, sizes: list[int]) -> list[OutputSection]:
    sections = []
    for index, size in enumerate(sizes):
        path = folder / f"{index}.out"
        text = "".join(
            f"{number} " + "word " * (number * 7919 % 40) + "\n" for number in range(size)
        )
        path.write_text(text)
        sections.append(OutputSection(FileLines(path, len(text))))
    return sections


def row_texts(layout: Layout, top: int, height: int) -> list[str]:
    rows = []
    for row in range(top, top + height):
        place = layout.at(row)
        assert place is not None
        starts = [*place.rows.starts(place.line), None]
        text = place.rows.line(place.line).text
        rows.append(text[starts[place.part] : starts[place.part + 1]])
    return rows


@pytest.mark.parametrize("wraps", [True, False])
def test_scrolling_up_row_by_row_shows_every_row_once(tmp_path: Path, wraps: bool) -> None:
    sections = sections_of(tmp_path, [3000, 5, 0, 900])
    layout = Layout()
    layout.shape(60, wraps)
    layout.replace(sections)
    height = 20
    top = layout.settle_end(height)
    seen = row_texts(layout, top, height)
    while top > 0:
        top = layout.settle(top - 1, height)
        seen.insert(0, row_texts(layout, top, 1)[0])
    text = "".join(line for section in sections for line in shown(section))
    assert "".join(seen) == text
    assert layout.rows == len(seen)


def test_what_is_on_top_stays_when_rows_above_turn_out_otherwise(tmp_path: Path) -> None:
    sections = sections_of(tmp_path, [4000, 4000])
    layout = Layout()
    layout.shape(40, True)
    layout.replace(sections)
    for guess in (layout.rows // 3, layout.rows // 2, layout.rows - 100):
        top = layout.settle(guess, 30)
        before = row_texts(layout, top, 30)
        assert layout.settle(top, 30) == top
        assert row_texts(layout, top, 30) == before


def test_a_place_survives_another_width_and_growth_elsewhere(tmp_path: Path) -> None:
    sections = sections_of(tmp_path, [2000, 300])
    layout = Layout()
    layout.shape(80, True)
    layout.replace(sections)
    position = Position(1, 1, 150, 10)
    for width, wraps in ((80, True), (33, True), (120, False), (50, True)):
        layout.shape(width, wraps)
        place = layout.at(layout.settle(layout.row_of(position), 10))
        assert place is not None
        assert place[:3] == position[:3]
    path = sections[0].output.path if sections[0].output else tmp_path
    with path.open("a") as file:
        file.write("more\n" * 5000)
    assert sections[0].output is not None
    sections[0].output.size = path.stat().st_size
    sections[0].note_change()
    layout.changed(0)
    place = layout.at(layout.settle(layout.row_of(position), 10))
    assert place is not None
    assert place[:3] == position[:3]


def test_rows_past_the_end_and_empty_documents_are_harmless(tmp_path: Path) -> None:
    layout = Layout()
    layout.replace([])
    assert layout.settle(50, 10) == 0
    assert layout.settle_end(10) == 0
    assert layout.at(0) is None
    assert layout.row_of(Position(3, 4, 5)) == 0
    layout.replace([OutputSection(None)])
    assert layout.settle_end(10) == 0
    assert layout.rows == 0
    layout.replace(sections_of(tmp_path, [10]))
    assert layout.at(10_000) is None
    assert layout.row_of(Position(9, 9, 9)) == 0 or layout.rows
