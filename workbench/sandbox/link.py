"""The host's end of a supervisor: starts it over a socket, sends commands, reads what it says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from workbench.sandbox.base import SandboxError
from workbench.sandbox.inside import wire

START_S = 30.0
"""How long a supervisor may take until its shell is up, in seconds."""
BUFFER_BYTES = 1 << 20
_MODULES = ("wire", "processes", "usage", "jobs", "channel", "fence", "bash", "supervisor")
_PACKAGE = "workbench.sandbox.inside"

BOOTSTRAP = f"""
import json, socket, sys, types
if sys.argv[1].isdigit():
    s = socket.socket(fileno=int(sys.argv[1]))
else:
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
s.set_inheritable(False)
f = s.makefile("rb")
parts = json.loads(f.read(int(f.readline())))
for name in ("workbench", "workbench.sandbox", "{_PACKAGE}"):
    sys.modules[name] = types.ModuleType(name)
for name, source in parts["modules"]:
    module = types.ModuleType(name)
    sys.modules[name] = module
    setattr(sys.modules["{_PACKAGE}"], name.rpartition(".")[2], module)
    exec(compile(source, name, "exec"), module.__dict__)
module.main(s, parts["config"])
"""
"""The program of the supervisor's process (`python3 -I -S -c`); its argument is a descriptor or the
path of a socket, through which the rest of its source comes."""


class LinkLost(Exception):
    """The supervisor is gone, or said what no supervisor says. Its text tells which."""


class Ended(msgspec.Struct, forbid_unknown_fields=True):
    """How a command ended, as the supervisor tells it."""

    code: int | None
    cwd: str
    cpu_s: float | None
    peak_bytes: int | None
    killed: bool
    shell: int | None
    """How the command ended the shell: its exit code, or minus a signal."""
    idle_shell: int | None
    """How the shell ended between the commands."""
    survivors: int
    """Processes that could not be killed."""
    lost_bytes: int
    """Output of background jobs that nobody read."""
    repaired: bool


class Link:
    """An open connection to a supervisor."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.cwd = "/"
        """Where the first shell stands."""

    @classmethod
    async def open(cls, connection: socket.socket, config: dict[str, Any]) -> Link:
        """Send the supervisor its source, wait until its shell is up.

        Args:
            connection: its other end is held by a process that runs `BOOTSTRAP`.
            config: what `inside.supervisor.main` takes.

        Raises:
            SandboxError: if no shell comes up.
        """
        connection.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=BUFFER_BYTES)
        link = cls(reader, writer)
        parts = json.dumps({"modules": _sources(), "config": config}).encode()
        writer.write(b"%d\n%b" % (len(parts), parts))
        try:
            kind, payload = await asyncio.wait_for(link._read(), START_S)
        except (LinkLost, TimeoutError) as error:
            link.close()
            raise SandboxError(
                "The sandbox's shell does not start: it needs bash and python3 (3.8 or newer)."
            ) from error
        if kind != wire.READY:
            link.close()
            raise SandboxError(f"The sandbox's shell does not start: {_sentence(payload)}.")
        link.cwd = str(json.loads(payload)["cwd"])
        return link

    async def run(self, action: str, command: str, on_output: Callable[[bytes], None]) -> Ended:
        """Run a command to its end.

        Raises:
            LinkLost: if the supervisor dies meanwhile.
        """
        await self._send(wire.RUN, action.encode() + command.encode("utf-8", "surrogateescape"))
        while True:
            kind, payload = await self._read()
            if kind == wire.OUTPUT:
                on_output(payload)
            elif kind == wire.DONE:
                return _decode(payload)
            else:
                raise LinkLost(_sentence(payload))

    async def kill(self, action: str) -> None:
        """End the command of this action, if it still runs; `run` then returns."""
        with contextlib.suppress(LinkLost):  # `run` finds the same
            await self._send(wire.KILL, action.encode())

    def close(self) -> None:
        """Hang up: the supervisor then ends everything and itself."""
        self._writer.close()

    async def _send(self, kind: bytes, payload: bytes) -> None:
        try:
            self._writer.write(wire.frame(kind, payload))
            await self._writer.drain()
        except OSError as error:
            raise LinkLost("it hung up") from error

    async def _read(self) -> tuple[bytes, bytes]:
        try:
            head = await self._reader.readexactly(wire.HEADER.size)
            kind, length = wire.HEADER.unpack(head)
            if length > wire.MAX_PAYLOAD:
                raise LinkLost("it sent nonsense")
            return kind, await self._reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError) as error:
            raise LinkLost("it hung up") from error


def _sources() -> list[tuple[str, str]]:
    folder = Path(__file__).parent / "inside"
    return [(f"{_PACKAGE}.{name}", (folder / f"{name}.py").read_text()) for name in _MODULES]


def _decode(payload: bytes) -> Ended:
    try:
        return msgspec.convert(json.loads(payload), Ended)
    except (ValueError, RecursionError) as error:
        raise LinkLost("it sent nonsense") from error


def _sentence(payload: bytes) -> str:
    """What the supervisor gave as its reason, fit for a sentence of ours."""
    text = payload[:200].decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "?" for char in text) or "no reason given"
