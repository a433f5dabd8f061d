"""The command line of a supervisor."""

from __future__ import annotations

from pathlib import Path

from workbench.sandbox.link import BOOTSTRAP

PYTHON = Path("/usr/bin/python3")
"""Runs the supervisor inside sandboxes with walls."""


def supervisor_command(python: Path, connection: str) -> list[str]:
    """Arguments of a supervisor's process.

    Its name hides that it is Python (`pkill -f python` of an agent does not mean it); the folder
    stays, for that is how Python finds its library.

    Args:
        python: the interpreter, which the caller executes.
        connection: a descriptor, or the path of a socket.
    """
    name = f"{python.parent}/workbench-shell"
    return [name, "-I", "-S", "-c", BOOTSTRAP, connection]


def renamed_supervisor(connection: str) -> list[str]:
    """A program inside walls that becomes the supervisor under its own name."""
    name, *arguments = supervisor_command(PYTHON, connection)
    return ["/bin/bash", "-c", 'exec -a "$0" "$@"', name, str(PYTHON), *arguments]
