"""The programs that prepare a machine: they say plainly what they cannot do."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").iterdir() if not path.suffix)


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / script],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def path_with(folder: Path, stand_ins: Mapping[str, str], *, keep: tuple[str, ...] = ()) -> str:
    """A PATH with these shell programs and the basic ones of the machine, and no others."""
    basic = ("bash", "env", "dirname", "cat", "rm", "mkdir", "sed", "mktemp", "tail", "id", "true")
    for name in (*basic, *keep):
        (folder / name).symlink_to(str(shutil.which(name)))
    for name, body in stand_ins.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_can_be_run_and_parsed(script: str) -> None:
    path = ROOT / "scripts" / script
    assert os.access(path, os.X_OK)
    parsed = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
    assert (parsed.returncode, parsed.stderr) == (0, "")


def test_ci_runs_make_test_and_nothing_else() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert [line for line in lines if "make" in line] == ["exec make test"]


def test_a_machine_with_everything_is_left_alone(tmp_path: Path) -> None:
    path = path_with(tmp_path, {"dpkg-query": "printf installed", "apt-get": "touch $0.called"})
    done = run("host-setup", PATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "apt-get.called").exists()


def test_what_is_missing_is_said_with_its_cost(tmp_path: Path) -> None:
    has_all_but_sox = 'case "$*" in *" sox") exit 1;; esac; printf installed'
    path = path_with(
        tmp_path, {"dpkg-query": has_all_but_sox, "apt-get": "echo no network; exit 1"}
    )
    done = run("host-setup", PATH=path)
    assert done.returncode == 0
    assert "missing: sox, needed for changing sound" in done.stderr
    assert done.stderr.count("missing:") == 1


def test_a_package_that_apt_does_not_know_costs_no_other(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    installed.touch()
    apt = f"""
case "$*" in
    *install*" sox"*) echo unknown sox; exit 100;;
    *install*) for last in "$@"; do :; done; echo "$last" >>{installed};;
esac"""
    query = f'for last in "$@"; do :; done; grep -qx "$last" {installed} && printf installed'
    path = path_with(tmp_path, {"dpkg-query": query, "apt-get": apt}, keep=("grep",))
    done = run("host-setup", PATH=path)
    assert done.returncode == 0
    assert "unknown sox" in done.stderr
    assert [line for line in done.stderr.splitlines() if "missing:" in line] == [
        "host-setup: missing: sox, needed for changing sound, inside the local and bubblewrap "
        "sandboxes"
    ]


def test_docker_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = run("docker-up", PATH=path_with(tmp_path, {}))
    assert (done.returncode, done.stderr) == (
        1,
        "docker-up: the docker program is not installed.\n",
    )


def test_a_daemon_that_cannot_be_started_is_said(tmp_path: Path) -> None:
    done = run("docker-up", PATH=path_with(tmp_path, {"docker": "exit 1"}))
    assert done.returncode == 1
    assert "no Docker daemon answers and dockerd is not installed" in done.stderr


def test_stopping_what_was_not_started_does_nothing(tmp_path: Path) -> None:
    copy = tmp_path / "scripts"
    copy.mkdir()
    shutil.copy(ROOT / "scripts" / "docker-down", copy)
    for left_behind in (None, str(os.getpid())):
        if left_behind is not None:
            (tmp_path / ".cache").mkdir()
            (tmp_path / ".cache" / "dockerd.pid").write_text(left_behind)
        done = subprocess.run([copy / "docker-down"], capture_output=True, check=False, timeout=30)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
