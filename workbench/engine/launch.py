"""How a session is to be run: written by the command line, read by the engine, never changed."""

from __future__ import annotations

from pathlib import Path

import msgspec

from workbench.errors import WorkbenchError
from workbench.events import Mode
from workbench.session.store import SessionDir
from workbench.task import Task


class Launch(msgspec.Struct, kw_only=True, frozen=True):
    """Everything an engine needs besides keys, which come from the environment only."""

    task: Task
    task_folder: str
    model: str
    sandbox: str
    mode: Mode = "auto"
    base_url: str | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    breakpoints: list[str] = []


def _path(session: SessionDir) -> Path:
    return session.folder / "launch.json"


def write_launch(session: SessionDir, launch: Launch) -> None:
    """Store how the session is to be run."""
    _path(session).write_bytes(msgspec.json.format(msgspec.json.encode(launch), indent=2))


def read_launch(session: SessionDir) -> Launch:
    """How the session is to be run.

    Raises:
        WorkbenchError: if it was not made by this program, or is damaged.
    """
    try:
        return msgspec.json.decode(_path(session).read_bytes(), type=Launch)
    except FileNotFoundError as error:
        raise WorkbenchError(
            f"Session {session.id} cannot be run again here: it has no launch record."
        ) from error
    except msgspec.DecodeError as error:
        raise WorkbenchError(f"{_path(session)}: the launch record is damaged: {error}.") from error
