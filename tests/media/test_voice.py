"""Clips for a batch, segments kept to the speech, and stretches of sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.media.conftest import ffmpeg
from workbench.media import sound
from workbench.media.files import MediaError
from workbench.media.speech import Segment, Word
from workbench.media.voice import Span, clips, trimmed


@pytest.mark.parametrize(
    ("spans", "joined"),
    [
        ([], []),
        ([(1.0, 2.0)], [(0.6, 2.4)]),
        ([(0.1, 2.0)], [(0.05, 2.4)]),
        ([(1.0, 2.0), (3.0, 4.0)], [(0.6, 4.4)]),
        ([(1.0, 2.0), (9.0, 10.0)], [(0.6, 2.4), (8.6, 10.4)]),
        ([(1.0, 20.0), (20.2, 40.0)], [(0.6, 20.1), (20.1, 40.4)]),
        ([(90.0, 100.0)], [(89.6, 100.0)]),
    ],
)
def test_clips(spans: list[Span], joined: list[Span]) -> None:
    found = clips(spans, 100.0)
    assert [pytest.approx(clip) for clip in found] == joined
    assert all(end - start <= 30 for start, end in found)


def test_a_segment_loses_the_silence_at_its_ends() -> None:
    words = (Word(1.5, 2.2, " Are"), Word(2.2, 4.9, " you?"))
    segment = trimmed(Segment(1.5, 5.0, " Are you?", words), [(2.0, 3.0), (3.5, 4.0), (8.0, 9.0)])
    assert (segment.start, segment.end) == (2.0, 4.0)
    assert [(w.start, w.end) for w in segment.words] == [(2.0, 2.2), (2.2, 4.0)]
    unheard = Segment(5.0, 6.0, " hm")
    assert trimmed(unheard, [(0.0, 1.0)]) == unheard


def test_stretches_are_cut_where_it_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "tone.wav"
    quiet = "volume=0:enable='between(t,8.4,8.8)+between(t,17,17.4)'"
    ffmpeg("-f", "lavfi", "-i", "sine=440:d=30", "-af", quiet, path)
    found = list(sound.stretches(path, 10, 12))
    assert [s.offset_s for s in found][:3] == pytest.approx([0, 8.6, 17.2], abs=0.15)
    assert sum(s.length_s for s in found) == pytest.approx(30)
    assert all(found[i].offset_s + found[i].length_s == found[i + 1].offset_s for i in (0, 1))
    assert max(float(np.abs(s.samples).max()) for s in found) <= 1


def test_sound_that_begins_late_keeps_its_place(tmp_path: Path) -> None:
    late = tmp_path / "late.mkv"
    ffmpeg(
        *("-f", "lavfi", "-i", "color=red:s=32x32:r=5:d=6"),
        *("-itsoffset", "3", "-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "flac", late),
    )
    (stretch,) = sound.stretches(late, 30, 30)
    loud = np.flatnonzero(np.abs(stretch.samples) > 0.05) / sound.RATE
    assert (loud[0], loud[-1]) == pytest.approx((3, 5), abs=0.05)
    assert sound.stated_length_s(late) == pytest.approx(6, abs=0.1)


def test_endless_sound_is_refused(clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sound, "MAX_S", 3.0)
    with pytest.raises(MediaError, match="hours of sound"):
        list(sound.stretches(clips / "tone.wav", 30, 30))
