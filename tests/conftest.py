"""What holds for all tests: a store of their own, no keys of the person, Docker where it is wanted.

A test that needs a Docker daemon is marked `docker`. It fails where none answers: only
`WORKBENCH_TEST_DOCKER=0`, set by hand, leaves such tests out, and the summary then says so.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
"""Variables by which a test would reach a paid service."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "docker: needs a Docker daemon")
    hear_signals()


def hear_signals() -> None:
    """Undo that whoever started us ignores signals (`&`, nohup): our programs would inherit it."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of Docker, if a person asked for it."""
    if os.environ.get("WORKBENCH_TEST_DOCKER", "1") != "0":
        return
    unwanted = [item for item in items if item.get_closest_marker("docker")]
    config.hook.pytest_deselected(items=unwanted)
    items[:] = [item for item in items if item not in unwanted]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say plainly what was not tested."""
    if os.environ.get("WORKBENCH_TEST_DOCKER", "1") == "0":
        terminalreporter.write_line(
            "WORKBENCH_TEST_DOCKER=0: the tests of the docker sandbox were left out.", yellow=True
        )


@pytest.fixture(autouse=True)
def store_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store for each test, and no key of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("WORKBENCH_HOME", str(home))
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    return home
