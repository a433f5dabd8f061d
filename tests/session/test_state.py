"""The fold: pure, idempotent, usable on any prefix, and right about every turn of a session."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui import stories
from tests.tui.make_log import Story
from workbench import events as ev
from workbench.session.log import read_events
from workbench.session.state import SessionState, fold
from workbench.session.store import SessionDir, Store

GOLDEN = {
    "video": stories.video_task,
    "held": stories.held_task,
    "running": stories.running_task,
}


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[ev.AnyEvent]]:
    """The events of the golden sessions."""
    store = Store(tmp_path_factory.mktemp("store"))
    return {name: list(read_events(tell(store).events)) for name, tell in GOLDEN.items()}


@pytest.fixture
def story(tmp_path: Path) -> Story:
    return Story(Store(tmp_path), "s").open()


def state_of(session: SessionDir) -> SessionState:
    return fold(read_events(session.events))


@pytest.mark.parametrize("name", GOLDEN)
def test_folding_twice_gives_the_same(golden: dict[str, list[ev.AnyEvent]], name: str) -> None:
    events = golden[name]
    assert fold(events) == fold(events)
    assert fold([*events, *events]) == fold(events)


@pytest.mark.parametrize("name", GOLDEN)
def test_folding_changes_no_event(golden: dict[str, list[ev.AnyEvent]], name: str) -> None:
    before = [ev.encode(event) for event in golden[name]]
    state = fold(golden[name])
    state.conversation()
    state.totals()
    assert [ev.encode(event) for event in golden[name]] == before


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_prefix_stands_for_itself_and_can_be_gone_on_with(
    golden: dict[str, list[ev.AnyEvent]], data: st.DataObject
) -> None:
    events = golden[data.draw(st.sampled_from(sorted(GOLDEN)))]
    cut = data.draw(st.integers(0, len(events)))
    prefix = fold(events[:cut])
    assert prefix.status
    assert prefix.totals().steps <= len(prefix.steps)
    assert [step.n for step in prefix.path()] == list(range(1, len(prefix.path()) + 1))
    resumed = copy.deepcopy(prefix)
    for event in events[cut:]:
        resumed.apply(event)
    assert resumed == fold(events)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_events_that_come_again_are_ignored(
    golden: dict[str, list[ev.AnyEvent]], data: st.DataObject
) -> None:
    events = golden["video"]
    again = data.draw(st.lists(st.sampled_from(events), max_size=20))
    assert fold([*events, *again]) == fold(events)


def test_an_unknown_kind_moves_only_the_count(golden: dict[str, list[ev.AnyEvent]]) -> None:
    events = golden["held"]
    before, after = fold(events), fold(events)
    after.apply(ev.Unknown(seq=before.seq + 1, t=before.last_t, original_kind="later"))
    assert after.seq == before.seq + 1
    after.seq = before.seq
    assert after == before


def test_a_session_goes_from_start_to_end(story: Story) -> None:
    session = story.session
    assert state_of(session).status == "running"
    story.think("Hm. ")
    assert state_of(session).status == "thinking"
    assert state_of(session).steps[1].think == "Hm. "
    story.propose(analysis="a", plan="p", keystrokes="ls")
    assert state_of(session).steps[1].phase == "proposed"
    story.hold("Mode review: every action waits for you.")
    held = state_of(session)
    assert held.status == "held"
    assert held.held_action is not None
    assert held.held_action.arguments["keystrokes"] == "ls"
    story.decide(arguments={"keystrokes": "ls"}).run("ls", "x\n").observe("x")
    done = state_of(session)
    assert (done.status, done.is_between_steps, done.control.held) == ("running", True, None)
    story.add(ev.Closed(exit_reason="task_complete", answer="a fox"))
    closed = state_of(session)
    assert (closed.status, closed.answer) == ("closed", "a fox")


def test_a_pause_takes_effect_between_steps_and_a_freeze_at_once(story: Story) -> None:
    story.think().propose(analysis="a", plan="p", keystrokes="ls")
    story.add(ev.Paused(scope="after_step", author="human:ann"))
    assert state_of(story.session).status == "running"
    story.add(ev.Paused(scope="freeze", author="human:ann"))
    assert state_of(story.session).status == "frozen"
    story.add(ev.Resumed(author="human:ann", steps=2))
    resumed = state_of(story.session)
    assert (resumed.status, resumed.control.steps_left) == ("running", 2)


def test_an_edit_stands_in_the_conversation_and_keeps_the_original(story: Story) -> None:
    story.think().propose(analysis="a", plan="p", keystrokes="rm x")
    given_arguments = {"analysis": "a", "plan": "p", "keystrokes": "rm x"}
    story.decide(
        "edit",
        "human:ann",
        arguments={**given_arguments, "keystrokes": "ls x"},
        original=given_arguments,
    )
    step = state_of(story.session).steps[1]
    assert step.message is not None
    assert step.proposal is not None
    assert '"ls x"' in step.message["tool_calls"][0]["function"]["arguments"]
    assert '"rm x"' in step.proposal["tool_calls"][0]["function"]["arguments"]
    action = step.actions[0]
    assert action.is_edited
    assert action.author == "human:ann"


def steps_of(story: Story, *commands: str) -> None:
    for command in commands:
        story.think().propose(analysis="a", plan="p", keystrokes=command)
        story.decide(arguments={"keystrokes": command}).run(command, "").observe(command)


def replies(state: SessionState) -> list[str]:
    return [m["content"] for m in state.conversation() if m["role"] == "tool"]


def test_a_rewind_begins_a_branch_and_deletes_nothing(story: Story) -> None:
    steps_of(story, "one", "two")
    story.add(ev.Closed(exit_reason="task_complete", answer="x"))
    story.add(ev.Rewound(step=1, author="human:ann", branch=1))
    state = state_of(story.session)
    assert (state.closed, state.leaf, state.branch) == (None, 1, 1)
    assert replies(state) == ["one"]
    assert [step.id for step in state.path(2)] == [1, 2]
    story.add(ev.Thinking(step=3, n=2, parent=1))
    state = state_of(story.session)
    assert [(step.id, step.branch) for step in state.path()] == [(1, 0), (3, 1)]
    assert [(b.from_step, b.leaf) for b in state.branches] == [(None, 2), (1, 3)]


def test_a_new_engine_makes_an_unanswered_call_again(story: Story) -> None:
    steps_of(story, "one")
    story.think("half a thou")
    story.add(ev.EngineStarted(pid=2, host="here"))
    state = state_of(story.session)
    assert (state.leaf, state.control.thinking) == (1, False)
    assert state.steps[2].phase == "interrupted"
    assert replies(state) == ["one"]


def test_a_reply_that_replaces_stands_for_the_earlier_one(story: Story) -> None:
    steps_of(story, "one")
    story.add(ev.HumanMessage(text="look left", author="human:ann"))
    seq = state_of(story.session).seq
    assert [said.delivered for said in state_of(story.session).said] == [False]
    reply = {"role": "tool", "tool_call_id": "c", "content": "one\n\nlook left"}
    story.add(ev.Observed(step=1, messages=[reply], carries=[seq], replaces=True))
    state = state_of(story.session)
    assert replies(state) == ["one\n\nlook left"]
    assert [said.delivered for said in state.said] == [True]


def test_labels_of_the_session_and_of_a_step_are_kept_apart(story: Story) -> None:
    steps_of(story, "one")
    story.add(ev.Labelled(key="failure", value="perception", author="human:ann"))
    story.add(ev.Labelled(step=1, key="first_wrong", value="yes", author="human:ann"))
    state = state_of(story.session)
    assert state.labels == {"failure": ("perception", "human:ann")}
    assert state.steps[1].labels == {"first_wrong": ("yes", "human:ann")}
    story.add(ev.Labelled(key="failure", value=None, author="human:bob"))
    assert state_of(story.session).labels == {}


def test_what_was_summarised_replaces_the_conversation_before_it(story: Story) -> None:
    steps_of(story, "one")
    story.think()
    story.add(ev.Compacted(step=2, messages=[{"role": "user", "content": "summary"}]))
    story.propose(analysis="a", plan="p", keystrokes="ls")
    contents = [message["content"] for message in state_of(story.session).conversation()]
    assert contents[0] == "summary"
    assert "one" not in contents


def test_totals_add_up_what_every_branch_cost(story: Story) -> None:
    state = state_of(story.session)
    assert state.totals().cost_usd is None
    steps_of(story, "one", "two")
    story.add(ev.Rewound(step=1, author="human:ann", branch=1))
    state = state_of(story.session)
    spent = [step.usage.prompt_tokens for step in state.steps.values()]
    assert state.totals().prompt_tokens == sum(spent)
    assert state.totals().steps == 2
    assert state.totals().wall_s == pytest.approx(state.last_t - state.started_t)
