"""The end of a training row: one tagged answer, then `task_complete` (C20 to C27)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.events import Message
from workbench.trajectory.kira import CHECKLIST_MARKER, TASK_COMPLETE
from workbench.trajectory.tags import answer_payloads

_PLACEHOLDERS = frozenset({"", "...", "X", "FINAL_ANSWER"})


@dataclass(slots=True)
class Entry:
    """One message of a row. `source` is the index of the message that it came from."""

    role: str
    content: str
    source: int | None
    tool: str | None = None


def tool_call(name: object, arguments: Any, source: int | None) -> Entry:
    """A `tool_call` entry (C16)."""
    content = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return Entry("tool_call", content, source, name if isinstance(name, str) else None)


def last_training_answer(messages: Iterable[Message]) -> str | None:
    """The answer that the row teaches: the last tag anywhere but in system messages (C21).

    User messages count, so an example tag in a question can be inherited (C24).
    """
    answer = None
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role not in ("user", "assistant", "tool") or not isinstance(content, str):
            continue
        if role == "tool" and CHECKLIST_MARKER in content:
            continue
        for payload in answer_payloads(content):
            if payload not in _PLACEHOLDERS:
                answer = payload
    return answer


def canonicalise(entries: list[Entry], answer: str | None) -> list[Entry]:
    """The entries with the end that training wants."""
    finished = _collapse_assistants(entries)
    if answer is not None:
        finished = _answer_before_finish(finished, f"<answer>{answer}</answer>")
    return _finish_after_answer(finished)


def _collapse_assistants(entries: list[Entry]) -> list[Entry]:
    """Of a run of assistant entries only the last stays (C20)."""
    kept: list[Entry] = []
    for entry in entries:
        if kept and entry.role == kept[-1].role == "assistant":
            kept[-1] = entry
        else:
            kept.append(entry)
    return kept


def _answer_before_finish(entries: list[Entry], tag: str) -> list[Entry]:
    """Every `task_complete` has the tagged answer in the turn that makes the call (C22)."""
    finished: list[Entry] = []
    for entry in entries:
        if entry.tool == TASK_COMPLETE:
            turn = _turn_of_call(finished)
            if turn is None:
                finished.append(Entry("assistant", tag, None))
            elif "<answer>" not in turn.content:
                turn.content = f"{turn.content.rstrip()}\n\n{tag}"
        finished.append(entry)
    return finished


def _turn_of_call(before: list[Entry]) -> Entry | None:
    """The assistant entry that a call after these entries belongs to."""
    for entry in reversed(before):
        if entry.role == "assistant":
            return entry
        if entry.role != "tool_call":
            return None
    return None


def _finish_after_answer(entries: list[Entry]) -> list[Entry]:
    """A last turn with an answer is followed by `task_complete`, made up if need be (C23)."""
    last = max((i for i, entry in enumerate(entries) if entry.role == "assistant"), default=None)
    if last is None or "<answer>" not in entries[last].content:
        return entries
    if any(entry.tool == TASK_COMPLETE for entry in entries[last + 1 :]):
        return entries
    pair = [tool_call(TASK_COMPLETE, {}, None), Entry("tool_response", "", None)]
    return [*entries[: last + 1], *pair, *entries[last + 1 :]]
