"""The list of steps: one line for each, and what can be jumped to."""

from __future__ import annotations

import pytest

from tests.tui.make_log import Story
from tests.tui.view.conftest import model_of
from workbench import events as ev
from workbench.session.store import Store
from workbench.text import cell_width
from workbench.tui.view.details import detail_lines, fold_lines
from workbench.tui.view.model import SessionModel
from workbench.tui.view.steprow import step_line
from workbench.tui.view.terminal import TerminalItems


def lines(model: SessionModel, width: int) -> list[str]:
    rows = model.rows
    found = []
    for position in range(len(rows)):
        row = rows.row(model.state, position)
        assert row is not None
        found.append(step_line(row, width, 2).text)
    return found


def test_a_line_says_state_tool_time_tokens_and_what_was_made(finished: SessionModel) -> None:
    shown = [line.split() for line in lines(finished, 36)]
    assert shown[0] == ["1", "✓", "probe", "0.2s", "2.6k"]
    assert shown[2] == ["3", "✓✎frames", "0.9s", "3.4k", "▣6", "+6"]
    assert shown[3] == ["4", "✗", "ocr", "0.5s", "failed"]
    assert shown[4] == ["5", "⊘", "files", "rejected"]


@pytest.mark.parametrize("width", [19, 24, 28, 36, 80, 200])
def test_no_line_is_wider_than_the_pane(finished: SessionModel, width: int) -> None:
    assert all(cell_width(line) <= width for line in lines(finished, width))


def test_there_is_a_title_where_there_is_room(finished: SessionModel) -> None:
    assert "tesseract frames/f_02.png -" in lines(finished, 100)[3]


def test_jumps_go_around_the_end(finished: SessionModel) -> None:
    rows, state = finished.rows, finished.state
    assert rows.jump(state, 0, "error", 1) == 3
    assert rows.jump(state, 3, "error", 1) == 3
    assert rows.jump(state, 0, "edit", 1) == 2
    assert rows.jump(state, 7, "image", 1) == 2
    assert rows.jump(state, 7, "image", -1) == 5
    assert rows.jump(state, 0, "hold", -1) == 4


def test_signs_of_files_tell_what_became_of_them(store: Store) -> None:
    story = Story(store, "s").open().think().propose(keystrokes="rm a b")
    story.file("a", "removed", None).file("b", "removed", None).observe("")
    story.think().propose(keystrokes="mv c d").file("c", "removed", None).file("d").observe("")
    shown = lines(model_of(story.end()), 36)
    assert "−2" in shown[0]
    assert "±2" in shown[1]


def test_only_what_an_event_changed_is_built_anew(store: Store) -> None:
    story = Story(store, "s").open().command("echo a", "a\n").command("echo b", "b\n")
    model = model_of(story.session)
    first = model.rows.row(model.state, 0)
    story.think()
    changes = model.apply([ev.Thinking(step=3, n=3, parent=2, seq=model.state.seq + 1, t=9e9)])
    assert changes.first_row == 2
    assert changes.steps == {3}
    assert model.rows.row(model.state, 0) is first


def test_a_rewind_leaves_the_rows_before_it(store: Store) -> None:
    story = Story(store, "s").open()
    for name in "abc":
        story.command(f"echo {name}", name)
    model = model_of(story.end())
    rewound = ev.Rewound(step=1, author="human:ann", branch=1, seq=model.state.seq + 1, t=9e9)
    changes = model.apply([rewound])
    assert changes.first_row == 1
    assert len(model.rows) == 1
    assert changes.files


def test_prompts_stand_where_the_shell_stood(store: Store) -> None:
    story = Story(store, "s").open()
    story.think().propose(keystrokes="cd /tmp").decide(arguments={"keystrokes": "cd /tmp"})
    story.start("cd /tmp")
    story.add(ev.Finished(step=1, action="a1", exit_code=0, duration_s=0.1, cwd="/tmp"))
    story.observe("")
    story.command("pwd", "/tmp\n")
    session = story.end()
    items = TerminalItems(session)
    model = model_of(session)
    items.take(model, model.replace(model.state, is_partial=False))
    assert [item.cwd for item in items.items] == ["/workspace", "/tmp"]
    local = session.workspace / "out"
    assert items._inside(str(local)) == "/workspace/out"


def test_the_details_have_the_original_beside_the_edit(finished: SessionModel) -> None:
    text = "\n".join(line.text for line in detail_lines(finished.state.steps[3]))
    assert "-t 6 -i inputs/clip.mp4" in text
    assert "Proposed by the model" in text
    assert "-t 4 -i inputs/clip.mp4" in text
    assert "edited by ann: “Look two seconds further.”" in text
    folded = [line.text for line in fold_lines(finished.state.steps[3], 60)]
    assert any("6 pictures, 6 file changes" in line for line in folded)
    assert all(cell_width(line) <= 60 for line in folded)
