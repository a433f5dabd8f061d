"""Opening the screens. Textual is imported only here, once it is known how calm it has to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.session.store import SessionDir, Store
from workbench.tui.faults import ScreenFailed
from workbench.tui.pace import keep_calm

if TYPE_CHECKING:
    from workbench.tui.application import WorkbenchApp


def run_library(store: Store) -> None:
    """Show all sessions of a store until the person leaves.

    Raises:
        ScreenFailed: as `run_session`.
    """
    keep_calm()
    from workbench.tui.application import WorkbenchApp
    from workbench.tui.screens.library import LibraryScreen

    _run(WorkbenchApp(lambda app: LibraryScreen(store, app.memory)))


def run_session(session: SessionDir, *, observe: bool = False) -> None:
    """Show a session, live or finished, until the person leaves. Leaving it stops nothing.

    Args:
        session: where it stands.
        observe: the person may only watch.

    Raises:
        ScreenFailed: after a fault of the screen's own.
    """
    keep_calm()
    from workbench.engine.control import author
    from workbench.tui.application import WorkbenchApp
    from workbench.tui.client import Steering
    from workbench.tui.screens.session import SessionScreen

    steering = Steering(session, author(), observe=observe)
    _run(WorkbenchApp(lambda app: SessionScreen(session, steering, app.memory)))


def _run(app: WorkbenchApp) -> None:
    """Run until the person leaves.

    Raises:
        ScreenFailed: after a fault of our own; the terminal is whole again.
    """
    app.run()
    if app.fault is not None:
        raise ScreenFailed(app.fault)
