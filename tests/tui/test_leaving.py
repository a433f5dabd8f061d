"""The terminal is whole again however the screen ends: a key, a signal, a fault."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.tui import stories
from workbench.session.store import Store

ALT_SCREEN_OFF = b"\x1b[?1049l"
CURSOR_ON = b"\x1b[?25h"
MOUSE_OFF = b"\x1b[?1000l"
PATIENCE_S = 30.0

FAULT = """
import sys
from pathlib import Path
from workbench.session.store import Store
from workbench.tui.app import run_session
from workbench.tui.screens.session import SessionScreen

def fail(self):
    raise RuntimeError("on purpose")

SessionScreen.action_jump = fail
run_session(Store(Path(sys.argv[1])).session("which-animal"))
"""


class Terminal:
    """A pseudo-terminal with the screen of a session on it."""

    def __init__(self, argv: list[str], folder: Path) -> None:
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (24, 80))
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        env = os.environ | {
            "TERM": "xterm-256color",
            "WORKBENCH_HOME": str(folder / "store"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }
        self.process = subprocess.Popen(
            argv,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=env,
            start_new_session=True,
        )

    def read_until(self, text: bytes) -> None:
        """Read what is written until this was."""
        end = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            assert time.monotonic() < end, self.seen[-2000:]
            self._read(0.2)

    def _read(self, wait_s: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], wait_s)
        data = b""
        if ready:
            with contextlib.suppress(OSError):
                data = os.read(self.master, 1 << 16)
        self.seen += data
        return bool(data)

    def end(self) -> int:
        """The exit code, once it has ended and all is read."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self._read(0.05)
        while self._read(0.05):
            pass
        return self.process.returncode

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.mark.parametrize("way", ["key", "term", "hup", "fault"])
def test_the_terminal_is_whole_again(tmp_path: Path, way: str) -> None:
    store = Store(tmp_path / "store")
    stories.video_task(store)
    argv = [sys.executable, "-m", "workbench", "open", "which-animal"]
    if way == "fault":
        argv = [sys.executable, "-c", FAULT, str(store.root)]
    terminal = Terminal(argv, tmp_path)
    try:
        terminal.read_until(b"a red fox")
        if way in ("key", "fault"):
            os.write(terminal.master, b"q" if way == "key" else b"g")
        else:
            number = signal.SIGTERM if way == "term" else signal.SIGHUP
            terminal.process.send_signal(number)
        code = terminal.end()
        assert (code == 0) == (way != "fault")
        for sequence in (ALT_SCREEN_OFF, CURSOR_ON, MOUSE_OFF):
            assert sequence in terminal.seen
        assert terminal.seen.rfind(b"\x1b[?1049h") < terminal.seen.rfind(ALT_SCREEN_OFF)
        assert termios.tcgetattr(terminal.slave) == terminal.before
    finally:
        terminal.close()
    if way == "fault":
        log = tmp_path / "state" / "workbench" / "screen-fault.log"
        assert "on purpose" in log.read_text(encoding="utf-8")
