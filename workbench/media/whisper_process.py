"""The parent's end of the process that recognises speech."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import workbench
from workbench.media.whisper_model import WhisperModel

PATIENCE_S = 10.0
"""How long a cancelled job may take to stop before its process is replaced."""
_LINE_LIMIT = 4 * 1024 * 1024
_LAST_EVENTS = ("done", "failed", "cancelled")


class WhisperProcess:
    """One child and its current job. Made with `start`; a dead one is not revived."""

    def __init__(self, model: WhisperModel, process: asyncio.subprocess.Process) -> None:
        self.model = model
        self._process = process
        self._job = 0
        self._at_work = False

    @classmethod
    async def start(cls, model: WhisperModel) -> WhisperProcess:
        """Start the child; it loads its model with the first job."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "workbench.media.whisper_worker", model.location),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd="/",
            env=_environment(),
            limit=_LINE_LIMIT,
            start_new_session=True,
        )
        return cls(model, process)

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def ending(self) -> str:
        """How the child ended: "signal SIGKILL", "exit code 1", or "it closed its line"."""
        code = self._process.returncode
        if code is None:
            return "it closed its line"
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    async def is_ready(self) -> bool:
        """Whether a new job can be given; waits a while for a cancelled one to stop."""
        if self._process.returncode is not None:
            return False
        if self._at_work:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    async for _ in self._events():
                        pass
        return not self._at_work

    async def ask(self, request: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        """Give a job and yield its events, the last being `done` or `failed`.

        It just ends when the child dies. Leaving early, or being cancelled, cancels the job.
        """
        self._job += 1
        self._at_work = True
        try:
            self._send({"op": "transcribe", "id": self._job, **request})
            async for event in self._events():
                yield event
        finally:
            if self._at_work:
                self._send({"op": "cancel", "id": self._job})
        if self._at_work:
            await self._process.wait()

    async def close(self) -> None:
        """End the child at once and wait until it is gone."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()

    async def _events(self) -> AsyncGenerator[dict[str, Any]]:
        """Events of the current job until its last one, or until the child's line ends."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            event: dict[str, Any] = json.loads(line)
            if event["id"] != self._job:
                continue
            if event["event"] in _LAST_EVENTS:
                self._at_work = False
            yield event
            if not self._at_work:
                return

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            self._process.stdin.write(json.dumps(message).encode() + b"\n")


def _environment() -> dict[str, str]:
    """Ours without secrets, offline, and able to import us from wherever we are."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD"))
    }
    root = str(Path(workbench.__file__).parent.parent)
    kept["PYTHONPATH"] = os.pathsep.join(filter(None, (root, kept.get("PYTHONPATH"))))
    return {**kept, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
