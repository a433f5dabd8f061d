"""Opening the screens. Textual is imported only here, once it is known how calm it has to be."""

from __future__ import annotations

from workbench.session.store import SessionDir, Store
from workbench.tui.pace import keep_calm


def run_library(store: Store) -> None:
    """Show all sessions of a store until the person leaves."""
    keep_calm()
    from workbench.tui.application import WorkbenchApp
    from workbench.tui.screens.library import LibraryScreen

    WorkbenchApp(lambda app: LibraryScreen(store, app.memory)).run()


def run_session(session: SessionDir, *, observe: bool = False) -> None:
    """Show a session, live or finished, until the person leaves. Leaving it stops nothing.

    Args:
        session: where it stands.
        observe: the person may only watch.
    """
    keep_calm()
    from workbench.tui.application import WorkbenchApp
    from workbench.tui.client import Steering, author
    from workbench.tui.screens.session import SessionScreen

    steering = Steering(session, author(), observe=observe)
    WorkbenchApp(lambda app: SessionScreen(session, steering, app.memory)).run()
