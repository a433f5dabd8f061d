"""`workbench show`: what a session did, as text for a person or as one JSON document."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from workbench.commands.sessions import find
from workbench.commands.show_text import session_text, step_text
from workbench.commands.streams import write, write_json
from workbench.errors import UsageError
from workbench.session.report import find_step, load, report
from workbench.session.report_steps import step_report


def show(args: argparse.Namespace) -> None:
    """Print a session, or one step of it.

    Raises:
        UsageError: if there is no such step on the current path.
    """
    session = find(args.session)
    state = load(session)
    if args.step is None:
        document = report(session, state, args.all)
        _print(document, session_text, as_json=args.json)
        return
    step = find_step(state, args.step)
    if step is None:
        length = len(state.path())
        raise UsageError(f"--step {args.step}: the path of {session.id} has {length} steps.")
    _print(step_report(session, state, step), step_text, as_json=args.json)


def _print(
    document: dict[str, Any], text: Callable[[dict[str, Any]], str], *, as_json: bool
) -> None:
    if as_json:
        write_json(document)
    else:
        write(text(document))
