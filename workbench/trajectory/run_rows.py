"""Rows of `results.json` and the texts that go with them (omnicoding-format 1.3, 1.5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from workbench.events import Message
from workbench.trajectory.benches import level2_options
from workbench.trajectory.extract import Bench, Extraction, extract
from workbench.trajectory.run_item import HARNESS, HARNESS_VERSION, Json, RunItem

_TAIL_CHARS = 8000
_PREVIEW_MESSAGES = 6
_PREVIEW_CHARS = 5000
_PREVIEW_ARGUMENT_CHARS = 800
_PREVIEW_KEYS = ("role", "content", "tool_call_id", "tool_calls", "reasoning_content")
_MESSAGE_KEYS = (
    "role",
    "tool_call_id",
    "content",
    "tool_calls",
    "reasoning_content",
    "_recovered_from_content",
    "_synthetic_truncated",
    "_finish_reason",
)
_EMPTY_IS_OMITTED = ("tool_calls", "reasoning_content", "_recovered_from_content")
_NOT_EXPORTED = ("_native",)


def stored_message(message: Message) -> Message:
    """The message in the key order of `messages.json` (1.4), without what only a provider needs."""
    ordered = {key: message[key] for key in _MESSAGE_KEYS if key in message}
    ordered.update((key, value) for key, value in message.items() if key not in ordered)
    if ordered.get("content") is None:
        ordered["content"] = ""
    return {
        key: value
        for key, value in ordered.items()
        if key not in _NOT_EXPORTED and (value or key not in _EMPTY_IS_OMITTED)
    }


def final_text(messages: Sequence[Message]) -> str:
    """All that the assistant and the tools said, as the extractors read it."""
    parts = []
    for message in messages:
        if message.get("role") in ("assistant", "tool"):
            parts += [_text(message.get("content")), _text(message.get("reasoning_content"))]
    return "\n\n".join(part for part in parts if part.strip())


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def result_row(item: RunItem, messages: Sequence[Message], text: str) -> Json:
    """The row of an item: the benchmark's keys, the harness extras, then `id` for the filter.

    Args:
        item: with its numbers given.
        messages: as stored, pictures inline.
        text: their final text.
    """
    found = extract(item.meta.bench, item.item, text)
    row: Json = {"source_index": item.source_index}
    row.update(_BENCHMARK_KEYS[item.meta.bench](item.item, found))
    row.update(_tail(item, messages, text))
    row.update(_extras(item, messages))
    row.setdefault("id", item.item.get("id"))
    row.setdefault("predicted_answer", found.prediction)
    return row


def _tail(item: RunItem, messages: Sequence[Message], text: str) -> Json:
    timed_out = item.exit_reason == "error" and "timeout" in (item.error or "").lower()
    return {
        "raw_model_output": text[-_TAIL_CHARS:],
        "tool_call_num": sum(len(message.get("tool_calls") or []) for message in messages),
        "return_code": None,
        "timed_out": timed_out,
        "stdout_text": "",
        "stderr_text": "",
    }


def _extras(item: RunItem, messages: Sequence[Message]) -> Json:
    meta, usage = item.meta, item.usage
    return {
        "harness": HARNESS,
        "harness_version": HARNESS_VERSION,
        "model": meta.model,
        "api_base": meta.api_base,
        "endpoint_failovers": [],
        "gpu_device_assigned": None,
        "exit_reason": item.exit_reason,
        "completed": item.exit_reason == "task_complete",
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "trajectory_steps": item.steps,
        "messages_preview": messages_preview(messages),
        "retry_attempts": item.retry_attempts,
        "retry_count": len(item.retry_attempts),
        "error": item.error,
        "reasoning_effort": meta.reasoning_effort,
        "reasoning_effort_strategy": "fixed",
        "attempt": item.attempt,
        "step_limit_used": meta.step_limit,
        "thinking_budget_tokens": meta.thinking_budget_tokens,
        "enable_thinking": meta.enable_thinking,
        "enable_summarize": meta.enable_summarize,
        "step_limit": meta.step_limit,
        "max_tool_reminders": meta.max_tool_reminders,
        "temperature": meta.temperature,
        "top_p": meta.top_p,
        "seed": meta.seed,
        "n_summarizations": len(item.snapshots),
        "per_job_venv": None,
        "env_setup_seconds": 0.0,
    }


def messages_preview(messages: Sequence[Message]) -> list[Message]:
    """The last messages, cut; arguments are encoded once more, as the reference does."""
    preview = []
    for message in messages[-_PREVIEW_MESSAGES:]:
        kept = {key: message[key] for key in message if key in _PREVIEW_KEYS}
        for key in ("content", "reasoning_content"):
            if isinstance(kept.get(key), str):
                kept[key] = kept[key][:_PREVIEW_CHARS]
        if "tool_calls" in kept:
            kept["tool_calls"] = [_preview_call(call) for call in kept["tool_calls"]]
        preview.append(kept)
    return preview


def _preview_call(call: Json) -> Json:
    function = call.get("function") or {}
    raw = function.get("arguments")
    arguments = json.dumps(raw)[:_PREVIEW_ARGUMENT_CHARS] if raw else ""
    return {
        "id": call.get("id"),
        "function": {"name": function.get("name"), "arguments": arguments},
    }


def _omnigaia(item: Json, found: Extraction) -> Json:
    keys = (
        "id",
        "category",
        "Level",
        "task_type",
        "total_steps",
        "required_external_tools",
        "question",
        "omni_modal_input",
    )
    row = {key: item.get(key) for key in keys}
    return {**row, "predicted_answer": found.prediction, "is_correct": found.is_correct}


def _lvomnibench(item: Json, found: Extraction) -> Json:
    keys = (
        "question_id",
        "video_id",
        "video_category",
        "sub_category",
        "duration",
        "question_type",
        "difficulty",
        "question",
        "options",
    )
    row = {key: item.get(key) for key in keys}
    row["question_id"] = item.get("question_id", item.get("id"))
    return {**row, **_option(found)}


def _socialomni_l1(item: Json, found: Extraction) -> Json:
    return {
        "question_id": item.get("id"),
        "video_path": item.get("video_path"),
        "level": "level1",
        "question": item.get("question"),
        "options": item.get("options"),
        **_option(found),
    }


def _socialomni_l2(item: Json, found: Extraction) -> Json:
    asked: Any = item.get("question_1") or {}
    return {
        "question_id": item.get("video_id"),
        "video_file": item.get("video_file"),
        "level": "level2_q1",
        "question": asked.get("question"),
        "options": level2_options(item),
        **_option(found),
    }


def _videozerobench(item: Json, found: Extraction) -> Json:
    row = {
        key: item.get(key) for key in ("question_id", "video_id", "video", "language", "category")
    }
    return {**row, "level3_answer": found.prediction, "is_correct": found.is_correct}


def _option(found: Extraction) -> Json:
    return {"predicted_option": found.prediction, "is_correct": found.is_correct}


_BENCHMARK_KEYS: dict[Bench, Callable[[Json, Extraction], Json]] = {
    "omnigaia": _omnigaia,
    "lvomnibench": _lvomnibench,
    "socialomni_l1": _socialomni_l1,
    "socialomni_l2": _socialomni_l2,
    "videozerobench": _videozerobench,
}
