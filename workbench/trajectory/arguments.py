"""Arguments of a tool call: decoding what a model wrote, and the one form in which we store them.

Two decoders on purpose. `decode` is the loop's (omnicoding-format 3.4, K12) and forgives much;
`decode_for_training` is the converter's (2.2, C12) and forgives less: a call that only the first
one understands would vanish from the training data, so the loop stores `encode(decode(...))`.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMA_BEFORE_CLOSER = re.compile(r",\s*([}\]])")
_PAIRS = {"}": "{", "]": "["}
_CLOSERS = {"{": "}", "[": "]"}


def encode(arguments: dict[str, Any]) -> str:
    """The stored form: a JSON string of an object that every reader can decode and encode again."""
    return _SURROGATE.sub("\ufffd", json.dumps(arguments, ensure_ascii=False))


def decode(raw: object) -> tuple[dict[str, Any], str | None]:
    """The arguments as the loop understands them, and a warning where it had to give up.

    Args:
        raw: a JSON string as the provider sent it, an object, or nothing.
    """
    if raw is None or raw == "":
        return {}, None
    if isinstance(raw, dict):
        return _whole_characters(raw), None
    if not isinstance(raw, str):
        return {}, f"arguments are a {type(raw).__name__}, not a JSON object"
    try:
        value = _decode_text(raw)
    except ValueError as error:
        return {}, f"arguments are not valid JSON ({error})"
    if not isinstance(value, dict):
        return {}, f"arguments are a JSON {_json_type(value)}, not an object"
    may_be_broken = "\\ud" in raw.lower() or not raw.isascii()
    return (_whole_characters(value) if may_be_broken else value), None


def _whole_characters(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without halves of surrogate pairs, which no UTF-8 file can hold."""
    text = json.dumps(arguments, ensure_ascii=False)
    if not _SURROGATE.search(text):
        return arguments
    cleaned: dict[str, Any] = json.loads(_SURROGATE.sub("\ufffd", text))
    return cleaned


def _decode_text(text: str) -> Any:
    """Strictly, else up to the error, else with what is open closed."""
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        first = error
    for candidate in (text[: first.pos], _close(text)):
        if candidate is None:
            continue
        try:
            return _loads(candidate)
        except json.JSONDecodeError:
            continue
    raise ValueError(f"{first.msg} at character {first.pos}")


def _loads(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except RecursionError as error:
        raise json.JSONDecodeError("Nested too deeply", text, 0) from error


def _close(text: str) -> str | None:
    """The text with open strings and brackets closed; None where that cannot give a value."""
    stack: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            in_string = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            in_string = True
        elif character in _CLOSERS:
            stack.append(character)
        elif character in _PAIRS and (not stack or stack.pop() != _PAIRS[character]):
            return None
    if in_string:
        text = (text[:-1] if escaped else text) + '"'
    text = text.rstrip().removesuffix(",").rstrip()
    if text.endswith((":", "{", "[")):
        return None
    return text + "".join(_CLOSERS[opener] for opener in reversed(stack))


def _json_type(value: object) -> str:
    names = {list: "list", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def decode_for_training(raw: object) -> Any:
    """The arguments as the converter understands them; None where it drops the call (C12).

    A string that holds a JSON list or scalar passes through, as in the reference.
    """
    if isinstance(raw, dict):
        return raw
    if not isinstance(raw, str) or not (text := raw.strip()):
        return None
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        pass
    for candidate in _repairs(text):
        try:
            value = json.loads(candidate)
        except (json.JSONDecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _repairs(text: str) -> list[str]:
    repaired = _COMMA_BEFORE_CLOSER.sub(r"\1", text)
    candidates = [repaired]
    if repaired.count('"') % 2:
        candidates += [repaired + '"', repaired + '"}']
    lists = max(0, repaired.count("[") - repaired.count("]"))
    objects = max(0, repaired.count("{") - repaired.count("}"))
    if lists or objects:
        candidates.append(repaired + "]" * lists + "}" * objects)
    return candidates
