"""The files that ship beside the package are where the code looks for them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import pytest

from workbench.resources import shipped

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("themes", "night.yaml"),
        ("sessions", "which-animal/task.yaml"),
        ("sessions", "which-animal/clip.mp4"),
        ("sandbox", "Dockerfile"),
        ("sandbox", "requirements.txt"),
        ("sandbox", "shims/whisper"),
    ],
)
def test_shipped_files_are_found(kind: Literal["themes", "sessions", "sandbox"], name: str) -> None:
    assert (shipped(kind) / name).is_file()


def test_a_wheel_carries_every_shipped_folder_where_the_code_looks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {
        kind: f"workbench/data/{kind}" for kind in ("themes", "sessions", "sandbox")
    }
