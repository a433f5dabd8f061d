"""What a tool call asks for, as a person reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.session.steps import ActionState
from workbench.text import clean
from workbench.trajectory.kira import EXECUTE_COMMANDS, IMAGE_READ, TASK_COMPLETE
from workbench.trajectory.parse import parse_turn


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in clean text. `lines` are what runs, whole, as prompt lines show it."""

    tool: str
    text: str
    """The command, the path of the picture, or the arguments of an unknown tool."""
    analysis: str = ""
    plan: str = ""
    duration_s: float | None = None
    """How long the command may take."""

    @property
    def prompt(self) -> str:
        """What stands before the text: `$` for a command."""
        return "$" if self.tool == EXECUTE_COMMANDS else "▸"

    @property
    def first_line(self) -> str:
        """The text's first line that says something."""
        for line in self.text.split("\n"):
            if line.strip():
                return line.strip()
        return ""


def call_of(action: ActionState) -> Call:
    """The call of an action, as decided."""
    return read_call(action.tool, action.arguments)


def read_call(tool: str, arguments: dict[str, Any]) -> Call:
    """A call from its tool and arguments, whatever a model wrote there."""
    function = {"name": tool, "arguments": arguments}
    turn = parse_turn({"tool_calls": [{"function": function}]})
    if turn.commands:
        return Call(
            EXECUTE_COMMANDS,
            clean("\n".join(command.keystrokes.rstrip("\n") for command in turn.commands)),
            clean(turn.analysis).strip(),
            clean(turn.plan).strip(),
            sum(command.duration_s for command in turn.commands),
        )
    if turn.image_read is not None:
        picture = turn.image_read
        return Call(IMAGE_READ, clean(picture.file_path), clean(picture.instruction).strip())
    if tool == TASK_COMPLETE:
        return Call(TASK_COMPLETE, "the task is complete")
    shown = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return Call(clean(tool), clean(shown), clean(turn.analysis).strip(), clean(turn.plan).strip())
