"""`workbench ctl ID fork`: a copy of a session up to a step, with an engine of its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from workbench.engine.fork import fork_session
from workbench.engine.spawn import spawn_engine
from workbench.models.spec import absolute_spec, check_spec
from workbench.session.report import load
from workbench.session.store import SessionDir, Store


def fork(session: SessionDir, args: argparse.Namespace) -> dict[str, Any]:
    """Fork and start the new session; its id, seq and parent.

    Raises:
        UsageError: if there is no such step, or the id or the model cannot be used.
    """
    model = None if args.model is None else absolute_spec(args.model, Path.cwd())
    if model is not None:
        check_spec(model)
    made = fork_session(
        Store.default(), session, args.step, new_id=args.id, model=model, mode=args.mode
    )
    seq = load(made).seq
    spawn_engine(made)
    return {"seq": seq, "id": made.id, "parent": {"session": session.id, "step": args.step}}
