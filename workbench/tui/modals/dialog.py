"""The base of all dialogs: a titled box over the screen, one line for what went wrong, its keys."""

from __future__ import annotations

from typing import TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from workbench.text import clean, clean_line
from workbench.tui import keymap, keys
from workbench.tui.widgets.keybar import KeyBar

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A box with a title. Subclasses say what is in it (`body`)."""

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 60%;
        & > #box {
            width: 90%;
            max-width: 110;
            height: auto;
            max-height: 90%;
            padding: 0 1;
            background: $surface;
            border: round $primary;
            border-title-color: $text-accent;
            border-title-style: bold;
        }
        & #problem { height: auto; color: $text-error; text-style: bold; display: none; }
        & #problem.-shown { display: block; }
        & .hint { height: auto; color: $foreground-muted; }
        & TextArea, & TextArea:focus { border: none; padding: 0; background: $background; }
        & KeyBar { background: $surface; }
    }
    """
    BINDINGS = keymap.bindings(keys.of_target("modal"))

    def __init__(self, title: str, about: str | None = None) -> None:
        """Args:
        title: what it is for.
        about: id of the held action that it decides, so that it can say when that is too late.
        """
        super().__init__()
        self.about = about
        self._title = clean_line(title)

    def compose(self) -> ComposeResult:
        """The box, with the body and what went wrong in it, and the keys."""
        with Vertical(id="box") as box:
            box.border_title = self._title
            yield from self.body()
            yield Static("", id="problem", markup=False)
            yield KeyBar(keys.BY_ID)

    def body(self) -> ComposeResult:
        """What is in the box."""
        yield Widget()

    def complain(self, sentence: str) -> None:
        """Say what went wrong; what was typed stays."""
        problem = self.query_one("#problem", Static)
        problem.update(clean(sentence))
        problem.set_class(bool(sentence), "-shown")

    def action_cancel(self) -> None:
        """Close without doing anything."""
        self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what this dialog can do."""
        del parameters
        return action not in ("external", "revert", "submit") or hasattr(self, f"action_{action}")
