"""What a session's steps tell beside the messages: step list, reminders, pictures (1.3 to 1.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from workbench.events import Message
from workbench.session.steps import ActionState, StepState
from workbench.trajectory.kira import IMAGE_READ
from workbench.trajectory.parse import parse_turn
from workbench.trajectory.pictures import Picture, picture_of
from workbench.trajectory.run_item import ImageSubcall, Json

_WORKSPACE = PurePosixPath("/workspace")
_NOTHING = "executed"


def step_records(path: Iterable[StepState]) -> list[Json]:
    """Entries of `trajectory.json`: one for each turn that had calls (1.6)."""
    records: list[Json] = []
    for step in path:
        if not step.actions or step.message is None:
            continue
        turn = parse_turn(step.message)
        records.append(
            {
                "step": len(records) + 1,
                "analysis": turn.analysis,
                "plan": turn.plan,
                "n_commands": len(turn.commands),
                "is_task_complete": turn.task_complete,
                "is_image_read": turn.image_read is not None,
                "output_chars": _output_chars(step),
                "cached_tokens": step.usage.cached_tokens,
                "reasoning_tokens": step.usage.reasoning_tokens,
                "prompt_tokens": step.usage.prompt_tokens,
                "completion_tokens": step.usage.completion_tokens,
            }
        )
    return records


def _output_chars(step: StepState) -> int:
    """Length of the first reply without warnings, the nearest to the raw result that is kept."""
    first = next((message for message in step.observed if message.get("role") == "tool"), None)
    content = str(first.get("content") or "") if first else ""
    warnings = "\n".join(step.warnings)
    if warnings:
        content = content.removeprefix(warnings).lstrip("\n")
    return 0 if content == _NOTHING else len(content)


def retry_attempts_of(prompt: Sequence[Message], path: Iterable[StepState]) -> list[Json]:
    """Reminders that the loop sent, with the counts of the moment (1.3)."""
    attempts: list[Json] = []
    length, recorded, streak = len(prompt), 0, 0
    for step in path:
        if step.compacted is not None:
            length = len(step.compacted)
        length += step.message is not None
        if step.actions:
            recorded, streak = recorded + 1, 0
        for message in step.observed:
            if message.get("_reminder") == "no_tool_calls":
                streak += 1
                attempts.append(_continue_record(streak, recorded, message, length))
            elif message.get("_reminder") == "missing_answer":
                record = {"attempt": 1, "step": recorded, "reason": "missing_answer_wrapper"}
                attempts.append({**record, "messages_at_attempt": length})
            length += 1
    return attempts


def _continue_record(streak: int, recorded: int, message: Message, length: int) -> Json:
    return {
        "attempt": streak,
        "step": recorded + 1,
        "reason": "no_tool_calls",
        "prompt": message.get("content"),
        "messages_at_attempt": length,
        "timed_out": False,
    }


def image_subcalls_of(path: Iterable[StepState]) -> list[ImageSubcall]:
    """One record for each `image_read` that was carried out, successful or not (1.7)."""
    calls = []
    for step in path:
        for action in step.actions:
            if action.tool == IMAGE_READ and action.phase == "done":
                calls += _subcall(step, action)
    return calls


def _subcall(step: StepState, action: ActionState) -> list[ImageSubcall]:
    """The record of one action; nothing where its arguments were no request for a picture."""
    file_path = str(action.arguments.get("file_path") or "").strip()
    instruction = str(action.arguments.get("image_read_instruction") or "").strip()
    if not file_path or not instruction:
        return []
    shown = _shown_picture(step.observed)
    picture, mime = shown or (None, None)
    error = None if shown else _error_text(step.observed)
    return [
        ImageSubcall(
            file_path_arg=file_path,
            instruction=instruction,
            ts=step.ended_t or step.started_t,
            resolved_path=str(_WORKSPACE / file_path) if shown else None,
            mime=mime,
            picture=picture,
            error=error,
        )
    ]


def _shown_picture(observed: Iterable[Message]) -> tuple[Picture, str] | None:
    """The picture that followed the replies, and its type."""
    for message in observed:
        content = message.get("content")
        for part in content if isinstance(content, list) else []:
            picture = picture_of(part) if part.get("type") == "image_url" else None
            if picture is not None:
                return picture, _mime(part)
    return None


def _mime(part: dict[str, Any]) -> str:
    url = str(part["image_url"]["url"])
    return url.partition(";")[2] if url.startswith("blob:") else url[5 : url.index(";")]


def _error_text(observed: Iterable[Message]) -> str:
    for message in observed:
        for line in str(message.get("content") or "").splitlines():
            if line.startswith("ERROR: "):
                return line.removeprefix("ERROR: ")
    return "the picture was not read"
