"""What a session is, as one JSON document: the contract behind `workbench show ID --json`.

Steps are numbered as people see them: `n` is the depth on a step's path, and so are `leaf`,
`parent` and a branch's `from_step` and `leaf`. `id` and the keys that end in `_id` name a step
whatever path it is on. Times are UTC seconds since 1970, durations seconds.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any, Literal, cast

import msgspec

from workbench.session.log import read_events
from workbench.session.media_state import MediaState
from workbench.session.report_steps import step_report
from workbench.session.state import Branch, SessionState, fold
from workbench.session.steps import StepState
from workbench.session.store import SessionDir

Json = dict[str, Any]
PublicStatus = Literal["starting", "running", "held", "paused", "frozen", "closed", "lost"]

START_PATIENCE_S = 30.0
"""How long after its creation a session without an engine counts as starting, not as lost."""

_PUBLIC: dict[str, PublicStatus] = {"thinking": "running", "waiting": "running"}


def load(session: SessionDir) -> SessionState:
    """What the log folds to now; an empty state where it is not begun yet."""
    return fold(read_events(session.events)) if session.events.exists() else SessionState()


def public_status(status: str) -> str:
    """The word that scripts know for what a live engine does; other words stay as they are."""
    return _PUBLIC.get(status, status)


def current(session: SessionDir, state: SessionState) -> tuple[SessionState, PublicStatus]:
    """The state and status of a session, with a dead engine told from a live one.

    The engine may have ended after `state` was folded and before its lease is looked at; then the
    log is read again.
    """
    if state.closed is None and not session.is_live():
        if session.events.exists() and session.events.stat().st_size:
            latest = load(session)
            state = latest if latest.seq > state.seq else state
        if state.closed is None:
            return state, "starting" if _may_start(session) else "lost"
    return state, cast(PublicStatus, public_status(state.status))


def _may_start(session: SessionDir) -> bool:
    """Whether no engine has taken the lease yet, and there is still hope that one will."""
    try:
        age_s = time.time() - session.folder.stat().st_ctime
    except OSError:
        return False
    return not session.lease.exists() and age_s < START_PATIENCE_S


def report(session: SessionDir, state: SessionState, all_branches: bool = False) -> Json:
    """Everything about a session that scripts may rely on.

    Args:
        session: where it stands; outputs are read from its files and blobs.
        state: what its log folds to.
        all_branches: give the steps of every branch, not only those of the current path.
    """
    state, status = current(session, state)
    steps = list(state.steps.values()) if all_branches else state.path()
    return {
        **_head(session, state, status),
        "totals": asdict(state.totals()),
        "branches": [_branch(state, branch) for branch in state.branches],
        "steps": [step_report(session, state, step) for step in steps],
        "media": [_media(media) for media in state.media.values()],
        **_labels(state),
        "reward": _reward(state),
        "notes": [asdict(note) for note in state.notes],
    }


def _head(session: SessionDir, state: SessionState, status: PublicStatus) -> Json:
    created, closed = state.created, state.closed
    task = created.task if created else {}
    sandbox = None if state.sandbox is None else _sandbox(state)
    return {
        "id": session.id,
        "task_id": task.get("id"),
        "question": task.get("question"),
        "status": status,
        "activity": state.status,
        "mode": state.control.mode,
        "model": created.model if created else None,
        "provider": created.provider if created else None,
        "sandbox": sandbox,
        "parent": msgspec.to_builtins(created.parent) if created and created.parent else None,
        "leaf": _number(state, state.leaf),
        "leaf_id": state.leaf,
        "held": _held(state),
        "breakpoints": list(state.control.breakpoints),
        "answer": state.answer,
        "exit_reason": closed.exit_reason if closed else None,
        "error": closed.error if closed else None,
        "seq": state.seq,
        "started_t": state.started_t or None,
        "last_t": state.last_t or None,
    }


def _sandbox(state: SessionState) -> Json:
    info = state.sandbox
    assert info is not None
    return {name: getattr(info, name) for name in info.__struct_fields__}


def _held(state: SessionState) -> Json | None:
    action = state.held_action
    return None if action is None else {"action": action.id, "digest": action.digest}


def _number(state: SessionState, step_id: int | None) -> int | None:
    step = state.steps.get(step_id) if step_id is not None else None
    return None if step is None else step.n


def _branch(state: SessionState, branch: Branch) -> Json:
    return {
        "id": branch.id,
        "from_step": _number(state, branch.from_step),
        "from_id": branch.from_step,
        "leaf": _number(state, branch.leaf),
        "leaf_id": branch.leaf,
    }


def _media(media: MediaState) -> Json:
    return {
        "path": media.path,
        "kind": media.kind,
        "duration_s": media.duration_s,
        "width": media.width,
        "height": media.height,
        "fps": media.fps,
        "codecs": list(media.codecs),
        "seen": [list(span) for span in media.seen],
        "heard": [list(span) for span in media.heard],
        "seen_fraction": media.fraction(media.seen),
        "heard_fraction": media.fraction(media.heard),
        "seen_by_person": [list(span) for span in media.seen_by_person],
        "heard_by_person": [list(span) for span in media.heard_by_person],
    }


def _labels(state: SessionState) -> Json:
    return {
        "labels": {key: value for key, (value, _) in state.labels.items()},
        "labelled_by": {key: author for key, (_, author) in state.labels.items()},
    }


def _reward(state: SessionState) -> Json | None:
    reward = state.reward
    if reward is None:
        return None
    return {
        "function": reward.function,
        "total": reward.total,
        "components": reward.components,
    }


def find_step(state: SessionState, n: int) -> StepState | None:
    """The step with number `n` on the current path."""
    path = state.path()
    return path[n - 1] if 1 <= n <= len(path) else None
