"""OpenAI messages to a row that ms-swift trains on (omnicoding-format 2.1 and 2.2).

Our own implementation of the rules C1 to C27; the numbers in the comments are theirs. The result is
byte for byte what the reference converter makes, save that `blob:` pictures are understood too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from workbench.events import Message
from workbench.trajectory.arguments import decode_for_training
from workbench.trajectory.canonical import Entry, canonicalise, last_training_answer, tool_call
from workbench.trajectory.kira import CONTINUE_MARKER, IMAGE_READ
from workbench.trajectory.pictures import Picture, legacy_path, picture_of

_TRAINED_ROLES = ("assistant", "tool_call")

FindLegacyPicture = Callable[[str], Picture | None]


@dataclass(frozen=True, slots=True)
class Conversion:
    """A row and the pictures that belong to it.

    `pictures` are (path as the row names it, picture) in the order of the row. `sources` says for
    each message of the row which source message it came from; None for one that was added.
    `lost_calls` are (index of the message, tool) of calls that were dropped for their arguments.
    """

    row: dict[str, Any]
    pictures: list[tuple[str, Picture]]
    sources: list[int | None]
    lost_calls: list[tuple[int, str]]

    def without_loss_on(self, turns: Collection[int]) -> Conversion:
        """The row with `loss: false` on what came from these messages, by index (T9, 10.10)."""
        messages = [
            {**message, "loss": False}
            if source in turns and message["role"] in _TRAINED_ROLES
            else message
            for message, source in zip(self.row["messages"], self.sources, strict=True)
        ]
        return replace(self, row={**self.row, "messages": messages})

    def line(self) -> str:
        """The row as a line of JSON, newline included."""
        return json.dumps(self.row, ensure_ascii=False) + "\n"


def convert(
    messages: Sequence[Message],
    tools_spec: list[dict[str, Any]],
    item_name: str,
    images_dir: str,
    *,
    multimodal: bool,
    fill_empty_think: bool = True,
    canonicalize_answer: bool = True,
    find_legacy_picture: FindLegacyPicture = lambda _path: None,
) -> Conversion:
    """Convert one conversation.

    Args:
        messages: as `messages.json` holds them; pictures as `data:` or `blob:` urls.
        tools_spec: OpenAI function specs of the run.
        item_name: name of the item's folder; it names the folder of the pictures.
        images_dir: folder of all pictures, exactly as the row shall name it.
        multimodal: place pictures, instead of dropping them.
        fill_empty_think: give turns without reasoning an empty think block.
        canonicalize_answer: make the row end in one tagged answer and `task_complete`.
        find_legacy_picture: picture for a path that a sub-model described (C19).
    """
    prefix = f"{images_dir}/{item_name}"
    converter = _Converter(prefix, multimodal, fill_empty_think, find_legacy_picture)
    for index, message in enumerate(messages):
        converter.add(index, message)
    entries = converter.entries
    if canonicalize_answer:
        entries = canonicalise(entries, last_training_answer(messages))
    row: dict[str, Any] = {
        "messages": [{"role": entry.role, "content": entry.content} for entry in entries],
        "tools": json.dumps(tools_spec),
    }
    if converter.pictures:
        row["images"] = [path for path, _picture in converter.pictures]
    sources = [entry.source for entry in entries]
    return Conversion(row, converter.pictures, sources, converter.lost_calls)


class _Converter:
    """The entries and pictures of one row while its messages are read in order."""

    def __init__(
        self, prefix: str, multimodal: bool, fill_think: bool, find_legacy: FindLegacyPicture
    ) -> None:
        self.entries: list[Entry] = []
        self.pictures: list[tuple[str, Picture]] = []
        self.lost_calls: list[tuple[int, str]] = []
        self._prefix = prefix
        self._multimodal = multimodal
        self._fill_think = fill_think
        self._find_legacy = find_legacy
        self._asked = False
        """Whether a user message has been emitted."""

    def add(self, index: int, message: Message) -> None:
        role, content = message.get("role"), message.get("content")
        if role == "system" and _has_text(content):
            self.entries.append(Entry("system", content, index))
        elif role == "user":
            self._add_user(index, content)
        elif role == "assistant":
            self._add_assistant(index, message)
        elif role == "tool" and _has_text(content):
            self.entries.append(Entry("tool_response", self._tool_text(content), index))

    def _add_user(self, index: int, content: object) -> None:
        if isinstance(content, list):
            rendered = self._render_parts(content)
            if rendered.strip() and not self._fold_into_image_reply(rendered):
                self._emit_user(index, rendered)
        elif isinstance(content, str) and content.strip():  # C3
            is_reminder = self._asked and CONTINUE_MARKER in content  # C4
            if not is_reminder:
                self._emit_user(index, content)

    def _emit_user(self, index: int, content: str) -> None:
        self.entries.append(Entry("user", content, index))
        self._asked = True

    def _render_parts(self, parts: list[Any]) -> str:
        """Text parts first, then a line for each picture (C6, C7, C8)."""
        lines = []
        pictures = 0
        for part in parts:
            if not isinstance(part, dict):
                continue
            if part.get("type") == "text" and _has_text(part.get("text")):
                lines.append(part["text"])
            elif part.get("type") == "image_url" and self._multimodal:
                picture = picture_of(part)
                if picture is not None:
                    self._place(picture)
                    pictures += 1
        return "\n".join(lines + ["<image>"] * pictures)

    def _place(self, picture: Picture) -> None:
        path = f"{self._prefix}/img_{len(self.pictures):03d}.{picture.extension}"
        self.pictures.append((path, picture))

    def _fold_into_image_reply(self, rendered: str) -> bool:
        """Append to the reply of the last `image_read` of the block that just ended (C9)."""
        end = len(self.entries)
        replies = _start_of_block(self.entries, end, "tool_response")
        calls = _start_of_block(self.entries, replies, "tool_call")
        paired = min(replies - calls, end - replies)
        for offset in reversed(range(paired)):
            if self.entries[calls + offset].tool == IMAGE_READ:
                reply = self.entries[replies + offset]
                reply.content = f"{reply.content.rstrip()}\n{rendered.strip()}"
                return True
        return False

    def _add_assistant(self, index: int, message: Message) -> None:
        content, reasoning = message.get("content"), message.get("reasoning_content")
        raw_calls = message.get("tool_calls")
        calls = raw_calls if isinstance(raw_calls, list) else []
        text = content if isinstance(content, str) else ""
        if message.get("_synthetic_truncated"):  # C11
            return
        if not (text.strip() or calls or _has_text(reasoning)):
            return
        if _has_text(reasoning):  # C14
            text = f"<think>\n{reasoning.strip()}\n</think>\n\n{text}"
        elif self._fill_think:
            text = f"<think>\n\n</think>\n\n{text}"
        if text.strip():  # C15
            self.entries.append(Entry("assistant", text, index))
        for call in calls:
            self._add_call(index, call)

    def _add_call(self, index: int, call: object) -> None:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            return
        arguments = decode_for_training(function.get("arguments"))
        if arguments is None:  # C12
            self.lost_calls.append((index, str(function.get("name"))))
        else:
            self.entries.append(tool_call(function.get("name"), arguments, index))

    def _tool_text(self, content: str) -> str:
        path = legacy_path(content) if self._multimodal else None
        picture = self._find_legacy(path) if path is not None else None
        if picture is None:
            return content  # C18
        self._place(picture)
        return f"<image>\n{content}"  # C19


def _has_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _start_of_block(entries: list[Entry], end: int, role: str) -> int:
    """Where the run of `role` entries that ends before `end` starts; `end` if there is none."""
    start = end
    while start > 0 and entries[start - 1].role == role:
        start -= 1
    return start
