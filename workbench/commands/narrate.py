"""A session's events as lines for a person without a screen."""

from __future__ import annotations

from workbench import events as ev
from workbench.session.state import SessionState
from workbench.text import clean_line

WIDTH = 160


def narrate(event: ev.AnyEvent, state: SessionState) -> str | None:
    """One line about an event, None where it says nothing new to a person."""
    line = _line(event, state)
    return None if line is None else clean_line(line)[:WIDTH]


def _line(event: ev.AnyEvent, state: SessionState) -> str | None:
    match event:
        case ev.SessionCreated():
            return f"session {event.id} · {event.model} · {event.sandbox.kind} · mode {event.mode}"
        case ev.Thinking():
            return f"step {event.n}: thinking"
        case ev.Retried():
            return f"  retry {event.attempt} in {event.wait_s:.1f} s: {event.reason}"
        case ev.Proposed() if not event.actions:
            return f"  says: {_first_line(str(event.message.get('content') or ''))}"
        case ev.Held():
            reasons = "; ".join(event.reasons)
            return f"  held: {reasons} (workbench ctl {_id(state)} approve|edit|reject|skip)"
        case ev.Decided() if event.decision != "approve":
            return f"  {event.decision} by {event.author}" + (
                f": {event.note}" if event.note else ""
            )
        case ev.Started():
            return f"  $ {_first_line(event.command)}"
        case ev.Finished():
            return f"  {_outcome(event)} after {event.duration_s:.1f} s"
        case ev.Frame():
            when = "" if event.time_s is None else f" ({event.source} at {event.time_s:.2f} s)"
            return f"  picture {event.path} {event.width}×{event.height}{when}"
        case ev.Heard():
            return f"  heard {event.source}: {len(event.segments)} segments"
        case ev.Paused():
            return f"paused ({event.scope.replace('_', ' ')}) by {event.author}"
        case ev.Resumed():
            return f"resumed by {event.author}"
        case ev.Noted():
            return f"{event.level}: {event.text}"
        case ev.Closed():
            return f"closed: {event.exit_reason}"
        case _:
            return None


def _id(state: SessionState) -> str:
    return state.created.id if state.created else "ID"


def _first_line(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return lines[0] + (f" … ({len(lines)} lines)" if len(lines) > 1 else "")


def _outcome(event: ev.Finished) -> str:
    if event.timed_out:
        return "timed out"
    if event.killed:
        return f"ended ({event.killed})"
    return f"exit {event.exit_code}"
