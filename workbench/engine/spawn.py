"""How an engine process is started.

The process has a session of its own (`setsid`), no terminal, and prints into `engine.log`: it
survives whatever started it.
"""

from __future__ import annotations

import subprocess
import sys
import time

from workbench.errors import WorkbenchError
from workbench.session.store import SessionDir

START_PATIENCE_S = 20.0
"""How long a new engine may take until it holds its lease."""


def spawn_engine(session: SessionDir) -> int:
    """Start the engine of a session as a process of its own; returns its pid.

    Returns when it owns the session or has ended; it goes on when the caller's terminal closes.

    Raises:
        WorkbenchError: with what it said, if it ended at once.
    """
    with session.engine_log.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench.engine.process", str(session.folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd="/",
        )
    deadline = time.monotonic() + START_PATIENCE_S
    while time.monotonic() < deadline:
        if session.is_live():
            return process.pid
        if process.poll() is not None:
            if process.returncode == 0:
                return process.pid
            raise WorkbenchError(last_words(session))
        time.sleep(0.01)
    raise WorkbenchError(f"The engine of {session.id} does not start; see {session.engine_log}.")


def last_words(session: SessionDir) -> str:
    """The sentence with which an engine that ended at once did so."""
    lines = session.engine_log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"The engine of {session.id} ended without a word."
