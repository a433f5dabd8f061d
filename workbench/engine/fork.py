"""Forking: a new session that starts as a copy of another one at a step.

The source is only read: its events on the path are copied, its inputs linked, its files put back
from the shared blobs. Whether the source is live, closed or crashed makes no difference.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec

from workbench.engine.launch import read_launch, write_launch
from workbench.errors import UsageError
from workbench.events import (
    AnyEvent,
    Closed,
    EngineStarted,
    Event,
    Mode,
    ModeChanged,
    Noted,
    Observed,
    Parent,
    Paused,
    Prompted,
    Resumed,
    Rewound,
    SessionCreated,
    Thought,
)
from workbench.session.log import LogWriter, read_events
from workbench.session.restore import Restore
from workbench.session.state import fold
from workbench.session.store import SessionDir, Store

_NOT_COPIED = (Closed, EngineStarted, ModeChanged, Noted, Paused, Resumed, Rewound, Thought)


def fork_session(
    store: Store,
    source: SessionDir,
    step: int,
    *,
    new_id: str | None = None,
    model: str | None = None,
    mode: Mode | None = None,
) -> SessionDir:
    """Make a session that stands where `source` stood after step `step` of its current path.

    Its engine is not started.

    Raises:
        UsageError: if there is no such step, or the files of that step are not known.
    """
    events = list(read_events(source.events))
    state = fold(events)
    path = state.path()
    if state.created is None or not 0 <= step <= len(path):
        raise UsageError(f"fork: there is no step {step} on the path of {len(path)} steps.")
    kept = path[:step]
    snapshots = [one.snapshot for one in kept if one.snapshot is not None]
    snapshot = snapshots[-1] if snapshots else state.first_snapshot
    if snapshot is None:
        raise UsageError(f"fork: the files of step {step} are not known.")
    launch = read_launch(source)
    changes = {"model": model or launch.model, "mode": mode or state.control.mode}
    session = store.create(new_id, f"{source.id}-fork")
    try:
        write_launch(session, msgspec.structs.replace(launch, **changes))
        _link_tree(source.inputs, session.inputs)
        Restore(session, snapshot.manifest).apply()
        created = msgspec.structs.replace(
            state.created, id=session.id, parent=Parent(session=source.id, step=step), **changes
        )
        _copy_events(session, events, {one.id for one in kept}, created)
    except BaseException:
        shutil.rmtree(session.folder, ignore_errors=True)
        raise
    return session


def _copy_events(
    session: SessionDir, events: list[AnyEvent], steps: set[int], created: SessionCreated
) -> None:
    """Write the events of the kept steps, in order, with new sequence numbers."""
    writer = LogWriter(session.events)
    numbers: dict[int, int] = {}
    try:
        for event in events:
            if isinstance(event, _NOT_COPIED) or not _is_kept(event, steps):
                continue
            copy: Event = created if isinstance(event, SessionCreated) else event
            if isinstance(copy, (Observed, Prompted)):
                carries = [numbers[seq] for seq in copy.carries if seq in numbers]
                copy = msgspec.structs.replace(copy, carries=carries)
            numbers[event.seq] = writer.append(copy, t=event.t).seq
    finally:
        writer.close()


def _is_kept(event: AnyEvent, steps: set[int]) -> bool:
    return event.step is None or event.step in steps


def _link_tree(source: Path, target: Path) -> None:
    """The source's inputs under the target's folder, linked where the file system can."""

    def link(old: str, new: str) -> None:
        try:
            os.link(old, new)
        except OSError:
            shutil.copy2(old, new)

    shutil.copytree(source, target, copy_function=link, dirs_exist_ok=True)
