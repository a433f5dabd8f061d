"""What goes over the bridge: one line of JSON to it, lines of JSON back until `result` or `error`.

{"op": "transcribe", "path": "/workspace/inputs/a.mp4",
 "options": {"language": null, "task": "transcribe", "word_timestamps": false},
 "formats": ["txt", "srt"]}

{"event": "progress", "heard_s": 12.0, "total_s": 90.0}
{"event": "segment", "start": 0.0, "end": 2.0, "text": " Hello."}
{"event": "result", "model": "tiny.en", "language": "en", "duration_s": 90.0,
 "files": {"txt": "…", "srt": "…"}}
{"event": "error", "sentence": "…"}
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from typing import Any

from workbench.errors import WorkbenchError
from workbench.media.languages import language_code
from workbench.media.speech import Segment, Transcript
from workbench.media.transcribe import Progress, SpeechOptions
from workbench.media.transcripts import FORMATS, Format, write

MAX_LINE_BYTES = 64 * 1024
REQUEST_WAIT_S = 30.0
"""How long a client may take to send its request."""
_BEHIND_BYTES = 256 * 1024
"""Progress is left out for a client that does not read."""
_SEND_WAIT_S = 60.0


class BridgeError(WorkbenchError):
    """A request that is refused; the sentence goes back to the sandbox."""


@dataclass(frozen=True, slots=True)
class Request:
    """A file to transcribe, as the sandbox names it, and the files wanted of the result."""

    path: str
    options: SpeechOptions
    formats: tuple[Format, ...]


class Client:
    """The writing half of a connection."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def tell_progress(self, progress: Progress) -> None:
        """Tell how far it is, unless the client is behind."""
        self._tell("progress", heard_s=progress.heard_s, total_s=progress.total_s)

    def tell_segment(self, segment: Segment) -> None:
        """Tell a segment early, unless the client is behind; the result holds it in any case."""
        self._tell("segment", start=segment.start, end=segment.end, text=segment.text)

    def _tell(self, event: str, **fields: Any) -> None:
        transport = self._writer.transport
        if not transport.is_closing() and transport.get_write_buffer_size() < _BEHIND_BYTES:
            self._writer.write(_line({"event": event, **fields}))

    async def finish(self, answer: dict[str, Any]) -> None:
        """Send the last line; a client that does not take it in time is given up."""
        with contextlib.suppress(ConnectionError, TimeoutError, RuntimeError):
            self._writer.write(_line(answer))
            async with asyncio.timeout(_SEND_WAIT_S):
                await self._writer.drain()


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def result(transcript: Transcript, formats: tuple[Format, ...]) -> dict[str, Any]:
    """The last line of a request that went well."""
    return {
        "event": "result",
        "model": transcript.model,
        "language": transcript.language,
        "duration_s": transcript.duration_s,
        "files": {name: write(transcript, name) for name in formats},
    }


async def read_request(reader: asyncio.StreamReader) -> Request:
    """The one request of a connection.

    Raises:
        BridgeError: if it is no request, or comes late or too long.
        ConnectionError: if the client leaves without one.
    """
    try:
        async with asyncio.timeout(REQUEST_WAIT_S):
            line = await reader.readline()
    except TimeoutError:
        raise BridgeError(f"No request came within {REQUEST_WAIT_S:g} s.") from None
    except ValueError:
        raise BridgeError(f"A request has at most {MAX_LINE_BYTES:,} bytes.") from None
    if not line:
        raise ConnectionResetError
    return parse(line)


def parse(line: bytes) -> Request:
    """The request in a line.

    Raises:
        BridgeError: with what is wrong with it.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise BridgeError("A request is one line of JSON.") from None
    if not isinstance(value, dict) or value.get("op") != "transcribe":
        raise BridgeError("A request is an object whose `op` is `transcribe`.")
    path = value.get("path")
    if not isinstance(path, str) or not path.startswith("/") or not _is_clean(path):
        raise BridgeError("`path` must be an absolute path in the sandbox.")
    wanted = value.get("formats", [])
    if not isinstance(wanted, list) or any(name not in FORMATS for name in wanted):
        raise BridgeError(f"`formats` is a list of {', '.join(FORMATS)}.")
    return Request(path, _options(value.get("options")), tuple(wanted))


def _options(value: Any) -> SpeechOptions:
    options = value if isinstance(value, dict) else {}
    task, words = options.get("task", "transcribe"), options.get("word_timestamps", False)
    if task not in ("transcribe", "translate"):
        raise BridgeError("`task` is `transcribe` or `translate`.")
    if not isinstance(words, bool):
        raise BridgeError("`word_timestamps` is true or false.")
    language = options.get("language")
    code = language_code(language) if isinstance(language, str) else None
    if language is not None and code is None:
        raise BridgeError(f"“{language}” is no language that Whisper knows.")
    return SpeechOptions(language=code, task=task, word_timestamps=words)


def _is_clean(path: str) -> bool:
    """Whether it can name a file and stand in a sentence: UTF-8 without control characters."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return not any(char < " " or char == "\x7f" for char in path)
