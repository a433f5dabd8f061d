"""Files that an agent wrote are read inside the session's folders only, and shown clean."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.test_text_clean import assert_safe
from tests.tui.make_log import Story, picture
from workbench import events as ev
from workbench.session.log import read_events
from workbench.session.snapshot import Snapshots
from workbench.session.state import SessionState, fold
from workbench.session.store import SessionDir, Store
from workbench.tui.content import Content, NoContent, read_content
from workbench.tui.panes.pictures import draw
from workbench.tui.screens.file import content_lines, is_picture


@pytest.fixture
def session(tmp_path: Path) -> SessionDir:
    """A session with empty folders."""
    session = Store(tmp_path / "store").create("s", "s")
    for folder in (session.workspace, session.tmp, session.inputs):
        folder.mkdir(parents=True, exist_ok=True)
    return session


def read(session: SessionDir, path: str) -> bytes:
    return read_content(session, SessionState(), None, path).data


def test_files_stand_where_the_agent_sees_them(session: SessionDir) -> None:
    (session.workspace / "out").mkdir()
    (session.workspace / "out" / "a.txt").write_bytes(b"work")
    (session.tmp / "b.txt").write_bytes(b"tmp")
    (session.inputs / "c.txt").write_bytes(b"input")
    assert read(session, "out/a.txt") == b"work"
    assert read(session, "/workspace/out/a.txt") == b"work"
    assert read(session, "/tmp/b.txt") == b"tmp"
    assert read(session, "inputs/c.txt") == b"input"


@pytest.mark.parametrize(
    "path",
    ["link", "folder/secret", "../secret", "/tmp/../secret", "a/../../secret", "pipe", "out", "x"],
)
def test_nothing_outside_is_read_and_nothing_waits(session: SessionDir, path: str) -> None:
    secret = session.folder / "secret"
    secret.write_bytes(b"secret")
    (session.workspace / "link").symlink_to(secret)
    (session.workspace / "folder").symlink_to(session.folder)
    (session.workspace / "out").mkdir()
    os.mkfifo(session.workspace / "pipe")
    with pytest.raises(NoContent):
        read(session, path)


def test_a_past_step_shows_the_file_of_then(tmp_path: Path) -> None:
    story = Story(Store(tmp_path / "store"), "s").open()
    session = story.session
    session.workspace.mkdir(parents=True, exist_ok=True)
    session.tmp.mkdir(parents=True, exist_ok=True)
    snapshots = Snapshots(session)
    for text in ("old", "new"):
        (session.workspace / "a.txt").write_text(text, encoding="utf-8")
        story.command(f"echo {text} > a.txt").file("a.txt")
        taken = snapshots.take(always=True)
        assert taken is not None
        story.add(
            ev.Snapshot(step=story.step, manifest=taken.manifest, files=1, size_bytes=3),
        )
    story.end()
    state = fold(read_events(session.events))
    assert read_content(session, state, 1, "a.txt") == Content(b"old", 3, "as after step 1")
    assert read_content(session, state, None, "a.txt").data == b"new"
    with pytest.raises(NoContent, match="No snapshot kept this file"):
        read_content(session, state, 1, "b.txt")


def test_texts_are_clean_and_other_bytes_spelled_out() -> None:
    evil = b"a\x1b]0;owned\x07b\r\n\x1b[2Jc\n"
    lines = content_lines(Content(evil, len(evil), "now"))
    for line in lines:
        assert_safe(line.text)
    binary = b"\x00\x1b[31m" + bytes(range(256))
    shown = content_lines(Content(binary, len(binary), "now"))
    assert shown[0].text.startswith("Not a text")
    for line in shown:
        assert_safe(line.text)
    assert content_lines(Content(b"", 0, "now")) == []
    assert "more are not shown" in content_lines(Content(b"a", 10_000, "now"))[-1].text


def test_pictures_are_drawn_in_half_blocks_with_their_aspect() -> None:
    data = picture(3.0)
    assert is_picture(data)
    drawn = draw(data, 40, 40)
    assert drawn.width == 40
    assert len(drawn.rows) == 11  # 40 cells wide, 16:9, cells twice as high as wide
    assert {strip.text.strip("▀▄█ ") for strip in drawn.rows} == {""}
