"""The scripted model: a YAML list of turns, played against the real sandbox.

    - think: reasoning text          # optional
      say: assistant text            # optional
      call: execute_commands         # one tool call, or `calls:` with a list of them
      arguments: {analysis: …, plan: …, keystrokes: …, duration: 5}
      delay_s: 0.5                   # optional pause before the turn
      finish_reason: length          # optional: a reply that was cut off
    - error: overflow                # refused | unknown | overflow | unavailable, for rehearsals

Which turn comes next follows from the conversation alone: it is the count of assistant turns in it
and of the faults that were played, so that a session goes on after a restart where it stood.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.errors import UsageError
from workbench.events import Message, Usage
from workbench.models.base import (
    Channel,
    ContextOverflow,
    Listener,
    ModelError,
    ModelUnavailable,
    Provider,
    RefusedKey,
    Reply,
    UnknownModel,
)

CHUNK = 24
"""Characters that are streamed at once."""


class ScriptError(UsageError):
    """A script that cannot be played; the sentence names the file, the turn and the key."""


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One tool call of a turn."""

    call: str
    arguments: dict[str, Any] = {}


class Turn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of a script, or a fault that is played in its place."""

    think: str = ""
    say: str = ""
    call: str | None = None
    arguments: dict[str, Any] = {}
    calls: list[Call] = []
    delay_s: float = 0.0
    finish_reason: Literal["stop", "tool_calls", "length"] | None = None
    error: Literal["refused", "unknown", "overflow", "unavailable"] | None = None

    def all_calls(self) -> list[Call]:
        """The tool calls of the turn, in order."""
        first = [Call(self.call, self.arguments)] if self.call else []
        return [*first, *self.calls]


_FAULTS: dict[str, type[ModelError]] = {
    "refused": RefusedKey,
    "unknown": UnknownModel,
    "overflow": ContextOverflow,
    "unavailable": ModelUnavailable,
}


def load_script(path: Path) -> list[Turn]:
    """Read and check a script.

    Raises:
        ScriptError: naming the file, the turn and the key that is wrong.
    """
    import yaml

    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(f"{path}: the script cannot be read: {error}.") from error
    except yaml.YAMLError as error:
        raise ScriptError(f"{path}: the script is not YAML: {error}.") from error
    if not isinstance(value, list) or not value:
        raise ScriptError(f"{path}: a script is a list of turns (think, say, call, arguments).")
    turns = []
    for number, item in enumerate(value, 1):
        try:
            turns.append(msgspec.convert(item, Turn))
        except msgspec.ValidationError as error:
            raise ScriptError(f"{path}: turn {number}: {error}.") from error
    return turns


class ScriptedModel:
    """Plays a script. Streams in small pieces, so that a screen looks alive."""

    provider: Provider = "scripted"

    def __init__(self, path: Path) -> None:
        self.spec = f"scripted:{path}"
        self._path = path
        self._turns = load_script(path)
        self._next = 0

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """The next turn of the script, or its fault."""
        del tools
        position = self._position(messages)
        if position >= len(self._turns):
            count = len(self._turns)
            raise ModelError(
                f"The script has ended after {count} turn{'s' * (count != 1)}: {self._path}."
            )
        turn = self._turns[position]
        self._next = position + 1
        if turn.delay_s:
            await asyncio.sleep(turn.delay_s)
        if turn.error is not None:
            raise _FAULTS[turn.error](f"The script plays a fault here: {turn.error}.")
        await _stream(turn, listener)
        return _reply(turn, position)

    def _position(self, messages: Sequence[Message]) -> int:
        """Where the conversation stands in the script: after its last turn of the script.

        Faults and a conversation that was cut short leave no trace; then our own count holds.
        """
        played = [
            message["_native"]["turn"]
            for message in messages
            if message.get("role") == "assistant" and "turn" in (message.get("_native") or {})
        ]
        if not played:
            return self._next
        after_last = int(played[-1]) + 1
        skipped = self._turns[after_last : self._next]
        return self._next if all(turn.error for turn in skipped) and skipped else after_last

    async def close(self) -> None:
        """Nothing is held."""


async def _stream(turn: Turn, listener: Listener) -> None:
    parts: list[tuple[Channel, str]] = [("reasoning", turn.think), ("text", turn.say)]
    for channel, text in parts:
        for start in range(0, len(text), CHUNK):
            listener.on_text(channel, text[start : start + CHUNK])
            await asyncio.sleep(0)


def _reply(turn: Turn, position: int) -> Reply:
    message: Message = {"role": "assistant", "content": turn.say}
    calls = [
        {
            "id": f"call_script_{position}_{index}",
            "type": "function",
            "function": {
                "name": call.call,
                "arguments": json.dumps(call.arguments, ensure_ascii=False),
            },
        }
        for index, call in enumerate(turn.all_calls())
    ]
    if calls:
        message["tool_calls"] = calls
    if turn.think:
        message["reasoning_content"] = turn.think
    reason = turn.finish_reason or ("tool_calls" if calls else "stop")
    return Reply(message, Usage(), reason, native={"turn": position})
