"""A round trip through the person's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from workbench.errors import WorkbenchError

_FALLBACKS = ("sensible-editor", "nano", "vi")


class EditorFailed(WorkbenchError):
    """The editor could not be run, or gave nothing back."""


def editor_command() -> list[str]:
    """`$VISUAL`, else `$EDITOR`, else the first that is there.

    Raises:
        EditorFailed: if there is none.
    """
    import shutil

    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return shlex.split(named)
    for name in _FALLBACKS:
        if found := shutil.which(name):
            return [found]
    raise EditorFailed("No editor is there: set $EDITOR to one.")


def edit_outside(text: str, suffix: str) -> str:
    """Let a person edit a text; the terminal must be theirs meanwhile.

    Raises:
        EditorFailed: with what went wrong; the text is as it was.
    """
    command = editor_command()
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        path = Path(folder) / f"command{suffix}"
        path.write_text(text, encoding="utf-8")
        try:
            code = subprocess.run([*command, str(path)], check=False).returncode
        except OSError as error:
            raise EditorFailed(f"{command[0]}: {error.strerror or error}.") from error
        if code:
            raise EditorFailed(f"{command[0]} ended with {code}; the text is as it was.")
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise EditorFailed(f"What {command[0]} left cannot be read: {error}.") from error
