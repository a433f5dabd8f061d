"""How replies to a turn are put together (omnicoding-format K11, 10.4, 10.7)."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.engine.prompts import OPERATOR_HEADING
from workbench.events import Message

NOTHING_TO_SAY = "executed"


def tool_replies(
    call_ids: Sequence[str],
    results: Sequence[str],
    own_replies: dict[int, str],
    warnings: Sequence[str],
) -> list[Message]:
    """One tool message for each call, in call order.

    Args:
        call_ids: ids of all calls of the turn.
        results: what the actions that ran gave; joined into the first reply.
        own_replies: replies that belong to one call alone, by position: a rejection, a note.
        warnings: the parser's; they stand before everything in the first reply.
    """
    result = "\n".join(results).rstrip()
    warning = "\n".join(warnings)
    messages: list[Message] = []
    for position, call_id in enumerate(call_ids):
        parts = [own_replies[position]] if position in own_replies else []
        if position == 0:
            parts = [part for part in (warning, result, *parts) if part]
        content = "\n\n".join(parts) or NOTHING_TO_SAY
        messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
    return messages


def with_notes(messages: Sequence[Message], notes: Sequence[str]) -> list[Message]:
    """The messages with the person's notes in the last tool reply; a user message without one.

    A user message after a tool reply would make the session untrainable (omnicoding-format 2.4).
    """
    if not notes:
        return list(messages)
    text = "\n\n".join(notes)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] == "tool":
            content = f"{messages[index]['content']}\n\n{OPERATOR_HEADING}\n{text}"
            changed = {**messages[index], "content": content}
            return [*messages[:index], changed, *messages[index + 1 :]]
    return [{"role": "user", "content": text}, *messages]


def notes_after_prompt(prompt: Sequence[Message], notes: Sequence[str]) -> list[Message]:
    """The opening messages with notes that came before the first step."""
    return [*prompt, *({"role": "user", "content": note} for note in notes)]
