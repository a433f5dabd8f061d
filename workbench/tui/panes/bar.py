"""One line at the foot of a pane to type into: what to find, a line to go to, a filter."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from workbench.text import clean_line


class EntryBar(Horizontal):
    """A label, a line to type into, and a word about the outcome. Hidden until it is opened."""

    DEFAULT_CSS = """
    EntryBar {
        height: 1;
        display: none;
        background: $panel;
        &.-open { display: block; }
        & > #label { width: auto; padding: 0 1; color: $text-accent; text-style: bold; }
        & > #outcome { width: auto; padding: 0 1; color: $foreground-muted; }
        & > Input { width: 1fr; background: $panel; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", id="bar.close"),
        Binding("down", "step(1)", "next", id="bar.next", show=False),
        Binding("up", "step(-1)", "previous", id="bar.previous", show=False),
    ]

    class Edited(Message):
        """The text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Stepped(Message):
        """Up (-1), down or enter (1) was pressed."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class Closed(Message):
        """The bar was left. `text` is what stood in it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self.purpose = ""
        """What the bar is open for."""

    def compose(self) -> ComposeResult:
        """The label, the line and the outcome."""
        yield Static("", id="label", markup=False)
        entry = Input(compact=True, select_on_focus=False)
        entry.cursor_blink = False
        yield entry
        yield Static("", id="outcome", markup=False)

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self.has_class("-open")

    def open(self, purpose: str, label: str, text: str = "", hint: str = "") -> None:
        """Show the bar and let the person type.

        Args:
            purpose: whom it is for; see `purpose`.
            label: stands before the line.
            text: stands in it at first.
            hint: stands in it while it is empty.
        """
        self.purpose = purpose
        self.query_one("#label", Static).update(label)
        self.show_outcome("")
        entry = self.query_one(Input)
        with entry.prevent(Input.Changed):
            entry.value = clean_line(text)
        entry.placeholder = hint
        entry.cursor_position = len(entry.value)
        self.add_class("-open")
        entry.focus()

    def show_outcome(self, words: str) -> None:
        """Say behind the line what came of it."""
        self.query_one("#outcome", Static).update(words)

    @property
    def text(self) -> str:
        """What stands in the line."""
        return self.query_one(Input).value

    def action_close(self) -> None:
        """Hide the bar."""
        if self.is_open:
            self.remove_class("-open")
            self.post_message(self.Closed(self.text))

    def action_step(self, direction: int) -> None:
        """Up or down was pressed."""
        self.post_message(self.Stepped(direction))

    @on(Input.Changed)
    def _edited(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Edited(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Stepped(1))

    def on_click(self, event: events.Click) -> None:
        """A click anywhere on the bar goes to its line."""
        event.stop()
        self.query_one(Input).focus()
