"""`workbench ctl ID wait`: follow the log until the session is where the caller wants it."""

from __future__ import annotations

import time
from typing import Any

from workbench.commands.ctl_options import Goal
from workbench.errors import WorkbenchError
from workbench.session.log import Tail
from workbench.session.report import current, find_step, public_status
from workbench.session.state import SessionState
from workbench.session.store import SessionDir

POLL_S = 0.02
LOOK_S = 0.25
"""How often it is asked whether the engine lives; the log tells everything else."""


class WaitFailed(WorkbenchError):
    """What was waited for did not come, or cannot come any more."""


def wait_for(session: SessionDir, goal: Goal, timeout_s: float | None) -> dict[str, Any]:
    """Return when the session is at `goal`: its seq, status, and what stands there.

    Raises:
        WaitFailed: after `timeout_s`, or as soon as it can never be.
    """
    tail, state = Tail(session.events), SessionState()
    started = time.monotonic()
    look_at = started
    while True:
        for event in tail.poll():
            state.apply(event)
        if is_reached(session, goal, state):
            return _answer(state)
        now = time.monotonic()
        if now >= look_at:
            _check_possible(session, goal, state)
            look_at = now + LOOK_S
        if timeout_s is not None and now - started >= timeout_s:
            raise WaitFailed(_timeout_sentence(session, goal, state, timeout_s))
        time.sleep(POLL_S)


def is_reached(session: SessionDir, goal: Goal, state: SessionState) -> bool:
    """Whether the session is at the goal now."""
    if goal.kind == "closed":
        return state.closed is not None and not session.is_live()
    if goal.kind == "step":
        step = find_step(state, goal.step or 0)
        return step is not None and step.message is not None
    wanted = ("paused", "frozen") if goal.kind == "paused" else ("held",)
    return state.status in wanted and session.is_live()


def _check_possible(session: SessionDir, goal: Goal, state: SessionState) -> None:
    latest, status = current(session, state)
    if latest.seq > state.seq:
        return
    if status == "lost":
        raise WaitFailed(
            f"The engine of {session.id} is dead; `workbench ctl {session.id} resume` starts it "
            "again."
        )
    if status == "closed" and goal.kind != "closed":
        reason = latest.closed.exit_reason if latest.closed else "closed"
        raise WaitFailed(f"Session {session.id} ended ({reason}) before it was {_words(goal)}.")


def _timeout_sentence(
    session: SessionDir, goal: Goal, state: SessionState, timeout_s: float
) -> str:
    _, status = current(session, state)
    return f"Session {session.id} was not {_words(goal)} within {timeout_s:g} s; it is {status}."


def _words(goal: Goal) -> str:
    return f"at step {goal.step}" if goal.kind == "step" else goal.kind


def _answer(state: SessionState) -> dict[str, Any]:
    held = state.held_action
    return {
        "seq": state.seq,
        "status": public_status(state.status),
        "step": len(state.path()),
        "held": None if held is None else {"action": held.id, "digest": held.digest},
    }
