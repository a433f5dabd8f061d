"""The boundary: whatever goes in, nothing that acts on a terminal comes out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text import cell_width, char_width, clean, clean_bytes, clean_line, raw_line

HOSTILE = [
    *("\x1b", "\x9b", "\x9d", "\x90", "\x9e", "\x9f", "\x98", "\x9c", "\x1b[", "\x1b]", "\x1bP"),
    *(
        "\x1b_",
        "\x1b^",
        "\x1bX",
        "\x1b\\",
        "\x07",
        "\x08",
        "\x18",
        "\x1a",
        "\r",
        "\n",
        "\t",
        "\x7f",
    ),
    *("\x7f", "\x85", "\u202e", "\u2066", "\u200b", "\u200d", "\ufe0f", "\U000e0041", "\U0001f3f4"),
    *("\U0001f3fd", "\U0001f1e9", "\u0301", "\u3164", "\ufeff", "\u2028", "\ud800", "\udcff"),
    *("31m", "52;c;", "0;", "8;;", "?1049h", "2J", "a", "é", "漢", "👩", "(B", "#8", " "),
]
"""Pieces that make control sequences, and characters that hide, reorder or misalign."""

hostile_text = st.lists(st.sampled_from(HOSTILE) | st.characters(), max_size=40).map("".join)

_FORBIDDEN = set("\u061c\u200b\u200d\u200e\u200f\u2028\u2029\ufeff\ufffe\uffff") | {
    chr(code)
    for start, end in (
        (0x00, 0x09),
        (0x0B, 0x1F),
        (0x7F, 0x9F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0xFE00, 0xFE0F),
        (0x1F1E6, 0x1F1FF),
        (0x1F3FB, 0x1F3FF),
        (0xE0000, 0xE01EF),
        (0xD800, 0xDFFF),
    )
    for code in range(start, end + 1)
}


def assert_safe(text: str) -> None:
    assert not _FORBIDDEN.intersection(text), repr(text)
    assert not any(unicodedata.category(character) == "Cs" for character in text)
    for line in text.split("\n"):
        assert not line or char_width(line[0]), f"a mark joins what stands left of it: {line!r}"


@given(hostile_text)
def test_nothing_that_acts_on_a_terminal_survives(text: str) -> None:
    assert_safe(clean(text))
    assert "\n" not in clean_line(text)
    assert_safe(clean_line(text))
    text.encode("utf-8", "replace")
    clean(text).encode("utf-8")


@given(st.binary(max_size=200))
def test_any_bytes_are_safe(data: bytes) -> None:
    assert_safe(clean_bytes(data))
    raw = raw_line(data.replace(b"\n", b""))
    assert_safe(raw.text)
    assert all(raw.text[start] == "\\" for start, _end in raw.odd)


@given(hostile_text)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], max_codepoint=0x2FF)))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b]52;c;cm0gLXJmIC8=\x07copy", "copy"),
        ("\x1b]0;title\x1b\\x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9d52;c;AAAA\x9cx", "x"),
        ("\x1bP+q544e\x1b\\x", "x"),
        ("\x1b_Ga=T;AAAA\x1b\\x", "x"),
        ("\x1b^pm\x1b\\\x1bXsos\x1b\\x", "x"),
        ("\x1b[?1049h\x1b[2J\x1b[H\x1b[6nx", "x"),
        ("\x9b31mred\x9bm", "red"),
        ("\x1b[>4;2m\x1b[?1003h\x1b[cx", "x"),
        ("\x1bc\x1b#8\x1b(0\x1b7x", "x"),
        ("\x1b\x1b[31m[31mx", "[31mx"),
        ("\x1b]0;never ended\nnext line", "\nnext line"),
        ("\x1b]0;cut by \x1b[31mred", "red"),
        ("\x1b[31\x18x", "␘x"),
        ("a\x07b\x08c", "abc"),
        ("nul\x00 bell", "nul␀ bell"),
        ("del\x7f", "del␡"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("user\u202egnp.exe", "user�gnp.exe"),
        ("\u2066isolate\u2069", "�isolate�"),
        ("rm\u200b -rf", "rm� -rf"),
        ("hi\U000e0041\U000e0042\U000e0043!", "hi�!"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        ("👍🏽", "👍"),
        ("🇩🇪", "DE"),
        ("1\ufe0f\u20e3 ☁\ufe0f", "1\u20e3 ☁"),
        ("a\ufe0f\ufe0f\ufe0f", "a��"),
        ("\u0301x", "◌\u0301x"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ufeffBOM", "BOM"),
        ("half \ud83d", "half �"),
        ("a\tb", "a       b"),
        ("漢\tb", "漢      b"),
    ],
)
def test_known_attacks_and_odd_texts(hostile: str, shown: str) -> None:
    assert clean(hostile) == shown


def test_tabs_can_be_kept_for_an_editor() -> None:
    assert clean("if x:\n\techo\x1b[31m hi", keep_tabs=True) == "if x:\n\techo hi"


def test_one_line_shows_where_it_broke() -> None:
    assert clean_line("a\nb\r\nc") == "a⏎b⏎c"


def test_bad_bytes_show() -> None:
    assert clean_bytes(b"caf\xe9 \x9b31m \xc2\x9b31mred") == "caf� �31m red"


def test_raw_shows_every_odd_byte() -> None:
    raw = raw_line(b"\x1b[31mred\x00\xff\t\r \xe2\x80\xae \xc3\xa9")
    assert raw.text == "\\x1b[31mred\\x00\\xff\\t\\r \\u{202e} é"
    shown = [raw.text[start:end] for start, end in raw.odd]
    assert shown == ["\\x1b", "\\x00", "\\xff", "\\t", "\\r", "\\u{202e}"]


def test_a_gigantic_sequence_costs_one_pass() -> None:
    assert clean("\x1b]" + "A" * 5_000_000 + "\x07done") == "done"
    assert cell_width(clean("\x1b[" + "1" * 1_000_000 + "m")) < 1_000_001
