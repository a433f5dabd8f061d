"""The first line of a session's screen: what it is, how it stands, what it cost."""

from __future__ import annotations

from typing import NamedTuple

from workbench.events import SandboxInfo
from workbench.text import clean_line
from workbench.tui.panes import words
from workbench.tui.view import format as fmt
from workbench.tui.view.model import SessionModel
from workbench.tui.view.states import LOADING, Word, session_word

_ACTIVE = ("starting", "thinking", "running", "waiting")


class HeaderView(NamedTuple):
    """What the header shows; equal ones look the same."""

    name: str
    model: str
    sandbox: str
    warning: str
    mode: str
    word: Word
    facts: tuple[str, ...]
    """Step, tokens, price and time, each short, the most telling first."""
    is_observer: bool = False


def header_view(model: SessionModel, now: float, *, observe: bool = False) -> HeaderView:
    """The header at a moment (UTC seconds)."""
    state = model.state
    created = state.created
    if created is None:
        return HeaderView("", "", "", "", "", LOADING, (), observe)
    return HeaderView(
        name=clean_line(str(created.task.get("id") or created.id)),
        model=clean_line(model_name(created.model)),
        sandbox=sandbox_words(state.sandbox),
        warning=clean_line((state.sandbox.warning if state.sandbox else None) or ""),
        mode=state.control.mode,
        word=session_word(state, is_lost=model.is_lost),
        facts=_facts(model, now),
        is_observer=observe,
    )


def model_name(spec: str) -> str:
    """A model as a person calls it: `scripted`, `human`, the name without its provider."""
    kind, _, name = spec.partition(":")
    return kind if kind in ("scripted", "human") or not name else name.rsplit("/", 1)[-1]


def sandbox_words(sandbox: SandboxInfo | None) -> str:
    """Where the agent runs: `docker net:none`."""
    return clean_line(f"{sandbox.kind} net:{sandbox.network}") if sandbox else ""


def _facts(model: SessionModel, now: float) -> tuple[str, ...]:
    state = model.state
    limits = state.created.limits if state.created else None
    leaf = state.steps.get(state.leaf) if state.leaf is not None else None
    done = leaf.n if leaf else 0
    step = f"step {done}/{limits.steps}" if limits and limits.steps else f"step {done}"
    if model.is_partial:
        return (step, "reading…")
    facts = [step]
    if model.sums.tokens:
        facts.append(f"{fmt.tokens(model.sums.tokens)} tok")
    if model.sums.cost_usd is not None:
        facts.append(fmt.cost(model.sums.cost_usd))
    facts.append(words.clock(elapsed_s(model, now)))
    return tuple(facts)


def elapsed_s(model: SessionModel, now: float) -> float:
    """Seconds from the start; the clock stands still while nothing works."""
    state = model.state
    is_active = model.is_live and state.status in _ACTIVE
    end = max(now, state.last_t) if is_active else state.last_t
    return end - state.started_t if state.started_t else 0.0


def ticks(model: SessionModel) -> bool:
    """Whether the header changes by time alone."""
    return model.is_live and not model.is_partial and model.state.status in _ACTIVE
