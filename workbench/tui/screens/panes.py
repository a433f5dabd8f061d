"""The panes with their keys: what each says it can do, bound as the key table has it."""

from __future__ import annotations

from textual.message import Message

from workbench.tui import keymap, keys
from workbench.tui.keys import Key
from workbench.tui.panes.files import FilesPane
from workbench.tui.panes.frames import FramesPane
from workbench.tui.panes.linepane import LinePane
from workbench.tui.panes.terminal import TerminalPane
from workbench.tui.panes.transcript import TranscriptPane

TERMINAL_KEYS = [*keys.of_pane("terminal", TerminalPane.PANE_ACTIONS), *keys.of_target("lines")]
FILES_KEYS = [
    *keys.of_pane("files", FilesPane.PANE_ACTIONS),
    *keys.of_target("files"),
    *keys.of_target("lines"),
]

TRANSCRIPT_KEYS = [
    *keys.of_pane("transcript", TranscriptPane.PANE_ACTIONS),
    *keys.of_target("lines"),
]

TABLE: dict[str, Key] = {
    **keys.BY_ID,
    **{key.id: key for key in (*TRANSCRIPT_KEYS, *TERMINAL_KEYS, *FILES_KEYS)},
}
"""Every key of the session screen and its panes, by id."""


def may_find(pane: LinePane, action: str) -> bool:
    """The keys for matches belong to the session as long as nothing is searched for."""
    return not action.startswith("find_") or bool(pane.view.finder.text)


class Terminal(TerminalPane):
    """The terminal pane, with keys."""

    BINDINGS = keymap.bindings(TERMINAL_KEYS)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what there is something for."""
        del parameters
        return may_find(self, action)


class Transcript(TranscriptPane):
    """The transcript pane, with keys."""

    BINDINGS = keymap.bindings(TRANSCRIPT_KEYS)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what there is something for."""
        del parameters
        return may_find(self, action)


class Frames(FramesPane):
    """The frames pane, with keys."""

    BINDINGS = keymap.bindings(keys.of_target("frames"))


class Files(FilesPane):
    """The files pane, with keys."""

    BINDINGS = keymap.bindings(FILES_KEYS)

    class SinceToggled(Message):
        """Marks shall count from elsewhere."""

    def action_toggle_since(self) -> None:
        """Mark what changed since the start, or in the step that is looked at."""
        self.post_message(self.SinceToggled())
