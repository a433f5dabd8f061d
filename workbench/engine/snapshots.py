"""After every step that changed something, a snapshot: its data first, its event last."""

from __future__ import annotations

import asyncio
import os

from workbench.engine.recorder import Recorder
from workbench.engine.shell_state import save_shell
from workbench.events import Noted, Snapshot
from workbench.sandbox.base import Sandbox
from workbench.session.blobs import BlobError
from workbench.session.snapshot import Snapshots, Taken
from workbench.session.steps import StepState


class SnapshotKeeper:
    """Takes a session's snapshots off the event loop and records them."""

    def __init__(self, recorder: Recorder, sandbox: Sandbox) -> None:
        self._recorder = recorder
        self._sandbox = sandbox
        self._shell: str | None = None
        self._snapshots = Snapshots(recorder.session)
        self._go_on_from_last()

    def _go_on_from_last(self) -> None:
        taken = [step.snapshot for step in self._recorder.state.path() if step.snapshot]
        if taken:
            try:
                self._snapshots.start_from(taken[-1].manifest)
            except BlobError as error:
                self._recorder.record(Noted(level="warning", text=f"{error} The next is whole."))

    async def at_start(self) -> None:
        """Take the first snapshot of a session: what stands there before any step."""
        if self._recorder.state.first_snapshot is None:
            await self._take(None)

    async def after_step(self, step: StepState) -> None:
        """Take a snapshot where files or the shell changed; a full disk is told, never fatal."""
        await self._take(step)

    async def _take(self, step: StepState | None) -> None:
        shell = self._shell
        if step is None or any(action.command for action in step.actions):
            script = await save_shell(self._sandbox)
            shell = self._recorder.session.blobs.put(script) if script else None
        try:
            taken = await asyncio.to_thread(self._snapshots.take, shell != self._shell)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            self._warn(step, f"no snapshot could be taken: {reason}.")
            return
        self._shell = shell
        if taken is not None:
            self._record(step, taken)

    def _warn(self, step: StepState | None, what: str) -> None:
        text = f"Step {step.n}: {what}" if step else f"Start: {what}"
        self._recorder.record(Noted(step=step.id if step else None, level="warning", text=text))

    def _record(self, step: StepState | None, taken: Taken) -> None:
        not_kept = [f"{path}: {why}" for path, why in taken.not_kept]
        self._recorder.record(
            Snapshot(
                step=step.id if step else None,
                manifest=taken.manifest,
                files=taken.files,
                size_bytes=taken.size_bytes,
                new_bytes=taken.new_bytes,
                not_kept=not_kept,
                shell=self._shell,
            )
        )
        if not_kept:
            self._warn(step, f"a rewind cannot bring back {len(not_kept)} files: {not_kept[0]}")
