"""Everything about one step, as lines: in short below its row, and whole for its own screen."""

from __future__ import annotations

import json
from typing import Any

from workbench.session.steps import ActionState, StepState
from workbench.text import clean, clean_line, fit
from workbench.tui.panes import words
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.view import format as fmt
from workbench.tui.view.calls import call_of
from workbench.tui.view.states import STEP, outcome
from workbench.tui.view.steps import MAX_TITLE

_LABEL = 6
_BAR = 20


def fold_lines(step: StepState, width: int) -> list[ViewLine]:
    """The step in a few lines of `width` cells, each on one row."""
    lines: list[ViewLine] = []
    for label, text in (("think", step.think), ("says", step.say)):
        if first := _first_line(text):
            lines.append(_fold(label, first, width, Role.MUTED))
    for action in step.actions:
        lines += _fold_action(action, width)
    if step.message is not None:
        lines.append(_fold("time", timing(step, max(4, width - _LABEL - 30)), width))
        lines.append(_fold("use", usage(step), width))
    if step.files or step.frames:
        made = [
            words.count(len(step.frames), "picture") if step.frames else "",
            words.count(len(step.files), "file change") if step.files else "",
        ]
        lines.append(_fold("made", ", ".join(one for one in made if one), width))
    return lines or [_fold("", "nothing yet", width, Role.MUTED)]


def _fold_action(action: ActionState, width: int) -> list[ViewLine]:
    call = call_of(action)
    more = call.text.count("\n")
    text = call.first_line + (f"  (+{words.count(more, 'line')})" if more else "")
    lines = [_fold(call.prompt, clean_line(text[:MAX_TITLE]), width)]
    what = STEP[outcome(action)]
    lines.append(_fold("", f"{what.glyph} {_ending(action)}", width, what.role))
    if (human := decision(action)) is not None:
        lines.append(_fold("", human, width, Role.WARN))
    return lines


def _fold(label: str, text: str, width: int, role: Role | None = None) -> ViewLine:
    room = max(1, width - _LABEL - 5)
    builder = LineBuilder().add("    ").add(label.ljust(_LABEL), Role.MUTED)
    return builder.add(fit(text, room), role).line()


def _first_line(text: str) -> str:
    return next(
        (clean_line(line.strip()[:MAX_TITLE]) for line in text.split("\n") if line.strip()), ""
    )


def _ending(action: ActionState) -> str:
    if action.phase != "done":
        return action.phase
    if action.timed_out:
        return "timed out"
    if action.killed:
        return f"ended: {clean_line(action.killed)}"
    parts = [f"exit {action.exit_code}" if action.exit_code is not None else "done"]
    if action.duration_s is not None:
        parts.append(words.duration(action.duration_s))
    if action.output_bytes:
        parts.append(words.size(action.output_bytes))
    return " · ".join(parts)


def decision(action: ActionState) -> str | None:
    """Who decided what and why, where it was a person."""
    if action.decided_by is None or not action.decided_by.startswith("human"):
        return None
    who = clean_line(action.decided_by.removeprefix("human:"))
    verb = {"approve": "approved", "edit": "edited", "reject": "rejected", "skip": "skipped"}
    text = f"✎ {verb.get(action.decision or '', 'replaced')} by {who}"
    return f"{text}: “{clean_line(action.note)}”" if action.note else text


def usage(step: StepState) -> str:
    """What the model call took in and gave out, and its price."""
    use = step.usage
    parts = [f"{fmt.tokens(use.prompt_tokens)} in", f"{fmt.tokens(use.completion_tokens)} out"]
    if use.cached_tokens:
        parts.append(f"{fmt.tokens(use.cached_tokens)} cached")
    if use.reasoning_tokens:
        parts.append(f"{fmt.tokens(use.reasoning_tokens)} reasoning")
    if use.cost_usd is not None:
        parts.append(fmt.cost(use.cost_usd))
    return " · ".join(parts)


def timing(step: StepState, cells: int = _BAR) -> str:
    """A bar of what took how long: the model, then the wait for a person, then the commands."""
    ran = sum(action.duration_s or 0.0 for action in step.actions)
    model = step.latency_s
    whole = (step.ended_t - step.started_t) if step.ended_t else model + ran
    waited = max(0.0, whole - model - ran)
    total = max(model + ran + waited, 0.001)
    cells = min(cells, _BAR)
    first = round(cells * model / total)
    last = round(cells * ran / total)
    middle = max(0, cells - first - last)
    bar = "█" * first + "░" * middle + "▓" * min(last, cells - first)
    parts = [f"model {words.duration(model)}"]
    if waited > 0.5:
        parts.append(f"wait {words.duration(waited)}")
    if ran:
        parts.append(f"run {words.duration(ran)}")
    return f"{bar} {' · '.join(parts)}"


# --- whole --------------------------------------------------------------------------------------


def detail_lines(step: StepState) -> list[ViewLine]:
    """Thinking, text, actions with their arguments and decisions, usage and timing, whole."""
    lines = [*_section("Thinking", step.think), *_section("Text", step.say)]
    for action in step.actions:
        lines += _action_lines(action)
    lines += _facts(step)
    for warning in step.warnings:
        lines.append(_text(f"▲ {clean_line(warning)}", Role.WARN))
    return lines


def _section(title: str, text: str) -> list[ViewLine]:
    if not text.strip():
        return []
    body = [_text(line) for line in clean(text).strip("\n").split("\n")]
    return [_heading(title), *body, ViewLine("")]


def _heading(title: str) -> ViewLine:
    return LineBuilder().add(title, Role.ACCENT).line()


def _text(text: str, role: Role | None = None) -> ViewLine:
    return LineBuilder().add(text, role).line(words=True)


def _action_lines(action: ActionState) -> list[ViewLine]:
    heading = f"{clean_line(action.tool)} — {_ending(action)}"
    lines = [_heading(heading), *_argument_lines(action.arguments)]
    if action.original is not None:
        lines += [_text("Proposed by the model", Role.MUTED), *_argument_lines(action.original)]
    for risk in action.risks:
        lines.append(_text(f"▲ {risk.level}: {clean_line(risk.reason)}", Role.WARN))
    for reason in action.reasons:
        lines.append(_text(f"◆ held: {clean_line(reason)}", Role.MUTED))
    if (human := decision(action)) is not None:
        lines.append(_text(human, Role.WARN))
    resources = _resources(action)
    if resources:
        lines.append(_text(resources, Role.MUTED))
    return [*lines, ViewLine("")]


def _argument_lines(arguments: dict[str, Any]) -> list[ViewLine]:
    """Each argument under its name; texts as they are, other values as JSON."""
    lines: list[ViewLine] = []
    for key, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        first, *rest = clean(text).split("\n")
        label = f"{clean_line(key)[:12]:<12} "
        role = Role.STRONG if key == "keystrokes" else None
        lines.append(LineBuilder().add(label, Role.MUTED).add(first, role).line(13, words=True))
        for line in rest:
            lines.append(LineBuilder().add(" " * 13).add(line, role).line(13))
    return lines


def _resources(action: ActionState) -> str:
    parts = []
    if action.cpu_s is not None:
        parts.append(f"CPU {words.duration(action.cpu_s)}")
    if action.peak_memory_bytes is not None:
        parts.append(f"memory {words.size(action.peak_memory_bytes)}")
    if action.output_bytes:
        parts.append(f"output {words.size(action.output_bytes)}")
    return " · ".join(parts)


def _facts(step: StepState) -> list[ViewLine]:
    lines = [_heading("Cost"), _text(usage(step)), _text(timing(step))]
    if step.finish_reason:
        lines.append(_text(f"finish reason {clean_line(step.finish_reason)}", Role.MUTED))
    for retry in step.retries:
        text = f"attempt {retry.attempt} failed: {clean_line(retry.reason)}"
        lines.append(_text(text, Role.WARN))
    for key, (value, author) in step.labels.items():
        lines.append(_text(f"label {clean_line(key)} = {clean_line(value)} ({clean_line(author)})"))
    return lines


def observed_text(step: StepState) -> str:
    """What the model was told, message by message; pictures are named."""
    parts: list[str] = []
    for message in step.observed:
        content = message.get("content")
        if isinstance(content, str):
            parts.append(content)
        elif isinstance(content, list):
            parts += [_part_text(part) for part in content if isinstance(part, dict)]
    return clean("\n".join(parts))


def _part_text(part: dict[str, Any]) -> str:
    return str(part.get("text", "")) if part.get("type") == "text" else "[a picture]"
