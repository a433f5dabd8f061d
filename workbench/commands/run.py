"""`workbench run` and `workbench demo`: start a session, then watch it, follow it or leave it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path

from workbench.commands.narrate import narrate
from workbench.commands.streams import say, write
from workbench.engine.breakpoints import parse as parse_breakpoint
from workbench.engine.control import ControlClient, NotLive, author
from workbench.engine.launch import Launch, write_launch
from workbench.errors import UsageError, WorkbenchError
from workbench.events import Closed, encode
from workbench.resources import shipped
from workbench.session.log import Tail
from workbench.session.report import load
from workbench.session.state import SessionState
from workbench.session.store import SessionDir, Store
from workbench.task import Task, load_task

EXIT_CODES = {"task_complete": 0, "step_limit": 3, "limit": 3, "interrupted": 130}
"""Exit code by exit reason; any other is 1."""
POLL_S = 0.05


def run_task(args: argparse.Namespace) -> int:
    """Start a session of `args.task` and do what the other options say."""
    path = Path(args.task).expanduser().absolute()
    task = load_task(path, row=args.row, row_id=args.row_id)
    session = start(task, path.parent, args)
    return watch(session, args)


def run_demo(args: argparse.Namespace) -> int:
    """The shipped sample task, with the scripted model and the embedded sandbox."""
    path = shipped("sessions") / "which-animal" / "task.yaml"
    return run_task(argparse.Namespace(**{**vars(args), "task": str(path)}))


def start(task: Task, folder: Path, args: argparse.Namespace) -> SessionDir:
    """Check everything that a person can have wrong, then start the engine.

    Raises:
        UsageError: before anything is written.
    """
    from workbench.models.spec import absolute_spec, check_endpoint, check_spec

    model = args.model or task.model
    if not model:
        raise UsageError(
            "No model: name one with --model (openai:NAME, anthropic:NAME, scripted:FILE, human) "
            "or with `model:` in the task file."
        )
    model = absolute_spec(model, folder if not args.model else Path.cwd())
    check_spec(model)
    check_endpoint(model, args.base_url)
    for expression in args.breakpoint or []:
        parse_breakpoint(expression)
    for expression in task.breakpoints:
        parse_breakpoint(expression)
    kind = args.sandbox or task.sandbox.kind or _default_sandbox()
    session = Store.default().create(args.id, task.id)
    launch = Launch(
        task=task,
        task_folder=str(folder),
        model=model,
        sandbox=kind,
        mode=args.mode or "auto",
        base_url=args.base_url,
        temperature=args.temperature,
        reasoning_effort=args.reasoning_effort,
        breakpoints=args.breakpoint or [],
    )
    write_launch(session, launch)
    from workbench.engine.spawn import spawn_engine

    spawn_engine(session)
    return session


def _default_sandbox() -> str:
    from workbench.sandbox.choose import default_kind

    choice = default_kind()
    say(choice.reason)
    return choice.kind


def watch(session: SessionDir, args: argparse.Namespace) -> int:
    """Leave, follow or show the session that was just started."""
    if args.detach:
        write(f"{session.id}\n")
        return 0
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if args.headless or args.json or not is_terminal:
        try:
            return follow(session, as_json=args.json)
        except KeyboardInterrupt:
            asyncio.run(_stop(session))
            return 130
    from workbench.tui.app import run_session

    run_session(session)
    return _left(session)


def _left(session: SessionDir) -> int:
    """The person left the screen: say whether the session goes on."""
    state = load(session)
    if state.closed is None:
        say(f"The session goes on: workbench attach {session.id}")
        return 0
    return report_end(state)


async def _stop(session: SessionDir) -> None:
    client = ControlClient(session.control, author())
    try:
        await client.send("stop")
    except NotLive:
        say("The session had ended already.")
    finally:
        await client.close()


def follow(session: SessionDir, *, as_json: bool) -> int:
    """Narrate on stderr (or print the events on stdout) until the session has ended."""
    tail = Tail(session.events)
    state = SessionState()
    while True:
        events = tail.poll()
        for event in events:
            state.apply(event)
            if as_json:
                write(encode(event).decode() + "\n")
            elif (line := narrate(event, state)) is not None:
                say(line)
            if isinstance(event, Closed):
                return report_end(state, quiet=as_json)
        if not events:
            if not session.is_live():
                _check_lost(session, tail)
            time.sleep(POLL_S)


def _check_lost(session: SessionDir, tail: Tail) -> None:
    """The engine is gone: fail, unless its last words have just been written."""
    offset = tail.offset
    if session.events.exists() and session.events.stat().st_size > offset:
        return
    raise WorkbenchError(
        f"The engine of {session.id} died; `workbench open {session.id}` shows what it left, "
        f"`workbench ctl {session.id} resume` goes on."
    )


def report_end(state: SessionState, *, quiet: bool = False) -> int:
    """Print the answer; the exit code that the end deserves."""
    closed = state.closed
    assert closed is not None
    if closed.error:
        say(closed.error)
    if closed.answer is not None and not quiet:
        from workbench.text import clean

        write(clean(closed.answer) + "\n")
    return EXIT_CODES.get(closed.exit_reason, 1)
