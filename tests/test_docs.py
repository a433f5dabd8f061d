"""The documentation: its links lead somewhere, its commands and keys exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from workbench.cli import COMMANDS, build_parser
from workbench.tui.keys import OWN

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "sessions").glob("*.md")]
KEY_NAMES = {"[": "left_square_bracket", "]": "right_square_bracket", "?": "question_mark"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)[^)]*\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def shown_commands() -> list[str]:
    """The command lines of the pages, without what they print."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    return re.findall(r"^\$ workbench (.+?)(?:\s+#.*)?$", text, re.MULTILINE)


@pytest.mark.parametrize("line", shown_commands())
def test_commands_are_taken_as_they_stand(line: str) -> None:
    build_parser().parse_args(shlex.split(line))


def test_every_command_is_named_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [c.name for c in COMMANDS if not re.search(rf"[` ]{c.name}\b", text)] == []


def test_the_keys_of_the_readme_are_keys_of_the_session() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("### Keys")[2].partition("`?` shows")[0]
    cells = [cell for line in table.splitlines() if "`" in line for cell in line.split("|")[1::2]]
    named = re.findall(r"`([^`]+)`", " ".join(cells))
    assert len(named) > 15
    known = {
        key
        for entry in OWN
        if entry.target in ("steer", "session", "board")
        for key in entry.keys.split(",")
    }
    assert [name for name in named if KEY_NAMES.get(name, name) not in known] == []
