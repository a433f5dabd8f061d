"""The sample run as items to write, and small items made by hand."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tests.trajectory.vectors import SAMPLE_RUN
from workbench.events import Usage
from workbench.trajectory.omnicoding_read import ReadItem, read_run
from workbench.trajectory.pictures import picture_from_base64
from workbench.trajectory.run_item import ImageSubcall, Origin, RunItem, RunMeta

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "execute_commands", "parameters": {}}}
]


def sample_items() -> list[RunItem]:
    """The two items of the sample run, as an exporter would hand them over."""
    (shard,) = read_run(SAMPLE_RUN)
    names = {one.name for one in fields(RunMeta)}
    meta = RunMeta(**{key: value for key, value in shard.meta.items() if key in names})
    return [_run_item(meta, item) for item in shard.items]


def _run_item(meta: RunMeta, read: ReadItem) -> RunItem:
    assert read.row is not None
    assert read.item is not None
    row = read.row
    return RunItem(
        meta=meta,
        item={key: value for key, value in read.item.items() if key != "__source_index__"},
        messages=read.messages,
        exit_reason=row["exit_reason"],
        origin=Origin("sample", read.source_index),
        steps=read.steps,
        usage=Usage(**{key: row[key] for key in Usage.__struct_fields__ if key in row}),
        retry_attempts=row["retry_attempts"],
        image_subcalls=[_subcall(call) for call in read.image_subcalls],
    )


def _subcall(call: dict[str, Any]) -> ImageSubcall:
    return ImageSubcall(
        file_path_arg=call["file_path_arg"],
        instruction=call["instruction"],
        ts=call["ts"],
        resolved_path=call["resolved_path"],
        mime=call["mime"],
        picture=picture_from_base64(call["mime"].removeprefix("image/"), call["image_b64"]),
        error=call["error"],
        elapsed_s=call["elapsed_s"],
    )


def small_item(*messages: dict[str, Any], **changes: Any) -> RunItem:
    """An item with these messages after a question."""
    head = [{"role": "system", "content": "s"}, {"role": "user", "content": "Q?"}]
    given: dict[str, Any] = {
        "meta": RunMeta("omnigaia", "m", "other", None, "s", TOOLS),
        "item": {"id": "t", "question": "Q?", "ground_truth": ["7"], "answer_type": "open"},
        "messages": [*head, *messages],
        "exit_reason": "task_complete",
        "origin": Origin("session", len(messages)),
    }
    return RunItem(**{**given, **changes})
