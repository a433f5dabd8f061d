"""The files of the workspace as they were at a step, with what changed since when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from workbench.session.state import SessionState
from workbench.session.steps import StepState
from workbench.tui.panes.tree import FileEntry, Mark

Since = Literal["start", "step"]
"""Marks count from the session's start, or from the step that is looked at."""

_MARK: dict[str, Mark] = {"added": "A", "modified": "M", "removed": "R"}
_ROOT = "/workspace/"


def file_entries(state: SessionState, step: int | None, since: Since) -> list[FileEntry]:
    """The files after step `step` of the path (None: now).

    Files that were removed since then stay among them, marked; others that are gone do not.
    """
    path = state.path(step) if step is not None else state.path()
    sizes: dict[str, int | None] = dict(_before_the_steps(state))
    marks: dict[str, Mark] = {}
    for one in path:
        if since == "step":
            marks = {}
        _fold(one, sizes, marks)
    removed = {name for name, mark in marks.items() if mark == "R"}
    names = [*sizes, *(name for name in removed if name not in sizes)]
    return [_entry(name, sizes.get(name), marks.get(name, "")) for name in names]


def since_words(step: StepState | None, since: Since) -> str:
    """From when the marks count."""
    if since == "start":
        return "since the start"
    return f"in step {step.n}" if step is not None else "in the last step"


def _before_the_steps(state: SessionState) -> Iterable[tuple[str, int | None]]:
    """What stood there before the first step: the inputs."""
    changed = {path for step in state.steps.values() for path, _op, _size in step.files}
    for path in state.media:
        if path.startswith("inputs/") and path not in state.files:
            yield path, None
    for path, (op, size) in state.files.items():
        if op != "removed" and (path not in changed or path.startswith("inputs/")):
            yield short(path), size


def _fold(step: StepState, sizes: dict[str, int | None], marks: dict[str, Mark]) -> None:
    for path, op, size in step.files:
        name = short(path)
        before = marks.get(name, "")
        if op == "removed":
            sizes.pop(name, None)
            if before == "A":
                del marks[name]
            else:
                marks[name] = "R"
            continue
        sizes[name] = size
        marks[name] = "A" if before == "A" else _MARK.get(op, "M")


def short(path: str) -> str:
    """A path as people read it: without the workspace's own name."""
    return path.removeprefix(_ROOT)


def _entry(name: str, size: int | None, mark: Mark) -> FileEntry:
    return FileEntry(name, size, mark=mark, read_only=name.startswith("inputs/"))
