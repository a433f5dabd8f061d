"""Copying to the clipboard of the terminal that a person sits at, over SSH and through tmux.

The text goes out as OSC 52; inside tmux it is handed to tmux itself, and also wrapped so that tmux
passes it on. Terminals do not answer, so it is said what was done, not that it has arrived.
"""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Callable, Mapping

MAX_BYTES = 74_994
"""What every terminal that knows OSC 52 takes: 100 kB once encoded, less the frame."""

_DEAF = frozenset({"linux", "dumb", "vt100", "vt220", "ansi"})
_PATIENCE_S = 2.0


def osc52(text: str, *, in_tmux: bool) -> str:
    """The sequence that sets the clipboard, wrapped for tmux where it stands in between."""
    code = base64.b64encode(text.encode()).decode()
    sequence = f"\x1b]52;c;{code}\x07"
    if not in_tmux:
        return sequence
    escaped = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{escaped}\x1b\\"


def copy(
    text: str, write: Callable[[str], object], environment: Mapping[str, str] | None = None
) -> tuple[bool, str]:
    """Copy a text; whether it went out, and a sentence about that.

    Args:
        text: what to copy.
        write: sends text to the terminal as it is.
        environment: variables that tell what the terminal is.
    """
    env = os.environ if environment is None else environment
    terminal = env.get("TERM", "")
    if not text:
        return False, "There is nothing to copy."
    if len(text.encode()) > MAX_BYTES:
        return False, "Too long for a terminal's clipboard; select less, or open it in the pager."
    if terminal in _DEAF:
        return False, f"This terminal ({terminal}) has no clipboard that programs can set."
    count = f"{len(text):,} characters" if len(text) != 1 else "1 character"
    if env.get("TMUX"):
        return _copy_in_tmux(text, write, count)
    if terminal.startswith(("screen", "tmux")):
        write(osc52(text, in_tmux=True))
    write(osc52(text, in_tmux=False))
    return True, f"Copied {count}, if your terminal lets programs set its clipboard."


def _copy_in_tmux(text: str, write: Callable[[str], object], count: str) -> tuple[bool, str]:
    try:
        done = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"],
            input=text.encode(),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        done = None
    write(osc52(text, in_tmux=True))
    if done is not None and done.returncode == 0:
        return True, f"Copied {count} to tmux (prefix ] pastes) and on to your terminal."
    return True, f"Copied {count}, if tmux has allow-passthrough or set-clipboard on."
