"""One line for each step, built when it is looked at and rebuilt when its step changed."""

from __future__ import annotations

from typing import NamedTuple

from workbench.media.badge import badge
from workbench.session.state import SessionState
from workbench.session.steps import StepState
from workbench.text import clean_line
from workbench.trajectory.kira import EXECUTE_COMMANDS, IMAGE_READ, TASK_COMPLETE
from workbench.tui.view import format as fmt
from workbench.tui.view.calls import call_of
from workbench.tui.view.states import Word, outcome, step_word

JUMPS = ("error", "edit", "image", "file", "hold")
"""What one can jump to from step to step."""

_TOOLS = {IMAGE_READ: "look", TASK_COMPLETE: "finish"}
MAX_TITLE = 300
"""Characters of a title; more fit on no screen."""


class StepRow(NamedTuple):
    """What the list of steps shows of one; equal rows look the same."""

    id: int
    n: int
    word: Word
    badge: str
    title: str
    """The command's first line, or the text's."""
    hand: str
    """`✎` where a person changed or wrote an action, else empty."""
    duration: str
    tokens: str
    frames: int
    files: str
    """How many changed: `+12` where all are new, `−3` where all are gone, else `±4`."""
    marks: frozenset[str]
    """Those of `JUMPS` that it is a target of."""


def step_row(step: StepState) -> StepRow:
    """The line of a step."""
    return StepRow(
        id=step.id,
        n=step.n,
        word=step_word(step),
        badge=clean_line(step_badge(step)),
        title=title_of(step),
        hand="✎" if acted_by_person(step) else "",
        duration=fmt.duration(_ran_s(step)),
        tokens=_tokens(step),
        frames=len(step.frames),
        files=_changed_files(step),
        marks=marks_of(step),
    )


def step_badge(step: StepState) -> str:
    """One word for a step: the work of its first action, or that it only says something."""
    if not step.actions:
        return "say" if step.message is not None else ""
    call = call_of(step.actions[0])
    return badge(call.text) if call.tool == EXECUTE_COMMANDS else _TOOLS.get(call.tool, call.tool)


def title_of(step: StepState) -> str:
    """The most telling line of a step."""
    for action in step.actions:
        if line := call_of(action).first_line:
            return clean_line(line[:MAX_TITLE])
    for text in (step.say, step.think):
        for line in text.split("\n"):
            if line.strip():
                return clean_line(line.strip()[:MAX_TITLE])
    return ""


def acted_by_person(step: StepState) -> bool:
    """Whether a person wrote or changed what the step did."""
    return step.author != "model" or any(
        action.is_edited or action.author != "model" for action in step.actions
    )


def _ran_s(step: StepState) -> float | None:
    ran = [action.duration_s for action in step.actions if action.duration_s is not None]
    if ran:
        return sum(ran)
    return step.latency_s if step.message is not None and not step.actions else None


def _tokens(step: StepState) -> str:
    total = step.usage.prompt_tokens + step.usage.completion_tokens
    return fmt.tokens(total) if total else ""


def _changed_files(step: StepState) -> str:
    ops = {op for _path, op, _size in step.files}
    if not ops:
        return ""
    sign = {"added": "+", "removed": "−"}.get(next(iter(ops)), "±") if len(ops) == 1 else "±"
    return f"{sign}{fmt.few(len({path for path, _op, _size in step.files}))}"


def marks_of(step: StepState) -> frozenset[str]:
    """What of `JUMPS` a step is."""
    marks = set()
    if any(outcome(action) in ("failed", "timed out", "cut off") for action in step.actions):
        marks.add("error")
    if acted_by_person(step):
        marks.add("edit")
    if step.frames:
        marks.add("image")
    if step.files:
        marks.add("file")
    if any(action.reasons for action in step.actions):
        marks.add("hold")
    return frozenset(marks)


class StepRows:
    """The rows of the current path, by position; only those that are looked at exist."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        """Step ids from the root to the leaf."""
        self.missing = 0
        """Steps before the first of `ids` that are not loaded yet."""
        self._positions: dict[int, int] = {}
        self._rows: dict[int, StepRow] = {}

    def __len__(self) -> int:
        return self.missing + len(self.ids)

    def follow(self, state: SessionState) -> int:
        """Take the path of the state's leaf; return the first position that changed."""
        leaf = state.leaf
        last = self.ids[-1] if self.ids else None
        if leaf == last:
            return len(self)
        if leaf is not None and last is not None and state.steps[leaf].parent == last:
            self._positions[leaf] = len(self)
            self.ids.append(leaf)
            return len(self) - 1
        return self.reset(state)

    def reset(self, state: SessionState) -> int:
        """Take the path anew; return the first position that changed."""
        path = state.path()
        old, missing = self.ids, self.missing
        self.ids = [step.id for step in path]
        self.missing = path[0].n - 1 if path else 0
        self._positions = {step: self.missing + at for at, step in enumerate(self.ids)}
        if self.missing != missing:
            return 0
        same = 0
        for before, now in zip(old, self.ids, strict=False):
            if before != now:
                break
            same += 1
        return self.missing + same

    def forget(self, step: int) -> None:
        """A step changed: its row is built anew when it is looked at."""
        self._rows.pop(step, None)

    def forget_all(self) -> None:
        """Every row is built anew."""
        self._rows.clear()

    def position(self, step: int) -> int | None:
        """Where a step stands in the list; None where it is not on the path."""
        return self._positions.get(step)

    def id_at(self, position: int) -> int | None:
        """The step at a position; None where it is not loaded."""
        at = position - self.missing
        return self.ids[at] if 0 <= at < len(self.ids) else None

    def row(self, state: SessionState, position: int) -> StepRow | None:
        """The row at a position; None where it is not loaded."""
        step = self.id_at(position)
        if step is None:
            return None
        if (row := self._rows.get(step)) is None:
            row = self._rows[step] = step_row(state.steps[step])
        return row

    def jump(self, state: SessionState, start: int, mark: str, direction: int) -> int | None:
        """The next position after `start` whose step has a mark, around the end; None if none."""
        count = len(self)
        for offset in range(1, count + 1):
            position = (start + direction * offset) % count
            step = self.id_at(position)
            if step is not None and mark in marks_of(state.steps[step]):
                return position
        return None
