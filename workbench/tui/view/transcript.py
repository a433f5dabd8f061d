"""What was heard, as lines: a heading for each listening, a line for each stretch of speech."""

from __future__ import annotations

from typing import NamedTuple

from workbench.session.state import SessionState
from workbench.text import clean, clean_line
from workbench.tui.panes import words
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine


class Heading(NamedTuple):
    """Begins the speech of one listening."""

    step: int
    n: int
    source: str
    facts: str


class Speech(NamedTuple):
    """A stretch of speech; seconds from the start of its source."""

    step: int
    source: str
    start_s: float
    end_s: float
    text: str


Entry = Heading | Speech


def transcript_entries(state: SessionState) -> list[Entry]:
    """Everything that was heard on the path, in the order in which it was."""
    entries: list[Entry] = []
    for step in state.path():
        for heard in step.heard:
            facts = [heard.language or "", heard.model or ""]
            facts += ["for you only"] if heard.by == "person" else []
            said = " · ".join(clean_line(fact) for fact in facts if fact)
            entries.append(Heading(step.id, step.n, heard.source, said))
            entries += [
                Speech(step.id, heard.source, one.start, one.end, one.text)
                for one in heard.segments
            ]
    return entries


def entry_line(entry: Entry, *, is_chosen: bool) -> ViewLine:
    """One entry; those of the step that is looked at lie on another ground."""
    ground = Role.CHOSEN if is_chosen else None
    builder = LineBuilder()
    if isinstance(entry, Heading):
        name = clean_line(entry.source.rsplit("/", 1)[-1])
        builder.add(name, Role.ACCENT)
        rest = f" · {entry.facts}" if entry.facts else ""
        builder.add(f"{rest} · step {entry.n}", Role.MUTED)
        return builder.line(indent=2, words=True, ground=ground)
    at = words.clock(entry.start_s)
    builder.add(f"{at:>5} ", Role.MUTED).add(" ".join(clean(entry.text).split()))
    return builder.line(indent=6, words=True, ground=ground)


def entry_at(entries: list[Entry], source: str, time_s: float) -> int | None:
    """The stretch of speech at a moment of a source, else the last one before it."""
    best: int | None = None
    for index, entry in enumerate(entries):
        if isinstance(entry, Speech) and entry.source == source and entry.start_s <= time_s:
            best = index
    return best
