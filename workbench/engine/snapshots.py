"""After every step that changed something, a snapshot: its data first, its event last."""

from __future__ import annotations

import asyncio
import os

from workbench.engine.recorder import Recorder
from workbench.events import Noted, Snapshot
from workbench.session.blobs import BlobError
from workbench.session.snapshot import Snapshots, Taken
from workbench.session.steps import StepState


class SnapshotKeeper:
    """Takes a session's snapshots off the event loop and records them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._snapshots = Snapshots(recorder.session)
        self._go_on_from_last()

    def _go_on_from_last(self) -> None:
        taken = [step.snapshot for step in self._recorder.state.path() if step.snapshot]
        if taken:
            try:
                self._snapshots.start_from(taken[-1].manifest)
            except BlobError as error:
                self._recorder.record(Noted(level="warning", text=f"{error} The next is whole."))

    async def after_step(self, step: StepState) -> None:
        """Take a snapshot and record it; a full disk is told, never fatal."""
        try:
            taken = await asyncio.to_thread(self._snapshots.take)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            text = f"Step {step.n}: no snapshot could be taken: {reason}."
            self._recorder.record(Noted(step=step.id, level="warning", text=text))
            return
        if taken is not None:
            self._record(step, taken)

    def _record(self, step: StepState, taken: Taken) -> None:
        not_kept = [f"{path}: {why}" for path, why in taken.not_kept]
        self._recorder.record(
            Snapshot(
                step=step.id,
                manifest=taken.manifest,
                files=taken.files,
                size_bytes=taken.size_bytes,
                new_bytes=taken.new_bytes,
                not_kept=not_kept,
            )
        )
        if not_kept:
            text = f"Step {step.n}: a rewind cannot bring back {len(not_kept)} files: {not_kept[0]}"
            self._recorder.record(Noted(step=step.id, level="warning", text=text))
