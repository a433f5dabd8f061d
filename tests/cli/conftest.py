"""The command line as a person has it: a store of the test's own, and what a command printed."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.engine.live import ANSWER, Turn, command
from workbench.cli import main
from workbench.engine.control import ControlClient, NotLive
from workbench.session.store import Store

PATIENCE = "30"
"""Seconds that a wait may take before a test has failed."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON document on stdout."""
        return json.loads(self.out)


Cli = Callable[..., Result]


@pytest.fixture
def store(store_home: Path) -> Iterator[Store]:
    """The store that commands use; what still runs in it is stopped at the end."""
    found = Store(store_home)
    yield found
    for name in found.ids():
        session = found.session(name)
        if session.is_live():
            with contextlib.suppress(NotLive):
                asyncio.run(_stop(session.control))
            main(["ctl", name, "wait", "--for", "closed", "--timeout", PATIENCE])


async def _stop(control: Path) -> None:
    client = ControlClient(control, "human:test")
    try:
        await client.send("stop")
    finally:
        await client.close()


@pytest.fixture
def cli(store: Store, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command in this process."""

    def run(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return run


def write_task(folder: Path, turns: list[Turn], **keys: Any) -> Path:
    """A task file whose model plays these turns."""
    script = yaml.safe_dump(turns, allow_unicode=True)
    (folder / "script.yaml").write_text(script, encoding="utf-8")
    task: dict[str, Any] = {"id": "t", "question": "What is 3+4?", "ground_truth": ["7"]}
    task |= {"model": "scripted:script.yaml", "sandbox": {"kind": "local"}, **keys}
    path = folder / "task.yaml"
    path.write_text(yaml.safe_dump(task, allow_unicode=True), encoding="utf-8")
    return path


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task that two commands and an answer solve, in the local sandbox."""
    return write_task(tmp_path, [command("echo one > a.txt"), command("cat a.txt"), *ANSWER])
