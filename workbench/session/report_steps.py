"""The report of one step and of its actions; outputs are read from files and blobs, bounded."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from workbench import events as ev
from workbench.session.state import SessionState
from workbench.session.steps import ActionState, StepState
from workbench.session.store import SessionDir

Json = dict[str, Any]

HALF_BYTES = 15_000
"""An output is given whole up to twice this, else its head and tail of this length."""

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class OutputText:
    """The text of an action's output; `is_whole` says whether something was left out of it."""

    text: str
    size_bytes: int
    is_whole: bool


def step_report(session: SessionDir, state: SessionState, step: StepState) -> Json:
    """One step: what the model said and did, and what came of it."""
    parent = state.steps.get(step.parent) if step.parent is not None else None
    return {
        "n": step.n,
        "id": step.id,
        "branch": step.branch,
        "parent": parent.n if parent else None,
        "parent_id": step.parent,
        "state": step.phase,
        "author": step.author,
        "started_t": step.started_t,
        "ended_t": step.ended_t,
        "think": step.think,
        "say": step.say,
        "actions": [_action(session, step, action) for action in step.actions],
        "replies": _other_replies(step),
        "warnings": list(step.warnings),
        "files": [{"path": path, "op": op, "size": size} for path, op, size in step.files],
        "frames": [_frame(frame) for frame in step.frames],
        "heard": [line for heard in step.heard for line in _heard(heard)],
        "snapshot": _snapshot(step.snapshot),
        "labels": {key: value for key, (value, _) in step.labels.items()},
        "latency_s": step.latency_s,
        "finish_reason": step.finish_reason,
        "retries": len(step.retries),
        "usage": {name: getattr(step.usage, name) for name in step.usage.__struct_fields__},
    }


def _action(session: SessionDir, step: StepState, action: ActionState) -> Json:
    output = read_output(session, action)
    return {
        "id": action.id,
        "digest": action.digest,
        "tool": action.tool,
        "arguments": action.arguments,
        "original_arguments": action.original,
        "author": _author(action),
        "proposed_by": step.author,
        "decision": action.decision,
        "decided_by": action.decided_by,
        "note": action.note,
        "state": action.phase,
        "reasons": list(action.reasons),
        "risks": msgspec.to_builtins(action.risks),
        "exit_code": action.exit_code,
        "duration_s": action.duration_s,
        "cpu_s": action.cpu_s,
        "peak_memory_bytes": action.peak_memory_bytes,
        "timed_out": action.timed_out,
        "killed": action.killed,
        "cwd": action.cwd,
        "output": output.text,
        "output_bytes": output.size_bytes,
        "output_is_whole": output.is_whole,
        "observation": _observation(step, action),
    }


def _author(action: ActionState) -> str:
    """Who answers for what ran: the person who wrote or edited it, else who decided it."""
    return action.author if action.author != "model" else action.decided_by or "model"


def read_output(session: SessionDir, action: ActionState) -> OutputText:
    """The head and tail of what an action printed, bytes that are not UTF-8 replaced."""
    try:
        return _read_file(session, action)
    except (OSError, ValueError):
        text = "".join(action.output_text)
        return OutputText(text, action.output_bytes, len(text.encode()) >= action.output_bytes)


def _read_file(session: SessionDir, action: ActionState) -> OutputText:
    """Names come from a log that may be foreign: nothing but plain ones becomes a path."""
    blob = action.output_blob
    if not _PLAIN_NAME.fullmatch(action.id) or not (blob is None or _SHA256.fullmatch(blob)):
        raise ValueError(action.id)
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    fd = os.open(session.output_path(action.id, blob), flags)
    try:
        size = os.fstat(fd).st_size
        if size <= 2 * HALF_BYTES:
            text = os.pread(fd, size, 0).decode(errors="replace")
            return OutputText(text, size, True)
        head = os.pread(fd, HALF_BYTES, 0).decode(errors="replace")
        tail = os.pread(fd, HALF_BYTES, size - HALF_BYTES).decode(errors="replace")
        left_out = f"\n[… {size - 2 * HALF_BYTES} bytes left out …]\n"
        return OutputText(head + left_out + tail, size, False)
    finally:
        os.close(fd)


def _observation(step: StepState, action: ActionState) -> str | None:
    """The reply to this action's call, as the model sees it."""
    for message in step.observed:
        if message.get("role") == "tool" and message.get("tool_call_id") == action.call_id:
            return message_text(message)
    return None


def _other_replies(step: StepState) -> list[Json]:
    """What the model was told besides the replies to its calls: reminders, pictures."""
    return [
        {"role": str(message.get("role")), "text": message_text(message)}
        for message in step.observed
        if message.get("role") != "tool"
    ]


def message_text(message: ev.Message) -> str:
    """The text of a message; a picture in it is named in brackets."""
    content = message.get("content")
    if not isinstance(content, list):
        return str(content or "")
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join(
        str(part.get("text", "")) if part.get("type") == "text" else "[picture]" for part in parts
    )


def _frame(frame: ev.Frame) -> Json:
    return {
        "path": frame.path,
        "width": frame.width,
        "height": frame.height,
        "mime": frame.mime,
        "origin": frame.origin,
        "source": frame.source,
        "time_s": frame.time_s,
        "matched_by": frame.matched_by,
        "blob": frame.blob,
    }


def _heard(heard: ev.Heard) -> list[Json]:
    return [
        {
            "source": heard.source,
            "start": segment.start,
            "end": segment.end,
            "text": segment.text,
            "confidence": segment.confidence,
            "by": heard.by,
        }
        for segment in heard.segments
    ]


def _snapshot(snapshot: ev.Snapshot | None) -> Json | None:
    if snapshot is None:
        return None
    return {
        "manifest": snapshot.manifest,
        "files": snapshot.files,
        "size_bytes": snapshot.size_bytes,
        "not_kept": list(snapshot.not_kept),
    }
