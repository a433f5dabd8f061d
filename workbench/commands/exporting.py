"""`workbench export`: sessions as training data."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from workbench.commands.sessions import find_all
from workbench.commands.streams import say, write_line
from workbench.errors import UsageError
from workbench.session.report import load
from workbench.session.store import SessionDir
from workbench.trajectory.export import export_sessions


def export(args: argparse.Namespace) -> None:
    """Write the sessions and print the folder of each, once.

    Raises:
        UsageError: if a session does not train or the folder cannot take it; nothing is written.
    """
    out = Path(args.out).expanduser().absolute()
    sessions = find_all(args.sessions)
    if not args.allow:
        _refuse_live(sessions)
    exported = export_sessions(sessions, args.format, out, allow=args.allow)
    for one in exported:
        for fault in one.faults:
            say(f"{one.session}: {fault}")
    for folder in dict.fromkeys(one.folder for one in exported):
        write_line(str(folder))


def _refuse_live(sessions: Iterable[SessionDir]) -> None:
    """What is half done is no example of how it is done."""
    for session in sessions:
        if session.is_live() and load(session).closed is None:
            raise UsageError(
                f"Session {session.id} has not ended: `workbench ctl {session.id} wait --for "
                "closed` waits for it, --allow exports what there is."
            )
