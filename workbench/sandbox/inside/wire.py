"""The frames between the host and the supervisor: one letter, a length, a payload."""

from __future__ import annotations

import struct

HEADER = struct.Struct(">cI")
"""A frame's head: its kind and the length of its payload in bytes."""
MAX_PAYLOAD = 1 << 20
"""The longest payload that the supervisor sends."""
ACTION_LENGTH = 16
"""Length of an action's mark, in characters."""

RUN = b"R"
"""host → sandbox: the action's mark, then the command."""
KILL = b"K"
"""host → sandbox: the mark of the action to end with everything it started."""
READY = b"H"
"""sandbox → host: the first shell is up; a JSON object."""
OUTPUT = b"O"
"""sandbox → host: bytes that the running command printed."""
DONE = b"D"
"""sandbox → host: the command ended; a JSON object (`link.Ended`)."""
FAILED = b"F"
"""sandbox → host: no shell can be had; a sentence."""


def frame(kind: bytes, payload: bytes) -> bytes:
    """One frame, ready to be sent."""
    return HEADER.pack(kind, len(payload)) + payload
