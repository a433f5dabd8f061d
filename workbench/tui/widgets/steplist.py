"""The list of steps: one line each, of which any may be folded open."""

from __future__ import annotations

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from workbench.tui import keymap, keys
from workbench.tui.panes.heights import Heights
from workbench.tui.panes.paint import Role, ViewLine
from workbench.tui.view.details import fold_lines
from workbench.tui.view.model import Changes, SessionModel
from workbench.tui.view.steprow import step_line, unloaded_line
from workbench.tui.widgets.painted import PaintedScroll


class StepList(PaintedScroll, can_focus=True):
    """Shows the path of a `SessionModel`, and follows its end until a step is chosen."""

    BINDINGS = keymap.bindings(keys.of_target("steps"))

    class Chosen(Message):
        """The cursor was moved to a step; `step` is None once it follows the end again."""

        def __init__(self, step: int | None) -> None:
            super().__init__()
            self.step = step

    class Opened(Message):
        """Everything about a step is wanted."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, model: SessionModel) -> None:
        super().__init__(id="steps")
        self._model = model
        self._heights = Heights()
        self._open: dict[int, list[ViewLine]] = {}
        """Lines below the steps that are folded open, by step id."""
        self.cursor = 0
        self.follows = True

    # --- content ------------------------------------------------------------------------------

    def take(self, changes: Changes) -> None:
        """The model changed."""
        if changes.is_new or changes.first_row is not None:
            self._reshape(0 if changes.is_new else changes.first_row or 0)
        for step in changes.steps:
            self._repaint_step(step)

    def _reshape(self, first: int) -> None:
        """Positions from `first` on are others than before."""
        rows = self._model.rows
        self._heights.truncate(first)
        for position in range(len(self._heights), len(rows)):
            self._heights.append(self._height(position))
        self.virtual_size = Size(self.scrollable_size.width, self._heights.total)
        if self.follows or self.cursor >= len(rows):
            self._set_cursor(max(0, len(rows) - 1))
        self.refresh()

    def _height(self, position: int) -> int:
        step = self._model.rows.id_at(position)
        return 1 + len(self._open.get(step, ())) if step is not None else 1

    def _repaint_step(self, step: int) -> None:
        position = self._model.rows.position(step)
        if position is None:
            return
        if step in self._open:
            self._open[step] = fold_lines(self._model.state.steps[step], self.scrollable_size.width)
            if self._heights[position] != self._height(position):
                self._heights.set(position, self._height(position))
                self.virtual_size = Size(self.scrollable_size.width, self._heights.total)
                self.refresh()
        self._repaint_rows(position)

    def _repaint_rows(self, position: int) -> None:
        if position < len(self._heights):
            top = self._heights.before(position) - round(self.scroll_y)
            height = self._heights[position]
            if top + height > 0 and top < self.size.height:
                self.refresh(Region(0, max(0, top), self.scrollable_size.width, height))

    # --- the cursor ---------------------------------------------------------------------------

    @property
    def step(self) -> int | None:
        """The step under the cursor."""
        return self._model.rows.id_at(self.cursor)

    def go_to(self, position: int) -> None:
        """Choose a step by its position; everything else is told."""
        if not len(self._model.rows):
            return
        self.follows = False
        self._set_cursor(max(0, min(position, len(self._model.rows) - 1)))
        self.post_message(self.Chosen(self.step))

    def go_to_step(self, step: int) -> None:
        """Choose a step by its id, if it is on the path."""
        position = self._model.rows.position(step)
        if position is not None:
            self.go_to(position)

    def go_live(self) -> None:
        """Follow the newest step."""
        self.follows = True
        self._set_cursor(max(0, len(self._model.rows) - 1))
        self.post_message(self.Chosen(None))

    def _set_cursor(self, position: int) -> None:
        old, self.cursor = self.cursor, position
        if position >= len(self._heights):
            return
        top = self._heights.before(position)
        bottom = top + min(self._heights[position], max(1, self.size.height))
        if top < self.scroll_y:
            self.scroll_to(y=top)
        elif bottom > round(self.scroll_y) + self.size.height:
            self.scroll_to(y=bottom - self.size.height)
        for one in {old, position}:
            self._repaint_rows(one)

    # --- actions ------------------------------------------------------------------------------

    def action_cursor_up(self) -> None:
        """The step before."""
        self.go_to(self.cursor - 1)

    def action_cursor_down(self) -> None:
        """The step after."""
        self.go_to(self.cursor + 1)

    def action_page_up(self) -> None:
        """A page of steps up."""
        self.go_to(self.cursor - self.page)

    def action_page_down(self) -> None:
        """A page of steps down."""
        self.go_to(self.cursor + self.page)

    def action_first(self) -> None:
        """The first step."""
        self.go_to(0)

    def action_last(self) -> None:
        """The last step, and follow."""
        self.go_live()

    def action_open(self) -> None:
        """Everything about the step."""
        if self.step is not None:
            self.post_message(self.Opened(self.step))

    def action_unfold(self) -> None:
        """Fold the step open."""
        if (step := self.step) is not None and step not in self._open:
            self._open[step] = fold_lines(self._model.state.steps[step], self.scrollable_size.width)
            self._reheight()

    def action_fold(self) -> None:
        """Fold the step shut."""
        if (step := self.step) is not None and self._open.pop(step, None) is not None:
            self._reheight()

    def _reheight(self) -> None:
        self._heights.set(self.cursor, self._height(self.cursor))
        self.virtual_size = Size(self.scrollable_size.width, self._heights.total)
        self._set_cursor(self.cursor)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; a second click opens it."""
        row = round(self.scroll_y) + event.get_content_offset_capture(self).y
        if 0 <= row < self._heights.total:
            self.go_to(self._heights.locate(row)[0])
            if event.chain == 2:
                self.action_open()

    def on_resize(self) -> None:
        """Lay out what is folded open for the new width, and keep the cursor in sight."""
        for step in self._open:
            self._open[step] = fold_lines(self._model.state.steps[step], self.scrollable_size.width)
        self._reshape(0)
        self._set_cursor(self.cursor)

    # --- painting -----------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """One row."""
        row = round(self.scroll_y) + y
        if row >= self._heights.total:
            return self._empty_line(y)
        position, part = self._heights.locate(row)
        ground = Role.CURSOR if position == self.cursor else None
        if part:
            step = self._model.rows.id_at(position)
            return self.painted(self._open[step or 0][part - 1], ground)
        return self.painted(self._line(position), ground)

    def _line(self, position: int) -> ViewLine:
        rows = self._model.rows
        digits = max(2, len(str(len(rows))))
        row = rows.row(self._model.state, position)
        if row is None:
            return unloaded_line(position + 1, digits)
        return step_line(row, self.scrollable_size.width, digits)

    def _empty_line(self, y: int) -> Strip:
        if y or len(self._model.rows):
            return self.blank()
        is_new = self._model.state.created is None
        text = " Reading the session…" if is_new else " No step yet."
        return self.painted(ViewLine(text, ((0, len(text), Role.MUTED),)))
