"""The media strip: which seconds of each source were seen and heard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workbench.session.media_state import MediaState, Span, heard_of, merge
from workbench.session.state import SessionState
from workbench.session.steps import StepState
from workbench.text import cell_width, clean_line, fit, pad
from workbench.tui.panes import words
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

_LEVELS = "▁▂▃▄▅▆▇█"
_NONE = "·"
_NAME = 24
_WORDS = 20
_LEAST_BAR = 10
_BOTH_FROM = 96
"""Cells from which what was seen and what was heard stand side by side."""


class MediaRow(NamedTuple):
    """A source, and the seconds of it that were looked at and listened to."""

    path: str
    kind: str
    duration_s: float | None
    seen: tuple[Span, ...]
    heard: tuple[Span, ...]
    now_seen: tuple[Span, ...] = ()
    now_heard: tuple[Span, ...] = ()
    """Those of the step that is looked at."""


def media_rows(state: SessionState, chosen: int | None) -> tuple[MediaRow, ...]:
    """A row for each video and sound; `chosen` is the id of the step that is looked at."""
    step = state.steps.get(chosen) if chosen is not None else None
    return tuple(_row(one, step) for one in state.media.values() if one.kind in ("video", "audio"))


def _row(medium: MediaState, step: StepState | None) -> MediaRow:
    seen, heard = _spans_of(step, medium.path) if step is not None else ((), ())
    return MediaRow(
        medium.path,
        medium.kind,
        medium.duration_s,
        tuple(medium.seen),
        tuple(medium.heard),
        seen,
        heard,
    )


def _spans_of(step: StepState, path: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """What a step saw and heard of a source."""
    looked = [one for one in step.looked if one.source == path and one.by == "agent"]
    seen = [span for one in looked if one.sense == "seen" for span in one.spans]
    heard = [span for one in looked if one.sense == "heard" for span in one.spans]
    for one in step.heard:
        source, spans = heard_of(one)
        if source == path and one.by == "agent":
            heard += spans
    return tuple(merge(seen)), tuple(merge(heard))


def media_lines(rows: Sequence[MediaRow], width: int) -> tuple[ViewLine, ...]:
    """The strip in `width` cells: a line for each source, or two where there is little room."""
    if not rows:
        return (_sentence("No video or sound in this session yet."),)
    name = min(_NAME, max(cell_width(_name(row)) for row in rows), max(8, width // 4))
    lines: list[ViewLine] = []
    for row in rows:
        if row.kind == "video" and width < _BOTH_FROM:
            room = width - name - 2
            lines.append(_line(_name(row), name, _seen(row, room)))
            lines.append(_line("", name, _heard(row, room)))
        else:
            lines.append(_wide_line(row, name, width))
    return tuple(lines)


def _name(row: MediaRow) -> str:
    return clean_line(row.path.rsplit("/", 1)[-1])


def _sentence(text: str) -> ViewLine:
    return LineBuilder().add(text, Role.MUTED).line(words=True)


def _wide_line(row: MediaRow, name: int, width: int) -> ViewLine:
    room = width - name - 2
    if row.kind != "video":
        return _line(_name(row), name, _heard(row, room))
    left = round(room * 0.58)
    both = _seen(row, left).add("  ").extend(_heard(row, room - left - 2))
    return _line(_name(row), name, both)


def _line(text: str, width: int, rest: LineBuilder) -> ViewLine:
    return LineBuilder().add(pad(fit(text, width), width)).add("  ").extend(rest).line()


def _seen(row: MediaRow, room: int) -> LineBuilder:
    said = _said("seen", row.seen, row.duration_s)
    return _bar(row.seen, row.now_seen, row.duration_s, room, said, Role.ACCENT)


def _heard(row: MediaRow, room: int) -> LineBuilder:
    said = _said("heard", row.heard, row.duration_s)
    return _bar(row.heard, row.now_heard, row.duration_s, room, said, Role.GOOD)


def _said(verb: str, spans: Iterable[Span], duration_s: float | None) -> tuple[str, Role | None]:
    """How much of a source it is, in words; nothing at all is a warning."""
    total = sum(end - start for start, end in spans)
    if not total:
        return f"never {verb}", Role.WARN
    if not duration_s:
        return f"{verb} {words.duration(total)}", None
    share = words.percent(min(1.0, total / duration_s))
    return f"{verb} {words.clock(total)} · {share}", None


def _bar(
    spans: Sequence[Span],
    now: Sequence[Span],
    duration_s: float | None,
    room: int,
    said: tuple[str, Role | None],
    role: Role,
) -> LineBuilder:
    """A time line in cells, then what it says in words, `room` cells in all."""
    builder = LineBuilder()
    end = words.clock(duration_s) if duration_s else ""
    cells = room - _WORDS - cell_width(end) - 4
    if duration_s and cells >= _LEAST_BAR:
        builder.add("▕", Role.MUTED)
        for glyph, paint in _glyphs(spans, now, duration_s, cells, role):
            builder.add(glyph, paint)
        builder.add(f"▏{end} ", Role.MUTED)
    left = max(0, room - cell_width(builder.text))
    return builder.add(pad(fit(said[0], left), left), said[1])


def _glyphs(
    spans: Sequence[Span], now: Sequence[Span], duration_s: float, cells: int, role: Role
) -> list[tuple[str, Role]]:
    """Runs of cells: as high as the share of their seconds, those of `now` in another colour."""
    share = coverage(spans, duration_s, cells)
    lit = coverage(now, duration_s, cells)
    runs: list[tuple[str, Role]] = []
    for whole, mine in zip(share, lit, strict=True):
        glyph = _LEVELS[min(7, int(whole * 8))] if whole > 0 else _NONE
        paint = Role.WARN if mine > 0 else role if whole > 0 else Role.MUTED
        if runs and runs[-1][1] is paint:
            runs[-1] = (runs[-1][0] + glyph, paint)
        else:
            runs.append((glyph, paint))
    return runs


def coverage(spans: Sequence[Span], duration_s: float, cells: int) -> list[float]:
    """Share of the seconds of each cell that `spans` (merged, in order) cover, 0 to 1."""
    shares = [0.0] * cells
    size = duration_s / cells
    for start, end in spans:
        low, high = max(0.0, start), min(end, duration_s)
        for cell in range(max(0, int(low / size)), min(cells, int(high / size) + 1)):
            inside = min(high, (cell + 1) * size) - max(low, cell * size)
            shares[cell] += max(0.0, inside) / size
    return [min(1.0, share) for share in shares]
