"""Command output as lines of styled text, as a terminal would show each line.

Colour (SGR) is kept; carriage return, backspace, tab, erase and moves within the line act on it, so
that a progress bar collapses to its last state; every other control sequence is dropped whole.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from workbench.text.characters import CARRIER, settle
from workbench.text.escapes import Scanner, Token
from workbench.text.row import MAX_CHARACTERS, Row, Run
from workbench.text.style import PLAIN, Style, apply_sgr
from workbench.text.width import char_width

_SGR = re.compile(r"\x1b\[([0-9:;]{0,256})m")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Span(NamedTuple):
    """A styled stretch of a line: character indices, `end` left out."""

    start: int
    end: int
    style: Style


class Line(NamedTuple):
    """One line of clean text; stretches without a span are plain."""

    text: str
    spans: tuple[Span, ...] = ()


class OutputCleaner:
    """Turns a stream of bytes into lines. The chunks in which it is fed make no difference.

    What it keeps is bounded: a line is broken after `MAX_CHARACTERS` characters.
    """

    def __init__(self, style: Style = PLAIN) -> None:
        self.style = style
        """The style in force; it carries from line to line."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._scanner = Scanner()
        self._row = Row()
        self._before = ""

    def feed(self, data: bytes) -> list[Line]:
        """The lines that `data` completes."""
        return self._take(self._decoder.decode(data))

    def finish(self) -> list[Line]:
        """What is left at the end of the stream; an unfinished sequence is dropped."""
        lines = self._take(self._decoder.decode(b"", final=True))
        if not self._row.is_empty:
            lines.append(self._line())
        return lines

    @property
    def partial(self) -> Line:
        """The line under way, as far as it has come."""
        return line_of(self._row.runs())

    def _take(self, text: str) -> list[Line]:
        lines: list[Line] = []
        for token in self._scanner.feed(text):
            if token.kind == "text":
                lines.extend(self._write(token.value))
            elif token.value == "\n":
                lines.append(self._line())
            elif token.value == "m" and token.kind == "csi":
                self.style = apply_sgr(self.style, token.params)
            else:
                self._move(token)
        return lines

    def _write(self, text: str) -> list[Line]:
        shown = settle(text, self._before)
        self._before = text[-1]
        lines: list[Line] = []
        while rest := self._row.write(shown, self.style):
            lines.append(line_of(self._row.runs()))
            self._row = Row()
            shown = rest
        return lines

    def _move(self, token: Token) -> None:
        # A tab is part of the text before it; other moves put the cursor elsewhere.
        self._before = ""
        if token.kind == "csi":
            self._row.control(token.value, token.params)
        else:
            self._row.move(token.value, self.style)

    def _line(self) -> Line:
        line = line_of(self._row.runs())
        self._row = Row()
        self._before = ""
        return line


def parse_line(raw: bytes, style: Style = PLAIN) -> tuple[Line, Style]:
    """One whole line of output without its newline, and the style in force after it.

    The same as feeding it to an `OutputCleaner`, with a short way for lines of text and colour.
    """
    text = raw.decode("utf-8", "replace").removesuffix("\r")
    if "\n" not in text and len(text) <= MAX_CHARACTERS:
        pieces = _SGR.split(text)
        if not any(_CONTROL.search(piece) for piece in pieces[::2]):
            return _simple_line(pieces, style)
    cleaner = OutputCleaner(style)
    lines = [*cleaner.feed(raw), *cleaner.finish()]
    return (lines[0] if lines else Line("")), cleaner.style


def _simple_line(pieces: list[str], style: Style) -> tuple[Line, Style]:
    """A line of text and SGR parameters in turn, as `_SGR.split` gives them."""
    runs: list[Run] = []
    before = ""
    for index, piece in enumerate(pieces):
        if index % 2:
            style = apply_sgr(style, piece)
        elif piece:
            runs.append((settle(piece, before), style))
            before = piece[-1]
    first = next((text for text, _style in runs if text), "")
    if first and char_width(first[0]) == 0:
        runs.insert(0, (CARRIER, next(style for text, style in runs if text)))
    return line_of(runs), style


def line_of(runs: list[Run]) -> Line:
    """The runs as one line; neighbours of one style are one span."""
    spans: list[Span] = []
    length = 0
    for text, style in runs:
        end = length + len(text)
        if style != PLAIN and text:
            if spans and spans[-1].end == length and spans[-1].style == style:
                spans[-1] = spans[-1]._replace(end=end)
            else:
                spans.append(Span(length, end, style))
        length = end
    return Line("".join(text for text, _style in runs), tuple(spans))
