"""`workbench export`: sessions as training data."""

from __future__ import annotations

import argparse
from pathlib import Path

from workbench.commands.sessions import find_all
from workbench.commands.streams import say, write_line
from workbench.trajectory.export import export_sessions


def export(args: argparse.Namespace) -> None:
    """Write the sessions and print the folder of each, once.

    Raises:
        UsageError: if a session does not train or the folder cannot take it; nothing is written.
    """
    out = Path(args.out).expanduser().absolute()
    exported = export_sessions(find_all(args.sessions), args.format, out, allow=args.allow)
    for one in exported:
        for fault in one.faults:
            say(f"{one.session}: {fault}")
    for folder in dict.fromkeys(one.folder for one in exported):
        write_line(str(folder))
