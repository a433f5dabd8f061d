"""Pictures, speech, and the seconds that were seen and heard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_text_clean import assert_safe, hostile_text
from workbench import events as ev
from workbench.session.media_state import merge, note_evidence
from workbench.text import cell_width
from workbench.tui.view.frames import frame_items, moment
from workbench.tui.view.media import MediaRow, coverage, media_lines, media_rows
from workbench.tui.view.model import SessionModel
from workbench.tui.view.transcript import (
    Heading,
    Speech,
    entry_at,
    entry_line,
    transcript_entries,
)

ROW = MediaRow("inputs/clip.mp4", "video", 90.0, ((12.0, 18.0),), ())


def texts(rows: list[MediaRow], width: int) -> list[str]:
    return [line.text for line in media_lines(rows, width)]


def test_a_source_never_listened_to_is_seen_at_a_glance() -> None:
    (line,) = texts([ROW], 160)
    assert "seen 00:06 · 7 %" in line
    assert "never heard" in line


@pytest.mark.parametrize("width", [20, 40, 78, 95, 96, 140, 200])
def test_the_strip_fits_every_width(width: int) -> None:
    sound = MediaRow("inputs/a very long name of a sound file.wav", "audio", 3600.0, (), ((0, 9),))
    lines = texts([ROW, sound], width)
    assert all(cell_width(line) <= width for line in lines)
    assert len(lines) == (2 if width >= 96 else 3)
    assert "seen" in " ".join(lines) or width == 20


def test_a_source_of_unknown_length_tells_seconds_only() -> None:
    (line,) = texts([ROW._replace(kind="audio", duration_s=None, heard=((0.0, 5.0),))], 120)
    assert "heard 5.0 s" in line
    assert "%" not in line


def test_sound_cut_from_a_film_counts_for_the_film(finished: SessionModel) -> None:
    state = finished.state
    segment = ev.Segment(start=1.0, end=2.5, text="Hello.")
    cut = ev.Heard(source="a.wav", origin="inputs/clip.mp4", offset_s=60.0, segments=[segment])
    state.steps[3].heard.append(cut)
    (row,) = media_rows(state, 3)
    assert row.now_heard == ((61.0, 62.5),)
    note_evidence(state.media, cut)
    (row,) = media_rows(state, 3)
    assert any(start <= 61.0 and end >= 62.5 for start, end in row.heard)


def test_no_medium_says_so() -> None:
    assert texts([], 80) == ["No video or sound in this session yet."]


def test_the_chosen_steps_seconds_stand_out(finished: SessionModel) -> None:
    (row,) = media_rows(finished.state, 3)
    assert row.now_seen == ((12.0, 18.0),)
    assert row.now_heard == ()
    (of_all,) = media_rows(finished.state, None)
    assert of_all.now_seen == ()
    assert of_all.seen == row.seen == ((12.0, 18.0),)


@given(
    st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)).map(sorted).map(tuple), max_size=6),
    st.integers(1, 60),
)
def test_coverage_counts_every_second_once(spans: list[tuple[float, float]], cells: int) -> None:
    merged = merge(spans)
    shares = coverage(merged, 100.0, cells)
    assert len(shares) == cells
    assert all(0 <= share <= 1 for share in shares)
    total = sum(end - start for start, end in merged)
    assert sum(shares) * 100 / cells == pytest.approx(total, abs=1e-6)


def test_pictures_say_where_they_come_from(finished: SessionModel) -> None:
    items = frame_items(finished.state)
    assert [item.n for item in items] == [3] * 6 + [6]
    assert items[0].caption == "clip 00:12"
    assert "from inputs/clip.mp4 at 00:12" in items[0].facts
    assert "read in step 6" in items[-1].facts


def test_moments_keep_their_tenths() -> None:
    assert [moment(12.0), moment(15.54), moment(59.97)] == ["00:12", "00:15.5", "01:00"]


def test_the_transcript_stands_under_who_heard_it(finished: SessionModel) -> None:
    entries = transcript_entries(finished.state)
    assert isinstance(entries[0], Heading)
    assert [type(entry) for entry in entries[1:]] == [Speech] * 4
    heading = entry_line(entries[0], is_chosen=False).text
    assert heading == "clip.mp4 · en · tiny.en · step 2"
    assert entry_line(entries[2], is_chosen=True).text == "00:11 Are you ready?"
    assert entry_at(entries, "inputs/clip.mp4", 12.0) == 2
    assert entry_at(entries, "inputs/other.mp4", 12.0) is None


@given(hostile_text)
def test_names_and_speech_are_clean(text: str) -> None:
    rows = [ROW._replace(path=text)]
    for line in media_lines(rows, 120):
        assert_safe(line.text)
    assert_safe(entry_line(Speech(1, text, 0, 1, text), is_chosen=False).text)
    assert_safe(entry_line(Heading(1, 1, text, ""), is_chosen=False).text)
    model = SessionModel()
    model.state.apply(ev.Thinking(step=1, n=1, parent=None, seq=1, t=1.0))
    frame = ev.Frame(
        step=1, path=text, blob="0" * 64, width=1, height=1, mime="", source=text, time_s=1.0
    )
    model.state.apply(frame)
    (item,) = frame_items(model.state)
    assert_safe(item.caption)
    assert_safe(item.facts)
