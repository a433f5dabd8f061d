"""Writing to a session that no engine runs: the command line takes its lease for a moment."""

from __future__ import annotations

from typing import Any

from workbench.errors import UsageError
from workbench.events import Labelled
from workbench.session.lease import Lease
from workbench.session.log import LogWriter
from workbench.session.report import current, find_step, load
from workbench.session.store import SessionDir


def label(session: SessionDir, author: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Label a finished session, or one of its steps; the new seq and status.

    Raises:
        LeaseHeld: if an engine took the session meanwhile.
        UsageError: if there is no such step.
    """
    lease = Lease.acquire(session.lease)
    try:
        state = load(session)
        step_id = None
        if (n := arguments.get("step")) is not None:
            step = find_step(state, n)
            if step is None:
                length = len(state.path())
                raise UsageError(f"label: there is no step {n} on this path of {length}.")
            step_id = step.id
        writer = LogWriter(session.events)
        try:
            event = Labelled(
                step=step_id, key=arguments["key"], value=arguments.get("value"), author=author
            )
            seq = writer.append(event).seq
        finally:
            writer.close()
    finally:
        lease.release()
    return {"seq": seq, "status": current(session, state)[1]}
