"""What a person can do to a session as it stands, and what it waits for them to do."""

from __future__ import annotations

from workbench.session.state import SessionState
from workbench.tui.view.model import SessionModel

ON_HELD = ("approve", "edit", "reject", "skip")
"""Decisions about an action that the gate holds."""

MODES = (
    ("auto", "Everything runs at once; only breakpoints hold."),
    ("risky", "What a risk rule names waits for you."),
    ("review", "Every action waits for you."),
    ("step", "Every action waits, and it stands still after each step."),
)
"""The gate's modes, and what each does."""


def can(verb: str, model: SessionModel, *, observe: bool) -> bool:
    """Whether a steering verb of the key table makes sense now."""
    if observe:
        return False
    if verb == "restart":
        return model.is_lost
    if verb == "fork":
        return bool(model.state.steps) and not model.is_partial
    return model.can_steer and _makes_sense(verb, model.state)


def _makes_sense(verb: str, state: SessionState) -> bool:
    if verb in ON_HELD:
        return state.control.held is not None
    paused = state.control.paused
    rules = {
        "answer": state.status == "waiting",
        "pause": paused is None,
        "resume": paused is not None,
        "freeze": paused != "freeze",
        "thaw": paused == "freeze",
        "rewind": bool(state.steps),
    }
    return rules.get(verb, True)


def awaited(model: SessionModel, *, observe: bool) -> tuple[str, ...]:
    """The verbs that something waits for."""
    if observe:
        return ()
    if model.is_lost:
        return ("restart",)
    state = model.state
    if not model.can_steer:
        return ()
    if state.control.held is not None:
        return ON_HELD
    if state.status == "waiting":
        return ("type", "answer")
    return ("resume", "thaw", "step") if state.control.paused else ()


def standing(model: SessionModel) -> tuple[object, ...]:
    """Equal as long as the same things can be done."""
    control = model.state.control
    return (model.state.status, control.held, control.paused, model.can_steer, model.is_lost)
