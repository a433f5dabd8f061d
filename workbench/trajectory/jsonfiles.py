"""JSON on disk in the reference's style: UTF-8, two blanks of indent, no newline at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from workbench.errors import UsageError


class BadFile(UsageError):
    """A file that cannot be read as what it should be; the sentence names it."""


def pretty(value: Any) -> bytes:
    """As `json.dumps(value, ensure_ascii=False, indent=2)`, several times faster."""
    # Half a surrogate pair becomes its JSON escape: what UTF-8 cannot hold, JSON still can.
    compact = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
    try:
        return bytes(msgspec.json.format(compact, indent=2))
    except msgspec.DecodeError:  # NaN and infinities are no JSON, but Python writes them
        indented = json.dumps(value, ensure_ascii=False, indent=2)
        return indented.encode("utf-8", "backslashreplace")


def lines(values: Iterable[Any]) -> bytes:
    """One JSON object a line, with a newline after each."""
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    return text.encode("utf-8", "backslashreplace")


def read_json(path: Path) -> Any:
    """The value that a JSON file holds.

    Raises:
        BadFile: if it cannot be read or is no JSON.
    """
    data = _read(path)
    try:
        return msgspec.json.decode(data)
    except msgspec.MsgspecError:
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{path}: this is not JSON: {error}.") from error


def read_lines(path: Path) -> list[Any]:
    """The values of a JSON-lines file; lines that are no JSON are left out.

    Raises:
        BadFile: if the file cannot be read.
    """
    values = []
    for line in _read(path).splitlines():
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return values


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadFile(f"{path}: it cannot be read: {error.strerror}.") from error
