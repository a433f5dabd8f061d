"""`export` and `import`: out of the store as training data, and in from elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.cli.conftest import Cli
from tests.trajectory.sessions import Scribe, plain_session
from tests.trajectory.vectors import SAMPLE_RUN, read_json
from workbench.session.store import Store


def test_export_of_a_run_comes_back_with_the_same_conversation(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    session = plain_session(store)
    result = cli("export", session.id, "--format", "omnicoding", "--out", tmp_path / "run")
    assert result.code == 0
    (folder,) = map(Path, result.out.splitlines())
    (imported,) = cli("import", folder).out.splitlines()
    again = cli("export", imported, "--format", "omnicoding", "--out", tmp_path / "again")
    first, second = folder / "messages.json", Path(again.out.strip()) / "messages.json"
    assert read_json(second) == read_json(first)


def test_the_sample_run_survives_the_store(cli: Cli, tmp_path: Path) -> None:
    ids = cli("import", SAMPLE_RUN).out.split()
    assert len(ids) == 2
    result = cli("export", *ids, "--format", "omnicoding", "--out", tmp_path / "run")
    assert result.code == 0, result.err
    shard = SAMPLE_RUN / "omnigaia_kira" / "shard_00"
    rows = read_json(shard / "results.json")
    written = [Path(line) for line in result.out.split()]
    new_rows = read_json(written[0].parent / "results.json")
    for number, folder in enumerate(written):
        before = read_json(shard / f"item_{number:04d}" / "messages.json")
        assert read_json(folder / "messages.json") == before
        for key in ("prompt_tokens", "completion_tokens", "model", "predicted_answer", "id"):
            assert new_rows[number][key] == rows[number][key], key


def test_rows_for_ms_swift(cli: Cli, store: Store, tmp_path: Path) -> None:
    session = plain_session(store)
    result = cli("export", session.id, "--format", "ms-swift", "--out", tmp_path / "rows")
    assert result.code == 0
    (line,) = (tmp_path / "rows" / "sft_train.jsonl").read_text().splitlines()
    row = json.loads(line)
    assert (tmp_path / "rows" / row["images"][0]).is_file()
    again = cli("export", session.id, "--format", "ms-swift", "--out", tmp_path / "rows")
    assert again.code == 2
    assert "new or empty folder" in again.err


def test_what_does_not_train_is_refused_with_the_reason(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    scribe = Scribe(store)
    commands = [("execute_commands", {"keystrokes": name}) for name in ("ls", "pwd")]
    scribe.propose("", *commands)
    scribe.observe("only one reply")
    arguments = ("export", scribe.session.id, "--format", "ms-swift", "--out", tmp_path / "rows")
    refused = cli(*arguments)
    assert refused.code == 2
    assert "does not train" in refused.err
    assert not (tmp_path / "rows").exists()
    allowed = cli(*arguments, "--allow")
    assert allowed.code == 0
    assert scribe.session.id in allowed.err


def test_an_imported_run_can_be_looked_at(cli: Cli) -> None:
    text, picture = cli("import", SAMPLE_RUN / "omnigaia_kira" / "shard_00").out.split()
    shown = cli("show", picture, "--json").json
    assert (shown["status"], shown["answer"]) == ("closed", "red")
    (frame,) = shown["steps"][0]["frames"]
    assert (frame["path"], frame["width"]) == ("inputs/images/square.png", 16)
    first = cli("show", text, "--json").json["steps"][0]
    assert first["actions"][0]["output"] == "We met in Quito after lunch."
    assert first["actions"][0]["exit_code"] is None


def test_one_item_by_its_messages_file(cli: Cli) -> None:
    item = SAMPLE_RUN / "omnigaia_kira" / "shard_00" / "item_0001"
    assert len(cli("import", item / "messages.json").out.split()) == 1


def test_an_item_that_is_no_conversation_is_left_out(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    for number, messages in enumerate([[{"role": "robot", "content": "x"}], [{"content": 1}]]):
        folder = tmp_path / "run" / f"item_{number:04d}"
        folder.mkdir(parents=True)
        (folder / "messages.json").write_text(json.dumps(messages))
    result = cli("import", tmp_path / "run")
    assert result.code == 2
    assert "message 1 has no role" in result.err
    assert store.ids() == []


def test_formats_that_cannot_be_imported_are_named(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"schema_version": "ATIF-v1.4", "steps": []}))
    result = cli("import", path)
    assert result.code == 2
    assert "atif" in result.err
    assert "OmniCoding" in result.err


def test_a_session_of_another_store(cli: Cli, store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    session = plain_session(other)
    (session.folder / "launch.json").write_text("{}")
    (session.workspace / "link").symlink_to("/etc/passwd")
    os.mkfifo(session.workspace / "pipe")
    assert cli("import", session.folder).out == f"{session.id}\n"
    taken = store.session(session.id)
    assert taken.events.read_bytes() == session.events.read_bytes()
    assert not (taken.folder / "launch.json").exists()
    assert (taken.workspace / "link").is_symlink()
    assert not (taken.workspace / "pipe").exists()
    exported = cli("export", session.id, "--format", "ms-swift", "--out", tmp_path / "rows")
    assert exported.code == 0, exported.err
    (again,) = cli("import", session.folder).out.split()
    assert again != session.id
    assert cli("show", again, "--json").json["id"] == again
