"""What a command left behind: changed files, pictures, seconds looked at and speech heard."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from workbench.engine.recorder import Recorder
from workbench.engine.tools import IMAGE_TYPES, MAX_IMAGE_BYTES
from workbench.events import FileChanged, FilesChanged, Frame, Heard, Looked, Segment
from workbench.media.evidence import Origin, clean_path, frame_times, looks, made_from
from workbench.media.frames import BadImage, image_facts
from workbench.sandbox.base import Sandbox
from workbench.sandbox.bridge import HeardSpeech
from workbench.sandbox.paths import read_bounded
from workbench.sandbox.watch import Change, Watcher
from workbench.session.steps import ActionState, StepState

STORM = 200
"""A batch of more changes than this is one event."""
MAX_FRAMES = 2000
"""Pictures of one command that are kept as frames."""
_PICTURES = {*IMAGE_TYPES, ".bmp", ".tif", ".tiff"}


class Evidence:
    """Turns what happens in the sandbox's folders into events of the step that caused it."""

    def __init__(self, recorder: Recorder, sandbox: Sandbox, watcher: Watcher) -> None:
        self._recorder = recorder
        self._sandbox = sandbox
        self._watcher = watcher
        self._made: dict[str, None] = {}
        """Pictures that changed since the last `settle`, in order."""
        self._origins: dict[str, Origin] = {}
        """Sound and video files that commands made, and what of."""

    def on_changes(self, changes: Sequence[Change]) -> None:
        """Record changes as they happen; they belong to the step that is under way."""
        step = self._recorder.state.leaf
        for change in changes:
            if change.op != "removed" and PurePosixPath(change.path).suffix.lower() in _PICTURES:
                self._made[change.path] = None
        if len(changes) > STORM:
            rows: list[tuple[str, str, int | None]] = [
                (change.path, change.op, change.size) for change in changes
            ]
            self._recorder.record(FilesChanged(step=step, changes=rows))
            return
        for change in changes:
            self._recorder.record(
                FileChanged(
                    step=step,
                    path=change.path,
                    op=change.op,
                    size=change.size,
                    mtime=change.mtime,
                )
            )

    def on_heard(self, speech: HeardSpeech) -> None:
        """Record speech that the sandbox's `whisper` heard."""
        source = self._name(speech.source)
        origin = self._origins_by_now().get(clean_path(source))
        self._recorder.record(
            Heard(
                step=self._recorder.state.leaf,
                source=source,
                origin=origin.source if origin else None,
                offset_s=origin.start_s if origin else 0.0,
                segments=[
                    Segment(
                        start=segment.start,
                        end=segment.end,
                        text=segment.text,
                        confidence=segment.confidence,
                        words=[(word.start, word.end, word.text) for word in segment.words],
                    )
                    for segment in speech.segments
                ],
                language=speech.language,
                model=speech.model,
                duration_s=speech.duration_s,
            )
        )

    def _origins_by_now(self) -> dict[str, Origin]:
        """What files come from, with those that the running command makes."""
        state = self._recorder.state
        leaf = state.steps.get(state.leaf) if state.leaf is not None else None
        for action in leaf.actions if leaf is not None else ():
            if action.phase == "running" and action.command:
                return {**self._origins, **made_from(action.command, self._known(), self._origins)}
        return self._origins

    def _known(self) -> dict[str, float | None]:
        """The media and their lengths in seconds."""
        return {path: media.duration_s for path, media in self._recorder.state.media.items()}

    def _name(self, path: str) -> str:
        """A path in the workspace as it stands in the media table: relative to the workspace."""
        pure = PurePosixPath(path)
        root = PurePosixPath(self._sandbox.root)
        return str(pure.relative_to(root)) if pure.is_relative_to(root) else path

    async def settle(self, step: StepState, action: ActionState) -> None:
        """Record everything that an action left behind, before the model is told of it."""
        self.on_changes(await self._watcher.settle())
        made = sorted(self._made, key=_natural)[:MAX_FRAMES]
        self._made.clear()
        command = action.command or ""
        known = self._known()
        rates = {path: media.fps for path, media in self._recorder.state.media.items()}
        times = frame_times(command, made, known, self._origins, rates) if made and command else {}
        for path in made:
            frame = await asyncio.to_thread(self._frame, path)
            if frame is not None:
                source, time_s = times.get(path, (None, None))
                self._recorder.record(
                    Frame(
                        step=step.id,
                        path=path,
                        blob=frame.blob,
                        width=frame.width,
                        height=frame.height,
                        mime=frame.mime,
                        source=source,
                        time_s=time_s,
                        matched_by="command" if source else None,
                    )
                )
        if action.command and action.exit_code == 0:
            self._note_looks(step, action.command, known)
        if command:
            self._origins |= made_from(command, known, self._origins)

    def _note_looks(self, step: StepState, command: str, known: dict[str, float | None]) -> None:
        for look in looks(command, known, self._origins):
            self._recorder.record(
                Looked(
                    step=step.id,
                    source=look.source,
                    sense=look.sense,
                    spans=list(look.spans),
                    how=look.how,
                )
            )

    def _frame(self, path: str) -> Frame | None:
        """The picture at `path` as a stored blob; None where it is not a picture (any more)."""
        host = self._sandbox.to_host(path)
        if host is None:
            return None
        try:
            data = read_bounded(host, MAX_IMAGE_BYTES)
            facts = image_facts(data)
        except (BadImage, OSError, ValueError):
            return None
        blob = self._recorder.session.blobs.put(data)
        return Frame(path=path, blob=blob, width=facts.width, height=facts.height, mime=facts.mime)


def _natural(path: str) -> list[tuple[int, str]]:
    """A key that sorts frame_2 before frame_10."""
    parts = re.split(r"(\d+)", path)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
