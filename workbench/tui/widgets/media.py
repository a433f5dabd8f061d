"""The media strip: time lines of what was seen and heard."""

from __future__ import annotations

from textual.message import Message

from workbench.tui import keymap, keys
from workbench.tui.view.media import MediaRow, media_lines
from workbench.tui.widgets.lines import Lines


class MediaPane(Lines, can_focus=True):
    """Shows `MediaRow`s as wide as there is room."""

    DEFAULT_CSS = "MediaPane { padding: 0 1; }"
    BINDINGS = keymap.bindings(keys.of_target("media"))

    class Resized(Message):
        """It needs another number of rows."""

    def __init__(self) -> None:
        super().__init__(id="media")
        self._media: tuple[MediaRow, ...] = ()

    def show_media(self, rows: tuple[MediaRow, ...]) -> None:
        """Show these."""
        self._media = rows
        self._lay_out()

    def _lay_out(self) -> None:
        if width := self.size.width:
            self._lines = media_lines(self._media, width)
        rows = self.rows
        super()._lay_out()
        if self.rows != rows:
            self.post_message(self.Resized())
