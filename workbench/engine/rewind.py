"""Going back: the leaf moves to an earlier step, and files, shell and budget with it.

The earlier steps stay in the log; what follows is a new branch. Files come from the last snapshot
at or before the step, the shell from the script that was saved with it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from workbench.engine.recorder import Recorder
from workbench.errors import UsageError, WorkbenchError
from workbench.events import Noted, Paused, Rewound
from workbench.session.restore import Change, Restore
from workbench.session.steps import StepState

MAX_LISTED = 500


class NothingToRestore(WorkbenchError):
    """No snapshot stands at or before the step."""


@dataclass(frozen=True, slots=True)
class RewindRequest:
    """Where to: after step `step` of the current path (0: before the first), or before it with its
    proposal pending again."""

    step: int
    before: bool
    author: str


class Rewind:
    """A rewind that was checked and can be shown before it is made."""

    def __init__(self, recorder: Recorder, request: RewindRequest) -> None:
        """Check a request against the current path; changes nothing.

        Raises:
            UsageError: if there is no such step.
            NothingToRestore: if the files of that step are not known.
        """
        path = recorder.state.path()
        lowest = 1 if request.before else 0
        if not lowest <= request.step <= len(path):
            raise UsageError(
                f"rewind: there is no step {request.step} on this path of {len(path)}."
            )
        self._recorder = recorder
        self._request = request
        kept = path[: request.step - 1 if request.before else request.step]
        self.target: StepState | None = kept[-1] if kept else None
        self.pending: StepState | None = path[request.step - 1] if request.before else None
        if self.pending is not None and not self.pending.actions:
            raise UsageError(f"rewind: step {request.step} proposed no action to hold again.")
        snapshots = [step.snapshot for step in kept if step.snapshot is not None]
        self._snapshot = snapshots[-1] if snapshots else recorder.state.first_snapshot
        if self._snapshot is None:
            raise NothingToRestore(f"rewind: the files of step {request.step} are not known.")
        self._restore: Restore | None = None

    def changes(self) -> list[Change]:
        """What will change in the folders, by path."""
        assert self._snapshot is not None
        return Restore(self._recorder.session, self._snapshot.manifest).changes

    async def apply(self) -> bytes | None:
        """Put the files back and move the leaf; returns the shell's script.

        The sandbox's processes must have ended.

        Raises:
            OSError: if a file cannot be put back; the leaf has not moved then.
        """
        restore = await asyncio.to_thread(self._put_back)
        lost = [change.path for change in restore.changes if change.is_lost]
        state = self._recorder.state
        self._recorder.record(
            Rewound(
                step=self.target.id if self.target else None,
                author=self._request.author,
                branch=max(branch.id for branch in state.branches) + 1,
                pending=self.pending is not None,
            )
        )
        if lost:
            text = f"{len(lost)} files could not be brought back, first {lost[0]}."
            self._recorder.record(Noted(level="warning", text=text))
        if self.pending is None:
            self._recorder.record(Paused(scope="after_step", author=self._request.author))
        if self._snapshot is None or self._snapshot.shell is None:
            return None
        return self._recorder.session.blobs.get(self._snapshot.shell)

    def _put_back(self) -> Restore:
        assert self._snapshot is not None
        restore = Restore(self._recorder.session, self._snapshot.manifest)
        restore.apply()
        return restore


def listed(changes: list[Change]) -> list[dict[str, object]]:
    """Changes for an answer on the control socket, the first `MAX_LISTED` of them."""
    return [
        {"path": change.path, "op": change.op, "size": change.size, "lost": change.is_lost}
        for change in changes[:MAX_LISTED]
    ]
