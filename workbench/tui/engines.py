"""Starting engines from the screen: a lost one again, or one for a copy of the session."""

from __future__ import annotations

from workbench.engine.fork import fork_session
from workbench.engine.spawn import spawn_engine
from workbench.session.store import SessionDir, Store


def restart(session: SessionDir) -> None:
    """Start the engine of a lost session again.

    Raises:
        WorkbenchError: if it does not start.
    """
    spawn_engine(session)


def fork(session: SessionDir, step: int) -> SessionDir:
    """A new session that starts as a copy of this one after a step; its engine runs.

    Raises:
        WorkbenchError: if the step's files are not known, or the engine does not start.
    """
    made = fork_session(Store(session.folder.parent.parent), session, step)
    spawn_engine(made)
    return made
