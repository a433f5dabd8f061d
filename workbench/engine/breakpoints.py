"""Breakpoints: expressions over a proposed action, or over what came of it.

`tool = image_read` · `command ~ REGEX` · `path ~ REGEX` · `output ~ REGEX` · `exit != 0` ·
`step = N` · `tokens > N` · `cost > X` · `every N`. Operators: `=`, `!=`, `~`, `<`, `>`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.errors import UsageError

PROPOSAL = frozenset({"tool", "command", "path", "step", "tokens", "cost", "every"})
RESULT = frozenset({"output", "exit"})
_TEXT = frozenset({"tool", "command", "path", "output"})
_EXPRESSION = re.compile(r"^\s*(\w+)\s*(!=|=|~|<|>)\s*(.+?)\s*$|^\s*(every)\s+(\d+)\s*$", re.DOTALL)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


class BreakpointError(UsageError):
    """An expression that cannot be read; the sentence says what can."""


@dataclass(frozen=True, slots=True)
class BreakpointRule:
    """One parsed expression."""

    expression: str
    field: str
    op: str
    value: str

    @property
    def is_about_result(self) -> bool:
        """Whether it can be judged only after the command ran."""
        return self.field in RESULT

    def matches(self, facts: dict[str, Any]) -> bool:
        """Whether the facts of an action fulfil it; a fact that is missing never does."""
        fact = facts.get(self.field)
        if self.field == "every":
            step = facts.get("step")
            return isinstance(step, int) and step % int(self.value) == 0
        if fact is None:
            return False
        if self.op == "~":
            return re.search(self.value, str(fact)) is not None
        if self.field in _TEXT:
            return _COMPARE[self.op](str(fact), self.value)
        return _COMPARE[self.op](float(fact), float(self.value))


def parse(expression: str) -> BreakpointRule:
    """Read an expression.

    Raises:
        BreakpointError: naming what is wrong with it.
    """
    match = _EXPRESSION.match(expression)
    if match is None:
        raise BreakpointError(
            f"breakpoint “{expression}”: write FIELD OPERATOR VALUE, for example "
            "`tool = image_read`, `command ~ rm -rf` or `every 5`."
        )
    if match[4]:
        if int(match[5]) < 1:
            raise BreakpointError(f"breakpoint “{expression}”: every needs a number above 0.")
        return BreakpointRule(expression.strip(), "every", "=", match[5])
    name, op, value = match[1], match[2], match[3]
    if name not in PROPOSAL | RESULT:
        known = ", ".join(sorted(PROPOSAL | RESULT))
        raise BreakpointError(f"breakpoint “{expression}”: `{name}` is not one of {known}.")
    _check_value(expression, name, op, value)
    return BreakpointRule(expression.strip(), name, op, value)


def _check_value(expression: str, name: str, op: str, value: str) -> None:
    if op == "~":
        if name not in _TEXT:
            raise BreakpointError(
                f"breakpoint “{expression}”: `{name}` is a number; ~ is for text."
            )
        try:
            re.compile(value)
        except re.error as error:
            raise BreakpointError(f"breakpoint “{expression}”: bad pattern: {error}.") from error
        return
    if name in _TEXT:
        if op in "<>":
            raise BreakpointError(f"breakpoint “{expression}”: `{name}` is text; use =, != or ~.")
        return
    try:
        float(value)
    except ValueError:
        raise BreakpointError(f"breakpoint “{expression}”: “{value}” is not a number.") from None
