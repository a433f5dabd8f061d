"""What must hold before a trajectory is written as training data (omnicoding-format 10.11)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from workbench.errors import UsageError
from workbench.events import Message
from workbench.trajectory.ms_swift import Conversion, convert
from workbench.trajectory.pairing import why_not_trained, why_pictures_differ
from workbench.trajectory.pictures import picture_of
from workbench.trajectory.run_item import Origin, RunItem


class CannotTrain(UsageError):
    """Training data that would break or mislead a training job; the sentence says why."""


class TrainingGate:
    """Lets items pass that train; with `allow` all of them, noting what is wrong."""

    def __init__(self, *, allow: bool) -> None:
        self._allow = allow
        self.passed: list[tuple[Origin, list[str]]] = []

    def check(self, item: RunItem, conversion: Conversion | None = None) -> RunItem:
        """The item, if it may pass.

        Args:
            item: what shall be written.
            conversion: to its ms-swift row, where that is at hand.

        Raises:
            CannotTrain: naming the session and its first fault.
        """
        found = faults(item, conversion)
        if found and not self._allow:
            where = "" if item.is_current else f", on branch {item.origin.branch} that was left,"
            more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
            raise CannotTrain(
                f"Session {item.origin.session}{where} does not train: {found[0]}{more} "
                "Amend the session, or export it as it is with --allow."
            )
        self.passed.append((item.origin, found))
        return item


def faults(item: RunItem, conversion: Conversion | None = None) -> list[str]:
    """Sentences about everything that is wrong with an item as training data."""
    if conversion is None:
        spec = item.meta.tools_spec
        conversion = convert(item.messages, spec, item.name, "images", multimodal=True)
    row = conversion.row
    found = [
        *_replies(item.messages),
        *(
            f"Message {index + 1}: the arguments of {tool!r} are no JSON object, so that the call "
            "would be lost."
            for index, tool in conversion.lost_calls
        ),
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
    if not item.private_roots:
        return
    written = (item.messages, item.item, item.steps, item.interventions)
    text = json.dumps(written, ensure_ascii=False, default=str)
    for root in item.private_roots:
        at = text.find(root)
        if at >= 0:
            yield f"A text names a private path of this machine: {text[at : at + 80]}…"


def _broken_characters(row: dict[str, Any]) -> str | None:
    """Halves of surrogate pairs, on which the reference tools stop when they write UTF-8."""
    for number, message in enumerate(row["messages"], 1):
        try:
            message["content"].encode()
        except UnicodeEncodeError:
            return f"Message {number} of the row holds half a character that UTF-8 cannot write."
    return None
