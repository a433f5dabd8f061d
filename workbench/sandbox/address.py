"""Sockets in the bridge folder, to which any user of the sandbox may connect."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def listen(folder: Path, name: str, *, backlog: int) -> socket.socket:
    """A listening socket in `folder`, which is made if need be; an old one is replaced.

    It is bound through the folder's descriptor: a socket's own path may have 107 bytes at most.

    Raises:
        OSError: if it cannot be made.
    """
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder.chmod(0o755)
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path = f"/proc/self/fd/{descriptor}/{name}"
        Path(path).unlink(missing_ok=True)
        listening.bind(path)
        os.chmod(path, 0o666)
        listening.listen(backlog)
    except OSError:
        listening.close()
        raise
    finally:
        os.close(descriptor)
    return listening
