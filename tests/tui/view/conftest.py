"""Folded golden sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui import stories
from workbench.session.log import read_events
from workbench.session.state import fold
from workbench.session.store import SessionDir, Store
from workbench.tui.view.model import SessionModel


def model_of(session: SessionDir, *, is_live: bool = False) -> SessionModel:
    """A session as a screen holds it."""
    model = SessionModel(fold(read_events(session.events)))
    model.is_live = is_live
    return model


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "store")


@pytest.fixture
def finished(store: Store) -> SessionModel:
    """A session with an error, an edit, a rejection, frames, speech and an answer."""
    return model_of(stories.video_task(store))


@pytest.fixture
def held(store: Store) -> SessionModel:
    """A live session whose gate holds a risky command."""
    return model_of(stories.held_task(store), is_live=True)


@pytest.fixture
def running(store: Store) -> SessionModel:
    """A live session in the middle of a command."""
    return model_of(stories.running_task(store), is_live=True)
