"""The list of sessions: order, filter, and a line for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from workbench.session.library import Summary
from workbench.text import clean_line, cut, pad
from workbench.tui.panes import words
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.view import format as fmt
from workbench.tui.view.header import model_name
from workbench.tui.view.states import status_word

_WORD = 12
_NAME = 24
_MODEL = 18
_STEPS = 6
_TOKENS = 6
_COST = 8
_AGE = 7


class Shelf:
    """The summaries of a store in the order in which they are shown."""

    def __init__(self) -> None:
        self._known: dict[str, Summary] = {}
        self._haystacks: dict[str, str] = {}
        self.wanted = ""
        self.shown: list[Summary] = []

    def __len__(self) -> int:
        return len(self._known)

    def take(self, changed: Iterable[Summary], gone: Iterable[str] = ()) -> None:
        """Sessions came, changed or went."""
        for summary in changed:
            self._known[summary.id] = summary
            self._haystacks[summary.id] = _haystack(summary)
        for name in gone:
            self._known.pop(name, None)
            self._haystacks.pop(name, None)
        self._order()

    def filter(self, wanted: str) -> None:
        """Show only sessions that have all these words somewhere."""
        self.wanted = wanted
        self._order()

    def _order(self) -> None:
        parts = self.wanted.lower().split()
        found = [
            summary
            for name, summary in self._known.items()
            if all(part in self._haystacks[name] for part in parts)
        ]
        found.sort(key=lambda one: (not one.is_live, -one.last_t, one.id))
        self.shown = found

    def position(self, session: str) -> int | None:
        """Where a session stands in the list."""
        return next((at for at, one in enumerate(self.shown) if one.id == session), None)

    def headline(self) -> str:
        """How many there are, how many live, and what they cost together."""
        live = sum(one.is_live for one in self._known.values())
        waiting = sum(
            one.is_live and one.status in ("held", "waiting") for one in self._known.values()
        )
        cost = sum(one.cost_usd or 0.0 for one in self._known.values())
        parts = [words.count(len(self._known), "session")]
        if live:
            parts.append(f"{live} live")
        if waiting:
            parts.append(f"{waiting} {'waits' if waiting == 1 else 'wait'} for you")
        if cost:
            parts.append(fmt.cost(cost))
        if self.wanted:
            parts.append(f"{len(self.shown)} shown")
        return " · ".join(parts)


def _haystack(one: Summary) -> str:
    word = status_word(one.status, one.exit_reason).word
    live = "live" if one.is_live else ""
    texts = (one.id, one.task_id, one.question, one.model, one.mode, one.sandbox, one.answer or "")
    return "\n".join((*texts, word, live, one.exit_reason or "")).lower()


def summary_line(one: Summary, width: int, now: float, *, is_marked: bool) -> ViewLine:
    """A session as one line of `width` cells; what matters least is left out first."""
    word = status_word(one.status, one.exit_reason)
    role = word.role if one.is_live or word.role is Role.BAD else _calm(word.role)
    builder = LineBuilder().add("▌" if is_marked else " ", Role.ACCENT)
    builder.add(pad(f"{word.glyph} {word.word}", _WORD), role)
    name = clean_line(session_name(one))
    builder.add(f" {pad(cut(name, _NAME), _NAME)}", Role.STRONG)
    left = width - 2 - _WORD - _NAME
    if left > 60:
        model = cut(clean_line(model_name(one.model)), _MODEL)
        builder.add(f" {pad(model, _MODEL)}", Role.MUTED)
        left -= _MODEL + 1
    builder.add(f"{one.steps or '':>{_STEPS}}")
    left -= _STEPS
    if left > 70:
        builder.add(f"{fmt.tokens(one.tokens) if one.tokens else '':>{_TOKENS + 1}}", Role.MUTED)
        left -= _TOKENS + 1
    if left > 36:
        builder.add(f"{fmt.cost(one.cost_usd):>{_COST}}", Role.MUTED)
        left -= _COST
    age = fmt.age(now - one.last_t) if one.last_t else ""
    builder.add(f"{age:>{_AGE}}", Role.MUTED)
    text, paint = _gist(one)
    return builder.add(f"  {cut(text, max(0, left - _AGE - 2))}", paint).line()


def session_name(one: Summary) -> str:
    """The id, with the task's where the one does not say the other."""
    return one.id if not one.task_id or one.task_id in one.id else f"{one.id} · {one.task_id}"


def _calm(role: Role) -> Role:
    return Role.MUTED if role in (Role.GOOD, Role.ACCENT) else role


def _gist(one: Summary) -> tuple[str, Role | None]:
    """The answer, else what went wrong, else the question."""
    if one.answer is not None:
        return clean_line(one.answer[:300]), None
    if one.error:
        return clean_line(one.error[:300]), Role.BAD
    return clean_line(one.question[:300]), Role.MUTED


def heading_line(width: int) -> ViewLine:
    """The names of the columns of `summary_line`."""
    line = f" {pad('STATE', _WORD)} {pad('SESSION', _NAME)}"
    left = width - 2 - _WORD - _NAME
    if left > 60:
        line += f" {pad('MODEL', _MODEL)}"
        left -= _MODEL + 1
    line += f"{'STEPS':>{_STEPS}}"
    left -= _STEPS
    if left > 70:
        line += f"{'TOKENS':>{_TOKENS + 1}}"
        left -= _TOKENS + 1
    if left > 36:
        line += f"{'COST':>{_COST}}"
    line += f"{'AGE':>{_AGE}}  ANSWER"
    return ViewLine(line, ((0, len(line), Role.MUTED),))


def empty_lines(store: str) -> tuple[ViewLine, ...]:
    """What stands where there is no session yet: how to get one."""
    ways = (
        ("n", "starts a session from a task file"),
        ("workbench demo", "an agent solves the sample task: no key, no model, no set-up"),
        ("workbench run TASK --model SPEC", "your own task and model"),
        ("workbench import PATH", "trajectories of other tools"),
    )
    lines = [LineBuilder().add("No session yet.", Role.STRONG).line(), ViewLine("")]
    for way, text in ways:
        lines.append(LineBuilder().add(pad(way, 34), Role.ACCENT).add(text).line(34, words=True))
    store_line = LineBuilder().add(f"The store is {clean_line(store)}", Role.MUTED)
    return (*lines, ViewLine(""), store_line.line(words=True))


class Preview(NamedTuple):
    """What is told of the session under the cursor."""

    title: str
    lines: tuple[ViewLine, ...]


def preview(one: Summary) -> Preview:
    """The question whole, the answer whole, and what is not in the line."""
    lines = [LineBuilder().add(" ".join(clean_line(one.question).split())).line(words=True)]
    if one.answer is not None:
        lines.append(_pair("answer", clean_line(one.answer), Role.STRONG))
    if one.error:
        lines.append(_pair("error", clean_line(one.error), Role.BAD))
    facts = [clean_line(model_name(one.model)), clean_line(one.sandbox), f"mode {one.mode}"]
    facts += [words.count(one.steps, "step"), f"{fmt.tokens(one.tokens)} tok"]
    facts += [fmt.cost(one.cost_usd)]
    if one.edits:
        facts.append(words.count(one.edits, "edit"))
    facts.append(words.duration(one.last_t - one.created_t))
    shown = " · ".join(fact for fact in facts if fact.strip())
    lines.append(LineBuilder().add(shown, Role.MUTED).line(words=True))
    return Preview(clean_line(one.id), tuple(lines))


def _pair(label: str, text: str, role: Role) -> ViewLine:
    builder = LineBuilder().add(label.ljust(8), Role.MUTED).add(text, role)
    return builder.line(indent=8, words=True)
