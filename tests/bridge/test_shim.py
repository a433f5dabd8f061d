"""The `whisper` program of the sandbox, run as the agent runs it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.bridge.conftest import Host
from workbench.media.recognise import recognise

SHIM = Path(__file__).parents[2] / "sandbox" / "shims" / "whisper"


@dataclass(frozen=True)
class Run:
    """How a call of the program ended."""

    code: int
    out: str
    err: str


async def call(cwd: Path, bridge: str, *words: str) -> Run:
    """Run the program with nothing but the standard library."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-W", "error", str(SHIM), *words),
        cwd=cwd,
        env={"WORKBENCH_BRIDGE": bridge, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return Run(process.returncode or 0, out.decode(), err.decode())


async def test_it_is_an_executable_of_its_own() -> None:
    assert os.access(SHIM, os.X_OK)
    assert SHIM.read_text().startswith("#!/usr/bin/env python3\n")
    done = subprocess.run([SHIM, "--help"], capture_output=True, text=True, check=True)
    assert "--output_format" in done.stdout


async def test_all_files_as_the_original_writes_them(host: Host) -> None:
    run = await call(host.workspace, host.socket, "inputs/talk.wav", "--model", "tiny.en")
    assert run.code == 0
    assert run.out.startswith("[00:0")
    assert "ready" in run.out.lower()
    line = run.out.splitlines()[0]
    assert line[:1] + line[10:15] + line[24:27] == "[ --> ]  "
    assert sorted(path.suffix for path in host.workspace.glob("talk.*")) == [
        *(".json", ".srt", ".tsv", ".txt", ".vtt")
    ]
    assert json.loads((host.workspace / "talk.json").read_text())["language"] == "en"
    found = recognise((host.workspace / "talk.srt").read_bytes())
    assert found is not None
    assert [s.start for s in found.transcript.segments] == [s.start for s in host.heard[0].segments]


async def test_one_format_in_a_folder_of_its_own(host: Host) -> None:
    words = ("inputs/talk.wav", "-f", "srt", "-o", "out/deep", "--word_timestamps", "True")
    run = await call(host.workspace, os.path.dirname(host.socket), *words, "--language", "English")
    assert run.code == 0
    assert "wrote out/deep/talk.srt" in run.err
    assert [path.name for path in (host.workspace / "out" / "deep").iterdir()] == ["talk.srt"]
    assert host.heard[0].segments[0].words


async def test_options_of_the_original_do_no_harm(host: Host) -> None:
    run = await call(
        *(
            host.workspace,
            host.socket,
            "inputs/talk.wav",
            "--model",
            "large-v3",
            "--device",
            "cuda",
        ),
        *("--fp16", "False", "--threads", "2", "--beam_size", "5", "--no_such_option"),
        *("--verbose", "False", "--output_format", "txt"),
    )
    assert run.code == 0
    assert run.out == ""
    assert "no effect here: --beam_size, --no_such_option" in run.err
    assert "the host's model is tiny.en, not large-v3" in run.err


async def test_one_bad_file_does_not_spoil_the_others(host: Host) -> None:
    run = await call(
        host.workspace, host.socket, "mute.mp4", "none.wav", "inputs/talk.wav", "-f", "txt"
    )
    assert run.code == 1
    assert "Skipping mute.mp4: mute.mp4 has no sound." in run.err
    assert "Skipping none.wav: " in run.err
    assert (host.workspace / "talk.txt").exists()


async def test_a_reader_that_leaves_early_still_gets_its_files(host: Host) -> None:
    command = f"{sys.executable} {SHIM} inputs/talk.wav -f txt | head -c 0"
    process = await asyncio.create_subprocess_shell(
        command, cwd=host.workspace, env={**os.environ, "WORKBENCH_BRIDGE": host.socket}
    )
    assert await process.wait() == 0
    assert (host.workspace / "talk.txt").exists()


async def test_without_a_bridge_it_says_so(tmp_path: Path) -> None:
    run = await call(tmp_path, str(tmp_path / "none.sock"), "a.wav")
    assert run.code == 1
    assert "does not answer (No such file or directory)" in run.err
    assert "Traceback" not in run.err


async def test_wrong_usage_is_exit_2(tmp_path: Path) -> None:
    assert (await call(tmp_path, "none")).code == 2
    assert (await call(tmp_path, "none", "a.wav", "-f", "doc")).code == 2


async def test_a_folder_that_cannot_be_written_is_a_sentence(host: Host) -> None:
    (host.workspace / "out").write_text("a file")
    run = await call(host.workspace, host.socket, "inputs/talk.wav", "-o", "out")
    assert run.code == 1
    assert "cannot be written" in run.err
