"""How often the screen may change. Decided before Textual is imported, which reads it only then."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

LOCAL_HZ = 30
REMOTE_HZ = 12
"""Over SSH bytes are latency: a slow link blocks the screen once its queue is full."""


def is_remote(environment: MutableMapping[str, str] | None = None) -> bool:
    """Whether the terminal is at the other end of an SSH connection."""
    env = os.environ if environment is None else environment
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))


def feed_hz(environment: MutableMapping[str, str] | None = None) -> int:
    """How often a second new events reach the screen at most."""
    return REMOTE_HZ if is_remote(environment) else LOCAL_HZ


def keep_calm(environment: MutableMapping[str, str] | None = None) -> None:
    """No animations; few frames over SSH. What the person has set themselves stays."""
    env = os.environ if environment is None else environment
    env.setdefault("TEXTUAL_ANIMATIONS", "none")
    if is_remote(env):
        env.setdefault("TEXTUAL_FPS", str(REMOTE_HZ))
