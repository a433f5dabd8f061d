"""Where the files that ship beside the package stand: themes, samples, sandbox files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).parent


def shipped(kind: Literal["themes", "sessions", "sandbox"]) -> Path:
    """The folder of this kind: inside an installed package, or beside it in a checkout."""
    installed = _PACKAGE / "data" / kind
    return installed if installed.is_dir() else _PACKAGE.parent / kind
