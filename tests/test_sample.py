"""The sample session, end to end, from the command line: what `workbench demo` shows is real."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.resources import shipped


def workbench(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench", *arguments],
        env={**os.environ, "WORKBENCH_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture(scope="module", params=["bubblewrap", "local"])
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `show` says of the sample, played without the pauses that are for people."""
    folder = tmp_path_factory.mktemp(request.param)
    task = folder / "sample"
    shutil.copytree(shipped("sessions") / "which-animal", task)
    script = task / "script.yaml"
    without_pauses = re.sub(r"delay_s: [\d.]+", "delay_s: 0", script.read_text(encoding="utf-8"))
    script.write_text(without_pauses, encoding="utf-8")
    ran = workbench(
        *("run", str(task / "task.yaml"), "--headless", "--id", "sample"),
        *("--sandbox", request.param),
        home=folder,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "a red fox\n"
    shown = workbench("show", "sample", "--json", home=folder)
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)


def actions(session: Any) -> list[Any]:
    return [action for step in session["steps"] for action in step["actions"]]


def test_the_sample_ends_with_the_right_answer(session: Any) -> None:
    assert (session["status"], session["exit_reason"]) == ("closed", "task_complete")
    assert session["answer"] in session_task()["ground_truth"]


def session_task() -> Any:
    import yaml

    path = shipped("sessions") / "which-animal" / "task.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_every_command_of_the_sample_works(session: Any) -> None:
    commands = [action for action in actions(session) if action["tool"] == "execute_commands"]
    assert len(commands) == 6
    assert [action["exit_code"] for action in commands] == [0] * 6
    assert "ERROR" not in "".join(str(action["observation"]) for action in actions(session))


def test_the_evidence_is_found_by_real_tools(session: Any) -> None:
    observed = {step["n"]: step["actions"] for step in session["steps"]}
    assert "duration=24.0" in observed[1][0]["observation"]
    assert "Are you ready?" in observed[5][0]["observation"]
    assert observed[6][0]["observation"].strip() == "red fox"


def test_what_was_seen_and_heard_is_known(session: Any) -> None:
    (clip,) = [medium for medium in session["media"] if medium["path"] == "inputs/clip.mp4"]
    assert clip["heard_fraction"] == 1.0
    assert 0.3 < clip["seen_fraction"] < 0.8
    frames = [frame for step in session["steps"] for frame in step["frames"]]
    (guest, *_) = [frame for frame in frames if frame["path"] == "frames/guest.png"]
    assert guest["source"] == "inputs/clip.mp4"
    assert guest["time_s"] == pytest.approx(15.5, abs=0.1)
