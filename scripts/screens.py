"""Make the pictures of `docs/screens` from real sessions: the sample task, held at its risky step.

Run: python scripts/screens.py (about a minute; needs docker or bubblewrap).
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "screens"
TASK = str(ROOT / "sessions" / "which-animal" / "task.yaml")
SETTLE_S = 3.0
"""Time for pictures to be decoded and painted."""


def workbench(*arguments: str) -> str:
    """Run a command that must succeed; what it printed."""
    command = [sys.executable, "-m", "workbench", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


async def session_picture(session_id: str, size: tuple[int, int], name: str, *keys: str) -> None:
    """The session screen at a size, after some keys."""
    from workbench.engine.control import author
    from workbench.session.store import Store
    from workbench.tui.application import WorkbenchApp
    from workbench.tui.client import Steering
    from workbench.tui.screens.session import SessionScreen

    session = Store.default().session(session_id)
    steering = Steering(session, author())
    app = WorkbenchApp(lambda app: SessionScreen(session, steering, app.memory))
    await take(app, size, name, *keys)


async def library_picture(size: tuple[int, int], name: str) -> None:
    """The library at a size."""
    from workbench.session.store import Store
    from workbench.tui.application import WorkbenchApp
    from workbench.tui.screens.library import LibraryScreen

    await take(WorkbenchApp(lambda app: LibraryScreen(Store.default(), app.memory)), size, name)


async def take(app: object, size: tuple[int, int], name: str, *keys: str) -> None:
    """Run an app without a terminal and keep what it shows."""
    from workbench.tui.application import WorkbenchApp

    assert isinstance(app, WorkbenchApp)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(SETTLE_S)
        for key in keys:
            await pilot.press(key)
        await pilot.pause(0.5)
        picture = app.export_screenshot(title=f"workbench · {size[0]}×{size[1]}", simplify=True)
    local = re.sub(r"@font-face\s*{[^}]*}", "", picture)  # nobody's browser asks a server for fonts
    (OUT / f"{name}.svg").write_text(local, encoding="utf-8")
    print(OUT / f"{name}.svg")


def main() -> None:
    """Run the sample session, take the pictures on the way."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ["WORKBENCH_HOME"] = home
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = home
        workbench("run", TASK, "--id", "guests", "--mode", "risky", "--detach")
        workbench("run", TASK, "--id", "guests-2", "--mode", "auto", "--detach")
        workbench("ctl", "guests", "wait", "--for", "held")
        workbench("ctl", "guests-2", "wait", "--for", "closed")
        asyncio.run(session_picture("guests", (200, 50), "session-200x50"))
        asyncio.run(session_picture("guests", (80, 24), "session-80x24"))
        workbench("run", TASK, "--id", "by-hand", "--model", "human", "--detach")
        asyncio.run(library_picture((120, 35), "library-120x35"))
        for session_id in ("guests", "by-hand"):
            workbench("ctl", session_id, "stop")
            workbench("ctl", session_id, "wait", "--for", "closed")


if __name__ == "__main__":
    main()
