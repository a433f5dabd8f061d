"""Real engines in the local sandbox, started and steered by commands alone."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import PATIENCE, Cli, write_task
from tests.engine.live import ANSWER, command
from workbench.session.lease import read_owner
from workbench.session.store import Store

WAITER = """
import sys
from workbench.cli import main

def hook(event, arguments):
    if event == "open" and str(arguments[0]).endswith("events.jsonl"):
        print("waits", flush=True)

sys.addaudithook(hook)
sys.exit(main(["ctl", sys.argv[1], "wait", "--for", "closed"]))
"""
FOREVER = "echo begun; sleep 600"
"""A command that is still running when a test has seen enough of it."""


def _detach(cli: Cli, task: Path, *more: str) -> str:
    result = cli("run", task, "--detach", *more)
    assert result.code == 0, result.err
    return result.out.strip()


def _ctl(cli: Cli, session: str, *arguments: object) -> Any:
    """The answer to a command that must succeed."""
    result = cli("ctl", session, *arguments)
    assert result.code == 0, result.out + result.err
    assert result.json["ok"] is True
    return result.json


def _wait(cli: Cli, session: str, goal: str) -> Any:
    return _ctl(cli, session, "wait", "--for", goal, "--timeout", PATIENCE)


def _kill_engine(store: Store, session: str) -> None:
    """As the kernel does it when memory is short; returns when the lease is free."""
    found = store.session(session)
    owner = read_owner(found.lease)
    assert owner is not None
    os.kill(owner.pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(owner.pid, 0)
    assert not found.is_live()


def _running(cli: Cli, session: str, text: str) -> None:
    """Return when the first command has printed `text`."""
    deadline = time.monotonic() + float(PATIENCE)
    while time.monotonic() < deadline:
        steps = cli("show", session, "--json").json["steps"]
        if steps and steps[0]["actions"] and text in steps[0]["actions"][0]["output"]:
            return
    raise AssertionError("the command has not begun")


# --- run ---------------------------------------------------------------------------------------


def test_run_headless_prints_the_answer_and_narrates(cli: Cli, task: Path) -> None:
    result = cli("run", task, "--headless", "--id", "mine")
    assert (result.code, result.out) == (0, "7\n")
    assert "closed: task_complete" in result.err
    shown = cli("show", "mine", "--json").json
    assert (shown["status"], shown["answer"], shown["exit_reason"]) == (
        "closed", "7", "task_complete",
    )  # fmt: skip
    outputs = [step["actions"][0]["output"] for step in shown["steps"][:2]]
    assert outputs[1] == "one\n"
    assert [file["path"] for file in shown["steps"][0]["files"]] == ["a.txt"]
    taken = cli("run", task, "--headless", "--id", "mine")
    assert (taken.code, taken.out) == (2, "")
    assert "--id mine" in taken.err


def test_run_json_prints_the_events_as_lines(cli: Cli, task: Path) -> None:
    result = cli("run", task, "--json")
    events = [json.loads(line) for line in result.out.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert (events[0]["kind"], events[-1]["kind"]) == ("session_created", "closed")
    assert result.code == 0


def test_a_limit_is_exit_code_3(cli: Cli, tmp_path: Path) -> None:
    task = write_task(tmp_path, [command("true")] * 3 + ANSWER, limits={"steps": 2})
    assert cli("run", task, "--headless").code == 3


def test_a_failed_run_is_exit_code_1(cli: Cli, tmp_path: Path) -> None:
    result = cli("run", write_task(tmp_path, [command("true")]), "--headless")
    assert result.code == 1
    assert "The script has ended" in result.err


def test_ctrl_c_ends_the_session_and_is_exit_code_130(
    cli: Cli, store: Store, tmp_path: Path
) -> None:
    task = write_task(tmp_path, [command(FOREVER, duration=60), *ANSWER])
    arguments = ["run", str(task), "--headless", "--id", "cut"]
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *arguments], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "sleep 600" in line:
            break
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait(30) == 130
    process.stderr.close()
    assert "Traceback" not in rest
    _wait(cli, "cut", "closed")
    assert cli("show", "cut", "--json").json["exit_reason"] == "stopped"


# --- steering ----------------------------------------------------------------------------------


def test_a_reviewed_run_from_the_first_decision_to_the_end(cli: Cli, task: Path) -> None:
    session = _detach(cli, task, "--mode", "review")
    held = _wait(cli, session, "held")
    assert held["step"] == 1
    stale = cli("ctl", session, "approve", "--digest", "0123456789abcdef")
    assert (stale.code, stale.json["ok"]) == (1, False)
    digest = held["held"]["digest"]
    arguments = ["edit", "--keystrokes", "echo two > a.txt", "--digest", digest]
    assert _ctl(cli, session, *arguments)["decision"] == "edit"
    second = _wait(cli, session, "held")
    assert second["seq"] > held["seq"]
    _ctl(cli, session, "approve")
    _wait(cli, session, "step:4")
    assert _wait(cli, session, "held")["step"] == 4
    _ctl(cli, session, "approve")
    _wait(cli, session, "closed")
    shown = cli("show", session, "--json").json
    first = shown["steps"][0]["actions"][0]
    assert (first["arguments"]["keystrokes"], first["decision"]) == ("echo two > a.txt", "edit")
    assert first["original_arguments"]["keystrokes"] == "echo one > a.txt"
    assert first["author"].startswith("human:")
    assert shown["steps"][1]["actions"][0]["output"] == "two\n"
    assert shown["totals"]["edits"] == 1


def test_reject_skip_say_and_shell(cli: Cli, task: Path) -> None:
    session = _detach(cli, task, "--mode", "review")
    _wait(cli, session, "held")
    _ctl(cli, session, "say", "mind the time")
    _ctl(cli, session, "reject", "--note", "not like that")
    _wait(cli, session, "step:2")
    _wait(cli, session, "held")
    assert _ctl(cli, session, "shell", "echo mine", "--duration", "5")["decision"] == "replace"
    _wait(cli, session, "step:4")
    _wait(cli, session, "held")
    _ctl(cli, session, "skip")
    _ctl(cli, session, "stop")
    _wait(cli, session, "closed")
    steps = cli("show", session, "--json").json["steps"]
    rejected, replaced = steps[0]["actions"][0], steps[1]["actions"][0]
    assert rejected["decision"] == "reject"
    assert "not like that" in rejected["observation"]
    assert "mind the time" in rejected["observation"]
    assert replaced["output"] == "mine\n"
    assert replaced["author"].startswith("human:")


def test_freeze_interrupt_modes_steps_and_breakpoints(cli: Cli, tmp_path: Path) -> None:
    turns = [command(FOREVER, duration=60), *[command("true")] * 3, command("echo stop"), *ANSWER]
    session = _detach(cli, write_task(tmp_path, turns))
    _wait(cli, session, "step:1")
    _running(cli, session, "begun")
    assert _ctl(cli, session, "freeze")["status"] == "frozen"
    assert cli("show", session, "--json").json["status"] == "frozen"
    assert _wait(cli, session, "paused")["status"] == "frozen"
    assert _ctl(cli, session, "interrupt")["interrupted"] == "command"
    assert _wait(cli, session, "paused")["status"] == "paused"
    expressions = _ctl(cli, session, "break", "command ~ stop")["breakpoints"]
    assert _ctl(cli, session, "break", "--list")["breakpoints"] == expressions
    _ctl(cli, session, "step", "2")
    assert _wait(cli, session, "paused")["step"] == 3
    _ctl(cli, session, "resume")
    assert _wait(cli, session, "held")["step"] == 5
    assert _ctl(cli, session, "break", "--clear")["breakpoints"] == []
    assert _ctl(cli, session, "mode", "step")["status"] == "held"
    assert _ctl(cli, session, "status")["mode"] == "step"


def test_what_has_not_ended_is_exported_only_on_demand(
    cli: Cli, task: Path, tmp_path: Path
) -> None:
    session = _detach(cli, task, "--mode", "review")
    _wait(cli, session, "held")
    refused = cli("export", session, "--format", "omnicoding", "--out", tmp_path / "run")
    assert (refused.code, "has not ended" in refused.err) == (2, True)
    assert not (tmp_path / "run").exists()
    _ctl(cli, session, "mode", "auto")
    _ctl(cli, session, "approve")
    _wait(cli, session, "closed")
    assert cli("export", session, "--format", "omnicoding", "--out", tmp_path / "run").code == 0


def test_wait_says_why_it_gave_up(cli: Cli, task: Path) -> None:
    session = _detach(cli, task, "--mode", "review")
    _wait(cli, session, "held")
    late = cli("ctl", session, "wait", "--for", "closed", "--timeout", "0.05")
    assert late.code == 1
    assert "it is held" in late.json["error"]
    _ctl(cli, session, "stop")
    _wait(cli, session, "closed")
    never = cli("ctl", session, "wait", "--for", "held")
    assert never.code == 1
    assert "ended (stopped)" in never.json["error"]


def test_ctrl_c_ends_a_wait_and_nothing_else(cli: Cli, store: Store, task: Path) -> None:
    session = _detach(cli, task, "--mode", "review")
    _wait(cli, session, "held")
    process = subprocess.Popen(
        [sys.executable, "-c", WAITER, session], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"waits\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"")
    assert store.session(session).is_live()


# --- afterwards --------------------------------------------------------------------------------


def test_a_session_that_ended_takes_labels_and_amendments(
    cli: Cli, task: Path, tmp_path: Path
) -> None:
    session = _detach(cli, task)
    _wait(cli, session, "closed")
    _ctl(cli, session, "label", "failure", "perception")
    _ctl(cli, session, "label", "--step", 2, "first", "wrong")
    assert cli("ctl", session, "label", " ", "nothing").json["ok"] is False
    _ctl(cli, session, "amend", 2, "--observation", "one, read again")
    _ctl(cli, session, "amend", 2, "--keystrokes", "cat ./a.txt")
    _ctl(cli, session, "amend", 3, "--say", "<answer>seven</answer>")
    assert cli("ctl", session, "amend", 3, "--keystrokes", "ls").code == 1
    assert cli("ctl", session, "approve").json["error"].count("ended") == 1
    shown = cli("show", session, "--json").json
    assert shown["labels"] == {"failure": "perception"}
    step = shown["steps"][1]
    assert step["labels"] == {"first": "wrong"}
    (action,) = step["actions"]
    assert action["observation"] == "one, read again"
    assert action["output"] == "one\n"
    assert action["arguments"]["keystrokes"] == "cat ./a.txt"
    assert action["original_arguments"]["keystrokes"] == "cat a.txt"
    assert shown["steps"][2]["say"] == "<answer>seven</answer>"
    exported = cli("export", session, "--format", "ms-swift", "--out", tmp_path / "rows")
    assert exported.code == 0, exported.err
    row = json.loads((tmp_path / "rows" / "sft_train.jsonl").read_text())
    texts = [message["content"] for message in row["messages"]]
    assert any("one, read again" in text for text in texts)
    assert any("<answer>seven</answer>" in text for text in texts)


def test_rewind_of_a_session_that_ended(cli: Cli, store: Store, task: Path) -> None:
    session = _detach(cli, task)
    _wait(cli, session, "closed")
    preview = _ctl(cli, session, "rewind", 0, "--preview")
    assert [change["path"] for change in preview["changes"]] == ["a.txt"]
    assert _ctl(cli, session, "rewind", 0)["branch"] == 1
    _wait(cli, session, "paused")
    assert not (store.session(session).workspace / "a.txt").exists()
    _ctl(cli, session, "resume")
    _wait(cli, session, "closed")
    shown = cli("show", session, "--json").json
    assert [(one["id"], one["from_step"]) for one in shown["branches"]] == [(0, None), (1, None)]
    assert [step["branch"] for step in shown["steps"]] == [1, 1, 1, 1]
    assert len(cli("show", session, "--json", "--all").json["steps"]) == 8
    assert cli("ctl", session, "rewind", 9).json["ok"] is False


def test_fork_leaves_the_source_as_it_is(
    cli: Cli, store: Store, task: Path, tmp_path: Path
) -> None:
    session = _detach(cli, task)
    _wait(cli, session, "closed")
    before = store.session(session).events.read_bytes()
    answer = _ctl(cli, session, "fork", 1, "--id", "new", "--mode", "review")
    assert (answer["id"], answer["parent"]) == ("new", {"session": session, "step": 1})
    assert _wait(cli, "new", "held")["step"] == 2
    assert (store.session("new").workspace / "a.txt").read_text() == "one\n"
    shown = cli("show", "new", "--json").json
    assert (shown["id"], shown["parent"]) == ("new", {"session": session, "step": 1})
    assert store.session(session).events.read_bytes() == before
    assert cli("ctl", session, "fork", 99).json["ok"] is False
    assert cli("ctl", session, "fork", 1, "--model", "what").json["ok"] is False
    assert set(store.ids()) == {session, "new"}


# --- a dead engine -----------------------------------------------------------------------------


def test_a_killed_engine_is_told_of_and_goes_on(cli: Cli, store: Store, tmp_path: Path) -> None:
    task = write_task(tmp_path, [command(FOREVER, duration=60), *ANSWER])
    session = _detach(cli, task)
    _running(cli, session, "begun")
    _kill_engine(store, session)
    assert cli("show", session, "--json").json["status"] == "lost"
    assert cli("ls", "--json").json[0]["status"] == "lost"
    assert f"{session} · lost" in cli("show", session).out
    attached = cli("attach", session)
    assert attached.code == 2
    assert f"workbench ctl {session} resume" in attached.err
    refused = cli("ctl", session, "pause")
    assert refused.code == 1
    assert f"workbench ctl {session} resume" in refused.json["error"]
    assert _ctl(cli, session, "status")["status"] == "lost"
    assert cli("ctl", session, "wait", "--for", "closed").code == 1
    assert _ctl(cli, session, "resume")["restarted"] is True
    _wait(cli, session, "closed")
    shown = cli("show", session, "--json").json
    assert (shown["status"], shown["answer"]) == ("closed", "7")
    assert shown["steps"][0]["actions"][0]["killed"] is not None
    assert shown["steps"][0]["actions"][0]["duration_s"] > 0, "until its last sign of life"
    assert any("started again" in note["text"] for note in shown["notes"])


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_terminated_engine_closes_its_session(
    cli: Cli, store: Store, tmp_path: Path, signal_number: signal.Signals
) -> None:
    session = _detach(cli, write_task(tmp_path, [command(FOREVER, duration=60), *ANSWER]))
    _running(cli, session, "begun")
    owner = read_owner(store.session(session).lease)
    assert owner is not None
    os.kill(owner.pid, signal_number)
    _wait(cli, session, "closed")
    shown = cli("show", session, "--json").json
    assert (shown["status"], shown["exit_reason"]) == ("closed", "interrupted")


def test_a_session_that_never_began_says_so(cli: Cli, store: Store) -> None:
    session = store.create("empty", "empty")
    session.lease.write_text("{}")
    assert cli("show", "empty", "--json").json["status"] == "lost"
    assert "no launch record" in cli("ctl", "empty", "resume").json["error"]
    assert "not begun" in cli("ctl", "empty", "label", "key", "value").json["error"]
    assert not session.events.exists()
