"""What the gate shows: the action that waits for a person, else what goes on right now."""

from __future__ import annotations

from typing import NamedTuple

from workbench.session.state import Said, SessionState
from workbench.session.steps import ActionState, StepState
from workbench.text import clean, clean_line
from workbench.tui.panes import words
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.view.calls import Call, call_of
from workbench.tui.view.model import SessionModel
from workbench.tui.view.states import Word, session_word, step_word

LABEL_CELLS = 10
_STREAM_LINES = 3
_EXIT = {
    "task_complete": "The agent finished the task.",
    "no_tool_calls": "The agent stopped calling tools, so the session ended.",
    "step_limit": "The limit of steps is reached.",
    "limit": "A limit is reached.",
    "stopped": "A person stopped the session.",
    "interrupted": "The engine was told to end.",
    "error": "The session failed.",
}
_LEVEL = {"high": Role.BAD, "medium": Role.WARN, "low": Role.MUTED}
_SCOPE = {
    "after_step": "It stands still between two steps.",
    "freeze": "The sandbox's processes and the command's clock are frozen where they are.",
    "interrupt": "What ran was ended; it stands still.",
}


class GateView(NamedTuple):
    """What the gate shows; equal ones look the same."""

    title: str
    word: Word
    lines: tuple[ViewLine, ...]
    waits: bool = False
    """Whether a person must decide, or act, before anything goes on."""
    action: str | None = None
    """Id of the held action."""
    digest: str | None = None
    """Names exactly what is shown: a decision carries it."""


def gate_view(model: SessionModel, now: float) -> GateView:
    """What the gate shows at a moment (UTC seconds)."""
    state = model.state
    held = state.held_action
    if held is not None and state.closed is None and not model.is_lost:
        return _held_view(state, held)
    word = session_word(state, is_lost=model.is_lost)
    lines = [*_now_lines(model, now), *_said_lines(state), *_note_lines(state)]
    leaf = _leaf(state)
    where = f" · step {leaf.n}" if leaf and state.closed is None else ""
    waits = state.status == "waiting" and model.is_live
    return GateView(f"{word.word}{where}", word, tuple(lines), waits)


# --- an action that waits ---------------------------------------------------------------------


def _held_view(state: SessionState, action: ActionState) -> GateView:
    call = call_of(action)
    leaf = _leaf(state)
    word = session_word(state, is_lost=False)
    parts = [word.word, f"step {leaf.n}" if leaf else "", clean_line(action.tool)]
    lines = [*_reason_lines(action), *command_lines(call), *_plan_lines(call)]
    lines += [*_others(leaf, action), *_said_lines(state)]
    return GateView(
        " · ".join(part for part in parts if part),
        word,
        tuple(lines),
        waits=True,
        action=action.id,
        digest=action.digest,
    )


def _reason_lines(action: ActionState) -> list[ViewLine]:
    """Why it holds: each risk with its level, and the reasons that are not risks."""
    lines = [
        _labelled("risk", f"▲ {risk.level} · {clean_line(risk.reason)}", _LEVEL[risk.level])
        for risk in action.risks
    ]
    told = {risk.reason for risk in action.risks}
    for reason in action.reasons:
        if reason not in told:
            lines.append(_labelled("held", clean_line(reason), Role.WARN))
    return lines


def command_lines(call: Call) -> list[ViewLine]:
    """What would run, whole; rows of a line that is too long are indented."""
    first, *rest = call.text.split("\n")
    lines = [LineBuilder().add(f"{call.prompt} ", Role.ACCENT).add(first, Role.STRONG).line(2)]
    for text in rest:
        lines.append(LineBuilder().add("  ", Role.MUTED).add(text, Role.STRONG).line(2))
    return lines


def _plan_lines(call: Call) -> list[ViewLine]:
    texts = [("analysis", call.analysis), ("plan", call.plan)]
    lines = [_labelled(label, text) for label, text in texts if text]
    if call.duration_s is not None:
        lines.append(_labelled("may take", words.duration(call.duration_s), Role.MUTED))
    return lines


def _others(leaf: StepState | None, held: ActionState) -> list[ViewLine]:
    """The other actions of the step, so that nobody approves the first of three unawares."""
    if leaf is None or len(leaf.actions) < 2:
        return []
    at = next((index for index, action in enumerate(leaf.actions) if action.id == held.id), 0)
    after = len(leaf.actions) - at - 1
    text = f"Action {at + 1} of {len(leaf.actions)} of this step"
    return [_labelled("of several", f"{text}; {after} more to come." if after else f"{text}.")]


def _labelled(label: str, text: str, role: Role | None = None) -> ViewLine:
    """A label and a text that wraps beside it. Line breaks of the text become spaces."""
    flat = " ".join(text.split())
    builder = LineBuilder().add(label.ljust(LABEL_CELLS), Role.MUTED)
    return builder.add(flat, role).line(indent=LABEL_CELLS, words=True)


# --- what goes on -----------------------------------------------------------------------------


def _now_lines(model: SessionModel, now: float) -> list[ViewLine]:
    state = model.state
    if state.created is None:
        return [_sentence(_before_the_start(model), Role.MUTED)]
    if state.closed is not None:
        return _closed_lines(state)
    if model.is_lost:
        return _lost_lines(state)
    status = state.status
    lines = _pause_lines(state)
    leaf = _leaf(state)
    if status == "waiting":
        lines.append(_sentence("You are the model: type a command, or give the answer."))
    elif status == "thinking" and leaf is not None:
        lines += _thinking_lines(leaf, now)
    elif leaf is not None and (running := _running(leaf)) is not None:
        lines += _running_lines(running, now)
    elif status in ("running", "starting"):
        lines.append(_sentence("Getting ready." if status == "starting" else "Between steps."))
    return lines


def _before_the_start(model: SessionModel) -> str:
    if model.is_live:
        return "The engine starts: the sandbox is being made."
    return "Nothing was written yet, and no engine runs; its last words are in engine.log."


def _closed_lines(state: SessionState) -> list[ViewLine]:
    closed = state.closed
    assert closed is not None
    lines = [_sentence(_EXIT.get(closed.exit_reason, "The session ended."))]
    if closed.error:
        lines.append(_labelled("error", clean(closed.error), Role.BAD))
    if closed.answer is not None:
        lines.append(_labelled("answer", clean(closed.answer), Role.STRONG))
        truth = state.created.task.get("ground_truth") if state.created else None
        if isinstance(truth, list) and truth:
            shown = " | ".join(clean_line(str(one)) for one in truth)
            lines.append(_labelled("expected", shown, Role.MUTED))
    return lines


def _lost_lines(state: SessionState) -> list[ViewLine]:
    leaf = _leaf(state)
    where = ""
    if leaf is not None and leaf.phase not in ("done", "interrupted"):
        where = f" in step {leaf.n} ({step_word(leaf).word})"
    return [
        _sentence(f"The engine died{where}. Everything it wrote is here.", Role.BAD),
        _sentence("Restart it to go on: an unfinished command is told to the agent as cut off."),
    ]


def _pause_lines(state: SessionState) -> list[ViewLine]:
    scope = state.control.paused
    if scope is None:
        return []
    if scope == "after_step" and not state.is_between_steps:
        return [_sentence("A pause is asked for: it stops after this step.", Role.WARN)]
    return [_sentence(_SCOPE[scope], Role.WARN)]


def _thinking_lines(step: StepState, now: float) -> list[ViewLine]:
    """How long the model thinks, what failed before, and the end of what it streams."""
    took = words.duration(max(0.0, now - step.started_t))
    lines = [_sentence(f"The model has been thinking for {took}.")]
    if step.retries:
        last = step.retries[-1]
        text = f"Attempt {last.attempt} failed: {clean_line(last.reason)}"
        lines.append(_sentence(text, Role.WARN))
    streamed = step.say or step.think or "".join(step.streamed.get("call", []))
    tail = [line for line in clean(streamed[-600:]).split("\n") if line.strip()][-_STREAM_LINES:]
    return lines + [LineBuilder().add(line, Role.MUTED).line(words=True) for line in tail]


def _running(step: StepState) -> ActionState | None:
    return next((action for action in step.actions if action.phase == "running"), None)


def _running_lines(action: ActionState, now: float) -> list[ViewLine]:
    call = call_of(action)
    took = words.duration(max(0.0, now - (action.started_t or now)))
    limit = f" of at most {words.duration(action.timeout_s)}" if action.timeout_s else ""
    size = f" · {words.size(action.output_bytes)} of output" if action.output_bytes else ""
    first, *rest = command_lines(call)
    more = [_sentence(f"… and {words.count(len(rest), 'more line')}", Role.MUTED)] if rest else []
    return [first, *more, _sentence(f"Running for {took}{limit}{size}.")]


# --- both -------------------------------------------------------------------------------------


def _said_lines(state: SessionState) -> list[ViewLine]:
    """Messages that the agent has not got yet."""
    return [_waiting_message(said) for said in state.said if not said.delivered][-2:]


def _waiting_message(said: Said) -> ViewLine:
    who = clean_line(said.author.removeprefix("human:"))
    return _labelled("to agent", f"“{clean(said.text)}” ({who}; goes with the next result)")


def _note_lines(state: SessionState) -> list[ViewLine]:
    """What the engine had to say last, if it is about the step at hand."""
    if not state.notes or state.closed is not None:
        return []
    note = state.notes[-1]
    leaf = _leaf(state)
    is_old = leaf is not None and note.t < leaf.started_t and note.step != leaf.id
    if is_old or note.level == "info":
        return []
    return [_labelled(note.level, clean(note.text), Role.WARN)]


def _sentence(text: str, role: Role | None = None) -> ViewLine:
    return LineBuilder().add(text, role).line(words=True)


def _leaf(state: SessionState) -> StepState | None:
    return state.steps.get(state.leaf) if state.leaf is not None else None
