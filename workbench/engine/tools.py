"""What the three tools do: run a command, look at a picture. (`task_complete` is the loop's.)"""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.engine.outputs import OutputSink, Window
from workbench.engine.recorder import Recorder
from workbench.events import Finished, Frame, Message, Started
from workbench.media.frames import BadImage, image_facts
from workbench.sandbox.base import CommandResult, Sandbox
from workbench.sandbox.paths import read_bounded
from workbench.session.blobs import reference
from workbench.session.steps import ActionState, StepState

IMAGE_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""What `image_read` takes, by suffix (omnicoding-format K28)."""
MAX_IMAGE_BYTES = 32 << 20
MIN_WAIT_S = 0.5
"""A command is given at least this long (omnicoding-format K14)."""


@dataclass(frozen=True, slots=True)
class Command:
    """What the shell is given, and how long it may take."""

    text: str
    duration_s: float


class Tools:
    """Carries out what the gate let pass, and records it."""

    def __init__(self, recorder: Recorder, sandbox: Sandbox) -> None:
        self._recorder = recorder
        self.sandbox = sandbox

    async def run_commands(
        self, step: StepState, action: ActionState, commands: list[Command]
    ) -> str:
        """Run the commands of one action in order; returns what the model sees of their output."""
        sink = OutputSink(self._recorder.session, action.id, step.id, self._recorder.record)
        texts: list[str] = []
        try:
            for index, command in enumerate(commands):
                window = sink.begin_command()
                result = await self._run(step, action, command, sink)
                texts.append(self._text(command, window, result))
                if index < len(commands) - 1:
                    self._finish(step, action, result, None, sink.stored_bytes)
        except BaseException:
            self._cut_off(step, action, sink)
            raise
        self._finish(step, action, result, sink.finish(), sink.stored_bytes)
        return "\n".join(texts)

    async def _run(
        self, step: StepState, action: ActionState, command: Command, sink: OutputSink
    ) -> CommandResult:
        self._recorder.record(
            Started(
                step=step.id,
                action=action.id,
                command=command.text,
                timeout_s=command.duration_s,
                cwd=action.cwd,
            )
        )
        timeout_s = max(command.duration_s, MIN_WAIT_S)
        return await self.sandbox.run(command.text, timeout_s, sink.feed)

    def _text(self, command: Command, window: Window, result: CommandResult) -> str:
        notes = list(result.notes)
        if result.killed == "interrupt":
            notes.append("The operator interrupted the command; it and its children were ended.")
        elif result.timed_out and not notes:
            notes.append(f"The command took longer than {command.duration_s:g} s and was ended.")
        return window.text(tuple(notes))

    def _finish(
        self,
        step: StepState,
        action: ActionState,
        result: CommandResult,
        blob: str | None,
        stored_bytes: int,
    ) -> None:
        self._recorder.record(
            Finished(
                step=step.id,
                action=action.id,
                exit_code=result.exit_code,
                duration_s=round(result.duration_s, 4),
                cpu_s=result.cpu_s,
                peak_memory_bytes=result.peak_memory_bytes,
                timed_out=result.timed_out,
                killed=result.killed,
                output_blob=blob,
                output_bytes=stored_bytes,
                cwd=result.cwd,
            )
        )

    def _cut_off(self, step: StepState, action: ActionState, sink: OutputSink) -> None:
        """The session ends, or the sandbox died, in the middle of a command."""
        blob = sink.finish()
        self._recorder.record(
            Finished(
                step=step.id,
                action=action.id,
                exit_code=None,
                duration_s=round(time.time() - (action.started_t or time.time()), 4),
                killed="engine stopped",
                output_blob=blob,
                output_bytes=sink.stored_bytes,
            )
        )

    async def read_image(self, step: StepState, path: str) -> tuple[str, Message | None]:
        """The tool reply for `image_read`, and the user message with the picture if it worked.

        Errors have the shapes of omnicoding-format K29; a path outside the sandbox's folders does
        not exist for us.
        """
        absolute = str(PurePosixPath(self.sandbox.root) / path)
        suffix = PurePosixPath(path).suffix.lower()
        mime = IMAGE_TYPES.get(suffix)
        if mime is None:
            kinds = ", ".join(name[1:] for name in IMAGE_TYPES)
            return (
                f"ERROR: unsupported image extension '{suffix}': convert it to PNG first "
                f"(known: {kinds})",
                None,
            )
        host = self.sandbox.to_host(path)
        if host is None or not host.exists():
            return f"ERROR: image not found: {absolute}", None
        if not host.is_file():
            return f"ERROR: not a regular file: {absolute}", None
        try:
            data = await asyncio.to_thread(read_bounded, host, MAX_IMAGE_BYTES)
            facts = await asyncio.to_thread(image_facts, data)
        except (BadImage, OSError, ValueError) as error:
            return f"ERROR: not a readable picture: {absolute} ({error})", None
        return self._show(step, path, host, data, mime, (facts.width, facts.height))

    def _show(
        self,
        step: StepState,
        path: str,
        host: Path,
        data: bytes,
        mime: str,
        size: tuple[int, int],
    ) -> tuple[str, Message]:
        blob = self._recorder.session.blobs.put(data)
        self._recorder.record(
            Frame(
                step=step.id,
                path=path,
                blob=blob,
                width=size[0],
                height=size[1],
                mime=mime,
                origin="read",
            )
        )
        picture: Message = {
            "role": "user",
            "content": [
                {"type": "text", "text": f"image_read: '{path}'"},
                {"type": "image_url", "image_url": {"url": reference(blob, mime)}},
            ],
        }
        return f"Loaded '{path}' ({mime}, {host.stat().st_size} bytes).", picture

    def keep_output(self, action: ActionState) -> str | None:
        """Make a blob of the output that an earlier engine left behind; None if there is none."""
        path = self._recorder.session.output_path(action.id, None)
        if not path.exists():
            return None
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        self._recorder.session.blobs.adopt(path, sha256)
        return sha256
