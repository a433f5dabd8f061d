"""Reaching a session's engine: it may still be starting, be gone, or have ended."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass

from workbench.engine.control import short_path
from workbench.errors import WorkbenchError
from workbench.session.report import PublicStatus, current, load
from workbench.session.state import SessionState
from workbench.session.store import SessionDir

PATIENCE_S = 60.0
"""How long a live engine may take until it listens: it imports a model's SDK first."""
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Reached:
    """What was found: an engine that listens, or the state that a dead or ended one left."""

    is_live: bool
    state: SessionState
    status: PublicStatus


def reach(session: SessionDir) -> Reached:
    """Wait until the session's engine listens; at once where there is none to wait for.

    Raises:
        WorkbenchError: if it lives and does not listen.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not listens(session):
        if not session.is_live():
            state, status = current(session, load(session))
            if status in ("closed", "lost"):
                return Reached(False, state, status)
        if time.monotonic() > deadline:
            raise WorkbenchError(
                f"The engine of {session.id} does not answer; see {session.engine_log}."
            )
        time.sleep(POLL_S)
    return Reached(True, SessionState(), "running")


def listens(session: SessionDir) -> bool:
    """Whether an engine accepts connections for this session now."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe,
        short_path(session.control) as name,
    ):
        try:
            probe.connect(name)
        except OSError:
            return False
        return True
