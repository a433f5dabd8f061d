"""What each steering key asks for before it sends: the words, and the command that takes them."""

from __future__ import annotations

from typing import Any, NamedTuple

from workbench.tui.modals.prompt import Question
from workbench.tui.view.model import SessionModel


class Ask(NamedTuple):
    """A question, the control command that takes the answer, and the field it goes into."""

    question: Question
    command: str
    field: str


def ask_for(verb: str, model: SessionModel, step: int | None) -> Ask:
    """What a verb of the key table asks for, as the session stands.

    Args:
        verb: reject, tell, type, answer, break or label.
        model: the session.
        step: number of the chosen step, None while the newest is followed.
    """
    return _ASKS[verb](model, step)


def _reject(_model: SessionModel, _step: int | None) -> Ask:
    hint = "One line that tells the agent what to do better. Enter sends it."
    return Ask(Question("Reject: why?", hint, rows=2), "reject", "note")


def _tell(_model: SessionModel, _step: int | None) -> Ask:
    hint = "It reads this with the next result. Enter sends it, ctrl+j begins a new line."
    return Ask(Question("Tell the agent", hint), "say", "text")


def _type(model: SessionModel, _step: int | None) -> Ask:
    if model.state.control.held is not None:
        when = "in place of what is held"
    else:
        when = "now, as the model's turn" if model.state.status == "waiting" else "as the next turn"
    hint = f"It runs {when}, and stands in the record as yours. Ctrl+s sends it."
    title = "Type a command in the agent's shell"
    question = Question(title, hint, rows=8, language="bash", enter_sends=False)
    return Ask(question, "shell", "command")


def _answer(_model: SessionModel, _step: int | None) -> Ask:
    hint = "It is what the model would write between its answer tags. Enter sends it."
    return Ask(Question("The final answer", hint), "answer", "text")


def _break(model: SessionModel, _step: int | None) -> Ask:
    there = model.state.control.breakpoints
    listed = "\n".join(f"  ● {expression}" for expression in there) or "  none yet"
    hint = (
        f"Breakpoints now:\n{listed}\n"
        "Write one such as `command ~ rm -rf`, `tool = image_read`, `output ~ Traceback` or "
        "`step = 12`; write `clear` to remove all."
    )
    return Ask(Question("Breakpoint", hint, rows=2), "break", "expression")


def _label(_model: SessionModel, step: int | None) -> Ask:
    what = f"step {step}" if step is not None else "the session"
    hint = f"Write KEY=VALUE, such as `first_wrong=yes`, for {what}; KEY= removes it."
    return Ask(Question(f"Label {what}", hint, rows=2), "label", "pair")


_ASKS = {
    "reject": _reject,
    "tell": _tell,
    "type": _type,
    "answer": _answer,
    "break": _break,
    "label": _label,
}


def arguments_of(ask: Ask, text: str, step: int | None) -> dict[str, Any]:
    """What the engine is sent for an answered question.

    Raises:
        ValueError: with a sentence, where the text cannot be understood.
    """
    if ask.command == "break" and text.strip() == "clear":
        return {"clear": True}
    if ask.command != "label":
        return {ask.field: text}
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ValueError("A label is KEY=VALUE.")
    pair: dict[str, Any] = {"key": key.strip(), "value": value.strip() or None}
    return pair if step is None else {**pair, "step": step}
