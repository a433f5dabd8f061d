"""What a session is: a pure fold of its events. No I/O, no clock.

`SessionState.apply` takes one event after the other; folding a log twice, or a prefix of it, always
gives the same state. Nothing here decides anything: the engine writes what happened, every reader
folds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench import events as ev
from workbench.session.media_state import MediaState, note_evidence
from workbench.session.steps import ActionState, StepState, Totals, apply_to_step

Status = Literal["starting", "thinking", "running", "held", "paused", "frozen", "waiting", "closed"]
"""`thinking`: a model call is under way; `waiting`: the human model waits for a person."""


@dataclass(slots=True)
class Branch:
    """A path of steps. Branch 0 starts at the root; others after step `from_step`."""

    id: int
    from_step: int | None
    leaf: int | None = None


@dataclass(slots=True)
class Control:
    """Where the engine stands: what a person steers."""

    mode: ev.Mode = "auto"
    paused: ev.PauseScope | None = None
    held: str | None = None
    """Id of the action that the gate holds."""
    thinking: bool = False
    steps_left: int | None = None
    breakpoints: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Note:
    """A sentence for the person, and when (UTC seconds) and at which step it was said."""

    t: float
    level: str
    text: str
    step: int | None


@dataclass(slots=True)
class Said:
    """A person's message to the agent. `delivered` once an observation carries it."""

    seq: int
    t: float
    text: str
    author: str
    step: int | None
    delivered: bool = False


@dataclass(slots=True)
class SessionState:
    """Everything that is known about one session after `seq` events."""

    seq: int = 0
    started_t: float = 0.0
    last_t: float = 0.0
    created: ev.SessionCreated | None = None
    sandbox: ev.SandboxInfo | None = None
    engine: ev.EngineStarted | None = None
    prompt: list[ev.Message] = field(default_factory=list)
    steps: dict[int, StepState] = field(default_factory=dict)
    """By step id, in the order in which they happened, all branches together."""
    leaf: int | None = None
    branch: int = 0
    branches: list[Branch] = field(default_factory=lambda: [Branch(0, None)])
    control: Control = field(default_factory=Control)
    files: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    """By path as the agent names it: last change and size."""
    media: dict[str, MediaState] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    labels: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Session labels: key to (value, author)."""
    reward: ev.Rewarded | None = None
    closed: ev.Closed | None = None
    first_snapshot: ev.Snapshot | None = None
    """What stood in the folders before the first step."""

    # --- reading ------------------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """What the engine does, as far as the log says (a dead engine is seen by the lease)."""
        if self.closed is not None:
            return "closed"
        if self.control.paused == "freeze":
            return "frozen"
        if self.control.held is not None:
            return "held"
        if self.control.thinking:
            waits = self.created is not None and self.created.provider == "human"
            return "waiting" if waits else "thinking"
        if self.control.paused is not None and self.is_between_steps:
            return "paused"
        return "running" if self.prompt else "starting"

    @property
    def is_between_steps(self) -> bool:
        """Whether no step is under way: a pause that was asked for is in effect."""
        leaf = self.steps.get(self.leaf) if self.leaf is not None else None
        return leaf is None or leaf.phase in ("done", "interrupted")

    @property
    def answer(self) -> str | None:
        """The final answer, once closed."""
        return self.closed.answer if self.closed else None

    def path(self, leaf: int | None = None) -> list[StepState]:
        """The steps from the root to `leaf` (default: the current leaf)."""
        steps: list[StepState] = []
        at = self.leaf if leaf is None else leaf
        while at is not None and at in self.steps:
            steps.append(self.steps[at])
            at = self.steps[at].parent
        return steps[::-1]

    def conversation(self, leaf: int | None = None) -> list[ev.Message]:
        """The messages on a path, as the model sees them and as an export writes them.

        Pictures are `blob:` references; keys with a leading underscore are ours.
        """
        messages = list(self.prompt)
        for step in self.path(leaf):
            if step.compacted is not None:
                messages = list(step.compacted)
            messages.extend(step.messages())
        return messages

    def find_action(self, action: str) -> ActionState | None:
        """The action with this id, on any branch."""
        for step in reversed(self.steps.values()):
            for candidate in step.actions:
                if candidate.id == action:
                    return candidate
        return None

    @property
    def held_action(self) -> ActionState | None:
        """The action that the gate holds now."""
        return self.find_action(self.control.held) if self.control.held else None

    def totals(self) -> Totals:
        """Sums over all steps of all branches: what the session cost."""
        return Totals.of(self.steps.values(), self.last_t - self.started_t)

    # --- folding ------------------------------------------------------------------------------

    def apply(self, event: ev.AnyEvent) -> None:
        """Take in the next event. Events that were seen already are ignored."""
        if event.seq and event.seq <= self.seq:
            return
        self.seq = event.seq or self.seq + 1
        self.started_t = self.started_t or event.t
        self.last_t = max(self.last_t, event.t)
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)
        if event.step is not None and (step := self.steps.get(event.step)) is not None:
            apply_to_step(step, event)


def fold(events: Iterable[ev.AnyEvent]) -> SessionState:
    """The state after these events."""
    state = SessionState()
    for event in events:
        state.apply(event)
    return state


# --- one small function for each kind that changes the session as a whole --------------------


def _created(state: SessionState, event: ev.SessionCreated) -> None:
    state.created = event
    state.sandbox = event.sandbox
    state.control.mode = event.mode


def _engine_started(state: SessionState, event: ev.EngineStarted) -> None:
    state.engine = event
    state.sandbox = event.sandbox or state.sandbox
    state.control.thinking = False
    state.control.held = None
    leaf = state.steps.get(state.leaf) if state.leaf is not None else None
    if leaf is not None and leaf.message is None:
        _drop_unfinished_call(state, leaf)


def _drop_unfinished_call(state: SessionState, step: StepState) -> None:
    """A model call that never ended leaves the path: the step is made again under a new id."""
    step.phase = "interrupted"
    state.leaf = step.parent
    state.branches[-1].leaf = step.parent


def _prompted(state: SessionState, event: ev.Prompted) -> None:
    state.prompt = list(event.messages)
    _deliver(state, event.carries)


def _thinking(state: SessionState, event: ev.Thinking) -> None:
    step_id = event.step or len(state.steps) + 1
    state.control.thinking = True
    state.control.held = None
    if step_id not in state.steps:
        state.steps[step_id] = StepState(
            id=step_id, n=event.n, branch=state.branch, parent=event.parent, started_t=event.t
        )
    state.leaf = step_id
    state.branches[-1].leaf = step_id


def _proposed(state: SessionState, _event: ev.Proposed) -> None:
    state.control.thinking = False


def _held(state: SessionState, event: ev.Held) -> None:
    state.control.held = event.action


def _decided(state: SessionState, event: ev.Decided) -> None:
    if state.control.held == event.action:
        state.control.held = None


def _observed(state: SessionState, event: ev.Observed) -> None:
    _deliver(state, event.carries)


def _deliver(state: SessionState, carried: list[int]) -> None:
    for said in state.said:
        if said.seq in carried:
            said.delivered = True


def _said(state: SessionState, event: ev.HumanMessage) -> None:
    state.said.append(Said(event.seq, event.t, event.text, event.author, event.step))


def _noted(state: SessionState, event: ev.Noted) -> None:
    state.notes.append(Note(event.t, event.level, event.text, event.step))


def _file_changed(state: SessionState, event: ev.FileChanged) -> None:
    state.files[event.path] = (event.op, event.size)


def _files_changed(state: SessionState, event: ev.FilesChanged) -> None:
    for path, op, size in event.changes:
        state.files[path] = (op, size)


def _evidence(state: SessionState, event: ev.Probed | ev.Heard | ev.Looked) -> None:
    note_evidence(state.media, event)


def _snapshot(state: SessionState, event: ev.Snapshot) -> None:
    if event.step is None:
        state.first_snapshot = event


def _rewound(state: SessionState, event: ev.Rewound) -> None:
    state.leaf = event.step
    state.branch = event.branch
    state.branches.append(Branch(event.branch, event.step, event.step))
    state.control.held = None
    state.control.thinking = False
    state.closed = None


def _paused(state: SessionState, event: ev.Paused) -> None:
    state.control.paused = event.scope
    leaf = state.steps.get(state.leaf) if state.leaf is not None else None
    if event.scope == "interrupt" and state.control.thinking and leaf is not None:
        state.control.thinking = False
        _drop_unfinished_call(state, leaf)


def _resumed(state: SessionState, event: ev.Resumed) -> None:
    state.control.paused = None
    state.control.steps_left = event.steps


def _mode_changed(state: SessionState, event: ev.ModeChanged) -> None:
    state.control.mode = event.mode


def _breakpoint(state: SessionState, event: ev.Breakpoint) -> None:
    state.control.breakpoints = list(event.expressions)


def _labelled(state: SessionState, event: ev.Labelled) -> None:
    if event.step is not None:
        return
    if event.value is None:
        state.labels.pop(event.key, None)
    else:
        state.labels[event.key] = (event.value, event.author)


def _rewarded(state: SessionState, event: ev.Rewarded) -> None:
    state.reward = event


def _closed(state: SessionState, event: ev.Closed) -> None:
    state.closed = event
    state.control.held = None
    state.control.thinking = False
    state.control.paused = None


_HANDLERS: dict[type[Any], Callable[[SessionState, Any], None]] = {
    ev.SessionCreated: _created,
    ev.EngineStarted: _engine_started,
    ev.Prompted: _prompted,
    ev.Thinking: _thinking,
    ev.Proposed: _proposed,
    ev.Held: _held,
    ev.Decided: _decided,
    ev.Observed: _observed,
    ev.HumanMessage: _said,
    ev.Noted: _noted,
    ev.FileChanged: _file_changed,
    ev.FilesChanged: _files_changed,
    ev.Probed: _evidence,
    ev.Heard: _evidence,
    ev.Looked: _evidence,
    ev.Snapshot: _snapshot,
    ev.Rewound: _rewound,
    ev.Paused: _paused,
    ev.Resumed: _resumed,
    ev.ModeChanged: _mode_changed,
    ev.Breakpoint: _breakpoint,
    ev.Labelled: _labelled,
    ev.Rewarded: _rewarded,
    ev.Closed: _closed,
}
