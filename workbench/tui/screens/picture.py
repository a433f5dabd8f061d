"""A picture of the frames pane, as large as the screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.session.blobs import Blobs
from workbench.tui import keymap, keys
from workbench.tui.view.frames import FrameItem
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.picture import PictureView


class PictureScreen(ModalScreen[int]):
    """Shows one picture and what is known of it; `[` and `]` go to those beside it."""

    DEFAULT_CSS = """
    PictureScreen {
        background: $background;
        & #title { height: 1; background: $panel; padding: 0 1; text-style: bold; }
        & #facts { height: auto; padding: 0 1; color: $foreground-muted; }
    }
    """
    BINDINGS = keymap.bindings(keys.of_target("picture"))

    def __init__(self, items: Sequence[FrameItem], index: int, blobs: Blobs) -> None:
        """Args:
        items: all pictures.
        index: the one to begin with.
        blobs: where their bytes stand.
        """
        super().__init__()
        self._items = items
        self._index = index
        self._blobs = blobs

    def compose(self) -> ComposeResult:
        """The caption, the picture, what is known of it, and the keys."""
        yield Static("", id="title", markup=False)
        yield PictureView(id="picture")
        yield Static("", id="facts", markup=False)
        yield KeyBar(keys.BY_ID)

    def on_mount(self) -> None:
        """Show the first."""
        self._show()

    def _show(self) -> None:
        item = self._items[self._index]
        title = f"{item.caption} · picture {self._index + 1} of {len(self._items)}"
        self.query_one("#title", Static).update(title)
        self.query_one("#facts", Static).update(item.facts)
        self.query_one(PictureView).show(partial(self._blobs.get, item.blob))

    def action_previous(self) -> None:
        """The picture before."""
        self._go(-1)

    def action_next(self) -> None:
        """The picture after."""
        self._go(1)

    def _go(self, by: int) -> None:
        if 0 <= self._index + by < len(self._items):
            self._index += by
            self._show()

    def action_close(self) -> None:
        """Back, with the picture that was looked at last."""
        self.dismiss(self._index)
