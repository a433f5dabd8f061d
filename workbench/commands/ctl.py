"""`workbench ctl`: one command to a session, one JSON answer on stdout."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from workbench.commands.reach import Reached, reach
from workbench.commands.restart import reopen, restart
from workbench.commands.sessions import find
from workbench.commands.streams import write_json_line
from workbench.commands.wait import wait_for
from workbench.engine.control import ControlClient, author
from workbench.errors import WorkbenchError
from workbench.session.report import public_status
from workbench.session.store import SessionDir

Answer = dict[str, Any]


def ctl(args: argparse.Namespace) -> int:
    """Send what `args.verb` says and print the answer; 1 where it is not ok."""
    try:
        answer = _carry_out(find(args.session), args)
    except WorkbenchError as error:
        answer = {"ok": False, "error": str(error)}
    write_json_line(answer)
    return 0 if answer.get("ok") else 1


def _carry_out(session: SessionDir, args: argparse.Namespace) -> Answer:
    if args.verb == "wait":
        return {"ok": True, **wait_for(session, args.goal, args.timeout)}
    if args.verb == "fork":
        from workbench.commands.forking import fork

        return {"ok": True, **fork(session, args)}
    reached = reach(session)
    if reached.is_live:
        return _send(session, args.verb, _arguments(args))
    return _without_engine(session, reached, args)


def _without_engine(session: SessionDir, reached: Reached, args: argparse.Namespace) -> Answer:
    """What can be done to a session that no engine runs; some commands start one."""
    arguments = _arguments(args)
    if args.verb == "status":
        mode = reached.state.control.mode
        known = {"seq": reached.state.seq, "status": reached.status, "mode": mode}
        return {"ok": True, **known, "held": None}
    if args.verb in ("label", "amend"):
        from workbench.commands import offline

        change = offline.label if args.verb == "label" else offline.amend
        return {"ok": True, **change(session, author(), arguments)}
    if args.verb == "rewind":
        if reached.status == "lost":
            restart(session, reached)
        else:
            reopen(session)
        return {**_send(session, "rewind", arguments), "restarted": True}
    if args.verb == "resume":
        restart(session, reached)
        return {**_send(session, "resume", {}), "restarted": True}
    raise WorkbenchError(_why_not(session, reached))


def _arguments(args: argparse.Namespace) -> dict[str, Any]:
    """What the engine is sent: the verb's fields that were given."""
    values = {field: getattr(args, field) for field in args.fields}
    return {
        field: value for field, value in values.items() if value is not None and value is not False
    }


def _send(session: SessionDir, verb: str, arguments: dict[str, Any]) -> Answer:
    answer = asyncio.run(_ask(session, verb, arguments))
    if "status" in answer:
        answer["status"] = public_status(answer["status"])
    return answer


async def _ask(session: SessionDir, verb: str, arguments: dict[str, Any]) -> Answer:
    client = ControlClient(session.control, author())
    try:
        return await client.send(verb, **arguments)
    finally:
        await client.close()


def _why_not(session: SessionDir, reached: Reached) -> str:
    if reached.status == "closed":
        reason = reached.state.closed.exit_reason if reached.state.closed else "closed"
        return f"Session {session.id} has ended ({reason}); it takes no commands any more."
    return (
        f"The engine of {session.id} is dead; `workbench ctl {session.id} resume` starts it again."
    )
