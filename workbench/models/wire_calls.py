"""Tool calls put together from streamed pieces, as OpenAI and its many imitators send them."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Call:
    """A call that is being put together; `index` is None where the server sends none."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are a complete object, so that the next piece begins a call."""
        try:
            return isinstance(json.loads(self.arguments, strict=False), dict)
        except ValueError:
            return False


class CallAssembler:
    """Collects the pieces of tool calls.

    Seen in the wild: all calls under index 0, no index, no ids, the id or the name repeated with
    every piece, a whole call in one piece, arguments as an object, null arguments.
    """

    def __init__(self, tool_names: Collection[str]) -> None:
        self._names = frozenset(tool_names)
        self._calls: list[_Call] = []

    def feed(self, pieces: object) -> str:
        """Take the `tool_calls` of one delta; returns the text of arguments that it brought."""
        if not isinstance(pieces, list):
            return ""
        return "".join(self._feed_one(piece) for piece in pieces if isinstance(piece, dict))

    def _feed_one(self, piece: dict[str, Any]) -> str:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        index = piece["index"] if isinstance(piece.get("index"), int) else None
        identity, name = str(piece.get("id") or ""), str(function.get("name") or "")
        text = _arguments_text(function.get("arguments"))
        call = self._current(index, identity, name)
        call.id = call.id or identity
        if name and name != call.name:
            call.name += name
        call.arguments += text
        return text

    def _current(self, index: int | None, identity: str, name: str) -> _Call:
        """The call that a piece belongs to; a new one where it begins one."""
        same = [call for call in self._calls if call.index == index]
        if not same or self._begins(same[-1], identity, name):
            self._calls.append(_Call(index))
            return self._calls[-1]
        return same[-1]

    def _begins(self, call: _Call, identity: str, name: str) -> bool:
        if not name:
            return False
        if identity and call.id and identity != call.id:
            return True
        repeats_id = bool(identity) and identity == call.id
        if repeats_id:
            return False
        return call.is_whole or (call.name in self._names and name in self._names - {call.name})

    def calls(self) -> list[dict[str, Any]]:
        """The calls in OpenAI's shape, save those without a name; an id only where one came."""
        return [
            {
                **({"id": call.id} if call.id else {}),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in self._calls
            if call.name
        ]


def _arguments_text(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
