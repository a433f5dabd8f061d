"""The Code-X reward of a trajectory (omnicoding-format 4).

It has known oddities that whoever sees the number should hear about (4.2): it punishes
`> /dev/null`, addresses in prose, and absolute paths anywhere in the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workbench.curation.reward_tools import ToolAudit, ToolSets, audit_tools
from workbench.events import Message
from workbench.trajectory.tags import last_answer

FUNCTION = "code-x"
"""Name under which the reward is logged."""

_REMOVED_EXITS = frozenset({"timeout", "step_limit", "context_overflow"})
_SEPARATORS = (re.compile(r"\s*[,;]\s*"), re.compile(r"\s+and\s+"), re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class Reward:
    """The record of one trajectory, in the order and with the types of the reference (4.4)."""

    score: float
    correctness: float
    raw_acc: float
    format: float
    format_error: float
    modality_penalty: float
    modality_match: float
    has_video: float
    has_audio: float
    bad_tool_penalty: float
    p_bad_tool: float
    n_tool: float
    n_unparseable: float
    n_disallowed: float
    n_escape: float
    n_syntax_fail: float
    removed: float
    active: float
    extracted_answer: str | None
    prediction_normalized: str | None
    tool_names_used: list[str]

    def record(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)


def grade(
    messages: Sequence[Message],
    ground_truth: Sequence[str],
    *,
    exit_reason: str,
    media: Mapping[str, Sequence[str]] | None = None,
    workspace: str | None = "/workspace",
    observed_n_tool_calls: int | None = None,
    tools: ToolSets | None = None,
) -> Reward:
    """Grade one trajectory.

    Args:
        messages: the conversation.
        ground_truth: accepted answers.
        exit_reason: in OmniCoding's words (see `trajectory.run_item`).
        media: paths by kind (`videos`, `audios`, `images`).
        workspace: absolute path that commands may name besides /workspace and /tmp.
        observed_n_tool_calls: calls the loop counted, where that is more than the messages show.
        tools: other tool sets than the usual.
    """
    tools = tools or ToolSets()
    audit = audit_tools(messages, workspace, tools)
    n_tool = max(audit.calls, observed_n_tool_calls or 0)
    prediction = _prediction(messages)
    normalized = None if prediction is None else normalise_answer(prediction)
    raw_acc = bool(normalized) and normalized in [normalise_answer(gold) for gold in ground_truth]
    has_video, has_audio = _required_modalities(media or {})
    match = _modality_match(has_video, has_audio, audit, tools)
    correct = raw_acc and match and n_tool > 0 and not audit.escapes
    well_formed = exit_reason == "task_complete" and bool(prediction and prediction.strip())
    format_score = 0.2 if well_formed else -0.2
    modality_penalty = 0.0 if match else -0.3
    p_bad_tool = audit.faults / (1 + n_tool)
    bad_tool_penalty = -0.5 * p_bad_tool
    removed = prediction is None and exit_reason in _REMOVED_EXITS
    score = (1.0 if correct else format_score) + modality_penalty + bad_tool_penalty
    return Reward(
        score=0.0 if removed else score,
        correctness=float(correct),
        raw_acc=float(raw_acc),
        format=format_score,
        format_error=float(not well_formed),
        modality_penalty=modality_penalty,
        modality_match=float(match),
        has_video=float(has_video),
        has_audio=float(has_audio),
        bad_tool_penalty=bad_tool_penalty,
        p_bad_tool=p_bad_tool,
        n_tool=float(n_tool),
        **_fault_counts(audit),
        removed=float(removed),
        active=float(not removed),
        extracted_answer=prediction,
        prediction_normalized=normalized,
        tool_names_used=sorted(audit.evidence),
    )


def _fault_counts(audit: ToolAudit) -> dict[str, float]:
    return {
        "n_unparseable": float(audit.unparseable),
        "n_disallowed": float(audit.disallowed),
        "n_escape": float(audit.escapes),
        "n_syntax_fail": float(audit.syntax_faults),
    }


def normalise_answer(text: str) -> str:
    """Lower case; commas, semicolons, the word "and" and runs of blanks become one blank."""
    text = text.strip().lower()
    for separator in _SEPARATORS:
        text = separator.sub(" ", text)
    return text


def _prediction(messages: Iterable[Message]) -> str | None:
    """The last tag that the assistant itself wrote, in content or reasoning."""
    answer = None
    for message in messages:
        if message.get("role") != "assistant":
            continue
        for text in (message.get("content"), message.get("reasoning_content")):
            if isinstance(text, str) and (found := last_answer(text)) is not None:
                answer = found
    return answer


def _required_modalities(media: Mapping[str, Sequence[str]]) -> tuple[bool, bool]:
    """Whether video and audio must be used; sound of a video's own file asks for nothing."""
    videos = set(media.get("videos") or [])
    return bool(videos), bool(set(media.get("audios") or []) - videos)


def _modality_match(video: bool, audio: bool, audit: ToolAudit, tools: ToolSets) -> bool:
    saw = bool(audit.evidence & (tools.video | tools.image))
    heard = bool(audit.evidence & tools.audio)
    return (saw or not video) and (heard or not audio)


def shape_group(
    rewards: Sequence[Reward], steps: Sequence[int]
) -> list[tuple[float, float]] | None:
    """Scores of trajectories of one task, the longer of the correct ones scaled down (4.5).

    Args:
        rewards: one for each trajectory.
        steps: turns with tool calls of each, at least 1 for a correct one.

    Returns:
        (score, length factor) of each; None if the group teaches nothing and is dropped.
    """
    correct = [n for reward, n in zip(rewards, steps, strict=True) if reward.correctness]
    shortest = max(1, min(correct)) if correct else 0
    shaped = []
    for reward, n in zip(rewards, steps, strict=True):
        factor = max(0.5, 1 - 0.2 * (n - shortest) / shortest) if reward.correctness else 1.0
        shaped.append((reward.score * factor, factor))
    scores = {score for score, _factor in shaped}
    if len(rewards) < 2 or len(scores) < 2 or any(reward.removed for reward in rewards):
        return None
    return shaped
