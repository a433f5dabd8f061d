"""The supervisor's end of the connection to the host: frames in, frames out, never blocking."""

from __future__ import annotations

import collections
import contextlib
import socket

from workbench.sandbox.inside import wire

FULL_BYTES = 1 << 18
"""With so much unsent, no more output is taken from commands: the host sets the pace."""
_CHUNK = 1 << 16


class Channel:
    """A non-blocking socket with whole frames on both sides."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._inbox = bytearray()
        self._outbox: collections.deque[memoryview] = collections.deque()
        self._unsent = 0
        self.is_open = True

    def fileno(self) -> int:
        """The descriptor to poll."""
        return self._connection.fileno()

    @property
    def is_full(self) -> bool:
        """Whether the host is behind with reading."""
        return self._unsent >= FULL_BYTES

    @property
    def has_unsent(self) -> bool:
        """Whether `flush` has something to do."""
        return bool(self._outbox)

    def close(self) -> None:
        """Stop serving: the host is gone or wants an end."""
        self.is_open = False

    def post(self, kind: bytes, payload: bytes) -> None:
        """Send a frame, or queue what the socket does not take now."""
        self._outbox.append(memoryview(wire.frame(kind, payload)))
        self._unsent += len(payload)
        self.flush()

    def flush(self) -> None:
        """Send what is queued, as far as the socket takes it."""
        try:
            while self._outbox:
                head = self._outbox[0]
                sent = self._connection.send(head)
                self._unsent -= sent
                if sent < len(head):
                    self._outbox[0] = head[sent:]
                else:
                    self._outbox.popleft()
        except BlockingIOError:
            return
        except OSError:
            self.close()
        if not self._outbox:
            self._unsent = 0

    def receive(self) -> list[tuple[bytes, bytes]]:
        """The frames that have come in whole."""
        with contextlib.suppress(BlockingIOError):
            try:
                chunk = self._connection.recv(_CHUNK)
            except ConnectionError:
                chunk = b""
            if not chunk:
                self.close()
            self._inbox += chunk
        frames = []
        size = wire.HEADER.size
        while len(self._inbox) >= size:
            kind, length = wire.HEADER.unpack_from(self._inbox)
            if len(self._inbox) < size + length:
                break
            frames.append((kind, bytes(self._inbox[size : size + length])))
            del self._inbox[: size + length]
        return frames
