"""The wheel: what is installed elsewhere runs, with the files that ship beside the package."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel, as pip would lay it out."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=120,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=installed,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_installed_program_starts(installed: Path) -> None:
    done = run(installed, "-m", "workbench", "--version")
    assert done.returncode == 0
    assert done.stdout.startswith("workbench ")
    listed = run(installed, "-m", "workbench", "ls", "--json")
    assert (listed.returncode, listed.stdout.strip()) == (0, "[]")


def test_the_shipped_files_come_from_the_installed_package(installed: Path) -> None:
    script = (
        "from workbench.resources import shipped\n"
        "from workbench.task import load_task\n"
        "print(shipped('sandbox') / 'Dockerfile')\n"
        "print(load_task(shipped('sessions') / 'which-animal' / 'task.yaml').id)\n"
        "print(len(list(shipped('themes').glob('*.yaml'))))\n"
    )
    done = run(installed, "-c", script)
    assert done.stderr == ""
    dockerfile, task, themes = done.stdout.splitlines()
    assert Path(dockerfile) == installed / "workbench" / "data" / "sandbox" / "Dockerfile"
    assert Path(dockerfile).is_file()
    assert (task, int(themes)) == ("which-animal", len(list((ROOT / "themes").glob("*.yaml"))))


def test_the_wheel_has_what_a_license_asks_for_and_no_tests(installed: Path) -> None:
    (info,) = installed.glob("omni_workbench-*.dist-info")
    assert "Apache License" in (info / "licenses" / "LICENSE").read_text(encoding="utf-8")
    assert "Requires-Python: >=3.11" in (info / "METADATA").read_text(encoding="utf-8")
    assert not (installed / "tests").exists()
