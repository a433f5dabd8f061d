"""The store: ids, prefixes, and folders that are closed to other people."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.session.lease import Lease
from workbench.session.store import NoSuchSession, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_session_has_its_folders_and_is_closed_to_others(store: Store) -> None:
    session = store.create("one", "task")
    assert session.id == "one"
    for part in (session.outputs, session.workspace, session.tmp, session.inputs, session.bridge):
        assert part.is_dir()
    for folder in (session.folder, store.sessions, store.blobs.folder):
        assert mode(folder) == 0o700


def test_ids_made_from_a_task_are_plain_and_differ(store: Store) -> None:
    made = [store.create(None, "../Ein Tier?/✓.") for _ in range(3)]
    assert len({session.id for session in made}) == 3
    for session in made:
        assert session.id.startswith("Ein-Tier-")
        assert session.folder.parent == store.sessions


@pytest.mark.parametrize("stem", ["", "..", "誰", "/"])
def test_a_stem_with_nothing_plain_in_it_still_gives_an_id(store: Store, stem: str) -> None:
    assert store.create(None, stem).id.startswith("session-")


@pytest.mark.parametrize("wanted", ["", ".", "..", "a/b", "-x", "a b", "x" * 129, "a\n", "ä"])
def test_an_id_that_is_no_plain_name_is_refused_before_anything_is_made(
    store: Store, wanted: str
) -> None:
    with pytest.raises(UsageError, match="an id is 1 to 128"):
        store.create(wanted, "task")
    assert not store.root.exists()


def test_an_id_is_given_once(store: Store) -> None:
    store.create("one", "task")
    with pytest.raises(UsageError, match="a session of this id exists"):
        store.create("one", "task")


def test_sessions_are_found_by_id_and_by_the_start_of_it(store: Store) -> None:
    for name in ("fox", "fox-2", "owl"):
        store.create(name, "task")
    assert store.ids() == ["fox", "fox-2", "owl"]
    assert store.session("fox").id == "fox"
    assert store.session("o").id == "owl"
    assert store.session("fox-").id == "fox-2"


@pytest.mark.parametrize("name", ["", "bear", "..", "../sessions/fox", "fo/x", "f*"])
def test_a_session_that_is_not_there_is_a_sentence(store: Store, name: str) -> None:
    store.create("fox", "task")
    with pytest.raises(NoSuchSession, match="There is no session"):
        store.session(name)


def test_a_prefix_of_several_names_them(store: Store) -> None:
    for name in ("fox-1", "fox-2"):
        store.create(name, "task")
    with pytest.raises(NoSuchSession, match=r"fits 2 sessions: fox-1, fox-2\."):
        store.session("fox")


def test_a_store_that_was_never_written_is_empty(store: Store) -> None:
    assert store.ids() == []


def test_strange_entries_are_not_sessions(store: Store) -> None:
    store.create("fox", "task")
    (store.sessions / "note.txt").write_text("x")
    (store.sessions / ".hidden").mkdir()
    assert store.ids() == ["fox"]


def test_the_default_store_is_named_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "here"))
    assert Store.default().root == tmp_path / "here"
    monkeypatch.delenv("WORKBENCH_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert Store.default().root == tmp_path / "data" / "workbench"


def test_a_session_is_live_while_its_lease_is_held(store: Store) -> None:
    session = store.create("fox", "task")
    assert not session.is_live()
    lease = Lease.acquire(session.lease)
    assert session.is_live()
    lease.release()
    assert not session.is_live()


def test_output_moves_from_its_file_to_its_blob(store: Store) -> None:
    session = store.create("fox", "task")
    assert session.output_path("a1", None) == session.outputs / "a1.out"
    blob = store.blobs.put(b"done")
    assert session.output_path("a1", blob).read_bytes() == b"done"
