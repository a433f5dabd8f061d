"""The first events of a session: what it is, its staged inputs, and the opening messages."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path, PurePosixPath

import msgspec

from workbench import __version__
from workbench.engine import breakpoints
from workbench.engine.launch import Launch
from workbench.engine.prompts import SYSTEM_PROMPT, TOOLS_SPEC
from workbench.engine.recorder import Recorder
from workbench.errors import WorkbenchError
from workbench.events import (
    SCHEMA_VERSION,
    Breakpoint,
    Message,
    Probed,
    Prompted,
    SandboxInfo,
    SessionCreated,
)
from workbench.media.probe import probe
from workbench.models.base import Model
from workbench.task import Task
from workbench.trajectory.benches import user_message

_KIND_OF_KEY = {
    "videos": "video",
    "audios": "audio",
    "images": "image",
    "documents": "document",
}


def stage_inputs(task: Task, folder: Path, inputs: Path) -> list[str]:
    """Copy the task's media into the inputs folder; returns their paths in the workspace.

    A copy, not a link: whatever a sandbox does, the person's own files stay as they are.

    Raises:
        WorkbenchError: naming the file that cannot be copied.
    """
    staged = []
    for name in task.media.all():
        relative = PurePosixPath(name)
        target = inputs / relative
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, target)
            target.chmod(0o444)
        except OSError as error:
            raise WorkbenchError(
                f"media {name}: it cannot be staged: {error.strerror or error}."
            ) from error
        staged.append(f"inputs/{relative}")
    return staged


def record_opening(recorder: Recorder, launch: Launch, model: Model, sandbox: SandboxInfo) -> None:
    """Write the events that open a new session; the inputs are staged already."""
    task = launch.task
    recorder.record(
        SessionCreated(
            version=SCHEMA_VERSION,
            id=recorder.session.id,
            task=msgspec.to_builtins(task),
            model=launch.model,
            provider=model.provider,
            mode=launch.mode,
            limits=task.limits,
            harness=_harness(launch),
            tools_spec=TOOLS_SPEC,
            sandbox=sandbox,
            workbench_version=__version__,
            base_url=launch.base_url,
        )
    )
    _record_media(recorder, task)
    staged = [f"inputs/{name}" for name in task.media.all()]
    messages: list[Message] = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": user_message(task, staged)},
    ]
    recorder.record(Prompted(messages=messages))
    expressions = [
        breakpoints.parse(text).expression for text in [*task.breakpoints, *launch.breakpoints]
    ]
    if expressions:
        recorder.record(Breakpoint(expressions=expressions, author="task"))


def _harness(launch: Launch) -> dict[str, object]:
    return {
        "temperature": launch.temperature,
        "reasoning_effort": launch.reasoning_effort,
        "python": ".".join(map(str, sys.version_info[:3])),
    }


def _record_media(recorder: Recorder, task: Task) -> None:
    for key, kind in _KIND_OF_KEY.items():
        for name in getattr(task.media, key):
            info = probe(recorder.session.inputs / name)
            recorder.record(
                Probed(
                    path=f"inputs/{name}",
                    media=kind,  # type: ignore[arg-type]
                    duration_s=info.duration_s,
                    width=info.width,
                    height=info.height,
                    fps=info.fps,
                    codecs=list(info.codecs),
                )
            )
