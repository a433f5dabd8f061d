"""Sections of a terminal: a prompt with its command, the output out of a file, how it ended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workbench.text import parse_line, raw_line
from workbench.tui.panes.document import Block, LineBlock
from workbench.tui.panes.filelines import BLOCK, FileLines, RawBlock
from workbench.tui.panes.needle import Needle
from workbench.tui.panes.paint import Role, ViewLine

_SGR = re.compile(rb"\x1b\[[0-9;:]*m")
_MOVES_RIGHT = re.compile(rb"\x1b\[[0-9]*[CGa`@]|\xc2\x9b")
_USUAL_LINE = 60
"""Bytes of a line of output, before any of it was read."""

_SAMPLED_FROM = 4
"""Blocks from which on an output is read to learn how long its lines are."""


class OutputBlock:
    """Lines of output, parsed when they are looked at."""

    def __init__(self, raw: RawBlock, shows_bytes: bool) -> None:
        self._raw = raw
        self._shows_bytes = shows_bytes

    def __len__(self) -> int:
        return len(self._raw.lines)

    def line(self, index: int) -> ViewLine:
        """One line in its colours, or with its odd bytes spelled out."""
        raw = self._raw.lines[index]
        if self._shows_bytes:
            shown = raw_line(raw)
            return ViewLine(shown.text, tuple((low, high, Role.ODD) for low, high in shown.odd))
        context = self._raw.context if index == 0 else b""
        line, _style = parse_line(context + raw, self._raw.style_at(index))
        return ViewLine(line.text, line.spans)

    def width_bound(self, index: int) -> int:
        """A byte takes a cell at most, save for tabs and moves to the right."""
        raw = self._raw.lines[index]
        if self._shows_bytes:
            return len(raw) if raw.isascii() and raw.decode().isprintable() else 8 * len(raw)
        if b"\x1b" in raw:
            raw = _SGR.sub(b"", raw)
            if _MOVES_RIGHT.search(raw):
                return 1 << 16
        return len(raw) + 7 * raw.count(b"\t") + 1

    def lines_with(self, needle: Needle) -> Iterable[int]:
        """Lines whose bytes hold the needle, or may between colour changes."""
        lines = self._raw.lines
        for index, raw in enumerate(lines):
            if b"\x1b" in raw or next(needle.offsets(raw, len(raw) + 1), None) is not None:
                yield index


class OutputSection:
    """Lines, then the output out of a file, then lines again. All are made when looked at."""

    def __init__(self, output: FileLines | None, shows_bytes: bool = False) -> None:
        """Args:
        output: the raw output; None while there is none.
        shows_bytes: spell out escapes and odd bytes.
        """
        self.output = output
        self.shows_bytes = shows_bytes
        self._row_bytes = 0
        self._changes = 0

    def head(self) -> Sequence[ViewLine]:
        """The lines before the output."""
        return ()

    def foot(self) -> Sequence[ViewLine]:
        """The lines after it."""
        return ()

    def head_rows(self) -> int:
        """How many lines stand before the output, roughly."""
        return len(self.head())

    def foot_rows(self) -> int:
        """How many lines stand after it, roughly."""
        return len(self.foot())

    def note_change(self) -> None:
        """The output grew or moved, or what stands after it is different."""
        self._changes += 1

    @property
    def block_count(self) -> int:
        """Blocks of the output, and one each for what stands before and after it."""
        return 2 + (self.output.block_count if self.output else 0)

    def block(self, index: int, width: int) -> Block:
        """Load a block."""
        del width
        if index == 0:
            return LineBlock(self.head())
        if self.output is None or index > self.output.block_count:
            return LineBlock(self.foot())
        raw = self.output.block(index - 1)
        if raw.lines:
            self._row_bytes = 1 + sum(map(len, raw.lines)) // len(raw.lines)
        return OutputBlock(raw, self.shows_bytes)

    def version(self, index: int) -> int:
        """The last two blocks of an output change when it grows; what stands after it may too."""
        if index == 0:
            return 0
        if self.output is None or index >= self.output.block_count - 1:
            return self._changes
        return -1

    def guess(self, index: int, width: int) -> int:
        """Rows by the length of the lines read last."""
        if index == 0:
            return self.head_rows()
        if self.output is None or index > self.output.block_count:
            return self.foot_rows()
        if not self._row_bytes:
            self._row_bytes = _USUAL_LINE
            if self.output.block_count > _SAMPLED_FROM:
                self.block(1, width)
        size = min(BLOCK, self.output.size - (index - 1) * BLOCK)
        return max(1, round(size / min(self._row_bytes, max(1, width))))

    def scan(self, needle: Needle, first: int) -> Iterator[int]:
        """Blocks that may hold the needle."""
        if first == 0 and any(needle.is_in(line.text) for line in self.head()):
            yield 0
        if self.output is None:
            return
        for block in self.output.scan(needle, max(0, first - 1)):
            yield block + 1

    def plain_text(self) -> Iterator[str]:
        """Every line as text alone, from first to last."""
        for block in range(self.block_count):
            lines = self.block(block, 80)
            for index in range(len(lines)):
                yield lines.line(index).text
