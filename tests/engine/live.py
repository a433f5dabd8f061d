"""Run real engines in tests: a scripted model, the local sandbox, a store of the test's own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from workbench.engine.control import ControlClient
from workbench.engine.launch import Launch, write_launch
from workbench.engine.process import Engine
from workbench.events import Limits, Mode
from workbench.session.log import read_events
from workbench.session.state import SessionState, fold
from workbench.session.store import SessionDir, Store
from workbench.task import Task

Turn = dict[str, Any]


def command(keystrokes: str, **more: Any) -> Turn:
    """A scripted turn that runs a command."""
    arguments = {"analysis": "a", "plan": "p", "keystrokes": keystrokes, "duration": 5, **more}
    return {"call": "execute_commands", "arguments": arguments}


def picture(path: str) -> Turn:
    """A scripted turn that looks at a picture."""
    return {
        "call": "image_read",
        "arguments": {"file_path": path, "image_read_instruction": "look"},
    }


ANSWER: list[Turn] = [{"say": "<answer>7</answer>"}, {"call": "task_complete", "arguments": {}}]
"""The two turns that end a task."""


def make_session(
    root: Path,
    turns: list[Turn],
    *,
    mode: Mode = "auto",
    limits: Limits | None = None,
    breakpoints: list[str] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    sandbox: str = "local",
) -> SessionDir:
    """A session that is ready to be run."""
    script = root / "script.yaml"
    script.write_text(yaml.safe_dump(turns, allow_unicode=True), encoding="utf-8")
    session = Store(root / "store").create("s", "task")
    task = Task(id="t", question="Q?", ground_truth=["7"], limits=limits or Limits())
    launch = Launch(
        task=task,
        task_folder=str(root),
        model=model or f"scripted:{script}",
        base_url=base_url,
        sandbox=sandbox,
        mode=mode,
        breakpoints=breakpoints or [],
    )
    write_launch(session, launch)
    return session


def state_of(session: SessionDir) -> SessionState:
    """What the log of the session folds to now."""
    return fold(read_events(session.events))


def replies(session: SessionDir) -> list[str]:
    """The text of all tool replies on the path, in order."""
    return [
        str(message["content"])
        for message in state_of(session).conversation()
        if message["role"] == "tool"
    ]


async def run_to_end(session: SessionDir, launch: Launch | None = None) -> SessionState:
    """Run the engine in this process until the session ends."""
    from workbench.engine.launch import read_launch

    async with asyncio.timeout(60):
        await Engine(session, launch or read_launch(session)).run()
    return state_of(session)


@dataclass(slots=True)
class Live:
    """A running session and a connection to it."""

    session: SessionDir
    client: ControlClient
    engine: asyncio.Task[None]

    async def send(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Send a command that must succeed."""
        answer = await self.client.send(name, **arguments)
        assert answer["ok"], answer
        return answer

    async def until(self, condition: Callable[[SessionState], bool]) -> SessionState:
        """The state as soon as the log fulfils the condition."""
        async with asyncio.timeout(30):
            while True:
                if self.session.events.exists():
                    state = state_of(self.session)
                    if condition(state):
                        return state
                if self.engine.done():
                    self.engine.result()
                    raise AssertionError(f"the engine ended: {state_of(self.session).closed}")
                await asyncio.sleep(0.01)

    async def end(self) -> SessionState:
        """The state after the engine has ended by itself."""
        async with asyncio.timeout(60):
            await self.engine
        return state_of(self.session)


@contextlib.asynccontextmanager
async def live(session: SessionDir) -> AsyncIterator[Live]:
    """Run the engine beside the test; it is stopped at the end if it still runs."""
    from workbench.engine.launch import read_launch

    engine = asyncio.create_task(Engine(session, read_launch(session)).run())
    client = ControlClient(session.control, "human:test")
    try:
        async with asyncio.timeout(30):
            while not session.control.exists() and not engine.done():
                await asyncio.sleep(0.01)
        yield Live(session, client, engine)
    finally:
        if not engine.done():
            with contextlib.suppress(Exception):
                await client.send("stop")
            async with asyncio.timeout(30):
                await engine
        await client.close()
