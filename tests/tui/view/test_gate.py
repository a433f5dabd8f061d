"""The gate, the header, and what a person can do as a session stands."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_text_clean import HOSTILE, assert_safe
from tests.tui.make_log import Story
from tests.tui.view.conftest import model_of
from workbench import events as ev
from workbench.session.store import Store
from workbench.text import cell_width
from workbench.tui.view.details import detail_lines, fold_lines
from workbench.tui.view.gate import GateView, gate_view
from workbench.tui.view.header import header_view
from workbench.tui.view.library import Shelf, heading_line, preview, summary_line
from workbench.tui.view.model import SessionModel
from workbench.tui.view.steering import awaited, can
from workbench.tui.widgets.header import header_line

NOW = 1_760_000_100.0


def text_of(view: GateView) -> str:
    return "\n".join(line.text for line in view.lines)


def test_the_gate_shows_the_exact_command_and_why_it_holds(held: SessionModel) -> None:
    view = gate_view(held, NOW)
    assert view.waits
    assert view.title == "HELD · step 4 · execute_commands"
    shown = text_of(view)
    assert "▲ medium · It writes outside the workspace and /tmp." in shown
    assert "$ mkdir -p frames" in shown
    assert "frames/f_014.png > /var/log/ff.log 2>&1" in shown
    assert "analysis  The speaker says “ready” at 11 s" in shown
    assert "plan      Extract the frame at 14 s" in shown
    action = held.state.held_action
    assert action is not None
    assert (view.action, view.digest) == (action.id, action.digest)


def test_a_held_session_without_an_engine_is_lost(held: SessionModel) -> None:
    held.is_live = False
    view = gate_view(held, NOW)
    assert view.word.word == "LOST"
    assert "The engine died in step 4 (held)" in text_of(view)
    assert awaited(held, observe=False) == ("restart",)
    assert can("restart", held, observe=False)
    assert not can("approve", held, observe=False)


def test_an_observer_can_do_nothing(held: SessionModel) -> None:
    verbs = ("approve", "edit", "tell", "pause", "stop", "restart")
    assert not any(can(verb, held, observe=True) for verb in verbs)
    assert awaited(held, observe=True) == ()


def test_what_can_be_done_follows_the_state(held: SessionModel, running: SessionModel) -> None:
    assert awaited(held, observe=False) == ("approve", "edit", "reject", "skip")
    assert not can("approve", running, observe=False)
    assert can("pause", running, observe=False)
    assert not can("resume", running, observe=False)
    running.apply([ev.Paused(scope="freeze", author="a", seq=running.state.seq + 1, t=NOW)])
    assert can("thaw", running, observe=False)
    assert not can("freeze", running, observe=False)
    assert gate_view(running, NOW).word.word == "FROZEN"


def test_a_running_command_says_for_how_long(running: SessionModel) -> None:
    started = running.state.steps[4].actions[0].started_t
    assert started is not None
    shown = text_of(gate_view(running, started + 65))
    assert "Running for 1:05 min of at most 10 s · 21 B of output." in shown


def test_a_finished_session_tells_answer_and_truth(finished: SessionModel) -> None:
    shown = text_of(gate_view(finished, NOW))
    assert "answer    a red fox" in shown
    assert "expected  a red fox | fox" in shown


WARNING = "No sandbox: commands run on this machine, as you and without limits."


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_warning_of_the_local_sandbox_stays(store: Store, width: int) -> None:
    sandbox = ev.SandboxInfo(kind="local", network="full", warning=WARNING)
    model = model_of(Story(store, "s").open(sandbox=sandbox).end(), is_live=True)
    line = header_line(header_view(model, NOW), width).text
    assert "▲ No sandbox" in line
    assert cell_width(line) <= width
    assert "RUNNING" in line


def test_the_header_tells_step_tokens_cost_and_time(finished: SessionModel) -> None:
    line = header_line(header_view(finished, NOW, observe=True), 200).text
    for part in ("which-animal", "observing", "claude-sonnet", "docker net:none", "mode auto"):
        assert part in line
    assert "✓ DONE  step 8/40  31.8k tok  $0.10" in line


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=3), max_size=12).map("".join))
def test_nothing_that_a_model_writes_reaches_the_terminal(
    tmp_path_factory: pytest.TempPathFactory, evil: str
) -> None:
    evil = evil.encode("utf-8", "replace").decode()
    store = Store(tmp_path_factory.mktemp("evil"))
    story = Story(store, "s").open(model=evil, task={"id": evil, "question": evil})
    story.think(evil).propose(evil or "x", say=evil, reasoning=evil, **{evil or "a": evil})
    story.hold(evil, risks=[ev.Risk(level="high", rule=evil, reason=evil)])
    story.add(ev.HumanMessage(text=evil, author=f"human:{evil}"))
    story.add(ev.Noted(level="warning", text=evil, step=1))
    model = model_of(story.end(), is_live=True)
    for line in gate_view(model, NOW).lines:
        assert_safe(line.text)
    assert_safe(header_line(header_view(model, NOW), 150).text)
    step = model.state.steps[1]
    for line in [*detail_lines(step), *fold_lines(step, 50)]:
        assert_safe(line.text)


def test_the_library_puts_live_sessions_first_and_filters() -> None:
    from workbench.session.library import Summary

    old = Summary(id="a", task_id="t", status="closed", exit_reason="task_complete", last_t=5.0)
    new = Summary(id="b", task_id="t", status="closed", exit_reason="error", error="x", last_t=9.0)
    live = Summary(id="c", task_id="t", status="held", is_live=True, last_t=1.0)
    shelf = Shelf()
    shelf.take([old, new, live])
    assert [one.id for one in shelf.shown] == ["c", "b", "a"]
    assert shelf.headline() == "3 sessions · 1 live · 1 waits for you"
    shelf.filter("failed")
    assert [one.id for one in shelf.shown] == ["b"]
    shelf.filter("")
    shelf.take([], ["b"])
    assert [one.id for one in shelf.shown] == ["c", "a"]


@pytest.mark.parametrize("width", [60, 78, 120, 200])
def test_lines_of_the_library_fit(width: int) -> None:
    from workbench.session.library import Summary

    evil = "\x1b[31m[bold]" + "長" * 200
    one = Summary(
        id="x", task_id=evil, question=evil, model=evil, status="closed", answer=evil, last_t=1.0
    )
    line = summary_line(one, width, NOW, is_marked=True).text
    assert_safe(line)
    assert cell_width(line) <= width
    assert cell_width(heading_line(width).text) <= width
    for shown in preview(one).lines:
        assert_safe(shown.text)
