"""The one viewer of lines: output, transcripts, files, of any length, kept and given new lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from workbench.text import cell_width, cut, index_at, wrap
from workbench.tui.panes.document import Position, Section
from workbench.tui.panes.finder import Finder
from workbench.tui.panes.layout import Place
from workbench.tui.panes.marker import Marker
from workbench.tui.panes.paint import PaintSpan, Role, ViewLine
from workbench.tui.panes.painter import Cut, Painter
from workbench.tui.panes.selecting import selected_text, to_offset, word_at
from workbench.tui.panes.window import Window


class LineView(Window, can_focus=True):
    """Shows sections of lines through a window; only what is in the window is read and painted.

    It follows the end of what grows until one scrolls up, wraps or pans long lines, highlights
    what is searched for, and lets text be selected by mouse and keyboard.
    """

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size: 1 1;
        scrollbar-color: $primary-muted;
        scrollbar-background: $background;
        & > .lines--muted { color: $foreground-muted; }
        & > .lines--accent { color: $text-accent; text-style: bold; }
        & > .lines--strong { text-style: bold; }
        & > .lines--good { color: $text-success; }
        & > .lines--warn { color: $text-warning; }
        & > .lines--bad { color: $text-error; }
        & > .lines--odd { color: $text-warning; text-style: italic; }
        & > .lines--gone { color: $foreground-muted; text-style: strike; }
        & > .lines--match { background: $warning 30%; text-style: underline; }
        & > .lines--found { background: $warning; color: auto; text-style: bold; }
        & > .lines--cursor { background: $block-cursor-blurred-background; }
        & > .lines--chosen { background: $primary 15%; }
        & > .lines--selected { background: $screen-selection-background; }
        & > .lines--notice { background: $panel; color: $text-accent; text-style: bold; }
        &:focus > .lines--cursor { background: $block-cursor-background 40%; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"lines--{role}" for role in Role}

    class CopyRequested(Message):
        """Text is to be put on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class LineClicked(Message):
        """A line was clicked, at a character of it."""

        def __init__(self, view: LineView, position: Position) -> None:
            super().__init__()
            self.view = view
            self.position = position

        @property
        def control(self) -> LineView:
            """The view that was clicked."""
            return self.view

    def __init__(self, *, follows: bool = False, wraps: bool = True) -> None:
        """Args:
        follows: keep the end in sight, until one scrolls up.
        wraps: break long lines.
        """
        super().__init__(follows, wraps)
        self.painter = Painter(self)
        self.finder = Finder(self.document, self.reveal, self._on_found, self.call_later)
        self.marker = Marker(self, self.select)
        self.pan = 0
        """Cells by which lines are shifted to the left while they are not wrapped."""
        self.cursor: Position | None = None
        """The line that is marked, for views that have a cursor."""
        self._notice = ViewLine("")
        self._is_painting = False
        self._painted: dict[int, tuple[Cut | None, str]] = {}

    # --- content ------------------------------------------------------------------------------

    def show(self, sections: Sequence[Section], same: int = 0, changed: Iterable[int] = ()) -> None:
        """As `Window.show`."""
        super().show(sections, same, changed)
        self.finder.note_change()

    def show_notice(self, sentence: str, role: Role = Role.MUTED) -> None:
        """What stands in the pane while it has no lines: why there are none."""
        notice = ViewLine(sentence, ((0, len(sentence), role),))
        if notice != self._notice:
            self._notice = notice
            self.repaint_all()

    def _on_found(self) -> None:
        self.repaint_changed()
        self.post_message(self.Changed())

    # --- painting -----------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows of the window."""
        self._is_painting = True
        try:
            return super().render_lines(crop)
        finally:
            self._is_painting = False

    def render_line(self, y: int) -> Strip:
        """One row; with offsets for Textual's text selection where it asks what is under a cell."""
        row, width = round(self.scroll_y) + y, self.scrollable_size.width
        if not self.document.rows:
            return self._notice_strip(y)
        cut, badge = self._row(y)
        self._painted[y] = (cut, badge)
        if cut is None:
            strip = Strip.blank(width, self.rich_style)
        else:
            strip = self.painter.strip(cut, width)
        if not self._is_painting:
            last = self.document.rows - 1
            at = self.position_at(min(row, last)) or Position(0, 0, 0)
            start = cut.start - cut.lead if cut else at.column + width
            return strip.apply_offsets(start, to_offset(at).y)
        return self._with_badge(strip, badge) if badge else strip

    def repaint_changed(self) -> None:
        """Repaint the rows whose content is another than what was painted."""
        stale = [y for y in range(self.size.height) if self._painted.get(y) != self._row(y)]
        for _key, group in groupby(enumerate(stale), lambda pair: pair[1] - pair[0]):
            rows = [y for _index, y in group]
            self.refresh(Region(0, rows[0], self.scrollable_size.width, len(rows)))

    def repaint_all(self) -> None:
        """Repaint every row, in new colours."""
        self.painter.clear()
        self._painted.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """The theme changed."""
        super().notify_style_update()
        self.painter.clear()

    def _row(self, y: int) -> tuple[Cut | None, str]:
        """What stands in a row of the window, and the badge on it."""
        place = self.document.at(round(self.scroll_y) + y)
        badge = self.badge if y == self.size.height - 1 else ""
        return (self._cut(place) if place else None), badge

    def _cut(self, place: Place) -> Cut:
        line = place.rows.line(place.line)
        text = line.text
        if self.wraps:
            starts = place.rows.starts(place.line)
            start = starts[place.part]
            end = starts[place.part + 1] if place.part + 1 < len(starts) else len(text)
            lead = line.indent if place.part else 0
        else:
            start, end, lead = _panned(text, self.pan, self.scrollable_size.width)
        position = Position(place.section, place.block, place.line)
        overlays = (*self.finder.spans(text, position), *self._selected(position, len(text)))
        return Cut(
            line,
            start,
            end,
            lead,
            tuple(span for span in overlays if span[0] < end and span[1] > start),
            self.ground(position),
            not self.wraps and start > 0,
            not self.wraps and end < len(text),
        )

    def ground(self, line: Position) -> Role | None:
        """What a whole line is painted on: the cursor, if it is there."""
        return Role.CURSOR if self.cursor == line else None

    @property
    def badge(self) -> str:
        """What stands over the last row: how much came while one looked elsewhere."""
        count = self.new_rows
        if not count or not self._may_follow:
            return ""
        shown = str(count) if count < 1000 else f"~{round(count, 1 - len(str(count))):,}"
        return f" ↓ {shown} new line{'s' if count != 1 else ''} · End "

    def _with_badge(self, strip: Strip, badge: str) -> Strip:
        badge = cut(badge, self.scrollable_size.width)
        used = cell_width(badge)
        style = self.rich_style + self.painter.role(Role.NOTICE)
        return Strip.join(
            [strip.crop(0, self.scrollable_size.width - used), Strip([Segment(badge, style)], used)]
        )

    def _notice_strip(self, y: int) -> Strip:
        width, height = self.size
        room = max(1, width - 4)
        text = self._notice.text
        starts = wrap(text, room, words=True)
        row = y - max(0, (height - len(starts)) // 3)
        if not text or not 0 <= row < len(starts):
            return Strip.blank(width, self.rich_style)
        end = starts[row + 1] if row + 1 < len(starts) else len(text)
        lead = max(0, (width - cell_width(text[starts[row] : end].rstrip())) // 2)
        return self.painter.strip(Cut(self._notice, starts[row], end, lead), width)

    # --- selecting ----------------------------------------------------------------------------

    def select(self, start: Position, end: Position) -> None:
        """Select the text between two positions, the second left out."""
        selection = Selection(to_offset(start), to_offset(end))
        self.screen.selections = {self: selection}

    def copy(self) -> bool:
        """Ask for the selected text to be copied; return whether there is any."""
        selection = self.text_selection
        text = selected_text(self.document, selection) if selection else ""
        if text:
            self.post_message(self.CopyRequested(text))
        return bool(text)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, for Textual's own copy key."""
        return selected_text(self.document, selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Repaint the rows that became selected, or are so no more."""
        if selection is None:
            self.marker.stop()
        self.repaint_changed()

    def _selected(self, position: Position, length: int) -> list[PaintSpan]:
        selection = self.text_selection
        if selection is None or (span := selection.get_span(to_offset(position).y)) is None:
            return []
        start, end = span
        return [(start, length if end < 0 else end, Role.SELECTED)]

    def on_click(self, event: events.Click) -> None:
        """Double click selects a word, triple click a line."""
        event.prevent_default()
        at = self.position_at(round(self.scroll_y) + event.y)
        if at is None:
            return
        text = self.document.load(at.section, at.block).line(at.line).text
        lead = 0 if self.wraps else self.pan
        column = at.column + index_at(text[at.column :], lead + event.x)
        if event.chain == 2:
            start, end = word_at(text, column)
            self.select(at._replace(column=start), at._replace(column=end))
        elif event.chain == 3:
            self.select(at._replace(column=0), at._replace(column=len(text)))
        else:
            self.post_message(self.LineClicked(self, at._replace(column=column)))

    # --- moving -------------------------------------------------------------------------------

    def move(self, rows: int) -> None:
        """Go up or down, with the mark if there is one."""
        if self.marker.is_on:
            self.marker.move_rows(rows)
        else:
            super().move(rows)

    def pan_by(self, cells: int) -> None:
        """Go sideways: with the mark, or over lines that are wider than the view."""
        if self.marker.is_on:
            self.marker.move_columns(1 if cells > 0 else -1)
        elif not self.wraps:
            shown = (cut.line.text for cut, _badge in self._painted.values() if cut)
            widest = max(map(cell_width, shown), default=0)
            self.pan = max(0, min(self.pan + cells, widest - self.scrollable_size.width // 2))
            self.repaint_changed()


def _panned(text: str, pan: int, width: int) -> tuple[int, int, int]:
    """The stretch of a line that is in sight, and the cells before it.

    Of a wide character that the left edge cuts, a blank cell is left.
    """
    start = index_at(text, pan)
    lead = 0
    if start < len(text) and cell_width(text[:start]) < pan:
        start += index_at(text[start:], 2)
        lead = 1
    return start, start + index_at(text[start : start + 2 * width], width - lead), lead
