"""What a line viewer shows: sections of blocks of lines, loaded when they are looked at."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from workbench.text import cell_width, wrap
from workbench.tui.panes.needle import Needle
from workbench.tui.panes.paint import ViewLine


class Position(NamedTuple):
    """A character of a document; ordered as it reads."""

    section: int
    block: int
    line: int
    column: int = 0
    """Index of the character in its line."""


class Block(Protocol):
    """Some lines of a section."""

    def __len__(self) -> int:
        """How many lines it has."""

    def line(self, index: int) -> ViewLine:
        """One line."""

    def width_bound(self, index: int) -> int:
        """Cells that the line takes at most, where that is known without laying it out."""

    def lines_with(self, needle: Needle) -> Iterable[int]:
        """Lines that may hold the needle, in order."""


class Section(Protocol):
    """A part of a document: one command with its output, or one list."""

    @property
    def block_count(self) -> int:
        """How many blocks it has now."""

    def block(self, index: int, width: int) -> Block:
        """Load a block as it is now, for a view of `width` cells."""

    def version(self, index: int) -> int:
        """Changes when the content of a block does."""

    def guess(self, index: int, width: int) -> int:
        """Rows that a block not loaded yet takes, roughly; at least 1 unless it is empty."""

    def scan(self, needle: Needle, first: int) -> Iterator[int]:
        """Blocks from `first` on that may hold the needle. Runs in a thread of its own."""


class LineBlock:
    """Lines that are in memory."""

    def __init__(self, lines: Sequence[ViewLine]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, index: int) -> ViewLine:
        """One line."""
        return self._lines[index]

    def width_bound(self, index: int) -> int:
        """Its exact width."""
        return cell_width(self._lines[index].text)

    def lines_with(self, needle: Needle) -> Iterable[int]:
        """Lines that hold the needle."""
        return [at for at, line in enumerate(self._lines) if needle.is_in(line.text)]


class LineSection:
    """A list in memory, whose lines are built when they are looked at."""

    SIZE = 128
    """Lines in a block."""

    def __init__(self, count: int, build: Callable[[int, int], ViewLine]) -> None:
        """Args:
        count: how many lines there are.
        build: makes line `index` for a view of `width` cells.
        """
        self.count = count
        self.build = build
        self.changes = 0
        """Raised by whoever changes a line."""

    @property
    def block_count(self) -> int:
        """How many blocks the list has."""
        return -(-self.count // self.SIZE)

    def block(self, index: int, width: int) -> Block:
        """The lines of a block."""
        return LineBlock([self.build(at, width) for at in self._range(index)])

    def version(self, index: int) -> int:
        """Counts the changes, and what was appended to the last block."""
        return self.changes << 32 | len(self._range(index))

    def guess(self, index: int, width: int) -> int:
        """A row for each line."""
        del width
        return len(self._range(index))

    def scan(self, needle: Needle, first: int) -> Iterator[int]:
        """Blocks that hold the needle."""
        for index in range(first, self.block_count):
            if any(needle.is_in(self.build(at, 1 << 16).text) for at in self._range(index)):
                yield index

    def _range(self, index: int) -> range:
        return range(index * self.SIZE, min(self.count, (index + 1) * self.SIZE))


class BlockRows:
    """A loaded block laid out: which of its rows shows what."""

    def __init__(self, block: Block, width: int, wraps: bool) -> None:
        self.block = block
        self._width = max(1, width)
        self._wraps = wraps
        self._starts: dict[int, list[int]] = {}
        self._lines: dict[int, ViewLine] = {}
        self._tops = self._lay_out() if wraps else None

    @property
    def count(self) -> int:
        """How many rows the block takes."""
        return len(self.block) if self._tops is None else self._tops[-1]

    def line(self, index: int) -> ViewLine:
        """One line, kept once it was looked at."""
        if (line := self._lines.get(index)) is None:
            line = self._lines[index] = self.block.line(index)
        return line

    def at(self, row: int) -> tuple[int, int]:
        """The line and the part of it that stand in a row."""
        if self._tops is None:
            return row, 0
        low, high = 0, len(self._tops) - 1
        while low + 1 < high:
            middle = (low + high) // 2
            if self._tops[middle] <= row:
                low = middle
            else:
                high = middle
        return low, row - self._tops[low]

    def row_of(self, line: int, column: int = 0) -> int:
        """The row in which a character stands; the nearest one for a line that is gone."""
        if not len(self.block):
            return 0
        line = min(line, len(self.block) - 1)
        if self._tops is None:
            return line
        top = self._tops[line]
        if self._tops[line + 1] - top == 1:
            return top
        return top + sum(1 for start in self.starts(line)[1:] if start <= column)

    def starts(self, line: int) -> list[int]:
        """Where the rows of a line start in its text."""
        if not self._wraps:
            return [0]
        if (known := self._starts.get(line)) is None:
            shown = self.line(line)
            known = wrap(shown.text, self._width, shown.indent, shown.words)
            self._starts[line] = known
        return known

    def _lay_out(self) -> array[int]:
        tops = array("L", [0])
        top = 0
        for line in range(len(self.block)):
            fits = self.block.width_bound(line) <= self._width
            top += 1 if fits else len(self.starts(line))
            tops.append(top)
        return tops
