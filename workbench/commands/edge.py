"""The program's edge: every fault becomes one sentence and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from workbench import __version__
from workbench.commands.streams import say
from workbench.errors import WorkbenchError

INTERRUPTED = 130
BROKEN_PIPE = 141
"""As a shell reports a program that SIGPIPE ended: the reader of our output went away."""
FAULT = 1


def guarded(work: Callable[[], int]) -> int:
    """The exit code of `work`; what it raises is said on stderr, never as a traceback."""
    try:
        return work()
    except WorkbenchError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except OSError as error:
        say(_system_sentence(error))
        return FAULT
    except Exception as error:  # the edge: written to a file, and said
        say(_crash_sentence(error))
        return FAULT


def _silence_stdout() -> None:
    """Let the interpreter's last flush of stdout go nowhere, instead of failing again."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_sentence(error: OSError) -> str:
    """What the system refused, and where."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full; `workbench gc` frees what no session needs."
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    return f"{where}{error.strerror or error}."


def _crash_sentence(error: Exception) -> str:
    what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    try:
        path = _write_crash(error)
    except OSError as failure:
        return f"Workbench itself failed ({what}); the details could not be written: {failure}."
    return f"Workbench itself failed ({what}); the details are in {path}."


def _write_crash(error: Exception) -> Path:
    """Keep the traceback for a report; it goes to the temporary folder where the store is full."""
    text = f"workbench {__version__} · python {sys.version}\n\n"
    text += "".join(traceback.format_exception(error))
    name = f"crash-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}.txt"
    try:
        folder = _crash_folder()
        folder.mkdir(parents=True, exist_ok=True)
        return _write(folder / name, text)
    except Exception:  # what failed may be just what finding the store needs
        return _write(Path(tempfile.mkdtemp(prefix="workbench-")) / name, text)


def _crash_folder() -> Path:
    from workbench.session.store import Store

    return Store.default().root / "crashes"


def _write(path: Path, text: str) -> Path:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return path
