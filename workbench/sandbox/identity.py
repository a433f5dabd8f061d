"""As whom an agent's commands run: never as root, and so that both sides can use the files."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

AGENT_ID = 10001
"""User and group id of commands when root runs Workbench."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A user and a group."""

    uid: int
    gid: int


def agent_identity() -> Identity:
    """The person who runs Workbench; for root, a user that owns nothing else."""
    uid = os.geteuid()
    return Identity(AGENT_ID, AGENT_ID) if uid == 0 else Identity(uid, os.getegid())


def hand_over(folder: Path, identity: Identity) -> None:
    """Give a folder with all that is in it to the agent; only root needs to, and can."""
    if os.geteuid() != 0:
        return
    for _, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        os.fchown(descriptor, identity.uid, identity.gid)
        for name in folders + files:
            with contextlib.suppress(FileNotFoundError):
                os.chown(name, identity.uid, identity.gid, dir_fd=descriptor, follow_symlinks=False)


def make_readable(folder: Path) -> None:
    """Let others read a folder of ours and the files in it that have no other name; root only."""
    if os.geteuid() != 0:
        return
    for _, _, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        os.fchmod(descriptor, os.fstat(descriptor).st_mode | 0o055)
        for name in files:
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                os.chmod(name, status.st_mode | 0o044, dir_fd=descriptor)
