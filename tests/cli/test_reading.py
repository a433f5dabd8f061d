"""`ls`, `show`, `rm` and `gc` on logs that no engine writes any more."""

from __future__ import annotations

import os
import time

from tests.cli.conftest import Cli
from tests.trajectory.sessions import Scribe, plain_session
from tests.tui.make_log import Story
from workbench import events as ev
from workbench.commands.gc import GRACE_S
from workbench.session.lease import Lease
from workbench.session.store import Store

HOSTILE = "\x1b]52;c;aGFjaw==\x07\x1b[2J\u202egnp"
"""Writes the clipboard, wipes the screen, turns the text round."""


def _age_blobs(store: Store) -> None:
    """As if nothing had been stored for longer than the grace."""
    old = time.time() - 2 * GRACE_S
    for path in store.blobs.folder.glob("*/*"):
        os.utime(path, (old, old))


def test_ls_of_an_empty_store(cli: Cli) -> None:
    assert cli("ls", "--json").json == []
    result = cli("ls")
    assert result.code == 0
    assert result.out == ""
    assert "no sessions" in result.err


def test_ls_lists_the_sessions(cli: Cli, store: Store) -> None:
    done = plain_session(store)
    story = Story(store, "lost").open()
    story.command("ls", "a")
    story.end()
    store.session("lost").lease.write_text("{}")
    by_id = {one["id"]: one for one in cli("ls", "--json").json}
    assert by_id[done.id]["status"] == "closed"
    assert by_id[done.id]["answer"] == "fox"
    assert by_id["lost"]["status"] == "lost"
    lines = cli("ls").out.splitlines()
    assert lines[0].split()[:3] == ["SESSION", "STATUS", "STEPS"]
    assert {line.split()[0] for line in lines[1:]} == {done.id, "lost"}


def test_show_json_has_what_scripts_rely_on(cli: Cli, store: Store) -> None:
    session = plain_session(store)
    shown = cli("show", session.id, "--json").json
    assert shown["id"] == session.id
    assert (shown["task_id"], shown["status"]) == ("which-animal", "closed")
    assert (shown["answer"], shown["exit_reason"], shown["error"]) == ("fox", "task_complete", None)
    assert {"kind", "image", "network"} <= shown["sandbox"].keys()
    assert shown["totals"].keys() == {
        "steps", "actions", "prompt_tokens", "completion_tokens", "cached_tokens",
        "reasoning_tokens", "cost_usd", "wall_s", "human_actions", "edits",
    }  # fmt: skip
    assert [step["n"] for step in shown["steps"]] == [1, 2, 3, 4]
    assert shown["branches"][0].keys() >= {"id", "from_step", "leaf"}
    (action,) = shown["steps"][1]["actions"]
    assert action.keys() >= {
        "id", "digest", "tool", "arguments", "original_arguments", "author", "decision", "note",
        "exit_code", "duration_s", "cpu_s", "peak_memory_bytes", "timed_out", "output",
        "observation",
    }  # fmt: skip
    assert action["observation"] == "frames"


def test_show_one_step(cli: Cli, store: Store) -> None:
    session = plain_session(store)
    assert cli("show", session.id, "--step", 2, "--json").json["n"] == 2
    assert "is told: frames" in cli("show", session.id, "--step", 2).out
    result = cli("show", session.id, "--step", 9)
    assert result.code == 2
    assert "4 steps" in result.err


def test_show_takes_the_start_of_an_id(cli: Cli, store: Store) -> None:
    session = plain_session(store)
    assert cli("show", session.id[:-2]).out == cli("show", session.id).out


def test_show_only_the_current_path_unless_asked(cli: Cli, store: Store) -> None:
    scribe = Scribe(store)
    scribe.command("ls", "one")
    scribe.command("ls", "left behind")
    scribe.rewind(1, 1)
    scribe.command("ls", "new")
    ident = scribe.session.id
    path = cli("show", ident, "--json").json
    assert [step["actions"][0]["observation"] for step in path["steps"]] == ["one", "new"]
    assert [(one["id"], one["from_step"], one["leaf"]) for one in path["branches"]] == [
        (0, None, 2),
        (1, 1, 2),
    ]
    assert len(cli("show", ident, "--json", "--all").json["steps"]) == 3
    assert "branch 1, after step 1" in cli("show", ident, "--all").out


def test_nothing_of_an_agent_reaches_the_terminal_as_an_escape(cli: Cli, store: Store) -> None:
    story = Story(store, "hostile").open(model=f"openai:{HOSTILE}")
    story.command(f"echo {HOSTILE}", HOSTILE, reasoning=HOSTILE)
    story.add(ev.Labelled(key=HOSTILE, value=HOSTILE, author="human:x"))
    story.close(answer=HOSTILE, error=HOSTILE)
    for arguments in (["ls"], ["show", "hostile"], ["show", "hostile", "--step", "1"],
                      ["show", "hostile", "--json"], ["ls", "--json"]):  # fmt: skip
        out = cli(*arguments).out
        assert out
        assert not set(out) & {"\x1b", "\x07", "\u202e"}, arguments


def test_rm_and_gc_free_what_nobody_needs(cli: Cli, store: Store) -> None:
    first, second = plain_session(store), plain_session(store)
    shared = set(store.blobs.folder.glob("*/*"))
    own = store.blobs.put(b"only the first one's")
    scribe_log = ev.encode(ev.Noted(level="info", text=own, seq=99)) + b"\n"
    with first.events.open("ab") as log:
        log.write(scribe_log)
    _age_blobs(store)
    assert cli("gc", "--json").json["blobs"] == 0
    assert cli("rm", first.id).out == f"{first.id}\n"
    assert [one["id"] for one in cli("ls", "--json").json] == [second.id]
    would = cli("gc", "--dry-run", "--json").json
    assert (would["sessions"], own in store.blobs) == (1, True)
    freed = cli("gc", "--json").json
    assert (freed["sessions"], freed["blobs"]) == (1, 1)
    assert own not in store.blobs
    assert set(store.blobs.folder.glob("*/*")) == shared


def test_gc_leaves_what_was_stored_a_moment_ago(cli: Cli, store: Store) -> None:
    fresh = store.blobs.put(b"about to be named in a log")
    assert cli("gc", "--json").json["blobs"] == 0
    assert fresh in store.blobs


def test_rm_refuses_a_live_session_and_then_removes_none(cli: Cli, store: Store) -> None:
    idle, live = plain_session(store), Story(store, "live").open().end()
    lease = Lease.acquire(live.lease)
    try:
        result = cli("rm", idle.id, "live")
    finally:
        lease.release()
    assert result.code == 2
    assert "live is running" in result.err
    assert set(store.ids()) == {idle.id, "live"}


def test_screens_say_what_to_do_without_a_terminal(cli: Cli, store: Store) -> None:
    session = plain_session(store)
    result = cli("open", session.id)
    assert result.code == 2
    assert f"workbench show {session.id}" in result.err
    assert f"workbench open {session.id}" in cli("attach", session.id).err
