"""What people did in a session, for the sidecar `interventions.jsonl` (omnicoding-format 10.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from workbench import events as ev
from workbench.session.steps import StepState

_HAND = (
    ev.Proposed,
    ev.Decided,
    ev.HumanMessage,
    ev.Amended,
    ev.Rewound,
    ev.Paused,
    ev.Resumed,
    ev.ModeChanged,
    ev.Breakpoint,
    ev.Labelled,
)
_NOBODY = ("policy", "model", "task")


def interventions_of(
    events: Iterable[ev.AnyEvent], prompt: Sequence[ev.Message], path: Sequence[StepState]
) -> list[Any]:
    """Every pause, decision, edit, note, rewind and label of a person, in order.

    Each is the event as the log holds it, with `on_path`: whether its step belongs to the branch.
    A note also says how the agent was told: `tool_reply` trains, `user_message` may not (10.4).
    """
    steps = {step.id for step in path}
    carriers = _carriers([*prompt, *(message for step in path for message in step.observed)])
    records = []
    for event in events:
        if not _by_person(event):
            continue
        record = msgspec.to_builtins(event)
        record["on_path"] = event.step is None or event.step in steps
        if isinstance(event, ev.HumanMessage):
            record["delivered_as"] = next(
                (role for text, role in carriers if event.text in text), None
            )
        records.append(record)
    return records


def _by_person(event: ev.AnyEvent) -> bool:
    return isinstance(event, _HAND) and event.author not in _NOBODY


def _carriers(messages: Iterable[ev.Message]) -> list[tuple[str, str]]:
    """Texts that the agent was shown, and in which kind of message."""
    names = {"tool": "tool_reply", "user": "user_message"}
    return [
        (content, names[message["role"]])
        for message in messages
        if isinstance(content := message.get("content"), str) and message.get("role") in names
    ]
