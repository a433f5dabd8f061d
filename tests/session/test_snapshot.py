"""Snapshots and restores of real folders, with every odd kind of entry."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from workbench.session.manifest import MAX_CHAIN, read_manifest, referenced_blobs
from workbench.session.restore import Restore
from workbench.session.snapshot import SnapshotLimits, Snapshots
from workbench.session.store import SessionDir, Store

NOW = 1_700_000_000_000_000_000


@pytest.fixture
def session(tmp_path: Path) -> SessionDir:
    return Store(tmp_path).create("s", "s")


def tree(folder: Path) -> dict[bytes, tuple[int, int, bytes]]:
    """Mode, mtime and content of everything below a folder."""
    found = {}
    for at, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            full = os.path.join(at, name)
            status = os.lstat(full)
            content = b""
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(full)
            elif stat.S_ISREG(status.st_mode):
                content = Path(os.fsdecode(full)).read_bytes()
            mtime = 0 if stat.S_ISLNK(status.st_mode) else status.st_mtime_ns
            found[os.path.relpath(full, os.fsencode(folder))] = (status.st_mode, mtime, content)
    return found


def odd_workspace(folder: Path) -> None:
    """Every kind of entry that a round trip must keep."""
    (folder / "empty").write_bytes(b"")
    (folder / "dir" / "deep" / "er").mkdir(parents=True)
    (folder / "dir" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "dir" / "run.sh").chmod(0o755)
    (folder / "hidden").mkdir(mode=0o700)
    (folder / ".dot").write_text("dot")
    (folder / "line\nbreak 'quote\" é 🎬").write_text("odd")
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff\xfename")).write_text("bytes")
    (folder / ("n" * 255)).write_text("long")
    (folder / "link").symlink_to("dir/run.sh")
    (folder / "dangling").symlink_to("/nowhere/at/all")
    os.link(folder / "dir" / "run.sh", folder / "hard")
    with (folder / "sparse").open("wb") as file:
        file.seek(1 << 22)
        file.write(b"end")
    os.utime(folder / ".dot", ns=(NOW, NOW))


def empty(folder: Path) -> None:
    """Remove everything below a folder."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def test_a_round_trip_brings_back_every_kind_of_entry(session: SessionDir) -> None:
    odd_workspace(session.workspace)
    (session.tmp / "t").write_text("t")
    before = tree(session.workspace), tree(session.tmp)
    taken = Snapshots(session).take()
    assert taken is not None
    empty(session.workspace)
    empty(session.tmp)
    (session.workspace / "dir").write_text("a file where a folder was")
    (session.workspace / "empty").symlink_to("/etc/passwd")
    (session.tmp / "more").mkdir()
    Restore(session, taken.manifest).apply()
    assert (tree(session.workspace), tree(session.tmp)) == before
    hard, run = session.workspace / "hard", session.workspace / "dir" / "run.sh"
    assert hard.stat().st_ino == run.stat().st_ino
    assert (session.workspace / "sparse").stat().st_blocks * 512 < 1 << 20


def test_nothing_changed_takes_no_snapshot(session: SessionDir) -> None:
    (session.workspace / "a").write_text("a")
    snapshots = Snapshots(session)
    assert snapshots.take() is not None
    assert snapshots.take() is None


def test_only_changed_files_are_read_again(session: SessionDir) -> None:
    for name in "abc":
        (session.workspace / name).write_text(name * 1000)
    snapshots = Snapshots(session)
    snapshots.take()
    (session.workspace / "b").write_text("new")
    taken = snapshots.take()
    assert taken is not None
    assert taken.new_bytes == 3
    assert taken.files == 3


def test_the_inputs_are_left_out(session: SessionDir) -> None:
    (session.workspace / "inputs").mkdir()
    (session.workspace / "inputs" / "clip.mp4").write_text("clip")
    (session.workspace / "a").write_text("a")
    taken = Snapshots(session).take()
    assert taken is not None
    assert [key[1] for key in read_manifest(session.blobs, taken.manifest)] == [b"a"]
    (session.workspace / "a").unlink()
    Restore(session, taken.manifest).apply()
    assert (session.workspace / "inputs" / "clip.mp4").exists()


def test_changes_are_listed_before_they_are_made(session: SessionDir) -> None:
    (session.workspace / "kept").write_text("kept")
    (session.workspace / "edited").write_text("one")
    (session.workspace / "gone").write_text("gone")
    taken = Snapshots(session).take()
    assert taken is not None
    (session.workspace / "edited").write_text("two")
    os.utime(session.workspace / "edited", ns=(NOW, NOW))
    (session.workspace / "gone").unlink()
    (session.tmp / "new").write_text("new")
    restore = Restore(session, taken.manifest)
    assert [(change.path, change.op) for change in restore.changes] == [
        ("/tmp/new", "removed"),
        ("edited", "modified"),
        ("gone", "added"),
    ]
    assert (session.workspace / "edited").read_text() == "two"
    restore.apply()
    assert Restore(session, taken.manifest).changes == []


def test_a_long_chain_of_changes_still_reads_whole(session: SessionDir) -> None:
    snapshots = Snapshots(session)
    hashes = []
    for number in range(2 * MAX_CHAIN + 3):
        (session.workspace / f"f{number}").write_text(str(number))
        taken = snapshots.take()
        assert taken is not None
        hashes.append(taken.manifest)
    assert len(read_manifest(session.blobs, hashes[-1])) == 2 * MAX_CHAIN + 3
    assert len(read_manifest(session.blobs, hashes[4])) == 5
    needed = referenced_blobs(session.blobs, hashes[-1])
    assert all(sha256 in session.blobs for sha256 in needed)


def test_files_beyond_the_cap_are_marked_and_not_destroyed(session: SessionDir) -> None:
    (session.workspace / "big").write_bytes(b"x" * 100)
    taken = Snapshots(session, SnapshotLimits(file_bytes=10, reserve_bytes=0)).take()
    assert taken is not None
    assert taken.not_kept == [("workspace/big", "larger than 10 bytes")]
    (session.workspace / "big").write_bytes(b"y" * 100)
    os.utime(session.workspace / "big", ns=(NOW, NOW))
    restore = Restore(session, taken.manifest)
    assert [change.is_lost for change in restore.changes] == [True]
    restore.apply()
    assert (session.workspace / "big").read_bytes() == b"y" * 100


def test_the_quota_bounds_what_all_snapshots_store(session: SessionDir) -> None:
    snapshots = Snapshots(session, SnapshotLimits(quota_bytes=250, reserve_bytes=0))
    not_kept = 0
    for number in range(5):
        (session.workspace / "f").write_bytes(bytes([number]) * 100)
        taken = snapshots.take()
        assert taken is not None
        not_kept += len(taken.not_kept)
    assert snapshots.stored_bytes <= 250
    assert not_kept == 3


def test_a_restore_writes_nothing_through_a_link(session: SessionDir, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (session.workspace / "d").mkdir()
    (session.workspace / "d" / "f").write_text("f")
    taken = Snapshots(session).take()
    assert taken is not None
    (session.workspace / "d" / "f").unlink()
    (session.workspace / "d").rmdir()
    (session.workspace / "d").symlink_to(outside)
    Restore(session, taken.manifest).apply()
    assert list(outside.iterdir()) == []
    assert (session.workspace / "d" / "f").read_text() == "f"


def test_a_new_engine_goes_on_from_the_last_manifest(session: SessionDir) -> None:
    (session.workspace / "a").write_text("a")
    first = Snapshots(session).take()
    assert first is not None
    again = Snapshots(session)
    again.start_from(first.manifest)
    assert again.take() is None
    (session.workspace / "b").write_text("b")
    assert again.take() is not None
