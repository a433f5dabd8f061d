"""`workbench rm`: remove sessions."""

from __future__ import annotations

import argparse

from workbench.commands.sessions import find_all
from workbench.commands.streams import say, write
from workbench.errors import UsageError
from workbench.session.store import Store
from workbench.session.trash import discard, purge


def rm(args: argparse.Namespace) -> None:
    """Remove the sessions, all of them or none; `gc` frees what only they needed.

    Raises:
        UsageError: if one of them is live.
    """
    sessions = find_all(args.sessions)
    for session in sessions:
        if session.is_live():
            raise UsageError(
                f"Session {session.id} is running; `workbench ctl {session.id} stop` ends it."
            )
    store = Store.default()
    for session in sessions:
        discard(store, session)
        write(f"{session.id}\n")
    purge(store)
    say("Removed; the disk space is free after a day, or with `workbench gc`.")
