"""A bridge over a real folder, a real socket and a real model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.media.conftest import ffmpeg, speak
from workbench.media.transcribe import Transcriber
from workbench.sandbox.bridge import Bridge, HeardSpeech

READY = "Are you ready? Here it comes."


@dataclass
class Host:
    """A session's folders on the host, and what the bridge heard."""

    workspace: Path
    folder: Path
    transcriber: Transcriber
    heard: list[HeardSpeech] = field(default_factory=list)

    def to_host(self, path: str) -> Path | None:
        """Paths of the container, of the host and relative ones; blind to symbolic links."""
        for root in ("/workspace/", f"{self.workspace}/"):
            if path.startswith(root):
                return self.workspace / path.removeprefix(root)
        return None if path.startswith("/") else self.workspace / path

    @property
    def socket(self) -> str:
        """Where the bridge listens, as a path that is short enough to connect to."""
        return str(self.folder / "bridge.sock")

    async def ask(self, request: dict[str, Any] | bytes) -> list[dict[str, Any]]:
        """Send a request (or raw bytes) and return all answers."""
        raw = request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n"
        reader, writer = await asyncio.open_unix_connection(self.socket)
        try:
            writer.write(raw)
            return [json.loads(line) async for line in reader]
        finally:
            writer.close()


def asking(path: str, *formats: str, **options: Any) -> dict[str, Any]:
    """A request for a transcript."""
    return {"op": "transcribe", "path": path, "options": options, "formats": list(formats)}


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds of sound, spoken from second 1 on."""
    folder = tmp_path_factory.mktemp("talk")
    return speak(folder / "talk.wav", (1.0, READY), length_s=4)


@pytest.fixture(scope="session")
def lecture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five minutes of speech: enough to be interrupted."""
    folder = tmp_path_factory.mktemp("lecture")
    return speak(folder / "l.wav", *((t, READY) for t in range(0, 300, 5)), length_s=300)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Transcripts that the tests share, so that most need no model."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
async def host(tmp_path: Path, talk: Path, cache: Path) -> AsyncIterator[Host]:
    workspace = tmp_path / "workspace"
    (workspace / "inputs").mkdir(parents=True)
    (workspace / "inputs" / "talk.wav").write_bytes(talk.read_bytes())
    ffmpeg("-f", "lavfi", "-i", "color=red:s=32x32:d=1", workspace / "mute.mp4")
    host = Host(workspace, tmp_path / "bridge", Transcriber(cache))
    bridge = Bridge(host.folder, host.to_host, host.transcriber, host.heard.append)
    await bridge.start()
    yield host
    await bridge.close()
    await host.transcriber.close()
    assert not (host.folder / "bridge.sock").exists()
