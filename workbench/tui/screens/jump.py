"""The second key of a jump: to which kind of step."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen

from workbench.tui import keymap, keys
from workbench.tui.widgets.keybar import KeyBar

Jump = tuple[str, int]
"""A mark of a step, or `first`, and the direction."""


class JumpScreen(ModalScreen[Jump]):
    """Shows in the footer what the next key jumps to, and takes that key."""

    DEFAULT_CSS = "JumpScreen { background: transparent; }"
    BINDINGS = keymap.bindings(keys.of_target("jump"))

    def compose(self) -> ComposeResult:
        """Only the footer."""
        yield KeyBar(keys.BY_ID)

    def action_go(self, mark: str, direction: int) -> None:
        """Jump."""
        self.dismiss((mark, direction))

    def action_cancel(self) -> None:
        """Stay."""
        self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        """Any other key ends the jump too."""
        if event.key not in {key for key, _binding in self.active_bindings.items()}:
            self.dismiss(None)

    def on_click(self) -> None:
        """So does a click."""
        self.dismiss(None)
