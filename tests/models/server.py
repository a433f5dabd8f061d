"""A small HTTP server that answers as model servers do, and notes what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Request:
    """What the client sent."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """One response. `ending`: the body ends, the connection breaks, or nothing more comes."""

    pieces: Sequence[bytes]
    status: int = 200
    kind: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    ending: Literal["end", "cut", "hang"] = "end"


def refusal(status: int, body: object, **headers: str) -> Answer:
    """A response that is an error, as JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer([json.dumps(body).encode()], status, "application/json", named)


class ModelServer:
    """Plays its answers in order; one request too many gets status 599."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: list[Answer] = []
        self.silent = asyncio.Event()
        """Set when an answer hangs."""
        self.gone = asyncio.Event()
        """Set when the client has closed the connection of an answer that hangs."""
        self.host = ""
        """Host and port, as errors name them."""
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen on a free port of this machine."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.host = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Close everything."""
        if self._server is not None:
            self._server.close()

    @property
    def url(self) -> str:
        """The base url."""
        return f"http://{self.host}"

    def play(self, *answers: Answer) -> None:
        """What to answer next."""
        self.answers += answers

    @property
    def asked(self) -> dict[str, Any]:
        """The body of the last request."""
        return self.requests[-1].body

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except ConnectionError:
            self.gone.set()
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        except asyncio.IncompleteReadError:
            return False
        named = (line.partition(": ") for line in head[1:] if line)
        headers = {name.lower(): value for name, _, value in named}
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.requests.append(Request(head[0].split()[1], headers, body))
        answer = self.answers.pop(0) if self.answers else refusal(599, "no answer is left")
        await self._answer(answer, writer)
        if answer.ending == "hang":
            self.silent.set()
            await reader.read()
            self.gone.set()
        elif answer.ending == "cut":
            writer.transport.abort()
        return answer.ending == "end"

    async def _answer(self, answer: Answer, writer: asyncio.StreamWriter) -> None:
        extra = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        writer.write(
            f"HTTP/1.1 {answer.status} Status\r\ncontent-type: {answer.kind}\r\n{extra}"
            "transfer-encoding: chunked\r\n\r\n".encode()
        )
        for piece in answer.pieces:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            await writer.drain()
        if answer.ending == "end":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
