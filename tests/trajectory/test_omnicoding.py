"""Run folders: the sample byte for byte, adding to a run, refusing, and reading back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectory.samples import sample_items, small_item
from tests.trajectory.vectors import CALM, SAMPLE_RUN, read_json
from workbench.trajectory import jsonfiles
from workbench.trajectory.omnicoding import write_run
from workbench.trajectory.omnicoding_read import NoRun, read_run
from workbench.trajectory.pictures import Picture
from workbench.trajectory.run_item import ImageSubcall, Origin
from workbench.trajectory.run_layout import ExportTarget
from workbench.trajectory.training_rows import convert_shards
from workbench.trajectory.whole_folder import whole_folder

_OWN = {"run_meta.json", "workbench.json"}


def _files(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def test_sample_run_byte_for_byte(tmp_path: Path) -> None:
    write_run(tmp_path / "run", sample_items())
    written = _files(tmp_path / "run")
    for name, data in _files(SAMPLE_RUN).items():
        if name.startswith(("omnigaia_kira", "_shards")) and Path(name).name not in _OWN:
            assert written.pop(name) == data, name
    assert {Path(name).name for name in written} == _OWN
    meta = read_json(tmp_path / "run" / "omnigaia_kira" / "shard_00" / "run_meta.json")
    assert meta.pop("exported_by").startswith("workbench ")
    expected = read_json(SAMPLE_RUN / "omnigaia_kira" / "shard_00" / "run_meta.json")
    assert json.dumps(meta) == json.dumps(expected)


def test_written_run_converts_to_the_golden_rows(tmp_path: Path) -> None:
    write_run(tmp_path / "run", sample_items())
    out = tmp_path / "rows.jsonl"
    shards = read_run(tmp_path / "run")
    assert convert_shards(shards, out, "golden/sft/images", multimodal=True) == 2
    golden = SAMPLE_RUN / "golden" / "sft"
    assert out.read_bytes() == (golden / "sft_train.jsonl").read_bytes()
    picture = Path("images") / "item_0001" / "img_000.png"
    assert (tmp_path / "golden/sft" / picture).read_bytes() == (golden / picture).read_bytes()


def test_adding_keeps_what_is_there_and_counts_on(tmp_path: Path) -> None:
    first, second = sample_items()
    write_run(tmp_path / "run", [first])
    before = _files(tmp_path / "run")
    again = replace(first, origin=Origin("other", 1))
    added, retried = write_run(tmp_path / "run", [second, again])
    assert (added.name, retried.name) == ("item_0001", "item_0002")
    after = _files(tmp_path / "run")
    kept = [name for name in before if "item_0000" in name]
    assert kept
    assert all(after[name] == before[name] for name in kept)
    (shard,) = read_run(tmp_path / "run")
    assert [item.source_index for item in shard.items] == [0, 1, 2]
    assert all(item.row and item.item and item.row["id"] == item.item["id"] for item in shard.items)
    assert [item.row["attempt"] for item in shard.items if item.row] == [1, 1, 2]
    assert not shard.problems
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_other_models_and_benchmarks_get_their_own_shards(tmp_path: Path) -> None:
    one = small_item({"role": "assistant", "content": "<answer>B</answer>"})
    other = replace(one, meta=replace(one.meta, model="n"), origin=Origin("b", 1))
    letters = replace(
        one,
        meta=replace(one.meta, bench="lvomnibench"),
        item={"id": "x", "options": ["A. a", "B. b"]},
        origin=Origin("c", 1),
    )
    write_run(tmp_path / "run", [one, other, letters])
    shards = {str(s.folder.relative_to(tmp_path / "run")): s for s in read_run(tmp_path / "run")}
    assert sorted(shards) == [
        "lvomnibench_kira/shard_00",
        "omnigaia_kira/shard_00",
        "omnigaia_kira/shard_01",
    ]
    row = shards["lvomnibench_kira/shard_00"].items[0].row
    assert row is not None
    assert (row["predicted_option"], row["predicted_answer"], row["id"]) == ("B", "B", "x")
    items = read_json(tmp_path / "run" / "omnigaia_kira" / "items.json")
    assert [item["__source_index__"] for item in items] == [0, 1]


def test_a_taken_index_and_a_known_branch_are_refused(tmp_path: Path) -> None:
    item = small_item({"role": "assistant", "content": "a"})
    write_run(tmp_path / "run", [item])
    before = _files(tmp_path / "run")
    with pytest.raises(ExportTarget, match="source_index 0 is taken"):
        write_run(tmp_path / "run", [replace(item, source_index=0, origin=Origin("new", 1))])
    with pytest.raises(ExportTarget, match=r"stands in the export already, as item_0000"):
        write_run(tmp_path / "run", [item])
    assert _files(tmp_path / "run") == before


def test_foreign_folders_are_refused(tmp_path: Path) -> None:
    item = small_item({"role": "assistant", "content": "a"})
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(ExportTarget, match=r"thesis\.tex"):
        write_run(tmp_path, [item])
    with pytest.raises(ExportTarget, match="this is a file"):
        write_run(tmp_path / "thesis.tex", [item])
    foreign = tmp_path / "foreign" / "omnigaia_kira" / "shard_00"
    foreign.mkdir(parents=True)
    (foreign / "run_meta.json").write_text("{}")
    with pytest.raises(ExportTarget, match="not written by Workbench"):
        write_run(tmp_path / "foreign", [item])


def test_a_fault_while_writing_leaves_nothing(tmp_path: Path) -> None:
    lost = ImageSubcall("a.png", "look", 0.0, picture=Picture("png", blob="ab" * 32))
    item = small_item({"role": "assistant", "content": "a"}, image_subcalls=[lost])
    with pytest.raises(ValueError, match="no store"):
        write_run(tmp_path / "run", [item])
    assert list(tmp_path.iterdir()) == []


def test_whole_folder_swaps_in_place_of_an_old_one(tmp_path: Path) -> None:
    target = tmp_path / "out"
    for text in ("old", "new"):
        with whole_folder(target) as building:
            (building / "file").write_text(text)
    assert (target / "file").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_picture_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    picture = Picture("png", data=b"x")
    calls = [
        ImageSubcall(name, "look", 0.0, picture=picture)
        for name in (
            "../../evil.png",
            "..",
            "a\x1b[2J.png",
            "é" * 300,
            "a/frame.png",
            "b/frame.png",
        )
    ]
    item = small_item({"role": "assistant", "content": "a"}, image_subcalls=calls)
    write_run(tmp_path / "run", [item])
    images = tmp_path / "run" / "omnigaia_kira" / "shard_00" / "item_0000" / "images"
    names = sorted(path.name for path in images.iterdir())
    assert names == sorted(["evil.png", "image.png", "a_[2J.png", "é" * 100 + ".png", "frame.png"])


def test_failed_image_read_has_no_picture(tmp_path: Path) -> None:
    call = ImageSubcall("x.png", "look", 1.0, resolved_path="/workspace/x.png", error="not found")
    write_run(tmp_path, [small_item({"role": "assistant", "content": "a"}, image_subcalls=[call])])
    (shard,) = read_run(tmp_path)
    record = shard.items[0].image_subcalls[0]
    assert (record["status"], record["error"]) == ("input_rejected", "not found")
    assert (record["resolved_path"], record["image_b64"], record["image_bytes"]) == (None, None, 0)


def test_reading_tells_what_is_broken(tmp_path: Path) -> None:
    with pytest.raises(NoRun, match="no OmniCoding run"):
        read_run(tmp_path)
    write_run(tmp_path / "run", sample_items())
    shard_folder = tmp_path / "run" / "omnigaia_kira" / "shard_00"
    (shard_folder / "item_0000" / "messages.json").write_text('[{"role": "user", "cont')
    (shard_folder / "results.json").write_text("{}")
    (shard,) = read_run(tmp_path / "run")
    assert [item.source_index for item in shard.items] == [1]
    assert "item_0000/messages.json: this is not JSON" in shard.problems[0]
    (alone,) = read_run(shard_folder / "item_0001")
    assert alone.items[0].messages[2]["tool_calls"][0]["function"]["name"] == "image_read"


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@CALM
@given(_values)
def test_pretty_is_the_reference_style(value: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, indent=2)
    assert jsonfiles.pretty(value) == expected.encode("utf-8", "backslashreplace")


_texts = st.text(max_size=20) | st.sampled_from(["<answer>7</answer>", "\x1b[2J", "\ud800", "\r\n"])


@CALM
@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "tool"]), "content": _texts},
            optional={"reasoning_content": _texts.filter(bool), "_note": _texts},
        ),
        max_size=5,
    )
)
def test_written_messages_read_back_equal(
    tmp_path_factory: pytest.TempPathFactory, messages: list[dict[str, Any]]
) -> None:
    root = tmp_path_factory.mktemp("run")
    item = small_item(*messages)
    write_run(root, [item])
    (shard,) = read_run(root)
    assert shard.items[0].messages == item.messages
    assert not shard.problems
