"""Summaries of all sessions: right, cached, and never more than a cache."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui import stories
from tests.tui.make_log import Story
from workbench import events as ev
from workbench.session.lease import Lease
from workbench.session.library import Library, Summary, summaries
from workbench.session.log import read_events
from workbench.session.state import fold
from workbench.session.store import SessionDir, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def library(store: Store) -> Iterator[Library]:
    with contextlib.closing(Library(store)) as library:
        yield library


def by_id(found: Iterator[Summary]) -> dict[str, Summary]:
    return {summary.id: summary for summary in found}


def age(session: SessionDir) -> None:
    """Leave the trace of an engine that is gone."""
    Lease.acquire(session.lease).release()


def test_an_empty_store_has_no_sessions(library: Library) -> None:
    assert list(library.summaries()) == []


def test_a_summary_says_what_the_whole_log_says(store: Store) -> None:
    session = stories.video_task(store)
    summary = by_id(summaries(store))[session.id]
    state = fold(read_events(session.events))
    assert state.created is not None
    totals = state.totals()
    assert summary.task_id == state.created.task["id"]
    assert summary.model == state.created.model
    assert summary.answer == state.answer
    assert summary.steps == len(state.path())
    assert summary.tokens == totals.prompt_tokens + totals.completion_tokens
    assert (summary.edits, summary.cost_usd) == (totals.edits, totals.cost_usd)
    assert (summary.created_t, summary.last_t) == (state.started_t, state.last_t)


def test_the_latest_written_comes_first(store: Store, library: Library) -> None:
    for number, name in enumerate(("b", "a", "c")):
        session = Story(store, name).open().session
        os.utime(session.events, (number, number))
    assert [summary.id for summary in library.summaries()] == ["c", "a", "b"]


def test_a_session_that_goes_on_is_followed(store: Store, library: Library) -> None:
    story = Story(store, "s").open()
    age(story.session)
    assert by_id(library.summaries())["s"].steps == 0
    story.think().propose(analysis="a", plan="p", keystrokes="ls")
    assert by_id(library.summaries())["s"].steps == 1
    story.add(ev.Closed(exit_reason="task_complete", answer="a fox"))
    closed = by_id(library.summaries())["s"]
    assert (closed.status, closed.answer) == ("closed", "a fox")


def test_a_dead_engine_is_seen_by_its_lease(store: Store, library: Library) -> None:
    story = Story(store, "s").open()
    lease = Lease.acquire(story.session.lease)
    alive = by_id(library.summaries())["s"]
    assert (alive.status, alive.is_live) == ("running", True)
    lease.release()
    dead = by_id(library.summaries())["s"]
    assert (dead.status, dead.is_live) == ("lost", False)


def test_a_folder_without_a_log_is_starting(store: Store, library: Library) -> None:
    store.create("young", "s")
    assert by_id(library.summaries())["young"].status == "starting"


def test_another_library_takes_the_same_from_the_cache(store: Store) -> None:
    stories.video_task(store)
    stories.held_task(store)
    first = by_id(summaries(store))
    assert by_id(summaries(store)) == first


@pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
def test_a_damaged_cache_is_made_anew(store: Store, content: bytes) -> None:
    session = stories.video_task(store)
    first = by_id(summaries(store))
    for name in ("library.db-wal", "library.db-shm"):
        (store.root / name).unlink(missing_ok=True)
    (store.root / "library.db").write_bytes(content)
    assert by_id(summaries(store)) == first
    assert first[session.id].status == "closed"


def test_removed_sessions_are_forgotten(store: Store, library: Library) -> None:
    for name in ("a", "b"):
        Story(store, name).open()
    assert len(list(library.summaries())) == 2
    store.session("a").folder.rename(store.root / "elsewhere")
    assert [summary.id for summary in library.summaries()] == ["b"]


def test_damaged_lines_do_not_hide_a_session(store: Store, library: Library) -> None:
    story = Story(store, "s").open()
    with story.session.events.open("ab") as file:
        file.write(b"garbage\n")
    story.add(ev.Closed(exit_reason="stopped"))
    with story.session.events.open("ab") as file:
        file.write(b'{"kind":"clo')
    summary = by_id(library.summaries())["s"]
    assert (summary.status, summary.exit_reason) == ("closed", "stopped")
