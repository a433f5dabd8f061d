"""The host's end of a supervisor: starts it over a socket, sends commands, reads what it says."""

from __future__ import annotations

import asyncio
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


class Link(asyncio.Protocol):
    """An open connection to a supervisor. Frames are taken in as they come, without a task."""

    def __init__(self) -> None:
        self._inbox = bytearray()
        self._transport: asyncio.WriteTransport | None = None
        self._answer: asyncio.Future[tuple[bytes, bytes]] | None = None
        self._lost: LinkLost | None = None
        self._on_output: Callable[[bytes], None] = _drop
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
        loop = asyncio.get_running_loop()
        _, link = await loop.create_unix_connection(cls, sock=connection)
        parts = json.dumps({"modules": _sources(), "config": config}).encode()
        answer = link._ask(b"%d\n%b" % (len(parts), parts))
        try:
            kind, payload = await asyncio.wait_for(answer, START_S)
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

        Args:
            action: its mark.
            command: what the shell evaluates.
            on_output: told what is printed; must not raise.

        Raises:
            LinkLost: if the supervisor dies meanwhile.
        """
        self._on_output = on_output
        payload = action.encode() + command.encode("utf-8", "surrogateescape")
        try:
            kind, answer = await self._ask(wire.frame(wire.RUN, payload))
        finally:
            self._on_output = _drop
        if kind != wire.DONE:
            raise LinkLost(_sentence(answer))
        return _decode(answer)

    def kill(self, action: str) -> None:
        """End the command of this action, if it still runs; `run` then returns."""
        if self._transport is not None:
            self._transport.write(wire.frame(wire.KILL, action.encode()))

    def close(self) -> None:
        """Hang up: the supervisor then ends everything and itself."""
        if self._transport is not None:
            self._transport.close()

    def _ask(self, frame: bytes) -> asyncio.Future[tuple[bytes, bytes]]:
        """Send a frame; the next one that is no output is its answer."""
        self._answer = asyncio.get_running_loop().create_future()
        if self._lost is not None or self._transport is None:
            self._answer.set_exception(self._lost or LinkLost("it hung up"))
        else:
            self._transport.write(frame)
        return self._answer

    # --- asyncio.Protocol ---------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection is open."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take in what came; output goes on at once."""
        self._inbox += data
        start, size = 0, wire.HEADER.size
        while len(self._inbox) - start >= size:
            kind, length = wire.HEADER.unpack_from(self._inbox, start)
            if length > wire.MAX_PAYLOAD:
                self._lose("it sent nonsense")
                return
            end = start + size + length
            if len(self._inbox) < end:
                break
            self._take(kind, bytes(self._inbox[start + size : end]))
            start = end
        del self._inbox[:start]

    def connection_lost(self, _error: Exception | None) -> None:
        """The supervisor is gone."""
        self._lose("it hung up")

    def _take(self, kind: bytes, payload: bytes) -> None:
        if kind == wire.OUTPUT:
            self._on_output(payload)
        elif self._answer is not None and not self._answer.done():
            self._answer.set_result((kind, payload))

    def _lose(self, reason: str) -> None:
        self._lost = self._lost or LinkLost(reason)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(self._lost)
        self.close()


def _drop(_output: bytes) -> None:
    """For output that belongs to no command."""


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
