"""Host tools offered inside the sandbox: a socket through which `whisper` there is heard here.

The sandbox has no network and no speech model. A program in it connects to `bridge.sock` and talks
as `bridge_wire` says. Whoever is in the sandbox may send anything: what is read is confined,
counted and bounded, and nothing is written but the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import posixpath
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.media.speech import Segment
from workbench.media.transcribe import Transcriber
from workbench.sandbox.address import listen
from workbench.sandbox.base import BRIDGE_SOCKET
from workbench.sandbox.bridge_wire import (
    MAX_LINE_BYTES,
    BridgeError,
    Client,
    Request,
    read_request,
    result,
)

MAX_CLIENTS = 64
"""Connections at a time; more are closed at once."""
MAX_REQUESTS = 8
"""Requests at a time; more are told so."""
MAX_FILE_BYTES = 16 * 1024**3
LINGER_S = 2.0
"""How long a client may take to close after the last line."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HeardSpeech:
    """Speech that somebody in the sandbox listened to.

    `source` is the file's path as the sandbox names it. `complete` is false when the listener went
    away, or the work failed, after these segments had been told.
    """

    source: str
    segments: tuple[Segment, ...]
    language: str | None = None
    model: str | None = None
    duration_s: float | None = None
    complete: bool = True


class Bridge:
    """The server end of one session's bridge folder."""

    def __init__(
        self,
        folder: Path,
        to_host: Callable[[str], Path | None],
        transcriber: Transcriber,
        on_heard: Callable[[HeardSpeech], None],
    ) -> None:
        """Nothing is opened before `start`.

        Args:
            folder: mounted in the sandbox as `/run/workbench`; its parent keeps other users out.
            to_host: the host file behind a path of the sandbox, None outside its folders.
            transcriber: does the work; it is not closed with the bridge.
            on_heard: told on the event loop what the sandbox heard.
        """
        self._folder = folder
        self._to_host = to_host
        self._transcriber = transcriber
        self._on_heard = on_heard
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()
        self._at_work = 0
        self._roots: tuple[Path, ...] = ()

    async def start(self) -> None:
        """Listen. To be called before anything runs in the sandbox.

        Raises:
            BridgeError: if the socket cannot be made.
        """
        self._roots = tuple(self._real_roots())
        try:
            listening = listen(self._folder, BRIDGE_SOCKET, backlog=MAX_CLIENTS)
        except OSError as error:
            raise BridgeError(
                f"The bridge {self._folder / BRIDGE_SOCKET} cannot be made: {error.strerror}."
            ) from error
        self._server = await asyncio.start_unix_server(
            self._accept, sock=listening, limit=MAX_LINE_BYTES
        )

    async def close(self) -> None:
        """Stop listening, end every request, remove the socket. Safe to call twice."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in list(self._clients):
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        (self._folder / BRIDGE_SOCKET).unlink(missing_ok=True)

    def _real_roots(self) -> Iterator[Path]:
        """The folders of the sandbox on the host, learnt before anybody could bend them."""
        for name in (".", "/tmp", "inputs"):
            host = self._to_host(name)
            if host is not None:
                yield host.resolve()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._clients) >= MAX_CLIENTS:
            writer.close()
            return
        task = asyncio.create_task(self._talk(reader, writer))
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(writer)
        try:
            request = await read_request(reader)
            if self._at_work >= MAX_REQUESTS:
                raise BridgeError("Too many requests at a time; try again when others are done.")
            await self._serve(request, client, reader)
        except WorkbenchError as error:
            await client.finish({"event": "error", "sentence": str(error)})
        except ConnectionError:
            pass
        except Exception:  # the edge of a connection: one bad client must not end the bridge
            _log.exception("a request to the bridge failed")
            await client.finish({"event": "error", "sentence": "The bridge failed; see its log."})
        finally:
            await _close(reader, writer)

    async def _serve(self, request: Request, client: Client, reader: asyncio.StreamReader) -> None:
        """Answer one request; a client that goes away takes its work with it."""
        work = asyncio.create_task(self._transcribe(request, client))
        gone = asyncio.create_task(_until_gone(reader))
        self._at_work += 1
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._at_work -= 1
            for task in (work, gone):
                if not task.done():
                    task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if not work.cancelled():
            work.result()

    async def _transcribe(self, request: Request, client: Client) -> None:
        source = posixpath.normpath(request.path)
        told: list[Segment] = []

        def on_segment(segment: Segment) -> None:
            told.append(segment)
            client.tell_segment(segment)

        async with self._opened(request.path) as path:
            try:
                transcript = await self._transcriber.transcribe(
                    path, request.options, client.tell_progress, on_segment
                )
            except (WorkbenchError, asyncio.CancelledError):
                if told:
                    self._on_heard(HeardSpeech(source, tuple(told), complete=False))
                raise
        self._on_heard(
            HeardSpeech(
                source,
                transcript.segments,
                transcript.language,
                transcript.model,
                transcript.duration_s,
            )
        )
        await client.finish(result(transcript, request.formats))

    @asynccontextmanager
    async def _opened(self, path: str) -> AsyncIterator[Path]:
        """The file as one that can no longer be exchanged for another.

        The sandbox may move folders while we look. So the file is opened first, the kernel is asked
        where it really lies, and from then on only the open descriptor is read.
        """
        host = self._to_host(path)
        if host is None:
            raise BridgeError(
                f"{path} lies outside the workspace and /tmp; copy it into the workspace first."
            )
        with _open_for_reading(host, path) as descriptor:
            real = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            if not any(real.is_relative_to(root) for root in self._roots):
                raise BridgeError(f"{path} leads out of the workspace.")
            with tempfile.TemporaryDirectory(prefix="workbench-bridge-") as folder:
                link = Path(folder) / (posixpath.basename(posixpath.normpath(path)) or "file")
                link.symlink_to(f"/proc/{os.getpid()}/fd/{descriptor}")
                yield link


async def _close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """End our half and let the client end its own: with input unread, it would lose our answer."""
    with contextlib.suppress(ConnectionError, TimeoutError, OSError):
        writer.write_eof()
        async with asyncio.timeout(LINGER_S):
            await _until_gone(reader)
    writer.close()


async def _until_gone(reader: asyncio.StreamReader) -> None:
    """Read and drop whatever else the client sends, until it closes its end."""
    with contextlib.suppress(ConnectionError):
        while await reader.read(MAX_LINE_BYTES):
            pass


@contextmanager
def _open_for_reading(host: Path, path: str) -> Iterator[int]:
    """A descriptor of a regular file of bounded size; sentences name it as the sandbox does."""
    try:
        descriptor = os.open(host, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except FileNotFoundError:
        raise BridgeError(f"{path} is not there.") from None
    except OSError as error:
        raise BridgeError(f"{path} cannot be opened: {error.strerror}.") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise BridgeError(f"{path} is not a regular file.")
        if status.st_size > MAX_FILE_BYTES:
            raise BridgeError(f"{path} has more than {MAX_FILE_BYTES // 1024**3} GiB.")
        yield descriptor
    finally:
        os.close(descriptor)
