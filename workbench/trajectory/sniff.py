"""Which trajectory format a file or folder has, by content (trajectory-formats 11)."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from workbench.errors import UsageError

TrajectoryFormat = Literal[
    "workbench",
    "omnicoding",
    "atif",
    "mini-swe-agent",
    "swe-agent",
    "inspect",
    "terminal-bench",
    "agentic-mme",
    "openhands",
    "openhands-v0",
    "codex",
    "codex-stream",
    "claude-code",
    "claude-stream",
    "openclaw",
    "asciicast",
    "chat",
]

_HEAD_BYTES = 1 << 20
_FIRST_LINES = 5
_OPENHANDS_EVENT = re.compile(r"event-\d{5,}-.+\.json")
_OPENHANDS_V0_EVENT = re.compile(r"\d+\.json")


class UnknownFormat(UsageError):
    """Nothing that Workbench can tell; the sentence names the path."""


def sniff(path: Path) -> TrajectoryFormat:
    """The format of what stands at `path`.

    Raises:
        UnknownFormat: if it is missing or no known format.
    """
    if not path.exists():
        raise UnknownFormat(f"{path}: there is nothing here.")
    found = _of_folder(path) if path.is_dir() else _of_file(path)
    if found is None:
        raise UnknownFormat(f"{path}: this is no trajectory format that Workbench knows.")
    return found


def _of_folder(path: Path) -> TrajectoryFormat | None:
    if (path / "events.jsonl").is_file():
        return "workbench"
    for pattern in ("messages.json", "item_*/messages.json", "shard_*/item_*/messages.json"):
        if next(path.glob(pattern), None):
            return "omnicoding"
    if next(path.glob("*_kira/shard_*/item_*/messages.json"), None):
        return "omnicoding"
    events = [file.name for file in path.glob("events/*.json")]
    if (path / "base_state.json").is_file() and any(map(_OPENHANDS_EVENT.fullmatch, events)):
        return "openhands"
    return "openhands-v0" if any(map(_OPENHANDS_V0_EVENT.fullmatch, events)) else None


def _of_file(path: Path) -> TrajectoryFormat | None:
    if zipfile.is_zipfile(path):
        return _of_archive(path)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise UnknownFormat(f"{path}: it cannot be read: {error.strerror}.") from error
    lines = _first_lines(head)
    if len(lines) > 1 or (lines and b"\n" in head.rstrip()):
        return _of_lines(lines)
    value = _whole(path)
    if isinstance(value, dict):
        return _of_object(value) or _of_lines([value])
    return "chat" if _is_message_list(value) or _is_chat_rows(value) else None


def _of_archive(path: Path) -> TrajectoryFormat | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (OSError, zipfile.BadZipFile):
        return None
    return "inspect" if names & {"header.json", "_journal/start.json"} else None


def _first_lines(head: bytes) -> list[Any]:
    """The values of the first lines; none unless each of them is JSON of its own."""
    values = []
    for line in [line for line in head.splitlines() if line.strip()][:_FIRST_LINES]:
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            break
    return values


def _whole(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _of_object(value: dict[str, Any]) -> TrajectoryFormat | None:
    for name, matches in _OBJECTS:
        if matches(value):
            return name
    return None


def _is_chat_rows(value: object) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and any(
        isinstance(first.get(key), list) for key in ("messages", "conversations")
    )


def _is_message_list(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "role" in one and "content" in one for one in value[:3])
    )


def _starts(value: dict[str, Any], key: str, prefix: str) -> bool:
    return str(value.get(key, "")).startswith(prefix)


_OBJECTS: list[tuple[TrajectoryFormat, Callable[[dict[str, Any]], bool]]] = [
    ("atif", lambda value: _starts(value, "schema_version", "ATIF-v")),
    ("mini-swe-agent", lambda value: _starts(value, "trajectory_format", "mini-swe-agent")),
    (
        "swe-agent",
        lambda value: (
            {"trajectory", "history", "info"} <= value.keys()
            or {"trajectory", "attempts"} <= value.keys()
        ),
    ),
    ("inspect", lambda value: {"version", "eval", "samples"} <= value.keys()),
    ("terminal-bench", lambda value: {"is_resolved", "parser_results"} <= value.keys()),
    (
        "agentic-mme",
        lambda value: (
            {"final_answer", "images"} <= value.keys()
            and bool(value.keys() & {"conversation", "messages"})
        ),
    ),
    ("chat", _is_chat_rows),
]


def _of_lines(lines: list[Any]) -> TrajectoryFormat | None:
    first = lines[0] if lines else None
    if not isinstance(first, dict):
        return None
    if first.get("kind") == "session_created":
        return "workbench"
    if first.get("version") in (2, 3) and ("width" in first or "term" in first):
        return "asciicast"
    kind = first.get("type")
    if kind == "session_meta":
        return "codex"
    if kind == "thread.started":
        return "codex-stream"
    if kind == "system" and first.get("subtype") == "init":
        return "claude-stream"
    objects = [line for line in lines if isinstance(line, dict)]
    if any("sessionId" in line and line.keys() & {"uuid", "type"} for line in objects):
        return "claude-code"
    if any(
        isinstance(line.get("message"), dict) and line.get("type") == "message" for line in objects
    ):
        return "openclaw"
    return "chat" if _is_chat_rows(first) else None
