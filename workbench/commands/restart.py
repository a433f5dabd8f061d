"""Starting the engine of a session that has none."""

from __future__ import annotations

import time

from workbench.commands.reach import POLL_S, Reached, listens
from workbench.engine.spawn import last_words, spawn_engine
from workbench.errors import WorkbenchError
from workbench.session.log import Tail
from workbench.session.state import SessionState
from workbench.session.store import SessionDir


def restart(session: SessionDir, reached: Reached) -> None:
    """Start the engine of a lost session and return when its sandbox is up.

    Raises:
        WorkbenchError: if the session has ended, or the engine does not come up.
    """
    if reached.status != "lost":
        reason = reached.state.closed.exit_reason if reached.state.closed else reached.status
        raise WorkbenchError(f"Session {session.id} has ended ({reason}); it does not go on.")
    tail, state = Tail(session.events), SessionState()
    spawn_engine(session)
    while True:
        is_live = session.is_live()
        for event in tail.poll():
            state.apply(event)
        if state.closed is not None:
            raise WorkbenchError(state.closed.error or f"Session {session.id} has ended.")
        if state.seq > reached.state.seq and _is_up(state, reached.state):
            return
        _check_alive(session, is_live)


def reopen(session: SessionDir) -> None:
    """Start an engine for a session that has ended and return when it listens for a rewind.

    Raises:
        WorkbenchError: if the engine does not come up.
    """
    spawn_engine(session)
    while not listens(session):
        _check_alive(session, session.is_live())


def _check_alive(session: SessionDir, is_live: bool) -> None:
    if not is_live:
        raise WorkbenchError(last_words(session))
    time.sleep(POLL_S)


def _is_up(state: SessionState, before: SessionState) -> bool:
    """Whether another engine than before has said that it started."""
    return state.engine is not None and state.engine != before.engine
