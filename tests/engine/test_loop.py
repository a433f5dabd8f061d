"""The agent loop against a real shell: replies, reminders, the finish gate, limits."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.engine.live import ANSWER, command, make_session, picture, replies, run_to_end
from workbench.engine.prompts import CONTINUE_REMINDER, MARKER, MISSING_ANSWER_REMINDER
from workbench.events import Limits


async def test_a_task_runs_to_its_answer(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("echo hello; printf end"), *ANSWER])
    state = await run_to_end(session)
    assert state.closed is not None
    assert (state.closed.exit_reason, state.answer) == ("task_complete", "7")
    assert replies(session)[0] == "hello\nend"
    roles = [message["role"] for message in state.conversation()]
    assert roles == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
        "tool",
    ]
    assert MARKER in state.conversation()[5]["content"]


async def test_shell_state_persists_between_steps(tmp_path: Path) -> None:
    turns = [command("mkdir d; cd d; X=5; f() { echo f$X; }"), command("f; basename $PWD"), *ANSWER]
    session = make_session(tmp_path, turns)
    await run_to_end(session)
    assert replies(session)[1] == "f5\nd"


async def test_silent_commands_are_answered_with_executed(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("true"), *ANSWER])
    await run_to_end(session)
    assert replies(session)[0] == "executed"


async def test_several_calls_are_answered_once_each_in_order(tmp_path: Path) -> None:
    calls = [
        {"call": "execute_commands", "arguments": command(f"echo {n}")["arguments"]} for n in (1, 2)
    ]
    session = make_session(tmp_path, [{"calls": calls}, *ANSWER])
    state = await run_to_end(session)
    # each output ends with its own newline, and outputs are joined with one more (K10, K27)
    assert replies(session)[:2] == ["1\n\n2", "executed"]
    calls_made = state.conversation()[2]["tool_calls"]
    answered = [m["tool_call_id"] for m in state.conversation()[3:5]]
    assert answered == [call["id"] for call in calls_made]


async def test_a_picture_is_shown_after_its_reply(tmp_path: Path) -> None:
    draw = "python3 -c \"from PIL import Image; Image.new('RGB',(5,4)).save('a.png')\""
    make = command(draw)
    session = make_session(tmp_path, [make, picture("a.png"), *ANSWER])
    Image.new("RGB", (5, 4)).save(session.workspace / "a.png")
    state = await run_to_end(session)
    assert replies(session)[1].startswith("Loaded 'a.png' (image/png, ")
    shown = state.conversation()[6]
    assert shown["role"] == "user"
    assert shown["content"][0]["text"] == "image_read: 'a.png'"
    assert shown["content"][1]["image_url"]["url"].startswith("blob:")
    frame = state.path()[1].frames[0]
    assert (frame.width, frame.height, frame.origin) == (5, 4, "read")


async def test_pictures_that_cannot_be_shown(tmp_path: Path) -> None:
    turns = [picture("none.png"), picture("x.bmp"), picture("/etc/passwd.png"), picture("lie.png")]
    session = make_session(tmp_path, [*turns, picture("d.png"), *ANSWER])
    (session.workspace / "lie.png").write_text("<html>")
    (session.workspace / "d.png").mkdir()
    await run_to_end(session)
    found = replies(session)
    assert found[0].startswith("ERROR: image not found: ")
    assert found[1].startswith("ERROR: unsupported image extension '.bmp'")
    assert found[2].startswith("ERROR: image not found: ")
    assert found[3].startswith("ERROR: not a readable picture: ")
    assert found[4].startswith("ERROR: not a regular file: ")


async def test_a_symbolic_link_out_of_the_workspace_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "secret.png"
    Image.new("RGB", (2, 2)).save(outside)
    session = make_session(tmp_path, [picture("link.png"), *ANSWER])
    (session.workspace / "link.png").symlink_to(outside)
    await run_to_end(session)
    assert replies(session)[0].startswith("ERROR: image not found: ")


async def test_an_early_end_is_reminded_once_inside_the_reply(tmp_path: Path) -> None:
    end = {"call": "task_complete", "arguments": {}}
    session = make_session(tmp_path, [end, end])
    state = await run_to_end(session)
    assert state.closed is not None
    assert state.closed.exit_reason == "task_complete"
    assert replies(session)[0].endswith(MISSING_ANSWER_REMINDER)
    assert MISSING_ANSWER_REMINDER not in replies(session)[1]
    assert [m["role"] for m in state.conversation()][-3:] == ["tool", "assistant", "tool"]


async def test_turns_without_calls_use_up_the_reminders(tmp_path: Path) -> None:
    session = make_session(tmp_path, [{"say": f"hm {n}"} for n in range(9)])
    state = await run_to_end(session)
    assert state.closed is not None
    assert state.closed.exit_reason == "no_tool_calls"
    reminders = [m for m in state.conversation() if m["content"] == CONTINUE_REMINDER]
    assert len(reminders) == 4


async def test_the_step_limit_ends_the_session(tmp_path: Path) -> None:
    session = make_session(tmp_path, [command("true")] * 5, limits=Limits(steps=3))
    state = await run_to_end(session)
    assert state.closed is not None
    assert state.closed.exit_reason == "step_limit"
    assert len(state.path()) == 3


async def test_a_script_that_ends_early_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    state = await run_to_end(make_session(tmp_path, [command("true")]))
    assert state.closed is not None
    assert state.closed.exit_reason == "error"
    assert "1 turn" in (state.closed.error or "")


async def test_a_cut_off_reply_is_asked_for_again_shorter(tmp_path: Path) -> None:
    cut = {"say": "very lo", "finish_reason": "length"}
    state = await run_to_end(make_session(tmp_path, [cut, *ANSWER]))
    first, reminder = state.conversation()[2:4]
    assert first["_synthetic_truncated"] is True
    assert MARKER in reminder["content"]
    assert state.answer == "7"


async def test_a_conversation_that_is_too_long_is_summarised(tmp_path: Path) -> None:
    turns = [command("echo found-it"), {"error": "overflow"}, {"say": "summary"}, *ANSWER]
    session = make_session(tmp_path, turns)
    state = await run_to_end(session)
    assert state.closed is not None
    compacted = [step for step in state.path() if step.compacted is not None]
    assert len(compacted) == 1
    opening = compacted[0].compacted or []
    assert [message["role"] for message in opening] == ["system", "user"]


async def test_long_output_is_capped_for_the_model_and_kept_whole(tmp_path: Path) -> None:
    loud = "head -c 70001 /dev/zero | tr '\\0' x"
    session = make_session(tmp_path, [command(loud), *ANSWER])
    state = await run_to_end(session)
    reply = replies(session)[0]
    assert "\n... [40001 bytes elided; output capped at 30000 bytes] ...\n" in reply
    assert len(reply) == 30060
    action = state.path()[0].actions[0]
    assert action.output_bytes == 70001
    assert action.output_blob is not None
    assert session.blobs.get(action.output_blob) == b"x" * 70001


async def test_changed_files_and_pictures_become_events_of_their_step(tmp_path: Path) -> None:
    red = tmp_path / "red.png"
    Image.new("RGB", (8, 6), "red").save(red)
    session = make_session(tmp_path, [command(f"cp {red} made.png; echo hi > note.txt"), *ANSWER])
    state = await run_to_end(session)
    step = state.path()[0]
    changed = {path: op for path, op, _size in step.files}
    assert changed["made.png"] == "added"
    assert changed["note.txt"] == "added"
    assert [(frame.path, frame.width) for frame in step.frames] == [("made.png", 8)]
    assert session.blobs.get(step.frames[0].blob) == red.read_bytes()
