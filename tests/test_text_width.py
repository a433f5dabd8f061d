"""Widths agree with those that Textual lays out by, and cutting and wrapping keep to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size

from workbench.text import cell_width, char_width, clean_line, cut, fit, fit_start, pad, wrap
from workbench.text.characters import settle

WIDE = "漢字 ascii é e\u0301 👩 한글 日本語 ｆｕｌｌ עברית नमस्ते ไทย "
text_lines = st.text(st.sampled_from(WIDE) | st.characters(), max_size=60).map(clean_line)
widths = st.integers(1, 30)


def test_widths_are_those_of_the_screen() -> None:
    wrong = [
        code
        for code in range(0x20, 0x110000)
        if not 0xD800 <= code <= 0xDFFF and not 0x7F <= code < 0xA0
        if char_width(chr(code)) != get_character_cell_size(chr(code))
    ]
    assert [hex(code) for code in wrong[:20]] == []


def test_only_characters_of_a_known_width_are_shown() -> None:
    for odd in ("\u200d", "\ufe0f", "\U0001f3fd", "\U0001f1e9", "\U000e0041", "\u3164"):
        assert odd not in settle("👩" + odd)


@given(text_lines, widths)
def test_cutting_keeps_to_the_width_and_never_splits_a_mark_off(line: str, width: int) -> None:
    head = cut(line, width)
    rest = line[len(head) :]
    assert cell_width(head) <= width
    assert not rest or cell_width(head) + char_width(rest[0]) > width


@given(text_lines, widths)
def test_fitting(line: str, width: int) -> None:
    assert cell_width(pad(line, width)) == width
    for shown in (fit(line, width), fit_start(line, width)):
        assert cell_width(shown) <= width
        assert shown == line or "…" in shown


@given(text_lines, widths, st.integers(0, 4), st.booleans())
def test_wrapping_loses_nothing_and_fits(line: str, width: int, indent: int, words: bool) -> None:
    starts = wrap(line, width, indent, words)
    rows = [line[a:b] for a, b in zip(starts, [*starts[1:], len(line)], strict=True)]
    assert "".join(rows) == line
    assert starts == sorted(set(starts))
    for number, row in enumerate(rows):
        room = max(1, width - indent) if number else width
        assert cell_width(row.rstrip(" ") if words else row) <= max(room, 2)


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("the quick brown fox", 10, ["the quick ", "brown fox"]),
        ("/a/very/long/path/without/spaces", 10, ["/a/very/lo", "ng/path/wi", "thout/spac", "es"]),
        ("漢字漢字", 3, ["漢", "字", "漢", "字"]),
        ("short", 10, ["short"]),
        ("", 10, [""]),
    ],
)
def test_wrapping_by_words(text: str, width: int, rows: list[str]) -> None:
    starts = wrap(text, width, words=True)
    assert [text[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)] == rows


def test_a_path_keeps_its_end() -> None:
    assert fit_start("inputs/clip.mp4", 9) == "…clip.mp4"
    assert fit("inputs/clip.mp4", 9) == "inputs/c…"
