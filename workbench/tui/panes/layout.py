"""Rows of a document: exact where one looks, guessed elsewhere, and never jumping under the eye."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from workbench.tui.panes.document import BlockRows, Position, Section
from workbench.tui.panes.stack import RowStack

_KEPT_BLOCKS = 128
_MAX_ROUNDS = 12


class Place(NamedTuple):
    """What stands in a row: `part` is the row of a line that takes several."""

    section: int
    block: int
    line: int
    part: int
    rows: BlockRows


class Layout:
    """Maps rows to lines and back for a list of sections.

    Blocks that were not looked at have guessed heights, so a gigabyte is laid out at once. `settle`
    makes those in and around the window exact and says where the window's first row moved to.
    """

    def __init__(self) -> None:
        self.width = 80
        self.wraps = True
        self._stack = RowStack((), self.width)
        self._exact: dict[tuple[int, int], int] = {}
        """The version of a block at which its height was measured."""
        self._loaded: OrderedDict[tuple[int, int], tuple[int, BlockRows]] = OrderedDict()

    @property
    def rows(self) -> int:
        """Rows of the whole document, as far as known."""
        return self._stack.total

    @property
    def sections(self) -> Sequence[Section]:
        """The sections, in order."""
        return self._stack.sections

    def shape(self, width: int, wraps: bool) -> bool:
        """Lay out for another width or way of breaking lines; return whether it changed."""
        if (width, wraps) == (self.width, self.wraps):
            return False
        self.width, self.wraps = width, wraps
        self.replace(self.sections)
        return True

    def replace(self, sections: Sequence[Section], same: int = 0) -> None:
        """Show other sections, of which the first `same` are those shown now, unchanged."""
        if same == 0:
            self._stack = RowStack(sections, self.width)
        else:
            self._stack.replace(sections, same)
        self._exact = {key: at for key, at in self._exact.items() if key[0] < same}
        for key in [key for key in self._loaded if key[0] >= same]:
            del self._loaded[key]

    def changed(self, section: int) -> None:
        """A section has other content or more of it; what did not change stays exact."""
        count = self._stack.resize(section)
        for key in [key for key in self._exact if key[0] == section and key[1] >= count]:
            del self._exact[key]

    def settle(self, top: int, height: int) -> int:
        """Make the blocks in a window, and a page around it, exact.

        Args:
            top: the window's first row.
            height: its rows.

        Returns:
            The row at which what stood at `top` stands now.
        """
        for _round in range(_MAX_ROUNDS):
            if not self.rows:
                return 0
            top = max(0, min(top, self.rows - 1))
            section, block, inner = self._stack.locate(top)
            was = self._stack.height(section, block)
            if not self._measure(top - height, top + 2 * height):
                return top
            now = self._stack.height(section, block)
            if now != was:
                inner = inner * now // max(1, was)
            top = self._stack.top(section, block) + inner
        return max(0, min(top, self.rows - 1))

    def settle_end(self, height: int) -> int:
        """Make the end of the document exact; return the first row of a window that shows it."""
        for _round in range(_MAX_ROUNDS):
            top = max(0, self.rows - height)
            if not self.rows or not self._measure(top - height, self.rows - 1):
                break
        return max(0, self.rows - height)

    def at(self, row: int) -> Place | None:
        """What stands in a row; None past the end."""
        if not 0 <= row < self.rows:
            return None
        section, block, inner = self._stack.locate(row)
        rows = self.load(section, block)
        if inner >= rows.count:
            return None
        return Place(section, block, *rows.at(inner), rows)

    def row_of(self, position: Position) -> int:
        """The row in which a character stands, the nearest one if it is gone."""
        if not self.sections:
            return 0
        section = min(position.section, len(self.sections) - 1)
        count = self.sections[section].block_count
        if not count:
            return self._stack.top(section, 0)
        block = min(position.block, count - 1)
        self._make_exact(section, block)
        inner = self.load(section, block).row_of(position.line, position.column)
        return self._stack.top(section, block) + inner

    def load(self, section: int, block: int) -> BlockRows:
        """A block laid out as it is now."""
        version = self.sections[section].version(block)
        key = (section, block)
        if (known := self._loaded.get(key)) and known[0] == version:
            self._loaded.move_to_end(key)
            return known[1]
        rows = BlockRows(self.sections[section].block(block, self.width), self.width, self.wraps)
        self._loaded[key] = (version, rows)
        self._loaded.move_to_end(key)
        if len(self._loaded) > _KEPT_BLOCKS:
            self._loaded.popitem(last=False)
        return rows

    def _measure(self, first: int, last: int) -> bool:
        """Make the blocks of rows `first` to `last` and their neighbours exact.

        A page more than what is in sight, so that a step or a page of scrolling never leaves what
        is exact.

        Returns:
            Whether a height changed.
        """
        start = self._stack.locate(max(0, first))[:2]
        end = self._stack.locate(min(last, self.rows - 1))[:2]
        at: tuple[int, int] | None = self._stack.step(*start, -1) or start
        end = self._stack.step(*end, 1) or end
        changed = False
        while at is not None and at <= end:
            changed = self._make_exact(*at) or changed
            at = self._stack.step(*at, 1)
        return changed

    def _make_exact(self, section: int, block: int) -> bool:
        version = self.sections[section].version(block)
        if self._exact.get((section, block)) == version:
            return False
        self._exact[section, block] = version
        return self._stack.set_height(section, block, self.load(section, block).count)
