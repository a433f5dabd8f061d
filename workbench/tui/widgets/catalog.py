"""The catalogue: the list of sessions with its filter, its marks and a look at one of them."""

from __future__ import annotations

import time

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from workbench.session.library import Summary
from workbench.tui import keymap, keys
from workbench.tui.library_feed import News
from workbench.tui.panes.listview import ListView
from workbench.tui.panes.paint import ViewLine
from workbench.tui.view.library import Shelf, empty_lines, heading_line, preview, summary_line
from workbench.tui.widgets.lines import Lines


class Sessions(ListView):
    """The list. Enter and space are the library's."""

    BINDINGS = keymap.bindings([key for key in keys.of_target("list") if key.run != "choose"])


class Catalog(Vertical):
    """Shows a `Shelf`."""

    DEFAULT_CSS = """
    Catalog {
        & #top { height: 1; background: $panel; padding: 0 1; }
        & #headline { width: 1fr; text-style: bold; }
        & #filter { width: 40%; max-width: 60; background: $panel; }
        & #heading { height: 1; padding: 0 0 0 0; }
        & Sessions { height: 1fr; }
        & #preview {
            height: auto; max-height: 7; padding: 0 1;
            border-top: solid $foreground 25%;
            border-title-color: $text-accent;
        }
        & #empty { height: 1fr; padding: 2 4; display: none; }
        &.-flat #preview { display: none; }
    }
    """

    class Changed(Message):
        """Another session is under the cursor, or there is something else to do with it."""

    class Opened(Message):
        """A session was clicked twice."""

    def __init__(self, store_name: str) -> None:
        """Args:
        store_name: where the sessions stand, for a store that has none.
        """
        super().__init__(id="catalog")
        self.marked: set[str] = set()
        self.shelf = Shelf()
        self.filter = Input(placeholder="/ filters as you type", id="filter", compact=True)
        self.filter.cursor_blink = False
        self._store_name = store_name
        self._is_complete = False
        self._clicked: int | None = None
        self._list = Sessions(self._line)

    def compose(self) -> ComposeResult:
        """Headline and filter, the list, and what is under the cursor."""
        with Horizontal(id="top"):
            yield Static("workbench", id="headline", markup=False)
            yield self.filter
        yield Lines(id="heading")
        yield self._list
        yield Lines(id="empty")
        yield Lines(id="preview")

    def on_mount(self) -> None:
        """Nothing is known yet."""
        self._list.show_notice("Reading the store…")
        self.query_one("#empty", Lines).show(empty_lines(self._store_name))

    def on_resize(self, event: events.Resize) -> None:
        """The columns follow the width."""
        self.query_one("#heading", Lines).show([heading_line(event.size.width - 1)])
        self.set_class(event.size.height < 20, "-flat")

    # --- content ------------------------------------------------------------------------------

    def take(self, news: News) -> None:
        """Sessions came, changed or went."""
        current = self.current
        self.shelf.take(news.changed, news.gone)
        self.marked -= set(news.gone)
        self._is_complete |= news.is_complete
        self.show_rows(current)

    @property
    def current(self) -> Summary | None:
        """The session under the cursor."""
        index = self._list.index
        return self.shelf.shown[index] if index is not None and self.shelf.shown else None

    @property
    def meant(self) -> list[str]:
        """Ids of the marked sessions, else of the one under the cursor."""
        marked = [one.id for one in self.shelf.shown if one.id in self.marked]
        return marked or ([self.current.id] if self.current else [])

    def show_rows(self, current: Summary | None = None) -> None:
        """Show the shelf as it is now; the cursor stays on its session."""
        count = len(self.shelf.shown)
        at = self.shelf.position(current.id) if current else None
        at = self._list.index if at is None else at
        self._list.show_entries(count, min(at or 0, count - 1) if count else None)
        self.query_one("#headline", Static).update(f"workbench · {self.shelf.headline()}")
        is_empty = self._is_complete and not len(self.shelf)
        self.query_one("#empty").display = is_empty
        self.query_one("#heading").display = not is_empty
        self._list.display = not is_empty
        if self._is_complete:
            self._list.show_notice("No session has these words; esc clears the filter.")
        self._look()

    def _line(self, index: int, width: int) -> ViewLine:
        one = self.shelf.shown[index]
        return summary_line(one, width, time.time(), is_marked=one.id in self.marked)

    @on(ListView.Highlighted)
    def _look(self) -> None:
        """Show more of the session under the cursor."""
        pane = self.query_one("#preview", Lines)
        shown = preview(self.current) if self.current else None
        pane.display = shown is not None
        if shown is not None:
            pane.border_title = shown.title
            pane.show(shown.lines)
        self.post_message(self.Changed())

    @on(ListView.Chosen)
    def _clicked_on(self, message: ListView.Chosen) -> None:
        message.stop()
        if self._clicked == message.index:
            self.post_message(self.Opened())
        self._clicked = message.index

    def focus_list(self) -> None:
        """Give the keys to the list."""
        self._list.focus()

    def toggle_mark(self) -> None:
        """Mark the session under the cursor, or not any more, and go on to the next."""
        if (one := self.current) is not None:
            self.marked ^= {one.id}
            self.show_rows(one)
            self._list.move(1)

    # --- the filter ---------------------------------------------------------------------------

    @on(Input.Changed, "#filter")
    def _filtered(self, message: Input.Changed) -> None:
        message.stop()
        current = self.current
        self.shelf.filter(message.value)
        self.show_rows(current)

    @on(Input.Submitted, "#filter")
    def _filter_done(self, message: Input.Submitted) -> None:
        message.stop()
        self.focus_list()

    def on_key(self, event: events.Key) -> None:
        """Down leaves the filter for the list."""
        if self.filter.has_focus and event.key == "down":
            event.stop()
            self.focus_list()

    @property
    def is_narrowed(self) -> bool:
        """Whether there is a filter or a mark to clear."""
        return bool(self.filter.value or self.filter.has_focus or self.marked)

    def clear(self) -> None:
        """Clear the filter, else the marks."""
        if self.filter.value:
            self.filter.value = ""
        else:
            self.marked.clear()
            self.show_rows(self.current)
        self.focus_list()
