"""What a line view searches for: highlights, the list of matches, going from one to the next."""

from __future__ import annotations

from collections.abc import Callable

from workbench.tui.panes.document import Position
from workbench.tui.panes.finding import MAX_FOUND, Matches, Search
from workbench.tui.panes.layout import Layout
from workbench.tui.panes.needle import Needle
from workbench.tui.panes.paint import PaintSpan, Role


class Finder:
    """The search of one view. All but the search itself happens on the screen's own thread."""

    def __init__(
        self,
        layout: Layout,
        reveal: Callable[[Position], None],
        changed: Callable[[], None],
        later: Callable[[Callable[[], None]], object],
    ) -> None:
        """Args:
        layout: the document's.
        reveal: brings a match into sight.
        changed: called when there is something else to show.
        later: runs a call on the screen's thread, from any thread.
        """
        self._layout = layout
        self._reveal = reveal
        self._changed = changed
        self._later = later
        self._search: Search | None = None
        self._matches = Matches()
        self._is_stale = False

    @property
    def text(self) -> str:
        """What is searched for; empty when nothing is."""
        return self._search.needle.text if self._search else ""

    @property
    def status(self) -> str:
        """In words, how many matches there are and which one is the current."""
        if not self._search:
            return ""
        count = len(self._matches.found)
        if not count:
            return "no match" if self._matches.is_complete else "searching…"
        total = f"{count:,}".replace(",", " ")
        if count >= MAX_FOUND or not self._matches.is_complete:
            total += "+"
        return f"{self._matches.number} of {total}"

    def find(self, text: str, start: Position) -> None:
        """Search for another text, from a place on; an empty one ends the search."""
        if self._search:
            self._search.cancel()
        self._matches = Matches()
        self._is_stale = False
        self._search = None
        if text:
            self._search = Search(Needle(text), self._report)
            self._search.start(self._layout.sections, self._layout.width, start)
        self._changed()

    def step(self, direction: int, start: Position) -> None:
        """Go to the next match, or with -1 to the one before."""
        if self._is_stale and self._matches.is_complete:
            current = self._matches.current
            self.find(self.text, current._replace(column=current.column + 1) if current else start)
        elif match := self._matches.step(direction):
            self._reveal(match)
            self._changed()

    def note_change(self) -> None:
        """The document has other content than when it was searched."""
        self._is_stale = True

    def spans(self, text: str, position: Position) -> list[PaintSpan]:
        """What to highlight in a line."""
        if not self._search:
            return []
        current = self._matches.current
        is_current = current is not None and current[:3] == position[:3]
        return [
            (start, end, _role(is_current and current is not None and current.column == start))
            for start, end in self._search.needle.spans(text)
        ]

    def _report(self, search: Search, found: list[Position], is_complete: bool) -> None:
        self._later(lambda: self._take(search, found, is_complete))

    def _take(self, search: Search, found: list[Position], is_complete: bool) -> None:
        if search is not self._search:
            return
        self._matches.add(found)
        self._matches.is_complete = is_complete
        if found and self._matches.current is None:
            self._matches.current = found[0]
            self._reveal(found[0])
        self._changed()


def _role(is_current: bool) -> Role:
    return Role.FOUND if is_current else Role.MATCH
