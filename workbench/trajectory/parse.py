"""What an assistant turn asks for: commands, a picture, the end (omnicoding-format 3.4)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from workbench.events import Message
from workbench.trajectory.arguments import decode
from workbench.trajectory.kira import EXECUTE_COMMANDS, IMAGE_READ, TASK_COMPLETE, TOOL_NAMES
from workbench.trajectory.recover import recover_calls

__all__ = [
    "Command",
    "ImageRead",
    "ParsedCall",
    "ParsedTurn",
    "parse_turn",
    "recover_calls",
]

DEFAULT_DURATION_S = 1.0
MAX_DURATION_S = 60.0


@dataclass(frozen=True, slots=True)
class Command:
    """Shell text to run; `call_index` is the position of its call in the turn, from 0."""

    keystrokes: str
    duration_s: float
    call_index: int


@dataclass(frozen=True, slots=True)
class ImageRead:
    """A picture that the model wants to see."""

    file_path: str
    instruction: str
    call_index: int


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """One tool call, valid or not: `arguments` is `{}` where none could be decoded."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(slots=True)
class ParsedTurn:
    """An assistant turn as the loop understands it. `warnings` are told to the model."""

    commands: list[Command] = field(default_factory=list)
    image_read: ImageRead | None = None
    task_complete: bool = False
    analysis: str = ""
    plan: str = ""
    warnings: list[str] = field(default_factory=list)
    calls: list[ParsedCall] = field(default_factory=list)


def parse_turn(message: Message) -> ParsedTurn:
    """Read the tool calls of an assistant message. Never raises: faults become warnings."""
    turn = ParsedTurn()
    raw_calls = message.get("tool_calls")
    if not isinstance(raw_calls, list) or not raw_calls:
        turn.warnings.append("The turn has no tool call.")
        return turn
    for index, raw in enumerate(raw_calls):
        name, raw_arguments = _name_and_arguments(raw)
        arguments, warning = decode(raw_arguments)
        turn.calls.append(ParsedCall(_call_id(raw, index), name, arguments))
        if warning:
            turn.warnings.append(f"{name or 'A call without a name'}: {warning}.")
        if name == EXECUTE_COMMANDS:
            _read_commands(turn, arguments, index)
        elif name == IMAGE_READ:
            _read_image_request(turn, arguments, index)
        elif name == TASK_COMPLETE:
            turn.task_complete = True
        else:
            tools = ", ".join(TOOL_NAMES)
            turn.warnings.append(f"There is no tool “{name}”; the tools are {tools}.")
    return turn


def _name_and_arguments(raw: object) -> tuple[str, object]:
    function = raw.get("function") if isinstance(raw, dict) else None
    if not isinstance(function, dict):
        return "", None
    name = function.get("name")
    return (name if isinstance(name, str) else ""), function.get("arguments")


def _call_id(raw: object, index: int) -> str:
    call_id = raw.get("id") if isinstance(raw, dict) else None
    return call_id if isinstance(call_id, str) and call_id else f"call_kira_{index}"


def _read_commands(turn: ParsedTurn, arguments: dict[str, Any], index: int) -> None:
    turn.analysis = turn.analysis or _text(arguments.get("analysis"))
    turn.plan = turn.plan or _text(arguments.get("plan"))
    flat = _keystrokes(arguments)
    if flat:
        turn.commands.append(Command(flat, _duration_s(arguments.get("duration")), index))
    legacy = arguments.get("commands")
    if legacy is None:
        if not flat:
            turn.warnings.append("execute_commands: `keystrokes` must be a non-empty string.")
        return
    for entry in _legacy_entries(turn, legacy):
        keystrokes = _keystrokes(entry) if isinstance(entry, dict) else ""
        if keystrokes:
            turn.commands.append(Command(keystrokes, _duration_s(entry.get("duration")), index))
        else:
            turn.warnings.append("execute_commands: an entry of `commands` has no `keystrokes`.")


def _legacy_entries(turn: ParsedTurn, legacy: object) -> list[Any]:
    """The entries of the old `commands` argument: an array, an object, or JSON text of either."""
    if isinstance(legacy, str):
        try:
            legacy = json.loads(legacy, strict=False)
        except (ValueError, RecursionError):
            legacy = None
    if isinstance(legacy, dict):
        return [legacy]
    if isinstance(legacy, list) and legacy:
        return legacy
    turn.warnings.append("execute_commands: `commands` must hold objects with `keystrokes`.")
    return []


def _keystrokes(entry: dict[str, Any]) -> str:
    return _text(entry.get("keystrokes")) or _text(entry.get("command"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _duration_s(value: object) -> float:
    """Seconds between 0 and the maximum; the default for whatever is no positive number (K14)."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return DEFAULT_DURATION_S
    try:
        duration_s = float(value)
    except (ValueError, OverflowError):
        return DEFAULT_DURATION_S
    if math.isnan(duration_s) or duration_s <= 0:
        return DEFAULT_DURATION_S
    return min(duration_s, MAX_DURATION_S)


def _read_image_request(turn: ParsedTurn, arguments: dict[str, Any], index: int) -> None:
    if turn.image_read is not None:
        turn.warnings.append("image_read: one picture a turn; the others were not read.")
        return
    path = _text(arguments.get("file_path")).strip()
    instruction = _text(arguments.get("image_read_instruction")).strip()
    if not path or not instruction:
        turn.warnings.append(
            "image_read: `file_path` and `image_read_instruction` must be non-empty strings."
        )
        return
    turn.image_read = ImageRead(path, instruction, index)
