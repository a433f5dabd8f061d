"""A person steers a live session over the control socket."""

from __future__ import annotations

import json
from pathlib import Path

from tests.engine.live import ANSWER, command, live, make_session, replies
from workbench.engine.prompts import OPERATOR_HEADING
from workbench.session.state import SessionState


def is_held(state: SessionState) -> bool:
    return state.status == "held"


async def test_what_is_approved_runs(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo one"), *ANSWER], mode="review")
    async with live(session) as run:
        state = await run.until(is_held)
        assert state.held_action is not None
        assert not state.held_action.output_text
        await run.send("approve", digest=state.held_action.digest)
        await run.until(lambda s: is_held(s) and len(s.path()) == 3)
        await run.send("approve")
        state = await run.end()
    assert replies(session)[0] == "one"
    assert state.path()[0].actions[0].decided_by == "human:test"


async def test_an_edit_runs_instead_and_the_original_is_kept(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo one"), *ANSWER], mode="review")
    async with live(session) as run:
        state = await run.until(is_held)
        assert state.held_action is not None
        await run.send("mode", mode="auto")
        await run.send("edit", keystrokes="echo two", digest=state.held_action.digest)
        state = await run.end()
    assert replies(session)[0] == "two"
    message = state.conversation()[2]
    sent = json.loads(message["tool_calls"][0]["function"]["arguments"])
    assert sent["keystrokes"] == "echo two"
    assert [o["keystrokes"] for o in message["_original_arguments"].values()] == ["echo one"]
    assert state.totals().edits == 1


async def test_a_rejection_tells_why_and_nothing_runs(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("touch bad"), *ANSWER], mode="review")
    async with live(session) as run:
        await run.until(is_held)
        refused = await run.client.send("reject")
        assert not refused["ok"]
        await run.send("mode", mode="auto")
        await run.send("reject", note="look at the sound first")
        await run.end()
    assert "look at the sound first" in replies(session)[0]
    assert not (session.workspace / "bad").exists()


async def test_a_stale_or_second_approval_is_refused(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo one"), *ANSWER], mode="review")
    async with live(session) as run:
        await run.until(is_held)
        stale = await run.client.send("approve", digest="0" * 16)
        assert not stale["ok"]
        assert "not what you saw" in stale["error"]
        await run.send("mode", mode="auto")
        await run.send("approve")
        second = await run.client.send("approve")
        assert not second["ok"]
        assert "Nothing is held" in second["error"]
        await run.end()


async def test_a_message_travels_in_what_the_model_reads_next(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo one"), *ANSWER], mode="step")
    async with live(session) as run:
        await run.until(lambda s: s.status == "paused")
        await run.send("say", text="first the sound")
        await run.send("step")
        await run.until(is_held)
        await run.send("approve", note="well chosen")
        await run.until(lambda s: s.status == "paused" and len(s.path()) == 1)
        await run.send("say", text="mind the gap")
        await run.send("mode", mode="auto")
        await run.send("resume")
        state = await run.end()
    assert state.conversation()[2] == {"role": "user", "content": "first the sound"}
    reply = replies(session)[0]
    assert reply == f"one\n\n{OPERATOR_HEADING}\nwell chosen\n\n{OPERATOR_HEADING}\nmind the gap"
    assert all(said.delivered for said in state.said)


async def test_step_mode_stops_after_every_step(tmp_path: Path) -> None:
    session = make_session(
        tmp_path, [command("echo one"), command("echo two"), *ANSWER], mode="step"
    )
    async with live(session) as run:
        state = await run.until(lambda s: s.status == "paused")
        assert not state.path()
        await run.send("step")
        await run.until(is_held)
        await run.send("approve")
        state = await run.until(lambda s: s.status == "paused")
        assert len(state.path()) == 1
        await run.send("mode", mode="auto")
        await run.send("resume")
        await run.end()


async def test_interrupt_kills_the_command_and_pauses(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo begun; sleep 60", duration=60), *ANSWER])
    async with live(session) as run:
        await run.until(lambda s: bool(s.path()) and bool(s.path()[0].actions[0].output_text))
        answer = await run.send("interrupt")
        assert answer["interrupted"] == "command"
        state = await run.until(lambda s: s.status == "paused")
        assert state.path()[0].actions[0].killed == "interrupt"
        await run.send("resume")
        await run.end()
    assert replies(session)[0].startswith("begun\n[!] The operator interrupted")


async def test_a_person_acts_as_the_agent(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo one"), *ANSWER], mode="review")
    async with live(session) as run:
        await run.until(is_held)
        await run.send("mode", mode="auto")
        await run.send("shell", command="echo mine")
        state = await run.end()
    assert replies(session)[0] == "mine"
    assert state.path()[0].actions[0].author == "human:test"


async def test_breakpoints_hold_before_and_after(tmp_path: Path) -> None:
    turns = [command("echo fine"), command("rm -f x"), command("ls /nope"), *ANSWER]
    session = make_session(tmp_path, turns, breakpoints=["command ~ rm -f"])
    async with live(session) as run:
        await run.send("break", expression="exit != 0")
        state = await run.until(is_held)
        assert len(state.path()) == 2
        assert state.held_action is not None
        assert state.held_action.reasons == ["Breakpoint: command ~ rm -f"]
        await run.send("approve")
        state = await run.until(lambda s: s.status == "paused")
        assert len(state.path()) == 3
        bad = await run.client.send("break", expression="nonsense ~ x")
        assert not bad["ok"]
        await run.send("resume")
        await run.end()


async def test_stop_ends_the_session_and_says_so(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("sleep 60", duration=60)])
    async with live(session) as run:
        await run.until(lambda s: bool(s.path()) and s.path()[0].phase == "running")
        await run.send("stop")
        state = await run.end()
    assert state.closed is not None
    assert state.closed.exit_reason == "stopped"
    assert state.path()[0].actions[0].killed is not None


async def test_risky_mode_holds_only_what_is_risky(tmp_path: Path) -> None:
    turns = [command("echo fine"), command("rm -rf out"), *ANSWER]
    session = make_session(tmp_path, turns, mode="risky")
    async with live(session) as run:
        state = await run.until(is_held)
        assert len(state.path()) == 2
        assert state.held_action is not None
        assert state.held_action.risks[0].rule == "delete"
        await run.send("skip")
        await run.end()
    assert "skipped" in replies(session)[1]
