"""The bridge as its clients see it, polite and hostile ones."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path

import pytest

from tests.bridge.conftest import Host, asking
from workbench.sandbox import bridge as bridge_module
from workbench.sandbox.bridge import Bridge, HeardSpeech
from workbench.sandbox.bridge_wire import BridgeError


async def until(heard: list[HeardSpeech], count: int) -> None:
    """Wait until so much was heard."""
    async with asyncio.timeout(30):
        while len(heard) < count:
            await asyncio.sleep(0.01)


async def test_a_transcript_with_its_files(host: Host) -> None:
    answers = await host.ask(asking("/workspace/inputs/talk.wav", "txt", "srt"))
    events = [answer["event"] for answer in answers]
    assert events[-1] == "result"
    assert {"segment", "progress"} <= set(events)
    result = answers[-1]
    assert (result["model"], result["language"]) == ("tiny.en", "en")
    assert "ready" in result["files"]["txt"].lower()
    assert result["files"]["srt"].startswith("1\n00:00:0")
    (heard,) = host.heard
    assert heard.source == "/workspace/inputs/talk.wav"
    assert heard.complete
    assert heard.duration_s == pytest.approx(4)
    assert [s.text for s in heard.segments] == [
        answer["text"] for answer in answers if answer["event"] == "segment"
    ]


async def test_the_source_is_a_plain_path(host: Host) -> None:
    await host.ask(asking("/workspace/inputs/../inputs//talk.wav"))
    assert host.heard[0].source == "/workspace/inputs/talk.wav"


async def refusal(host: Host, request: dict[str, object] | bytes) -> str:
    """The sentence that a request is refused with."""
    (answer,) = await host.ask(request)
    assert answer["event"] == "error"
    assert host.heard == []
    return str(answer["sentence"])


async def test_paths_that_lead_out_are_refused(host: Host, tmp_path: Path) -> None:
    secret = tmp_path / "secret.wav"
    secret.write_bytes((host.workspace / "inputs" / "talk.wav").read_bytes())
    assert "lies outside the workspace" in await refusal(host, asking(str(secret)))
    (host.workspace / "link.wav").symlink_to(secret)
    (host.workspace / "folder").symlink_to(tmp_path)
    for path in ("link.wav", "folder/secret.wav", "../secret.wav"):
        assert "leads out of the workspace" in await refusal(host, asking(f"/workspace/{path}"))


async def test_a_link_within_the_workspace_is_followed(host: Host) -> None:
    (host.workspace / "link.wav").symlink_to("inputs/talk.wav")
    answers = await host.ask(asking("/workspace/link.wav"))
    assert answers[-1]["event"] == "result"


async def test_what_is_no_file_of_sound_is_refused(host: Host) -> None:
    os.mkfifo(host.workspace / "pipe.wav")
    (host.workspace / "text.wav").write_text("no sound")
    (host.workspace / "null.wav").symlink_to("/dev/zero")
    for path, sentence in {
        "pipe.wav": "pipe.wav is not a regular file.",
        "inputs": "inputs is not a regular file.",
        "null.wav": "null.wav is not a regular file.",
        "none.wav": "none.wav is not there.",
        "mute.mp4": "mute.mp4 has no sound.",
        "text.wav": "text.wav cannot be read",
    }.items():
        assert sentence in await refusal(host, asking(f"/workspace/{path}"))


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (b"\n", "one line of JSON"),
        (b"\xff\xfe\x00\n", "one line of JSON"),
        (b"[" * 30_000 + b"\n", "one line of JSON"),
        (b"[1]\n", "`op` is `transcribe`"),
        ({"op": "shell", "command": "id"}, "`op` is `transcribe`"),
        (asking("talk.wav"), "absolute path"),
        ({**asking("/workspace/x"), "path": 7}, "absolute path"),
        (asking("/workspace/a\0b"), "absolute path"),
        (asking("/workspace/a\x1b[2Jb"), "absolute path"),
        (asking("/workspace/\ud800"), "absolute path"),
        (asking("/workspace/inputs/talk.wav", "exe"), "`formats` is a list of txt"),
        (asking("/workspace/inputs/talk.wav", language="klingon"), "“klingon” is no language"),
        (asking("/workspace/inputs/talk.wav", language="French"), "knows only English, not French"),
        (asking("/workspace/inputs/talk.wav", task="sing"), "`task` is"),
        (asking("/workspace/inputs/talk.wav", task="translate"), "cannot translate"),
        (asking("/workspace/inputs/talk.wav", word_timestamps="yes"), "`word_timestamps`"),
        (b"x" * 200_000 + b"\n", "at most 65,536 bytes"),
    ],
)
async def test_bad_requests_are_sentences(
    host: Host, request_: dict[str, object] | bytes, sentence: str
) -> None:
    assert sentence in await refusal(host, request_)


async def test_a_client_that_leaves_takes_its_work_along(host: Host, lecture: Path) -> None:
    (host.workspace / "lecture.wav").write_bytes(lecture.read_bytes())
    reader, writer = await asyncio.open_unix_connection(host.socket)
    writer.write(json.dumps(asking("/workspace/lecture.wav")).encode() + b"\n")
    while json.loads(await reader.readline())["event"] != "segment":
        pass
    writer.close()
    await until(host.heard, 1)
    partial = host.heard.pop()
    assert not partial.complete
    assert 0 < partial.segments[-1].end < 100
    answers = await host.ask(asking("/workspace/inputs/talk.wav"))
    assert answers[-1]["event"] == "result"


async def test_a_crash_of_the_model_is_a_sentence(host: Host, lecture: Path) -> None:
    (host.workspace / "lecture.wav").write_bytes(lecture.read_bytes())
    reader, writer = await asyncio.open_unix_connection(host.socket)
    writer.write(json.dumps(asking("/workspace/lecture.wav")).encode() + b"\n")
    await reader.readline()
    assert host.transcriber._process is not None
    os.kill(host.transcriber._process.pid, 9)
    answers = [json.loads(line) async for line in reader]
    writer.close()
    assert "signal SIGKILL" in answers[-1]["sentence"]


async def test_too_many_requests_are_told_so(
    host: Host, lecture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_module, "MAX_REQUESTS", 1)
    (host.workspace / "lecture.wav").write_bytes(lecture.read_bytes())
    reader, writer = await asyncio.open_unix_connection(host.socket)
    writer.write(json.dumps(asking("/workspace/lecture.wav")).encode() + b"\n")
    await reader.readline()
    assert "Too many requests" in await refusal(host, asking("/workspace/inputs/talk.wav"))
    writer.close()
    await until(host.heard, 1)
    answers = await host.ask(asking("/workspace/inputs/talk.wav"))
    assert answers[-1]["event"] == "result"


async def test_too_many_connections_are_closed(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge_module, "MAX_CLIENTS", 1)
    reader, writer = await asyncio.open_unix_connection(host.socket)
    second, second_writer = await asyncio.open_unix_connection(host.socket)
    assert await second.read() == b""
    second_writer.close()
    writer.write(b"{}\n")
    assert json.loads(await reader.readline())["event"] == "error"
    writer.close()


async def test_anybody_in_the_sandbox_may_connect_and_nobody_may_write(host: Host) -> None:
    assert stat.S_IMODE(host.folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((host.folder / "bridge.sock").stat().st_mode) == 0o666


async def test_a_folder_with_a_long_path(tmp_path: Path, host: Host) -> None:
    folder = tmp_path / ("d" * 120) / "bridge"
    heard: list[HeardSpeech] = []
    bridge = Bridge(folder, host.to_host, host.transcriber, heard.append)
    await bridge.start()
    short = tmp_path / "s"
    short.symlink_to(folder)
    reader, writer = await asyncio.open_unix_connection(str(short / "bridge.sock"))
    writer.write(b"{}\n")
    assert json.loads(await reader.readline())["event"] == "error"
    writer.close()
    await bridge.close()
    await bridge.close()


async def test_a_stale_socket_is_replaced(tmp_path: Path, host: Host) -> None:
    folder = tmp_path / "stale"
    for _ in range(2):
        bridge = Bridge(folder, host.to_host, host.transcriber, host.heard.append)
        await bridge.start()
    assert (folder / "bridge.sock").is_socket()
    await bridge.close()


async def test_a_bridge_that_cannot_be_made_is_a_sentence(tmp_path: Path, host: Host) -> None:
    (tmp_path / "bridge.sock").mkdir()
    bridge = Bridge(tmp_path, host.to_host, host.transcriber, host.heard.append)
    with pytest.raises(BridgeError, match="cannot be made"):
        await bridge.start()
