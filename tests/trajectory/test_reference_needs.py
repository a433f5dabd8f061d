"""An exported run against what each reference tool is documented to need (omnicoding-format 9.9).

The reference package is not installed here; what its tools do with a run is done again, from the
description, with the files alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.trajectory.sessions import Scribe, make_store, plain_session
from tests.trajectory.vectors import read_json
from workbench.curation.reward import grade
from workbench.trajectory.export import export_sessions
from workbench.trajectory.extract import extract
from workbench.trajectory.filtering import row_verdict
from workbench.trajectory.ms_swift import convert
from workbench.trajectory.omnicoding_read import ReadItem, ReadShard, read_run
from workbench.trajectory.pairing import why_not_trained, why_pictures_differ


@pytest.fixture
def run(tmp_path: Path) -> Path:
    store = make_store(tmp_path)
    scribe = Scribe(store)
    first = scribe.command("ffprobe inputs/clip.mp4", "video")
    scribe.command("ls", "wrong")
    scribe.rewind(first, 1)
    scribe.look("f.png")
    scribe.answer("fox")
    export_sessions([plain_session(store), scribe.session], "omnicoding", tmp_path / "run")
    return tmp_path / "run"


def _shard(run: Path) -> ReadShard:
    (shard,) = read_run(run)
    return shard


def _finished(run: Path) -> list[ReadItem]:
    return [item for item in _shard(run).items if item.row and item.row["completed"]]


def test_filter(run: Path) -> None:
    items = read_json(run / "omnigaia_kira" / "items.json")
    assert isinstance(items, list)
    by_id = {item["id"]: item for item in items}
    rows = read_json(run / "omnigaia_kira" / "shard_00" / "results.json")
    assert isinstance(rows, list)
    assert isinstance(_shard(run).meta["tools_spec"], list)
    for row in rows:
        assert isinstance(row["source_index"], int)
        folder = run / "omnigaia_kira" / "shard_00" / f"item_{row['source_index']:04d}"
        assert (folder / "messages.json").is_file()
        verdict = row_verdict(row, by_id[row["id"]], [])
        assert verdict.ok == bool(row["predicted_answer"])


def test_converter_and_pairing(run: Path) -> None:
    shard = _shard(run)
    for item in shard.items:
        row = convert(
            item.messages, shard.meta["tools_spec"], item.folder.name, "images", multimodal=True
        ).row
        assert why_not_trained(row) is None
        assert why_pictures_differ(row) is None


def test_audit(run: Path) -> None:
    (results,) = run.glob("omnigaia_kira*/shard_*/results.json")
    for row in read_json(results):
        assert isinstance(row["predicted_answer"], str)
        assert isinstance(row["tool_call_num"], int)
        assert row["is_correct"] is None
        tokens = ("prompt_tokens", "completion_tokens", "cached_tokens")
        assert all(isinstance(row[key], int) for key in tokens)


def test_inventory(run: Path) -> None:
    items = _finished(run)
    assert len(items) == 2
    for item in items:
        assert item.row is not None
        assert not item.row["error"]
        assert item.messages
        assert (item.folder / "final_text.txt").stat().st_size > 2
        assert "omnigaia" in str(item.folder.relative_to(run))
    attempts = [item.row["attempt"] for item in _shard(run).items if item.row]
    assert attempts == sorted(set(attempts))


def test_prompt_parity(run: Path) -> None:
    shard = _shard(run)
    assert shard.meta["bench"] == "omnigaia"
    for item in shard.items:
        content = item.messages[1]["content"]
        lines = content.split("\n")
        assert lines[0] == "Available staged files:"
        staged = [line[2:] for line in lines if line.startswith("- ")]
        assert staged == ["inputs/clip.mp4"]
        assert item.item is not None
        assert item.item["question"] in content


def test_rescorer(run: Path) -> None:
    for shard in run.glob("*_kira/shard_*"):
        bench = shard.parent.name.removesuffix("_kira")
        copies = read_json(run / "_shards" / bench / f"{shard.name}.json")
        items = {item["__source_index__"]: item for item in copies}
        for row in read_json(shard / "results.json"):
            text = (shard / f"item_{row['source_index']:04d}" / "final_text.txt").read_text()
            found = extract("omnigaia", items[row["source_index"]], text)
            assert (found.prediction, found.is_correct) == (
                row["predicted_answer"],
                row["is_correct"],
            )


def test_reward_and_trajectory_schema(run: Path) -> None:
    for item in _finished(run):
        assert item.row is not None
        assert item.item is not None
        reward = grade(
            item.messages,
            item.item["ground_truth"],
            exit_reason=item.row["exit_reason"],
            media={"videos": ["clip.mp4"]},
            observed_n_tool_calls=item.row["tool_call_num"],
        )
        assert reward.score == 1.0
        assert len(item.steps) == 3
    known = {"task_complete", "step_limit", "no_tool_calls", "context_overflow", "error", "timeout"}
    assert {item.row["exit_reason"] for item in _shard(run).items if item.row} <= known


def test_tokeniser(run: Path) -> None:
    for item in _shard(run).items:
        calls: dict[str, Any] = {}
        for message in item.messages:
            for call in message.get("tool_calls", []):
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                calls[call["id"]] = call["function"]["name"]
            if message["role"] == "tool":
                assert message["tool_call_id"] in calls
            if isinstance(message["content"], list):
                assert "image_read" in calls.values()
                urls = [part["image_url"]["url"] for part in message["content"][1:]]
                assert all(url.startswith("data:image/png;base64,") for url in urls)
