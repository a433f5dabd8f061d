"""What must hold before a trajectory is written as training data (omnicoding-format 10.11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from workbench.errors import UsageError
from workbench.events import Message
from workbench.trajectory.arguments import decode_for_training
from workbench.trajectory.ms_swift import convert
from workbench.trajectory.pairing import why_not_trained, why_pictures_differ
from workbench.trajectory.pictures import picture_of
from workbench.trajectory.run_item import RunItem


class CannotTrain(UsageError):
    """Training data that would break or mislead a training job; the sentence says why."""


def require_trainable(items: Iterable[RunItem]) -> None:
    """Refuse items with faults.

    Raises:
        CannotTrain: naming the session and its first fault.
    """
    for item in items:
        found = faults(item)
        if found:
            more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
            raise CannotTrain(
                f"Session {item.origin.session} does not train: {found[0]}{more} "
                "Amend the session, or export it as it is with --allow."
            )


def faults(item: RunItem) -> list[str]:
    """Sentences about everything that is wrong with an item as training data."""
    row = convert(item.messages, item.meta.tools_spec, item.name, "images", multimodal=True).row
    found = [
        *_replies(item.messages),
        *_lost_calls(item.messages),
        why_not_trained(row),
        why_pictures_differ(row),
        *_lost_pictures(item.messages),
        *_private_paths(item),
        _broken_characters(row),
    ]
    return [sentence for sentence in found if sentence is not None]


def _replies(messages: Sequence[Message]) -> Iterator[str]:
    """Every call has exactly one reply, in call order (1.4)."""
    for index, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        replies = takewhile(lambda one: one.get("role") == "tool", messages[index + 1 :])
        wanted = [call.get("id") for call in message.get("tool_calls") or []]
        given = [reply.get("tool_call_id") for reply in replies]
        if wanted != given:
            yield (
                f"Message {index + 1} makes {len(wanted)} tool calls, but {len(given)} replies "
                "follow, or in another order."
            )


def _lost_calls(messages: Sequence[Message]) -> Iterator[str]:
    """Calls whose arguments the converter would drop (C12)."""
    for index, message in enumerate(messages):
        for call in message.get("tool_calls") or []:
            function = call.get("function") or {}
            if decode_for_training(function.get("arguments")) is None:
                yield (
                    f"Message {index + 1}: the arguments of {function.get('name')} are no JSON "
                    "object, so the call would be lost."
                )


def _lost_pictures(messages: Sequence[Message]) -> Iterator[str]:
    """Pictures that the converter would leave out: files and web addresses (C6)."""
    for index, message in enumerate(messages):
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            is_picture = isinstance(part, dict) and part.get("type") == "image_url"
            if is_picture and (message.get("role") != "user" or picture_of(part) is None):
                yield f"Message {index + 1} shows a picture that the converter leaves out."


def _private_paths(item: RunItem) -> Iterator[str]:
    """Folders of this machine in what would be written."""
    written = (item.messages, item.item, item.steps, item.interventions)
    for root in item.private_roots:
        text = next((text for text in _texts(written) if root in text), None)
        if text is not None:
            at = text.index(root)
            shown = text[at : at + 80].split("\n")[0]
            yield f"A text names a private path of this machine: {shown!r}."


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _broken_characters(row: dict[str, Any]) -> str | None:
    """Halves of surrogate pairs, on which the reference tools stop when they write UTF-8."""
    for number, message in enumerate(row["messages"], 1):
        try:
            message["content"].encode()
        except UnicodeEncodeError:
            return f"Message {number} of the row holds half a character that UTF-8 cannot write."
    return None
