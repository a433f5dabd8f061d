"""Where panes stand at every size, and the lines between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.text import cell_width
from workbench.tui.board.frame import Frame, Title
from workbench.tui.board.plan import TABS, Plan, Wishes, make_plan, shape_of
from workbench.tui.panes.tiles import Grid

TITLES = {pane: Title(pane.upper(), "1", "some words") for pane in (*TABS, "gate")}


def shown(plan: Plan) -> set[str]:
    return {slot.shown for slot in plan.slots}


def test_wide_shows_everything_at_once() -> None:
    assert shown(make_plan(200, 48, Wishes())) == {*TABS, "gate"}


def test_medium_shares_one_place_between_transcript_and_files() -> None:
    plan = make_plan(120, 33, Wishes())
    assert shown(plan) == {"steps", "terminal", "frames", "transcript", "media", "gate"}
    plan = make_plan(120, 33, Wishes(side_tab="files"))
    assert "files" in shown(plan)


def test_narrow_has_tabs_and_always_the_gate() -> None:
    for tab in TABS:
        plan = make_plan(80, 22, Wishes(tab=tab))
        assert shown(plan) == {tab, "gate"}
        assert plan.slots[0].panes == TABS


def test_a_gate_that_waits_gets_half_of_the_board_at_most() -> None:
    waiting = Wishes(gate_rows=40, gate_waits=True)
    gate = make_plan(200, 48, waiting).box_of("gate")
    calm = make_plan(200, 48, Wishes(gate_rows=40)).box_of("gate")
    assert gate is not None
    assert calm is not None
    assert (gate.height, calm.height) == (24, 5)


def test_a_zoomed_pane_leaves_only_the_gate_beside_it() -> None:
    plan = make_plan(200, 48, Wishes(zoomed="frames"))
    assert shown(plan) == {"frames", "gate"}
    box = plan.box_of("frames")
    assert box is not None
    assert box.width == 200


sizes = st.dictionaries(
    st.sampled_from(["steps", "side", "files", "top", "media", "gate"]), st.integers(-300, 300)
)


@given(
    st.integers(2, 260),
    st.integers(2, 80),
    st.builds(
        Wishes,
        hidden=st.frozensets(st.sampled_from(TABS)),
        sizes=sizes,
        gate_rows=st.integers(0, 99),
        gate_waits=st.booleans(),
        media_rows=st.integers(0, 20),
        zoomed=st.none() | st.sampled_from([*TABS, "gate"]),
    ),
)
def test_no_wish_makes_panes_overlap_or_leave_the_board(
    width: int, height: int, wishes: Wishes
) -> None:
    plan = make_plan(width, height, wishes)
    taken: set[tuple[int, int]] = set()
    for slot in plan.slots:
        box = slot.box
        assert box.x >= 0
        assert box.y >= 1
        assert box.x + box.width <= width
        assert box.y + box.height <= height
        cells = {
            (x, y)
            for x in range(box.x, box.x + box.width)
            for y in range(box.y - 1, box.y + box.height)
        }
        assert not taken & cells
        taken |= cells
    frame = Frame(plan, TITLES, "steps", "gate")
    for y in range(height):
        for piece in frame.row(y):
            assert piece.x + cell_width(piece.text) <= width + 1


def test_titles_stand_in_the_lines() -> None:
    frame = Frame(make_plan(80, 22, Wishes()), TITLES, "terminal", "gate")
    row = frame.row(0)
    assert [piece.pane for piece in row if piece.pane][: len(TABS)] == list(TABS)
    assert {piece.kind for piece in row} >= {"line", "name", "focused"}


@pytest.mark.parametrize(("width", "shape"), [(139, "medium"), (140, "wide"), (99, "narrow")])
def test_shapes_change_at_their_widths(width: int, shape: str) -> None:
    assert shape_of(width) == shape


class Pixels:
    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height


@given(st.integers(0, 40), st.integers(1, 200), st.integers(1, 60), st.integers(0, 80))
def test_every_tile_is_found_where_it_stands(
    count: int, width: int, height: int, wanted: int
) -> None:
    items = [Pixels(16, 9)] * count
    grid = Grid.of(items, width, height, wanted)
    assert grid.columns * (grid.width + 1) - 1 <= max(width, grid.width)
    for index in range(count):
        x = index % grid.columns * (grid.width + 1)
        assert grid.index_at(x, grid.top_of(index)) == index
    assert grid.index_at(0, grid.rows) is None


def test_pictures_that_are_tall_get_taller_tiles() -> None:
    flat = Grid.of([Pixels(1600, 900)], 47, 20)
    tall = Grid.of([Pixels(900, 1600)], 47, 40)
    assert tall.height > flat.height
