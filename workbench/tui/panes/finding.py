"""Finding text in a document of any size while the screen stays live."""

from __future__ import annotations

import time
from bisect import bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from threading import Thread

from workbench.tui.panes.document import Position, Section
from workbench.tui.panes.needle import Needle

MAX_FOUND = 10_000
"""More matches are not listed."""

_BATCH_S = 0.05


def find_all(
    sections: Sequence[Section], needle: Needle, width: int, start: Position
) -> Iterator[Position]:
    """Every match, from the line of `start` to the end and then from the top to it."""
    for section in range(start.section, len(sections)):
        if needle.is_abandoned:
            return
        first = start.block if section == start.section else 0
        for at in _find_in(sections[section], section, needle, width, first):
            if at[:3] >= start[:3]:
                yield at
    for section in range(min(start.section + 1, len(sections))):
        for at in _find_in(sections[section], section, needle, width, 0):
            if at[:3] >= start[:3]:
                return
            yield at


def _find_in(
    section: Section, index: int, needle: Needle, width: int, first: int
) -> Iterator[Position]:
    for block in section.scan(needle, first):
        lines = section.block(block, width)
        for line in lines.lines_with(needle):
            for start, _end in needle.spans(lines.line(line).text):
                yield Position(index, block, line, start)


class Search:
    """One search, in a thread of its own. Results come in batches through `report`."""

    def __init__(self, needle: Needle, report: Callable[[Search, list[Position], bool], None]):
        """Args:
        needle: what to find.
        report: called from the thread with this search, new matches, and whether that is all.
        """
        self.needle = needle
        self._report = report

    def start(self, sections: Sequence[Section], width: int, start: Position) -> None:
        """Begin; returns at once."""
        arguments = (list(sections), width, start)
        Thread(target=self._run, args=arguments, name="find", daemon=True).start()

    def cancel(self) -> None:
        """Stop soon; nothing more is reported."""
        self.needle.is_abandoned = True

    def _run(self, sections: list[Section], width: int, start: Position) -> None:
        batch: list[Position] = []
        sent = time.monotonic()
        for count, found in enumerate(find_all(sections, self.needle, width, start), 1):
            batch.append(found)
            if self.needle.is_abandoned or count >= MAX_FOUND:
                break
            if count == 1 or time.monotonic() - sent > _BATCH_S:
                self._report(self, batch, False)
                batch, sent = [], time.monotonic()
        if not self.needle.is_abandoned:
            self._report(self, batch, True)


class Matches:
    """The matches found so far, in reading order, and which of them is the current one."""

    def __init__(self) -> None:
        self.found: list[Position] = []
        self.current: Position | None = None
        self.is_complete = False

    def add(self, positions: Sequence[Position]) -> None:
        """Take in more matches."""
        for position in positions:
            insort(self.found, position)

    @property
    def number(self) -> int:
        """The current match's place in the list, from 1; 0 if there is none."""
        return bisect_right(self.found, self.current) if self.current else 0

    def step(self, direction: int) -> Position | None:
        """Make the next match (or with -1 the one before) the current one, around the ends."""
        if not self.found:
            return None
        at = self.number - 1 + direction if self.current else 0
        self.current = self.found[at % len(self.found)]
        return self.current
