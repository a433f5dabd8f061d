"""Amending a step: another wording of what was said, called or told, with the old one kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.errors import UsageError
from workbench.events import Amended
from workbench.session.blobs import Blobs
from workbench.session.state import SessionState
from workbench.session.steps import StepState

Part = Literal["message", "observation", "arguments"]
_PARTS: dict[str, Part] = {
    "observation": "observation",
    "say": "message",
    "keystrokes": "arguments",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a person asks for: the step's number on the current path, the part and its new text."""

    n: int
    part: Part
    text: str

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Change:
        """From a command's `step` and one of `observation`, `say` and `keystrokes`.

        Raises:
            UsageError: if it is not exactly that.
        """
        n = arguments.get("step")
        given = [key for key in _PARTS if arguments.get(key) is not None]
        if isinstance(n, bool) or not isinstance(n, int) or len(given) != 1:
            raise UsageError("amend: name a `step` and one of observation, say and keystrokes.")
        text = arguments[given[0]]
        if not isinstance(text, str):
            raise UsageError(f"`{given[0]}`: expected a text.")
        return cls(n, _PARTS[given[0]], text)


def amendment(blobs: Blobs, state: SessionState, change: Change, author: str) -> Amended:
    """The event that makes the change; the text before it is stored as a blob.

    Raises:
        UsageError: if there is no such step, it is not finished, or has no such part.
    """
    path = state.path()
    if not 1 <= change.n <= len(path):
        raise UsageError(f"amend: there is no step {change.n} on this path of {len(path)}.")
    step = path[change.n - 1]
    if step.message is None or step.phase not in ("done", "interrupted"):
        raise UsageError(f"amend: step {change.n} is not finished yet.")
    action, old, new = _texts(step, change)
    return Amended(
        step=step.id,
        part=change.part,
        author=author,
        original=blobs.put(old.encode("utf-8", "surrogatepass")),
        replacement=new,
        action=action,
    )


def _texts(step: StepState, change: Change) -> tuple[str | None, str, str]:
    """The action that is meant, and the text before and after the change."""
    if change.part == "message":
        return None, step.say, change.text
    if change.part == "observation":
        replies = [one for one in step.observed if one.get("role") == "tool"]
        if not replies:
            raise UsageError(f"amend: step {change.n} called no tool, so it was told nothing.")
        return None, str(replies[0].get("content") or ""), change.text
    commands = [one for one in step.actions if "keystrokes" in one.arguments]
    if not commands:
        raise UsageError(f"amend: step {change.n} ran no command.")
    arguments = commands[0].arguments
    changed = {**arguments, "keystrokes": change.text}
    return (
        commands[0].id,
        json.dumps(arguments, ensure_ascii=False),
        json.dumps(changed, ensure_ascii=False),
    )
