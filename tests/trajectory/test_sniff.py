"""Formats told by content, never by name."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.trajectory.sessions import make_store, plain_session
from tests.trajectory.vectors import SAMPLE_RUN
from workbench.trajectory.export import ROWS_FILE, export_sessions
from workbench.trajectory.sniff import UnknownFormat, sniff

_MESSAGE = {"role": "user", "content": "q"}


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        ("atif", {"schema_version": "ATIF-v1.8", "steps": []}),
        ("mini-swe-agent", {"trajectory_format": "mini-swe-agent-1.1", "messages": []}),
        ("swe-agent", {"trajectory": [], "history": [], "info": {}}),
        ("inspect", {"version": 2, "eval": {}, "samples": []}),
        ("terminal-bench", {"is_resolved": True, "parser_results": {}}),
        ("agentic-mme", {"conversation": [], "final_answer": "x", "images": []}),
        ("chat", {"messages": [_MESSAGE]}),
        ("chat", [_MESSAGE, _MESSAGE]),
        ("chat", [{"conversations": []}]),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_files(tmp_path: Path, expected: str, value: Any, indent: int | None) -> None:
    file = tmp_path / "unnamed"
    file.write_text(json.dumps(value, indent=indent))
    assert sniff(file) == expected


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        ("codex", [{"type": "session_meta", "payload": {}}, {"type": "response_item"}]),
        ("codex-stream", [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]),
        ("claude-stream", [{"type": "system", "subtype": "init"}, {"type": "assistant"}]),
        ("claude-code", [{"type": "summary"}, {"sessionId": "s", "uuid": "u", "type": "user"}]),
        ("openclaw", [{"type": "message", "message": {"role": "user"}}, {"type": "message"}]),
        ("asciicast", [{"version": 2, "width": 80, "height": 24}, [0.1, "o", "x"]]),
        ("chat", [{"messages": [_MESSAGE]}, {"messages": []}]),
    ],
)
def test_json_lines(tmp_path: Path, expected: str, lines: list[Any]) -> None:
    file = tmp_path / "unnamed"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert sniff(file) == expected
    file.write_text(file.read_text() + '{"cut')
    assert sniff(file) == expected


def test_folders(tmp_path: Path) -> None:
    shard = SAMPLE_RUN / "omnigaia_kira" / "shard_00"
    for path in (SAMPLE_RUN, shard.parent, shard, shard / "item_0000"):
        assert sniff(path) == "omnicoding"
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "0.json").write_text("{}")
    assert sniff(tmp_path) == "openhands-v0"
    (tmp_path / "base_state.json").write_text("{}")
    (tmp_path / "events" / "event-00000-ab.json").write_text("{}")
    assert sniff(tmp_path) == "openhands"


def test_our_own(tmp_path: Path) -> None:
    session = plain_session(make_store(tmp_path))
    assert sniff(session.folder) == sniff(session.events) == "workbench"
    export_sessions([session], "omnicoding", tmp_path / "run")
    assert sniff(tmp_path / "run") == "omnicoding"
    export_sessions([session], "ms-swift", tmp_path / "rows")
    assert sniff(tmp_path / "rows" / ROWS_FILE) == "chat"


def test_archives_and_what_is_unknown(tmp_path: Path) -> None:
    for name, expected in (("_journal/start.json", "inspect"), ("readme", None)):
        file = tmp_path / "archive"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, "{}")
        if expected:
            assert sniff(file) == expected
        else:
            with pytest.raises(UnknownFormat, match="no trajectory format"):
                sniff(file)
    for data in (b"", b"\xff\xfe\x00", b"[1, 2", b"[]", b'{"a": 1}', b'"x"\n"y"\n'):
        (tmp_path / "odd").write_bytes(data)
        with pytest.raises(UnknownFormat):
            sniff(tmp_path / "odd")
    with pytest.raises(UnknownFormat, match="nothing here"):
        sniff(tmp_path / "missing")
    with pytest.raises(UnknownFormat):
        sniff(tmp_path)
