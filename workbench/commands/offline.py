"""Writing to a session that no engine runs: the command line takes its lease for a moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.errors import UsageError
from workbench.events import Event, Labelled
from workbench.session.amend import Change, amendment
from workbench.session.lease import Lease
from workbench.session.log import LogWriter
from workbench.session.report import current, find_step, load
from workbench.session.state import SessionState
from workbench.session.store import SessionDir

Answer = dict[str, Any]


def label(session: SessionDir, author: str, arguments: dict[str, Any]) -> Answer:
    """Label a session that is not live, or one of its steps; the new seq and status.

    Raises:
        LeaseHeld: if an engine took the session meanwhile.
        UsageError: if there is no such step.
    """

    if not (key := arguments["key"].strip()):
        raise UsageError("label: a label needs a `key`.")

    def event(state: SessionState) -> Event:
        step_id = None
        if (n := arguments.get("step")) is not None:
            step = find_step(state, n)
            if step is None:
                length = len(state.path())
                raise UsageError(f"label: there is no step {n} on this path of {length}.")
            step_id = step.id
        return Labelled(step=step_id, key=key, value=arguments.get("value"), author=author)

    return _append(session, event)


def amend(session: SessionDir, author: str, arguments: dict[str, Any]) -> Answer:
    """Amend a step of a session that is not live; raises as `label`."""
    change = Change.of(arguments)
    return _append(session, lambda state: amendment(session.blobs, state, change, author))


def _append(session: SessionDir, event: Callable[[SessionState], Event]) -> Answer:
    lease = Lease.acquire(session.lease)
    try:
        state = load(session)
        if state.created is None:
            raise UsageError(f"Session {session.id} has not begun; there is nothing to write to.")
        made = event(state)
        writer = LogWriter(session.events)
        try:
            seq = writer.append(made).seq
        finally:
            writer.close()
    finally:
        lease.release()
    return {"seq": seq, "status": current(session, state)[1]}
