"""Output as a terminal line shows it, however the bytes arrive."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_text_clean import HOSTILE, assert_safe
from workbench.text import PLAIN, Attr, Line, OutputCleaner, Style, apply_sgr, parse_line
from workbench.text.row import MAX_CHARACTERS

_SEQUENCES = [
    *HOSTILE,
    *("\r", "\b", "\n", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[3D", "\x1b[2C", "\x1b[5G", "\x1b[2P"),
    *("\x1b[2@", "\x1b[3X", "\x1b[1;31m", "\x1b[38;5;99m", "\x1b[48:2::1:2:3m", "\x1b[0m", "\x1b["),
]
streams = st.lists(
    st.sampled_from(_SEQUENCES).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.binary(max_size=4),
    max_size=40,
).map(b"".join)


def lines_of(*chunks: bytes) -> list[Line]:
    cleaner = OutputCleaner()
    lines = [line for chunk in chunks for line in cleaner.feed(chunk)]
    return [*lines, *cleaner.finish()]


def texts(data: bytes) -> list[str]:
    return [line.text for line in lines_of(data)]


@given(streams, st.lists(st.integers(0, 200), max_size=12))
def test_chunks_make_no_difference(data: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    chunks = [data[a:b] for a, b in pairwise(edges)]
    whole = lines_of(data)
    assert lines_of(*chunks) == whole
    assert lines_of(*(data[at : at + 1] for at in range(len(data)))) == whole


@given(streams)
def test_nothing_that_acts_on_a_terminal_survives(data: bytes) -> None:
    for line in lines_of(data):
        assert_safe(line.text)
        ends = [0]
        for span in line.spans:
            assert ends[-1] <= span.start < span.end <= len(line.text)
            ends.append(span.end)


@given(streams)
def test_parsing_a_line_alone_is_the_same_as_streaming_it(data: bytes) -> None:
    line = data.replace(b"\n", b"")
    streamed = lines_of(line)
    parsed, style = parse_line(line)
    assert [parsed] == (streamed or [Line("")])
    cleaner = OutputCleaner()
    cleaner.feed(line)
    cleaner.finish()
    assert style == cleaner.style


_MOVES = ["\r", "\b", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[D", "\x1b[4G", "\x1b[2X"]


@given(st.lists(st.sampled_from([*_MOVES, "a", "bc", "xyz "]), max_size=25))
def test_a_line_ends_up_as_a_terminal_shows_it(pieces: list[str]) -> None:
    screen = pyte.Screen(200, 2)
    pyte.Stream(screen).feed("".join(pieces))
    ours = texts("".join(pieces).encode())
    assert (ours[0] if ours else "").rstrip() == screen.display[0].rstrip()


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (b"plain\nlines\n", ["plain", "lines"]),
        (b"no newline", ["no newline"]),
        (b"dos\r\nlines\r\n", ["dos", "lines"]),
        (b" 10%\r 50%\r100%\n", ["100%"]),
        (b"downloading...\rdone\x1b[K\n", ["done"]),
        (b"long text\rshort\n", ["shorttext"]),
        (b"|\b/\b-\b\\\bok\n", ["ok"]),
        (b"\x1b[2K\rstep 2\n", ["step 2"]),
        (b"a\tb\t\tc\n", ["a       b               c"]),
        (b"\x1b]0;title\x07x\x1b[?25l\n", ["x"]),
        (b"\x1b]unterminated\nshown\n", ["", "shown"]),
        (b"\x1bPsixel data\x1b\\after\n", ["after"]),
        (b"caf\xc3\xa9 \xff\n", ["café �"]),
        (b"\x1b[999999999Cx\n", [" " * 1000 + "x"]),
        (b"\xe6\xbc\xa2\xe5\xad\x97\b\bab\n", ["漢ab"]),
        (b"\xe6\xbc\xa2\bx\n", [" x"]),
        (b"e\xcc\x81\rE\n", ["E"]),
        (b"abcdef\x1b[4D\x1b[2Pgh\n", ["abgh"]),
    ],
)
def test_what_a_line_shows(output: bytes, shown: list[str]) -> None:
    assert texts(output) == shown


def test_colour_carries_over_lines_until_it_is_reset() -> None:
    first, second, third = lines_of(b"\x1b[31mred\nstill red\x1b[m plain\nplain\n")
    red = Style(fg=1)
    assert first.spans == ((0, 3, red),)
    assert second.spans == ((0, 9, red),)
    assert third.spans == ()


@pytest.mark.parametrize(
    ("params", "style"),
    [
        ("", PLAIN),
        ("0", PLAIN),
        ("1;4;31", Style(fg=1, attrs=Attr.BOLD | Attr.UNDERLINE)),
        ("92;107", Style(fg=10, bg=15)),
        ("38;5;208", Style(fg=208)),
        ("38;2;1;2;3;48;5;7", Style(fg=(1, 2, 3), bg=7)),
        ("38:2:1:2:3", Style(fg=(1, 2, 3))),
        ("38:2::1:2:3;3", Style(fg=(1, 2, 3), attrs=Attr.ITALIC)),
        ("48:5:200", Style(bg=200)),
        ("4:3", Style(attrs=Attr.UNDERLINE)),
        ("4:0", PLAIN),
        ("1;22;3;23;7;27;9;29", PLAIN),
        ("58;2;1;2;3;31", Style(fg=1)),
        ("58:2::1:2:3;31", Style(fg=1)),
        ("5;8;31", Style(fg=1)),
        ("38;5;999;1", Style(attrs=Attr.BOLD)),
        ("38;5", PLAIN),
        ("38", PLAIN),
        ("99999999;31", Style(fg=1)),
        (":;::31", PLAIN),
        ("2;2;;39;49", PLAIN),
    ],
)
def test_every_form_of_colour(params: str, style: Style) -> None:
    assert apply_sgr(PLAIN, params) == style


def test_an_endless_sequence_or_line_keeps_no_memory() -> None:
    cleaner = OutputCleaner()
    chunk = b"A" * 65536
    tracemalloc.start()
    for opening in (b"\x1b]0;", b"\x1b[" + b"1" * 300, b"\x1bP", b""):
        cleaner.feed(opening)
        for _ in range(100):
            for line in cleaner.feed(chunk):
                assert len(line.text) <= MAX_CHARACTERS
        cleaner.feed(b"\n")
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


def test_the_line_under_way_can_be_seen() -> None:
    cleaner = OutputCleaner()
    cleaner.feed(b"done\n 42%")
    assert cleaner.partial.text == " 42%"
    cleaner.feed(b"\r100%")
    assert cleaner.partial.text == "100%"
