"""The two streams: stdout is data, stderr is narration. Nothing else in the program prints.

Both are a boundary: whatever reaches them, no control sequence leaves them. A caller makes
foreign text readable with `workbench.text`; what is still unsafe then, in JSON too, is written as
`\\uXXXX`.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sys
from typing import Any, TextIO

from workbench.text import clean

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff]"
)
"""Controls, reordering and line-breaking characters, and halves of surrogate pairs.

In JSON they can only stand inside a string, where the escape means the same character.
"""


def write(text: str) -> None:
    """Print data as it is; the caller ends the lines.

    Raises:
        BrokenPipeError: if the reader went away.
    """
    _put(sys.stdout, text)


def write_line(text: str = "") -> None:
    """Print one line, or several, of text for a person, made safe to show."""
    write(clean(text) + "\n")


def write_json(value: Any) -> None:
    """Print one JSON document, indented."""
    write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def write_json_line(value: Any) -> None:
    """Print one JSON value on one line."""
    write(json.dumps(value, ensure_ascii=False) + "\n")


def say(sentence: str) -> None:
    """Narrate: one line for the person who reads along."""
    with contextlib.suppress(BrokenPipeError):  # nobody reads along: the work goes on
        _put(sys.stderr, clean(sentence) + "\n")


def width() -> int | None:
    """Columns that stdout shows, None where it is no terminal and nothing need be cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _put(stream: TextIO | None, text: str) -> None:
    if stream is None:  # the caller closed it: `>&-`
        raise BrokenPipeError
    text = _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
