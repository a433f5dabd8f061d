"""The screens as a person sees and steers them; the logic behind is tested in `view`."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import TextArea

from tests.engine.live import ANSWER, Live, command, live, make_session, replies
from tests.tui import stories
from tests.tui.panes.host import screen_lines, until
from workbench.session.lease import Lease
from workbench.session.store import SessionDir, Store
from workbench.tui.application import WorkbenchApp
from workbench.tui.client import Steering
from workbench.tui.screens.library import LibraryScreen
from workbench.tui.screens.session import SessionScreen
from workbench.tui.widgets.helm import JUST_APPEARED_S, Helm

WIDE, MEDIUM, NARROW = (200, 50), (120, 35), (80, 24)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


def app_of(session: SessionDir) -> WorkbenchApp:
    steering = Steering(session, "human:ann")
    return WorkbenchApp(lambda app: SessionScreen(session, steering, app.memory))


def shows(pilot: Pilot[None], *texts: str) -> Callable[[], bool]:
    """Whether all of these stand on the screen."""
    return lambda: all(text in "\n".join(screen_lines(pilot.app)) for text in texts)


def on_top(pilot: Pilot[None], kind: type[Screen[Any]]) -> Callable[[], bool]:
    """Whether a screen of this kind has the keys."""
    return lambda: isinstance(pilot.app.screen, kind)


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW, (60, 12), (20, 5)])
async def test_a_finished_session_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    session = stories.video_task(Store(tmp_path))
    async with app_of(session).run_test(size=size) as pilot:
        await until(pilot, shows(pilot, "✓ DONE" if size[0] > 20 else "DONE"))
        for key in ("1", "2", "3", "4", "5", "6", "7", "z", "z", "left_square_bracket"):
            await pilot.press(key)
        assert len(screen_lines(pilot.app)) == size[1]


async def test_everything_is_seen_at_once_where_there_is_room(tmp_path: Path) -> None:
    session = stories.video_task(Store(tmp_path))
    async with app_of(session).run_test(size=WIDE) as pilot:
        await until(pilot, shows(pilot, "clip 00:13", "▀"))
        assert shows(pilot, "$ tesseract frames/f_02.png -", "✗ exit 1", "Are you ready?")()
        assert shows(pilot, "seen 00:06 · 7 %", "heard 00:15 · 17 %", "a red fox", "+7 since")()


async def test_one_selection_in_all_panes(tmp_path: Path) -> None:
    session = stories.video_task(Store(tmp_path))
    async with app_of(session).run_test(size=WIDE) as pilot:
        await until(pilot, shows(pilot, "✓ DONE"))
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        await pilot.press("g", "d")
        await until(pilot, shows(pilot, "3 of 8", "6 of 7 pictures"))
        await pilot.press("3", "end")
        await until(pilot, lambda: screen.stage.chosen == 6)
        await pilot.press("4", "home")
        await until(pilot, lambda: screen.stage.chosen == 2)
        await pilot.press("escape")
        await until(pilot, lambda: screen.stage.chosen is None)


async def test_files_fold_and_open_as_they_were(tmp_path: Path) -> None:
    session = stories.video_task(Store(tmp_path))
    session.workspace.joinpath("out").mkdir(parents=True)
    session.workspace.joinpath("out/clip.srt").write_bytes(b"1\n[bold]\x1b]0;evil\x07ready\n")
    async with app_of(session).run_test(size=WIDE) as pilot:
        await until(pilot, shows(pilot, "✓ DONE"))
        await pilot.press("5", "home", "enter", "enter", "end", "enter", "down", "enter")
        await until(pilot, shows(pilot, "out/clip.srt", "[bold]", "ready"))
        await pilot.press("escape", "3", "enter")
        await until(pilot, shows(pilot, "picture 7 of 7", "read in step 6"))


async def test_details_and_help_and_palette(tmp_path: Path) -> None:
    session = stories.video_task(Store(tmp_path))
    async with app_of(session).run_test(size=NARROW) as pilot:
        await until(pilot, shows(pilot, "✓ DONE"))
        await pilot.press("g", "e", "d")
        await until(pilot, shows(pilot, "step 4 · ✗ failed", "AS THE MODEL SAW IT"))
        await pilot.press("escape", "2", "question_mark")
        await until(pilot, shows(pilot, "Keys · TERMINAL", "Find text in this pane."))
        await pilot.press("escape", "ctrl+p")
        await until(pilot, shows(pilot, "Choose the colours"))


async def test_a_lost_session_says_so_and_can_be_restarted(tmp_path: Path) -> None:
    session = stories.running_task(Store(tmp_path))
    async with app_of(session).run_test(size=NARROW) as pilot:
        await until(pilot, shows(pilot, "✗ LOST", "The engine died in step 4", "R restart"))


@contextlib.asynccontextmanager
async def engine(session: SessionDir) -> AsyncIterator[Live]:
    """A real engine that holds the lease, as an engine process does for life."""
    lease = Lease.acquire(session.lease)
    try:
        async with live(session) as run:
            yield run
    finally:
        lease.release()


async def look(pilot: Pilot[None], *texts: str) -> None:
    """Wait for a gate with these words, and as long as a person must have seen it."""
    await until(pilot, shows(pilot, "HELD", *texts))
    helm = pilot.app.screen.query_one(Helm)
    await pilot.pause(JUST_APPEARED_S)
    assert helm.urgent()


async def test_a_real_session_is_approved_edited_rejected_and_told(tmp_path: Path) -> None:
    turns = [command("echo one"), command("echo two"), command("touch bad"), *ANSWER]
    session = make_session(tmp_path, turns, mode="review")
    async with engine(session) as run, app_of(session).run_test(size=WIDE) as pilot:
        await look(pilot, "$ echo one", "▲ No sandbox")
        await pilot.press("a")
        await look(pilot, "$ echo two")
        await pilot.press("i", *"hurry")
        await pilot.press("enter", "e")
        await until(pilot, shows(pilot, "COMMAND, as it will run"))
        await pilot.press("ctrl+end", "ctrl+shift+home", *"echo thr", "ctrl+home")
        assert pilot.app.screen.query_one(TextArea).cursor_location == (0, 0)
        await pilot.press("ctrl+end", *"ee", "ctrl+s")
        await look(pilot, "$ touch bad", "ann $ echo three")
        await pilot.press("m", "home", "enter")
        await until(pilot, shows(pilot, "mode auto"))
        await pilot.press("r", *"no", "enter")
        await run.end()
        await until(pilot, shows(pilot, "✓ DONE"))
    assert replies(session)[0] == "one"
    assert "three" in replies(session)[1]
    assert "hurry" in replies(session)[1]
    assert not (session.workspace / "bad").exists()


async def test_a_real_session_is_paused_interrupted_and_stopped(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo go; sleep 600", duration=60), *ANSWER])
    async with engine(session) as run, app_of(session).run_test(size=NARROW) as pilot:
        await until(pilot, shows(pilot, "● RUNNING", "go"))
        await pilot.press("space")
        await until(pilot, shows(pilot, "A pause is asked for"))
        await pilot.press("x")
        await until(pilot, shows(pilot, "‖ PAUSED"))
        await pilot.press("S")
        await until(pilot, shows(pilot, "Stop the session?"))
        await pilot.press("down", "enter")
        await run.end()
        await until(pilot, shows(pilot, "■ STOPPED"))


async def test_the_library_opens_filters_deletes_and_takes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    stories.video_task(store, "first")
    stories.video_task(store, "second")
    app = WorkbenchApp(lambda app: LibraryScreen(store, app.memory))
    async with app.run_test(size=NARROW) as pilot:
        await until(pilot, shows(pilot, "2 sessions", "first", "second", "✓ DONE"))
        await pilot.press("slash", *"second", "enter")
        await until(pilot, shows(pilot, "1 shown"))
        await pilot.press("d", "down", "enter")
        await until(pilot, lambda: store.ids() == ["first"])
        await pilot.press("u")
        await until(pilot, lambda: store.ids() == ["first", "second"])
        await pilot.press("escape")
        await until(pilot, shows(pilot, "2 sessions", "second"))
        await pilot.press("enter")
        await until(pilot, on_top(pilot, SessionScreen))
        await pilot.press("q")
        await until(pilot, on_top(pilot, LibraryScreen))


async def test_an_empty_store_says_how_to_begin(tmp_path: Path) -> None:
    app = WorkbenchApp(lambda app: LibraryScreen(Store(tmp_path), app.memory))
    async with app.run_test(size=NARROW) as pilot:
        await until(pilot, shows(pilot, "No session yet.", "workbench demo"))
