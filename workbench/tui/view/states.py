"""What each state is called and drawn as: a glyph, a word and a role of the theme.

No state is told by colour alone.
"""

from __future__ import annotations

from typing import NamedTuple

from workbench.session.state import SessionState
from workbench.session.steps import ActionState, StepState
from workbench.tui.panes.paint import Role


class Word(NamedTuple):
    """How a state is shown."""

    glyph: str
    word: str
    role: Role


LOADING = Word("◌", "LOADING", Role.MUTED)
LOST = Word("✗", "LOST", Role.BAD)

SESSION = {
    "starting": Word("◌", "STARTING", Role.MUTED),
    "thinking": Word("◔", "THINKING", Role.ACCENT),
    "running": Word("●", "RUNNING", Role.GOOD),
    "held": Word("◆", "HELD", Role.WARN),
    "paused": Word("‖", "PAUSED", Role.WARN),
    "frozen": Word("✶", "FROZEN", Role.WARN),
    "waiting": Word("◇", "YOUR TURN", Role.WARN),
    "lost": LOST,
}
"""By status of a session that is not closed; `lost` is one whose engine died."""

CLOSED = {
    "task_complete": Word("✓", "DONE", Role.GOOD),
    "no_tool_calls": Word("✓", "DONE", Role.GOOD),
    "step_limit": Word("■", "LIMIT", Role.WARN),
    "limit": Word("■", "LIMIT", Role.WARN),
    "stopped": Word("■", "STOPPED", Role.MUTED),
    "interrupted": Word("■", "INTERRUPTED", Role.WARN),
    "error": Word("✗", "FAILED", Role.BAD),
}
"""By exit reason."""

STEP = {
    "thinking": Word("◔", "thinking", Role.ACCENT),
    "proposed": Word("◌", "proposed", Role.ACCENT),
    "held": Word("◆", "held", Role.WARN),
    "approved": Word("◌", "approved", Role.MUTED),
    "running": Word("●", "running", Role.GOOD),
    "done": Word("✓", "done", Role.GOOD),
    "failed": Word("✗", "failed", Role.BAD),
    "timed out": Word("◷", "timed out", Role.BAD),
    "rejected": Word("⊘", "rejected", Role.WARN),
    "skipped": Word("»", "skipped", Role.MUTED),
    "interrupted": Word("■", "interrupted", Role.WARN),
    "cut off": Word("■", "cut off", Role.WARN),
}
"""By what became of a step."""


def status_word(status: str, exit_reason: str | None) -> Word:
    """How a session's status is shown.

    Args:
        status: as `SessionState.status`, or `lost`.
        exit_reason: of a closed session.
    """
    if status == "closed":
        return CLOSED.get(exit_reason or "", Word("■", "ENDED", Role.MUTED))
    return SESSION.get(status, LOADING)


def session_word(state: SessionState, *, is_lost: bool) -> Word:
    """How the state of a whole session is shown."""
    if is_lost and state.closed is None:
        return LOST
    return status_word(state.status, state.closed.exit_reason if state.closed else None)


def step_word(step: StepState) -> Word:
    """How the state of a step is shown: for one that is done, what became of its actions."""
    if step.phase != "done":
        return STEP.get(step.phase, STEP["proposed"])
    outcomes = [outcome(action) for action in step.actions]
    for worst in ("failed", "timed out", "cut off", "rejected", "skipped"):
        if worst in outcomes:
            return STEP[worst]
    return STEP["done"]


def outcome(action: ActionState) -> str:
    """What became of an action, as a key of `STEP`."""
    if action.phase != "done":
        return action.phase
    if action.timed_out:
        return "timed out"
    if action.killed:
        return "cut off"
    return "failed" if action.exit_code else "done"
