"""The state of one session as a screen follows it, and what each batch of events changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench import events as ev
from workbench.session.state import SessionState
from workbench.session.steps import StepState
from workbench.tui.view.steps import StepRows

_EVIDENCE = (ev.Probed, ev.Looked, ev.Heard, ev.Frame, ev.Rewound)


@dataclass(slots=True)
class Sums:
    """Totals over all steps of all branches, kept up to date step by step."""

    tokens: int = 0
    cost_usd: float | None = None
    edits: int = 0
    _parts: dict[int, tuple[int, float | None, int]] = field(default_factory=dict)

    def take(self, step: StepState) -> None:
        """Count a step, in place of what was counted of it before."""
        usage = step.usage
        new = (
            usage.prompt_tokens + usage.completion_tokens,
            usage.cost_usd,
            sum(action.is_edited for action in step.actions),
        )
        old = self._parts.get(step.id, (0, None, 0))
        if new == old:
            return
        self._parts[step.id] = new
        self.tokens += new[0] - old[0]
        self.edits += new[2] - old[2]
        if new[1] is not None or old[1] is not None:
            self.cost_usd = (self.cost_usd or 0.0) + (new[1] or 0.0) - (old[1] or 0.0)


@dataclass(slots=True)
class Changes:
    """What a batch of events changed, so that only that is painted again."""

    steps: set[int] = field(default_factory=set)
    """Ids of steps that look different now."""
    first_row: int | None = None
    """First position of the path that is another step than before, or new; None if none is."""
    files: bool = False
    media: bool = False
    """Pictures, speech, or what was seen and heard."""
    is_new: bool = False
    """Everything may be different: another state was put in place."""


class SessionModel:
    """Owns the folded state of a session. Used by one thread."""

    def __init__(self, state: SessionState | None = None) -> None:
        self.state = SessionState()
        self.rows = StepRows()
        self.sums = Sums()
        self.is_partial = True
        """Whether only the end of the session is loaded so far."""
        self.is_live = False
        """Whether an engine runs the session."""
        if state is not None:
            self.replace(state, is_partial=False)

    def replace(self, state: SessionState, *, is_partial: bool) -> Changes:
        """Take a state that was folded elsewhere."""
        self.state = state
        self.is_partial = is_partial
        self.sums = Sums()
        for step in state.steps.values():
            self.sums.take(step)
        self.rows.forget_all()
        self.rows.reset(state)
        return Changes(steps=set(state.steps), first_row=0, files=True, media=True, is_new=True)

    def apply(self, events: Sequence[ev.AnyEvent]) -> Changes:
        """Fold the next events."""
        changes = Changes()
        for event in events:
            self.state.apply(event)
            drop_kept_output(self.state, event)
            if event.step is not None:
                changes.steps.add(event.step)
            changes.files |= isinstance(event, ev.FileChanged | ev.FilesChanged | ev.Rewound)
            changes.media |= isinstance(event, _EVIDENCE)
        before = len(self.rows)
        first = self.rows.follow(self.state)
        changes.first_row = first if first < max(before, len(self.rows)) else None
        for step in changes.steps:
            self.rows.forget(step)
            if step in self.state.steps:
                self.sums.take(self.state.steps[step])
        return changes

    @property
    def is_lost(self) -> bool:
        """Whether the engine died before the session was closed."""
        loaded = not self.is_partial and self.state.created is not None
        return loaded and self.state.closed is None and not self.is_live

    @property
    def can_steer(self) -> bool:
        """Whether an engine would hear a command."""
        return self.is_live and self.state.closed is None


def drop_kept_output(state: SessionState, event: ev.AnyEvent) -> None:
    """Forget the logged text of an output that stands whole in a blob: readers take it there."""
    if not isinstance(event, ev.Finished) or event.output_blob is None or event.step is None:
        return
    step = state.steps.get(event.step)
    for action in step.actions if step is not None else ():
        if action.id == event.action:
            action.output_text.clear()
