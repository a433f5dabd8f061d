"""Sessions to training data: both formats, branches, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.trajectory.sessions import PNG, TASK, Scribe, make_store, plain_session
from workbench import events as ev
from workbench.errors import UsageError, WorkbenchError
from workbench.session.store import Store
from workbench.trajectory.checks import CannotTrain
from workbench.trajectory.export import ROWS_FILE, export_sessions
from workbench.trajectory.from_session import EmptySession, run_items
from workbench.trajectory.omnicoding_read import ReadItem, read_run
from workbench.trajectory.run_item import RunItem
from workbench.trajectory.run_layout import ExportTarget
from workbench.trajectory.training_rows import convert_shards
from workbench.trajectory.whole_folder import CannotWrite


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def _only(scribe: Scribe) -> RunItem:
    (item,) = run_items(scribe.session, "current")
    return item


def _exported(out: Path) -> list[ReadItem]:
    return [item for shard in read_run(out) for item in shard.items]


def test_a_run_folder_of_a_session(store: Store, tmp_path: Path) -> None:
    session = plain_session(store)
    (exported,) = export_sessions([session], "omnicoding", tmp_path / "run")
    assert exported.folder == tmp_path / "run/omnigaia_kira/shard_00/item_0000"
    (shard,) = read_run(tmp_path / "run")
    assert (shard.meta["model"], shard.meta["provider"]) == ("scripted/demo", "other")
    assert (shard.meta["temperature"], shard.meta["system_prompt"]) == (
        0.5,
        "You work in a sandbox.",
    )
    (item,) = shard.items
    assert item.row is not None
    wanted = {
        "id": TASK.id,
        "exit_reason": "task_complete",
        "predicted_answer": "fox",
        "tool_call_num": 3,
        "prompt_tokens": 400,
        "attempt": 1,
        "retry_count": 1,
        "error": None,
    }
    assert {key: item.row[key] for key in wanted} == wanted
    assert item.row["retry_attempts"][0]["messages_at_attempt"] == 8
    assert item.row["retry_attempts"][0]["step"] == 3
    assert item.item is not None
    assert (item.item["ground_truth"], item.item["__source_index__"]) == (["fox"], 0)
    assert [step["n_commands"] for step in item.steps] == [0, 1, 0]
    assert [step["is_image_read"] for step in item.steps] == [True, False, False]
    call = item.image_subcalls[0]
    assert (call["status"], call["resolved_path"]) == ("ok", "/workspace/frames/f.png")
    assert (item.folder / "images" / "f.png").read_bytes() == PNG
    assert item.final_text is not None
    assert item.final_text.endswith("/workspace\ninputs")
    picture = item.messages[4]["content"][1]["image_url"]["url"]
    assert picture.startswith("data:image/png;base64,")


def test_rows_equal_what_the_converter_makes_of_the_run(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    first = scribe.look("old.png")
    scribe.rewind(first, 1)
    scribe.look("new.png")
    scribe.answer("fox")
    abandoned = Scribe(store)
    first = abandoned.command("ls", "x")
    abandoned.look("wrong.png")
    abandoned.rewind(first, 1)
    abandoned.look("right.png")
    abandoned.answer("fox")
    sessions = [plain_session(store), abandoned.session, scribe.session]
    export_sessions(sessions, "omnicoding", tmp_path / "run")
    export_sessions(sessions, "ms-swift", tmp_path / "rows", branches="all")
    export_sessions(sessions, "ms-swift", tmp_path / "current")
    converted = tmp_path / "converted"
    converted.mkdir()
    convert_shards(read_run(tmp_path / "run"), converted / ROWS_FILE, "images", multimodal=True)
    names = sorted(str(p.relative_to(converted)) for p in converted.rglob("*") if p.is_file())
    assert len(names) == 6
    for name in names:
        assert (tmp_path / "rows" / name).read_bytes() == (converted / name).read_bytes()
    lines = (converted / ROWS_FILE).read_bytes().splitlines()
    kept = (tmp_path / "current" / ROWS_FILE).read_bytes().splitlines()
    assert kept == [line for line in lines if b"wrong.png" not in line]
    assert len(kept) == 3


def test_branches_are_items_of_one_task(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    first = scribe.command("ls", "out")
    scribe.command("wrong", "nothing")
    scribe.rewind(first, 1)
    scribe.command("right", "fox")
    scribe.answer("fox")
    export_sessions([scribe.session], "omnicoding", tmp_path / "run")
    old, new = _exported(tmp_path / "run")
    assert old.row is not None
    assert new.row is not None
    assert [item.row["attempt"] for item in (old, new) if item.row] == [1, 2]
    assert old.row["id"] == new.row["id"] == TASK.id
    assert (old.row["exit_reason"], old.row["error"]) == ("error", None)
    assert new.row["exit_reason"] == "task_complete"
    assert "wrong" in json.dumps(old.messages)
    assert "wrong" not in json.dumps(new.messages)
    rows = export_sessions([scribe.session], "ms-swift", tmp_path / "rows")
    assert len(rows) == 1
    everything = export_sessions([scribe.session], "ms-swift", tmp_path / "all", branches="all")
    assert len(everything) == 2


def test_a_rewind_without_a_new_step_exports_what_stands(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    first = scribe.command("ls", "out")
    scribe.command("more", "x")
    scribe.rewind(first, 1)
    items = run_items(scribe.session)
    assert [(item.origin.leaf, item.is_current) for item in items] == [(2, False), (1, True)]
    scribe.rewind(None, 2)
    assert [item.origin.leaf for item in run_items(scribe.session)] == [2]
    with pytest.raises(EmptySession, match="no finished step"):
        run_items(scribe.session, "current")
    with pytest.raises(EmptySession, match="no finished step"):
        export_sessions([scribe.session], "ms-swift", tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


def test_edits_stay_beside_the_original_and_in_the_sidecar(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    arguments = {"analysis": "a", "plan": "p", "keystrokes": "rm -rf /"}
    edited = {**arguments, "keystrokes": "ls"}
    step = scribe.propose("", ("execute_commands", arguments))
    decided = ev.Decided(
        step=step,
        action=f"{step}.1",
        decision="edit",
        author="human:ann",
        digest="e",
        arguments=edited,
        original=arguments,
    )
    scribe.record(decided)
    note = scribe.record(ev.HumanMessage(step=step, text="Look closer.", author="human:ann"))
    reply = {"role": "tool", "tool_call_id": f"call_{step}_1", "content": "x\n\nLook closer."}
    scribe.record(ev.Observed(step=step, messages=[reply], carries=[note]))
    scribe.record(ev.Paused(scope="after_step", author="policy"))
    scribe.answer("fox")
    export_sessions([scribe.session], "omnicoding", tmp_path / "run")
    (item,) = _exported(tmp_path / "run")
    message = item.messages[2]
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == edited
    assert message["_original_arguments"] == {f"call_{step}_1": arguments}
    assert [record["kind"] for record in item.interventions] == ["decided", "message"]
    assert item.interventions[0]["original"] == arguments
    assert item.interventions[1]["delivered_as"] == "tool_reply"
    assert all(record["on_path"] for record in item.interventions)


@pytest.mark.parametrize(
    ("closed", "answer", "exit_reason", "error"),
    [
        ("stopped", True, "no_tool_calls", None),
        ("stopped", False, "error", None),
        ("interrupted", False, "error", None),
        ("limit", True, "step_limit", None),
        ("step_limit", False, "step_limit", None),
        ("error", True, "error", "The server is gone: timeout."),
    ],
)
def test_exit_reasons(
    store: Store, closed: ev.ExitReason, answer: bool, exit_reason: str, error: str | None
) -> None:
    scribe = Scribe(store)
    scribe.command("ls", "<answer>fox</answer>" if answer else "x")
    scribe.record(ev.Closed(exit_reason=closed, error=error or "The limit of tokens is reached."))
    item = _only(scribe)
    assert (item.exit_reason, item.error) == (exit_reason, error)


def test_a_proposal_that_nobody_answered_is_left_out(store: Store) -> None:
    scribe = Scribe(store)
    scribe.command("ls", "x")
    scribe.propose("", ("execute_commands", {"keystrokes": "never run"}))
    item = _only(scribe)
    assert item.messages[-1]["content"] == "x"
    assert len(item.steps) == 1


def test_failed_and_passed_over_pictures(store: Store) -> None:
    scribe = Scribe(store)
    scribe.look("missing.png", None)
    arguments = {"file_path": "b.png", "image_read_instruction": "look"}
    step = scribe.propose("", ("image_read", arguments))
    skip = ev.Decided(
        step=step, action=f"{step}.1", decision="skip", author="policy", digest="d", arguments={}
    )
    scribe.record(skip)
    reply = {"role": "tool", "tool_call_id": f"call_{step}_1", "content": "skipped"}
    scribe.record(ev.Observed(step=step, messages=[reply]))
    (call,) = _only(scribe).image_subcalls
    assert call.error == "image not found: /workspace/missing.png"
    assert call.picture is None


def test_summaries_are_kept_as_snapshots(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    scribe.command("ls", "early")
    handover = [{"role": "system", "content": "s"}, {"role": "user", "content": "task + summary"}]
    step = scribe.propose("", ("execute_commands", {"keystrokes": "pwd"}))
    scribe.record(ev.Compacted(step=step, messages=handover))
    scribe.observe("late")
    scribe.answer("fox")
    export_sessions([scribe.session], "omnicoding", tmp_path / "run")
    (item,) = _exported(tmp_path / "run")
    assert "early" not in json.dumps(item.messages)
    (snapshot,) = item.snapshots
    assert (snapshot["summarize_index"], snapshot["step_at_summarize"]) == (1, 1)
    assert "early" in json.dumps(snapshot["pre_summary_messages"])
    assert snapshot["post_summary_messages"] == handover
    assert item.row is not None
    assert item.row["n_summarizations"] == 1


def test_host_paths_of_the_session_become_the_sandbox_s(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    folder = scribe.session.workspace
    scribe.command(f"cd {folder} && ls", f"{folder}\n{scribe.session.tmp}/x {folder}-not")
    item = _only(scribe)
    assert item.messages[-1]["content"].startswith("/workspace\n/tmp/x ")
    assert json.loads(item.messages[-2]["tool_calls"][0]["function"]["arguments"])[
        "keystrokes"
    ] == ("cd /workspace && ls")
    with pytest.raises(CannotTrain, match="names a private path of this machine"):
        export_sessions([scribe.session], "omnicoding", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def _human_note(scribe: Scribe) -> None:
    scribe.command("ls", "x")
    note = {"role": "user", "content": "Look again."}
    scribe.record(ev.Observed(step=scribe.leaf, messages=[note]))


def _literal_tag(scribe: Scribe) -> None:
    scribe.command("cat a.html", "an <image> tag")


def _missing_reply(scribe: Scribe) -> None:
    call = ("execute_commands", {"keystrokes": "ls"})
    scribe.propose("", call, call)
    scribe.observe("only one")


def _remote_picture(scribe: Scribe) -> None:
    scribe.command("ls", "x")
    part = {"type": "image_url", "image_url": {"url": "https://example.invalid/a.png"}}
    note = {"role": "user", "content": [part]}
    scribe.propose("so")
    scribe.record(ev.Observed(step=scribe.leaf, messages=[note]))


def _second_system(scribe: Scribe) -> None:
    scribe.propose("so")
    note = {"role": "system", "content": "new rules"}
    scribe.record(ev.Observed(step=scribe.leaf, messages=[note]))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_human_note, "a user message right after a tool reply"),
        (_literal_tag, "1 <image> tags for 0 pictures"),
        (_missing_reply, "makes 2 tool calls, but 1 replies follow"),
        (_remote_picture, "picture that the converter leaves out"),
        (_second_system, "second system message"),
    ],
)
def test_what_does_not_train_is_refused(
    store: Store, tmp_path: Path, spoil: Any, reason: str
) -> None:
    scribe = Scribe(store)
    spoil(scribe)
    scribe.answer("fox")
    for export_format in ("omnicoding", "ms-swift"):
        out = tmp_path / export_format
        with pytest.raises(CannotTrain, match=reason) as refused:
            export_sessions([scribe.session], export_format, out)
        assert isinstance(refused.value, UsageError)
        assert not out.exists()
        (exported,) = export_sessions([scribe.session], export_format, out, allow=True)
        assert any(reason in fault for fault in exported.faults)


def test_a_branch_that_was_left_is_named(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    first = scribe.command("ls", "x")
    scribe.command("cat a.html", "an <image> tag")
    scribe.rewind(first, 1)
    scribe.answer("fox")
    with pytest.raises(CannotTrain, match="on branch 0 that was left, does not train"):
        export_sessions([scribe.session], "omnicoding", tmp_path / "run")
    export_sessions([scribe.session], "omnicoding", tmp_path / "run", branches="current")
    assert len(_exported(tmp_path / "run")) == 1


def test_targets_and_formats_are_checked(store: Store, tmp_path: Path) -> None:
    session = plain_session(store)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    with pytest.raises(ExportTarget, match="new or empty folder"):
        export_sessions([session], "ms-swift", tmp_path / "full")
    with pytest.raises(UsageError, match="the formats are omnicoding, ms-swift"):
        export_sessions([session], "parquet", tmp_path / "new")  # type: ignore[arg-type]
    export_sessions([session], "omnicoding", tmp_path / "run")
    with pytest.raises(ExportTarget, match="already, as item_0000"):
        export_sessions([session], "omnicoding", tmp_path / "run")


def test_credentials_and_what_only_a_provider_needs_stay_here(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store, base_url="https://ann:secret@host:8/v1", provider="openai")
    scribe.propose("so", _native={"signature": "s"})
    export_sessions([scribe.session], "omnicoding", tmp_path / "run")
    (shard,) = read_run(tmp_path / "run")
    assert shard.meta["api_base"] == "https://host:8/v1"
    assert (shard.meta["provider"], shard.meta["max_tool_reminders"]) == ("openai", 2)
    assert shard.items[0].messages[-1] == {
        "role": "assistant",
        "content": "so",
        "_finish_reason": "stop",
    }


def test_turns_of_people_can_be_left_out_of_the_loss(store: Store, tmp_path: Path) -> None:
    scribe = Scribe(store)
    scribe.command("ls", "x")
    call = ("execute_commands", {"keystrokes": "mine"})
    scribe.propose("I do it", call, _author="human:ann")
    scribe.observe("y")
    scribe.answer("fox")
    export_sessions([scribe.session], "ms-swift", tmp_path / "rows", mask_people=True)
    row = json.loads((tmp_path / "rows" / ROWS_FILE).read_text())
    masked = [message for message in row["messages"] if "loss" in message]
    assert [(message["role"], message["loss"]) for message in masked] == [
        ("assistant", False),
        ("tool_call", False),
    ]
    assert "mine" in masked[1]["content"]


def test_a_lost_picture_or_a_full_place_is_a_sentence(store: Store, tmp_path: Path) -> None:
    session = plain_session(store)
    for blob in session.blobs.folder.rglob("*"):
        if blob.is_file():
            blob.unlink()
    for export_format in ("omnicoding", "ms-swift"):
        with pytest.raises(WorkbenchError, match="missing from the store"):
            export_sessions([session], export_format, tmp_path / "out")
        assert not (tmp_path / "out").exists()
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotWrite, match="cannot be written"):
        export_sessions([session], "ms-swift", tmp_path / "file" / "out")
