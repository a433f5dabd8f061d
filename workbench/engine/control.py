"""The control channel: JSON lines over a Unix socket inside the session folder.

A request is `{"command": name, "author": "human:ann", "arguments": {...}}`; the answer is
`{"ok": true, "seq": N, ...}` or `{"ok": false, "error": "one sentence"}`, in order. `seq` is the
last event that the command caused or saw. The socket is 0600: who may open it may steer.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError

LIMIT_BYTES = 16 << 20
"""Longest line: a command may carry a long edited script."""

Answer = dict[str, Any]
Handler = Callable[[str, str, dict[str, Any]], Awaitable[Answer]]
"""(command, author, arguments) to the answer's fields; a WorkbenchError becomes ok=false."""


class NotLive(WorkbenchError):
    """No engine answers for this session."""


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """A name for `path` that fits into a socket address (108 bytes) whatever its length."""
    if len(os.fsencode(path)) < 100:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def author() -> str:
    """Who steers, as it stands in the log: `human:<login name>`."""
    try:
        return f"human:{getpass.getuser()}"
    except (KeyError, OSError):
        return f"human:{os.getuid()}"


class ControlServer:
    """Answers the commands of any number of clients, each in its order."""

    def __init__(self, path: Path, handler: Handler) -> None:
        self.path = path
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listen; an old socket of a dead owner is replaced."""
        self.path.unlink(missing_ok=True)
        mask = os.umask(0o177)
        try:
            with short_path(self.path) as name:
                self._server = await asyncio.start_unix_server(
                    self._serve, path=name, limit=LIMIT_BYTES
                )
        finally:
            os.umask(mask)

    async def close(self) -> None:
        """Stop listening and end the connections."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._clients):
                writer.close()
            await self._server.wait_closed()
            self._server = None
        self.path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            while line := await reader.readline():
                answer = await self._answer(line)
                writer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError, asyncio.IncompleteReadError):
            pass  # the client went away, or sent a line beyond the limit
        finally:
            self._clients.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> Answer:
        try:
            request = json.loads(line)
            command = request["command"]
            author = str(request.get("author") or "human")
            arguments = request.get("arguments") or {}
            if not isinstance(command, str) or not isinstance(arguments, dict):
                raise TypeError
        except (ValueError, KeyError, TypeError, AttributeError):
            return {"ok": False, "error": "A request is a JSON object with `command`."}
        try:
            return {"ok": True, **await self._handler(command, author, arguments)}
        except WorkbenchError as error:
            return {"ok": False, "error": str(error)}


class ControlClient:
    """One connection to a live engine. Requests are answered in order."""

    def __init__(self, path: Path, author: str) -> None:
        self.path = path
        self.author = author
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, command: str, /, **arguments: Any) -> Answer:
        """Send one command and return the whole answer, ok or not.

        Raises:
            NotLive: if no engine listens, or it went away before it answered.
        """
        async with self._lock:
            try:
                reader, writer = await self._connect()
                request = {"command": command, "author": self.author, "arguments": arguments}
                writer.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
                await writer.drain()
                line = await reader.readline()
            except (OSError, ValueError) as error:
                await self._drop()
                raise NotLive("No engine answers: the session is not live.") from error
            if not line:
                await self._drop()
                raise NotLive("The engine ended before it answered.")
        answer = json.loads(line)
        return answer if isinstance(answer, dict) else {"ok": False, "error": "odd answer"}

    async def close(self) -> None:
        """End the connection. Safe to call twice."""
        async with self._lock:
            await self._drop()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            with short_path(self.path) as name:
                self._streams = await asyncio.open_unix_connection(name, limit=LIMIT_BYTES)
        return self._streams

    async def _drop(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            with contextlib.suppress(OSError):
                await self._streams[1].wait_closed()
            self._streams = None
