"""`workbench`, `attach` and `open`: the screens."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from workbench.commands.sessions import find
from workbench.errors import UsageError
from workbench.session.report import current, load
from workbench.session.store import NoSuchSession, SessionDir, Store


def show_library(_args: argparse.Namespace) -> None:
    """The screen of all sessions."""
    _need_terminal("`workbench ls` lists the sessions without one")
    from workbench.tui.app import run_library

    run_library(Store.default())


def attach(args: argparse.Namespace) -> None:
    """The screen of a live session; leaving it stops nothing.

    Raises:
        UsageError: if nobody runs the session.
    """
    session = find(args.session)
    _, status = current(session, load(session))
    if status == "closed":
        raise UsageError(f"Session {session.id} has ended; `workbench open {session.id}` shows it.")
    if status == "lost":
        raise UsageError(
            f"The engine of {session.id} is dead: `workbench ctl {session.id} resume` starts it "
            f"again, `workbench open {session.id}` shows what it left."
        )
    _need_terminal(f"`workbench ctl {session.id}` steers the session without one")
    _show(session, observe=args.observe)


def open_(args: argparse.Namespace) -> None:
    """The screen of a session of the store, or of a foreign one, which can only be looked at."""
    try:
        session = find(args.session)
    except NoSuchSession:
        path = Path(args.session).expanduser()
        if not path.exists():
            raise
        _open_foreign(path.absolute())
        return
    _need_terminal(f"`workbench show {session.id}` prints the session without one")
    _show(session, observe=False)


def _open_foreign(path: Path) -> None:
    """Show a session where it stands; anything else by way of a store that is gone afterwards."""
    from workbench.commands.importing import import_path, session_at

    _need_terminal("`workbench import` takes it into the store without one")
    if (session := session_at(path)) is not None:
        _show(session, observe=True)
        return
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        store = Store(Path(folder))
        sessions = import_path(store, path)
        if len(sessions) == 1:
            _show(sessions[0], observe=True)
        else:
            from workbench.tui.app import run_library

            run_library(store)


def _show(session: SessionDir, *, observe: bool) -> None:
    from workbench.tui.app import run_session

    run_session(session, observe=observe)


def _need_terminal(instead: str) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(f"The screen needs a terminal on stdin and stdout; {instead}.")
