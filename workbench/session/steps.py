"""The state of one step and of its actions, and how events change them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench import events as ev

StepPhase = Literal["thinking", "proposed", "held", "running", "done", "interrupted"]
ActionPhase = Literal["proposed", "held", "approved", "running", "done", "rejected", "skipped"]


@dataclass(slots=True)
class ActionState:
    """One tool call: what was proposed, decided, run, and what came of it."""

    id: str
    call_id: str
    tool: str
    arguments: dict[str, Any]
    """As decided; as proposed until then."""
    digest: str
    original: dict[str, Any] | None = None
    phase: ActionPhase = "proposed"
    decision: ev.Decision | None = None
    author: str = "model"
    """Who acted: `model`, or `human:<name>` where a person edited or replaced it."""
    decided_by: str | None = None
    note: str | None = None
    reasons: list[str] = field(default_factory=list)
    risks: list[ev.Risk] = field(default_factory=list)
    command: str | None = None
    timeout_s: float | None = None
    started_t: float | None = None
    exit_code: int | None = None
    duration_s: float | None = None
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    timed_out: bool = False
    killed: str | None = None
    output_blob: str | None = None
    output_bytes: int = 0
    output_text: list[str] = field(default_factory=list)
    """The head of the output as the log holds it; the rest stands in the file or blob."""
    last_sign_t: float | None = None
    """When it was last known to run: at its start, or when it printed something."""
    cwd: str | None = None

    @property
    def known_to_run_s(self) -> float:
        """Seconds between its start and its last sign of life."""
        return round((self.last_sign_t or 0.0) - (self.started_t or 0.0), 4)

    @property
    def is_edited(self) -> bool:
        """Whether a person changed it before it ran."""
        return self.original is not None


@dataclass(slots=True)
class StepState:
    """One model call and what it caused."""

    id: int
    n: int
    branch: int
    parent: int | None
    started_t: float
    ended_t: float | None = None
    phase: StepPhase = "thinking"
    streamed: dict[str, list[str]] = field(default_factory=dict)
    """Text of a call under way by channel; empty once proposed."""
    retries: list[ev.Retried] = field(default_factory=list)
    message: ev.Message | None = None
    proposal: ev.Message | None = None
    """The message as it was proposed, before any edit."""
    compacted: list[ev.Message] | None = None
    """What replaced the conversation before this step, if it had grown too long."""
    author: str = "model"
    native: Any = None
    actions: list[ActionState] = field(default_factory=list)
    usage: ev.Usage = field(default_factory=ev.Usage)
    latency_s: float = 0.0
    finish_reason: str = ""
    warnings: list[str] = field(default_factory=list)
    observed: list[ev.Message] = field(default_factory=list)
    files: list[tuple[str, str, int | None]] = field(default_factory=list)
    """(path, op, size) in the order of the changes."""
    frames: list[ev.Frame] = field(default_factory=list)
    heard: list[ev.Heard] = field(default_factory=list)
    looked: list[ev.Looked] = field(default_factory=list)
    snapshot: ev.Snapshot | None = None
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def think(self) -> str:
        """The model's reasoning text, while it streams and after."""
        if self.message is None:
            return "".join(self.streamed.get("reasoning", []))
        return str(self.message.get("reasoning_content") or "")

    @property
    def say(self) -> str:
        """The assistant text, while it streams and after."""
        if self.message is None:
            return "".join(self.streamed.get("text", []))
        content = self.message.get("content")
        return content if isinstance(content, str) else ""

    def messages(self) -> list[ev.Message]:
        """The assistant message and the replies to it, in the order of the conversation."""
        if self.message is None:
            return []
        message = self.message if self.native is None else {**self.message, "_native": self.native}
        return [message, *self.observed]


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over steps. `wall_s` is from the first event to the last."""

    steps: int
    actions: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost_usd: float | None
    wall_s: float
    human_actions: int
    edits: int

    @classmethod
    def of(cls, steps: Iterable[StepState], wall_s: float) -> Totals:
        """The sums over `steps`. `cost_usd` is None while no call has told its price."""
        proposed = [step for step in steps if step.message is not None]
        actions = [action for step in proposed for action in step.actions]
        costs = [step.usage.cost_usd for step in proposed if step.usage.cost_usd is not None]
        return cls(
            steps=len(proposed),
            actions=len(actions),
            prompt_tokens=sum(step.usage.prompt_tokens for step in proposed),
            completion_tokens=sum(step.usage.completion_tokens for step in proposed),
            cached_tokens=sum(step.usage.cached_tokens for step in proposed),
            reasoning_tokens=sum(step.usage.reasoning_tokens for step in proposed),
            cost_usd=sum(costs) if costs else None,
            wall_s=wall_s,
            human_actions=sum(action.author != "model" for action in actions),
            edits=sum(action.is_edited for action in actions),
        )


def apply_to_step(step: StepState, event: ev.AnyEvent) -> None:
    """Take an event of this step into its state."""
    handler = _HANDLERS.get(type(event))
    if handler is not None:
        handler(step, event)


def _thought(step: StepState, event: ev.Thought) -> None:
    step.streamed.setdefault(event.channel, []).append(event.text)


def _retried(step: StepState, event: ev.Retried) -> None:
    step.retries.append(event)
    step.streamed.clear()


def _proposed(step: StepState, event: ev.Proposed) -> None:
    step.message = step.proposal = event.message
    step.native = event.native
    step.author = event.author
    step.usage = event.usage
    step.latency_s = event.latency_s
    step.finish_reason = event.finish_reason
    step.warnings = list(event.warnings)
    step.streamed.clear()
    step.phase = "proposed"
    step.actions = [
        ActionState(
            action.id,
            action.call_id,
            action.tool,
            action.arguments,
            action.digest,
            author=event.author,
        )
        for action in event.actions
    ]


def _compacted(step: StepState, event: ev.Compacted) -> None:
    step.compacted = list(event.messages)


def _action(step: StepState, action_id: str) -> ActionState | None:
    return next((action for action in step.actions if action.id == action_id), None)


def _held(step: StepState, event: ev.Held) -> None:
    step.phase = "held"
    if action := _action(step, event.action):
        action.phase = "held"
        action.reasons = list(event.reasons)
        action.risks = list(event.risks)


def _decided(step: StepState, event: ev.Decided) -> None:
    step.phase = "running"
    action = _action(step, event.action)
    if action is None:
        return
    action.decision = event.decision
    action.decided_by = event.author
    action.note = event.note
    action.digest = event.digest
    action.phase = {"reject": "rejected", "skip": "skipped"}.get(event.decision, "approved")  # type: ignore[assignment]
    if event.original is not None:
        action.original = event.original
        action.tool = event.tool or action.tool
        action.arguments = event.arguments
        action.author = event.author
        step.message = _with_arguments(step.message or {}, action)


def _with_arguments(message: ev.Message, action: ActionState) -> ev.Message:
    """The message with the edited arguments in place; the model's own stay beside them."""
    calls = []
    for call in message.get("tool_calls", []):
        if call.get("id") == action.call_id:
            function = call.get("function", {})
            arguments = json.dumps(action.arguments, ensure_ascii=False)
            changed = {**function, "name": action.tool, "arguments": arguments}
            call = {**call, "function": changed}
        calls.append(call)
    originals = {**message.get("_original_arguments", {}), action.call_id: action.original}
    return {**message, "tool_calls": calls, "_original_arguments": originals}


def _amended(step: StepState, event: ev.Amended) -> None:
    if event.part == "observation":
        step.observed = _with_reply(step.observed, event)
    elif event.part == "message" and step.message is not None:
        step.message = {**step.message, "content": event.replacement, "_amended": event.author}
    elif event.part == "arguments" and (action := _action(step, event.action or "")):
        action.original = action.original or action.arguments
        action.arguments = json.loads(event.replacement)
        action.author = event.author
        step.message = _with_arguments(step.message or {}, action)


def _with_reply(observed: list[ev.Message], event: ev.Amended) -> list[ev.Message]:
    """The replies with the first tool reply in new words; a picture keeps its place."""
    at = next((at for at, one in enumerate(observed) if one.get("role") == "tool"), None)
    if at is None:
        return observed
    changed = {**observed[at], "content": event.replacement, "_amended": event.author}
    return [*observed[:at], changed, *observed[at + 1 :]]


def _started(step: StepState, event: ev.Started) -> None:
    step.phase = "running"
    if action := _action(step, event.action):
        action.phase = "running"
        action.command = event.command
        action.timeout_s = event.timeout_s
        action.started_t = action.last_sign_t = event.t
        action.cwd = event.cwd


def _output(step: StepState, event: ev.Output) -> None:
    if action := _action(step, event.action):
        action.output_bytes = max(action.output_bytes, event.end)
        action.last_sign_t = event.t
        if event.text:
            action.output_text.append(event.text)


def _finished(step: StepState, event: ev.Finished) -> None:
    if action := _action(step, event.action):
        action.phase = "done"
        action.exit_code = event.exit_code
        action.duration_s = event.duration_s
        action.cpu_s = event.cpu_s
        action.peak_memory_bytes = event.peak_memory_bytes
        action.timed_out = event.timed_out
        action.killed = event.killed
        action.output_blob = event.output_blob
        action.output_bytes = event.output_bytes
        action.cwd = event.cwd or action.cwd


def _observed(step: StepState, event: ev.Observed) -> None:
    if event.replaces:
        step.observed.clear()
    step.observed.extend(event.messages)
    step.ended_t = event.t
    step.phase = "done"
    for action in step.actions:
        if action.phase in ("approved", "running"):
            action.phase = "done"


def _file_changed(step: StepState, event: ev.FileChanged) -> None:
    step.files.append((event.path, event.op, event.size))


def _files_changed(step: StepState, event: ev.FilesChanged) -> None:
    step.files.extend(event.changes)


def _frame(step: StepState, event: ev.Frame) -> None:
    step.frames.append(event)


def _heard(step: StepState, event: ev.Heard) -> None:
    step.heard.append(event)


def _looked(step: StepState, event: ev.Looked) -> None:
    step.looked.append(event)


def _snapshot(step: StepState, event: ev.Snapshot) -> None:
    step.snapshot = event


def _labelled(step: StepState, event: ev.Labelled) -> None:
    if event.value is None:
        step.labels.pop(event.key, None)
    else:
        step.labels[event.key] = (event.value, event.author)


_HANDLERS: dict[type[Any], Callable[[StepState, Any], None]] = {
    ev.Thought: _thought,
    ev.Retried: _retried,
    ev.Proposed: _proposed,
    ev.Compacted: _compacted,
    ev.Held: _held,
    ev.Decided: _decided,
    ev.Started: _started,
    ev.Output: _output,
    ev.Finished: _finished,
    ev.Observed: _observed,
    ev.FileChanged: _file_changed,
    ev.FilesChanged: _files_changed,
    ev.Frame: _frame,
    ev.Heard: _heard,
    ev.Looked: _looked,
    ev.Snapshot: _snapshot,
    ev.Labelled: _labelled,
    ev.Amended: _amended,
}
