"""What is left of a screen that failed: a file for us, a sentence for the person."""

from __future__ import annotations

import traceback
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.text import clean_line


class ScreenFailed(WorkbenchError):
    """The screen met a fault of its own and was closed; no session was touched."""


def note_fault(error: BaseException | None, folder: Path) -> str:
    """Write the traceback to `screen-fault.log` in `folder`; return a sentence about it."""
    what = clean_line(f"{type(error).__name__}: {error}") if error else "unknown"
    path = folder / "screen-fault.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return f"The screen failed ({what}) and was closed; sessions go on."
    return f"The screen failed ({what}) and was closed; sessions go on. Details: {path}"
