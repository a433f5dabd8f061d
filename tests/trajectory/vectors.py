"""The recorded cases of the reference tools, one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

DATA = Path(__file__).parent.parent / "data" / "omnicoding"
SAMPLE_RUN = DATA / "sample_run"

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For property tests on a machine that does other things too: no clock decides."""


def load(name: str) -> list[dict[str, Any]]:
    """All cases of a file."""
    lines = (DATA / "vectors" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def read_json(path: Path) -> Any:
    """A JSON file of the sample run."""
    return json.loads(path.read_text(encoding="utf-8"))
