"""What a word of bash stands for, as far as that is plain: quotes, variables, braces, `seq`.

What is not plain stays as it is written, `$` and all, so that nothing is mistaken for a file.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Mapping

from workbench.media.shell_lexer import quoted_end, tokens

MAX_WORDS = 500
"""Words that one word may expand to."""

_FORMAT = re.compile(r"(?:[^%]|%0?\d?d|%s)*")
"""Formats of `printf` that cannot grow without bounds."""
_MAX_INNER = 8
"""Substitutions within a `seq` or `printf`; one with more stays as it is written."""
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_RANGE = re.compile(r"\{(-?\d+)\.\.(-?\d+)(?:\.\.(\d+))?\}")
_CHOICE = re.compile(r"\{([^{}$\s]*,[^{}$\s]*)\}")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_SUMS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}


def expand(raw: str, variables: Mapping[str, str]) -> list[str]:
    """The words that a word as written stands for."""
    return [word for choice in _braces(raw)[:MAX_WORDS] for word in _fields(choice, variables)][
        :MAX_WORDS
    ]


def _braces(raw: str) -> list[str]:
    """`{1..5}` and `{a,b}` outside of quotes."""
    if any(quote in raw for quote in "'\"\\`"):
        return [raw]
    found = _RANGE.search(raw)
    if found:
        values = _numbers(found[1], found[2], found[3])
    else:
        found = _CHOICE.search(raw)
        if not found:
            return [raw]
        values = found[1].split(",")
    before, after = raw[: found.start()], raw[found.end() :]
    ends = _braces(after)
    return [before + value + end for value in values for end in ends][:MAX_WORDS]


def _numbers(first: str, last: str, step: str | None) -> list[str]:
    """A counted range, padded with zeros where one of its ends is."""
    low, high = int(first), int(last)
    by = max(1, int(step or 1)) * (1 if high >= low else -1)
    padded = any(re.match(r"-?0\d", end) for end in (first, last))
    width = max(len(first), len(last)) if padded else 0
    values = itertools.islice(range(low, high + (1 if by > 0 else -1), by), MAX_WORDS)
    return [f"{value:0{width}d}" for value in values]


def _fields(raw: str, variables: Mapping[str, str]) -> list[str]:
    """One choice as words: unquoted variables and substitutions may give several or none."""
    done: list[str] = []
    current, is_word = "", False
    at = 0
    while at < len(raw):
        char = raw[at]
        end = at + 1
        if char in "'\"\\" or raw.startswith(("$(", "${"), at):
            end = quoted_end(raw, at)
        elif char == "$":
            match = _VARIABLE.match(raw, at)
            end = match.end() if match else end
        piece = raw[at:end]
        at = end
        if piece[:1] in "'\"\\":
            current, is_word = current + _unquoted(piece, variables), True
        elif piece[:1] == "$":
            value = _substituted(piece, variables)
            whole = value == piece or _ASSIGNED.match(raw) is not None
            parts = [value] if whole else value.split() or [""]
            done += [current + parts[0], *parts[1:]][:-1]
            current = parts[-1] if len(parts) > 1 else current + parts[0]
            is_word = bool(current)
        else:
            current, is_word = current + piece, True
    return [*done, current] if is_word else done


def _unquoted(piece: str, variables: Mapping[str, str]) -> str:
    if piece[0] == "\\":
        return piece[1:]
    if piece[0] == "'":
        return piece[1:-1] if piece.endswith("'") and len(piece) > 1 else piece[1:]
    inner = piece[1:-1] if piece.endswith('"') and len(piece) > 1 else piece[1:]
    text, at = "", 0
    while at < len(inner):
        end = at + 1
        if inner[at] == "\\" and inner[at + 1 : at + 2] in ("$", '"', "\\", "`"):
            at, end = at + 1, at + 2
            text += inner[at:end]
        elif inner.startswith(("$(", "${"), at):
            end = quoted_end(inner, at)
            text += _substituted(inner[at:end], variables)
        elif match := _VARIABLE.match(inner, at):
            end = match.end()
            text += _substituted(match[0], variables)
        else:
            text += inner[at]
        at = end
    return text


def _substituted(piece: str, variables: Mapping[str, str]) -> str:
    """The value of `$name`, `${name}`, `$((sum))`, `$(seq …)` or `$(printf …)`; else as written."""
    if piece.startswith("$((") and piece.endswith("))"):
        value = _sum(piece[3:-2], variables)
        return piece if value is None else str(value)
    if piece.startswith("$("):
        return _printed(piece, variables)
    match = _VARIABLE.fullmatch(piece)
    return variables.get(match[1] or match[2], piece) if match else piece


def _sum(text: str, variables: Mapping[str, str]) -> int | None:
    names = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", lambda m: variables.get(m[1], m[1]), text)
    try:
        return _value(ast.parse(names.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) < 1e9:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        return int(_SUMS[type(node.op)](_value(node.left), _value(node.right)))
    raise ValueError("not a plain sum")


def _printed(piece: str, variables: Mapping[str, str]) -> str:
    if not piece.startswith(("$(seq ", "$(printf ")) or piece.count("$(") > _MAX_INNER:
        return piece
    found = [token.text for token in tokens(piece[2:-1]) if token.kind == "word"]
    words = [word for raw in found for word in _fields(raw, variables)]
    try:
        if words[:1] == ["seq"] and 2 <= len(words) <= 4:
            first, step, last = ["1", "1", *words[1:]][-3:] if len(words) != 3 else (
                words[1], "1", words[2]
            )  # fmt: skip
            return _sequence(float(first), float(step), float(last))
        if words[:1] == ["printf"] and _FORMAT.fullmatch(words[1]):
            values = [int(word) if word.lstrip("-").isdigit() else word for word in words[2:]]
            return words[1] % tuple(values)
    except (ValueError, TypeError, IndexError, OverflowError, MemoryError):
        pass
    return piece


def _sequence(first: float, step: float, last: float) -> str:
    count = int((last - first) / step + 1e-9) + 1 if step else 0
    values = (first + step * n for n in range(max(0, min(count, MAX_WORDS))))
    return " ".join(f"{value:g}" for value in values)
