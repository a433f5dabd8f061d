"""What the model and the person are told when a command did not simply end."""

from __future__ import annotations

import signal

from workbench.sandbox.link import Ended
from workbench.sandbox.names import printable


def notes(ended: Ended, killed: str | None) -> tuple[str, ...]:
    """Sentences about how a command ended.

    Args:
        ended: the supervisor's facts.
        killed: why we ended it; None if it ended by itself.
    """
    sentences = []
    cwd = printable(ended.cwd)
    if ended.idle_shell is not None:
        sentences.append(
            f"Before this command the shell {_way(ended.idle_shell)}; this one ran in a new shell, "
            "without the variables and functions of the old one."
        )
    if killed == "timeout":
        sentences.append("The command ran out of its time and was ended with all it had started.")
    if ended.shell is not None:
        cause = "To end it, the shell was ended too" if ended.killed else _cause(ended.shell)
        sentences.append(
            f"{cause}. A new shell stands in {cwd}; variables, functions and options of the old "
            "one are gone."
        )
    elif killed == "timeout":
        sentences.append(f"The shell goes on in {cwd} with its variables and functions.")
    return (*sentences, *_rarities(ended))


def _rarities(ended: Ended) -> list[str]:
    sentences = []
    if ended.survivors:
        sentences.append(f"{ended.survivors} of its processes could not be ended.")
    if ended.repaired:
        sentences.append(
            "The function `builtin` was removed, for the shell cannot be driven with it; the exit "
            "code of the command is not known."
        )
    if ended.lost_bytes:
        sentences.append(
            f"Background jobs had printed {ended.lost_bytes} bytes more before this command; only "
            "the newest part was kept."
        )
    return sentences


def relaunched(cwd: str) -> str:
    """The whole sandbox died under a command and was started again."""
    return (
        f"Everything in the sandbox was killed, background jobs too. A new shell stands in {cwd}; "
        "files are as they were, variables and functions are gone."
    )


def _cause(code: int) -> str:
    return f"The command ended the shell, which {_way(code)}"


def _way(code: int) -> str:
    if code >= 0:
        return f"exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was killed by {name}"
