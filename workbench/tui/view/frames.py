"""The pictures of a path as the frames pane shows them."""

from __future__ import annotations

from typing import NamedTuple

from workbench import events as ev
from workbench.session.state import SessionState
from workbench.text import clean_line
from workbench.tui.panes import words


class FrameItem(NamedTuple):
    """A picture that a step made or looked at; `blob` names its bytes."""

    step: int
    n: int
    path: str
    blob: str
    width: int
    height: int
    caption: str
    """Where it comes from, in a few words: `clip 00:12`."""
    source: str | None
    time_s: float | None
    """Where it stands on the time line of its source, in seconds."""
    facts: str
    """All that is known of it, for a line of its own."""


def frame_items(state: SessionState) -> list[FrameItem]:
    """Every picture of the path, in the order in which they came."""
    return [_item(step.id, step.n, frame) for step in state.path() for frame in step.frames]


def _item(step: int, n: int, frame: ev.Frame) -> FrameItem:
    return FrameItem(
        step,
        n,
        frame.path,
        frame.blob,
        frame.width,
        frame.height,
        _caption(frame),
        frame.source,
        frame.time_s,
        _facts(n, frame),
    )


def _stem(path: str) -> str:
    return clean_line(path.rsplit("/", 1)[-1].rsplit(".", 1)[0])


def _caption(frame: ev.Frame) -> str:
    if frame.source is None or frame.time_s is None:
        return clean_line(frame.path.rsplit("/", 1)[-1])
    return f"{_stem(frame.source)} {moment(frame.time_s)}"


def moment(seconds: float) -> str:
    """A place on a time line, with tenths where it does not stand on a whole second."""
    tenths = round(seconds * 10) % 10
    return f"{words.clock(round(seconds, 1))}{f'.{tenths}' if tenths else ''}"


_MATCHED = {
    "pixels": "found by its pixels",
    "command": "time read from the command",
    "both": "time read from the command, confirmed by its pixels",
    "claimed": "time as the file's name claims",
}


def _facts(n: int, frame: ev.Frame) -> str:
    parts = [clean_line(frame.path), f"{frame.width}×{frame.height}"]
    if frame.source is not None:
        at = f" at {moment(frame.time_s)}" if frame.time_s is not None else ""
        parts.append(f"from {clean_line(frame.source)}{at}")
    if frame.matched_by:
        parts.append(_MATCHED[frame.matched_by])
    parts.append(f"{'read' if frame.origin == 'read' else 'made'} in step {n}")
    return " · ".join(parts)
