"""Heights of the blocks of all sections, one on top of the other."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tui.panes.document import Section
from workbench.tui.panes.heights import Heights


class RowStack:
    """Where each section and block starts. The heights of a section's blocks are kept from the
    moment one of them is asked for; until then the section has one guessed height."""

    def __init__(self, sections: Sequence[Section], width: int) -> None:
        self.sections: list[Section] = list(sections)
        self._width = width
        self._totals = Heights(map(self._guess, self.sections))
        self._blocks: dict[int, Heights] = {}

    @property
    def total(self) -> int:
        """Rows of everything."""
        return self._totals.total

    def replace(self, sections: Sequence[Section], same: int) -> None:
        """Take other sections, of which the first `same` are unchanged."""
        self.sections = list(sections)
        for index in [index for index in self._blocks if index >= same]:
            del self._blocks[index]
        self._totals.truncate(same)
        for section in self.sections[same:]:
            self._totals.append(self._guess(section))

    def resize(self, section: int) -> int:
        """A section may have more or fewer blocks than before; return how many."""
        count = self.sections[section].block_count
        heights = self._blocks.get(section)
        if heights is None:
            self._totals.set(section, self._guess(self.sections[section]))
            return count
        heights.truncate(count)
        for block in range(len(heights), count):
            heights.append(self.sections[section].guess(block, self._width))
        self._totals.set(section, heights.total)
        return count

    def locate(self, row: int) -> tuple[int, int, int]:
        """The section and block that hold a row, and the row within the block.

        Raises:
            IndexError: if there is no such row.
        """
        section, inner = self._totals.locate(row)
        block, inner = self._heights(section).locate(inner)
        return section, block, inner

    def top(self, section: int, block: int) -> int:
        """The first row of a block."""
        return self._totals.before(section) + self._heights(section).before(block)

    def height(self, section: int, block: int) -> int:
        """Rows of a block."""
        return self._heights(section)[block]

    def set_height(self, section: int, block: int, height: int) -> bool:
        """Note the rows that a block really takes; return whether that changed."""
        heights = self._heights(section)
        if heights[block] == height:
            return False
        heights.set(block, height)
        self._totals.set(section, heights.total)
        return True

    def step(self, section: int, block: int, step: int) -> tuple[int, int] | None:
        """The next block or, with `step` -1, the one before; None at an end."""
        block += step
        while not 0 <= block < self.sections[section].block_count:
            section += step
            if not 0 <= section < len(self.sections):
                return None
            block = 0 if step > 0 else self.sections[section].block_count - 1
        return section, block

    def _guess(self, section: Section) -> int:
        return sum(section.guess(block, self._width) for block in range(section.block_count))

    def _heights(self, index: int) -> Heights:
        if (heights := self._blocks.get(index)) is None:
            section = self.sections[index]
            guesses = (section.guess(block, self._width) for block in range(section.block_count))
            heights = self._blocks[index] = Heights(guesses)
            self._totals.set(index, heights.total)
        return heights
