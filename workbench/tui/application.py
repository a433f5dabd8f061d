"""The Textual application: themes, keys, copying, notices, and leaving the terminal whole."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.app import App
from textual.command import Provider
from textual.screen import Screen

from workbench.errors import UsageError
from workbench.resources import shipped
from workbench.text import clean
from workbench.tui import clipboard, keymap, keys
from workbench.tui.faults import note_fault
from workbench.tui.gc_tamer import YOUNG_EVERY_S, GcTamer
from workbench.tui.panes.lines import LineView
from workbench.tui.settings import Memory, Settings, config_folder, read_settings, state_folder
from workbench.tui.themes import DEFAULT_DARK, ThemeError, ThemeShelf

THEME_EVERY_S = 2.0
"""How often it is looked whether the theme's file was changed."""


def _action_provider() -> type[Provider]:
    """What the palette offers; loaded when it is opened."""
    from workbench.tui.palette import ActionProvider

    return ActionProvider


class WorkbenchApp(App[None]):
    """Shows one screen to begin with; leaving the last one leaves the app."""

    CSS_PATH = "application.tcss"
    TITLE = "workbench"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_action_provider}
    BINDINGS = keymap.bindings(keys.of_target("app"))

    def __init__(self, first: Callable[[WorkbenchApp], Screen[Any]]) -> None:
        """Args:
        first: makes the first screen, once the app runs.
        """
        super().__init__()
        self._first = first
        self._tamer = GcTamer()
        self.memory = Memory(state_folder())
        self._shelf = ThemeShelf([shipped("themes"), config_folder() / "themes"])
        self._complaints: list[str] = []
        self.fault: str | None = None
        """After a fault of our own: a sentence that says so."""
        self._settings = self._read_settings(config_folder())

    def _read_settings(self, folder: Path) -> Settings:
        try:
            settings = read_settings(folder)
            if settings.keys or not settings.vim:
                from workbench.tui.screens.panes import TABLE

                wanted = keymap.keymap(TABLE.values(), settings.keys, vim=settings.vim)
                self.set_keymap(wanted)
        except UsageError as error:
            self._complaints.append(str(error))
            return Settings()
        return settings

    def on_mount(self) -> None:
        """Colours first, so that nothing is painted twice."""
        wanted = self._settings.theme or self.memory.text("theme") or DEFAULT_DARK
        if not self.use_theme(wanted):
            self.use_theme(DEFAULT_DARK)
        self._watch_signals()
        self.push_screen(self._first(self))
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        """The first paint is done: what only matters now."""
        self._tamer.start()
        self.set_interval(YOUNG_EVERY_S, self._tamer.tick)
        self.set_interval(THEME_EVERY_S, self._reload_theme)
        for sentence in self._complaints:
            self.tell(sentence, is_fault=True)

    @property
    def tamer(self) -> GcTamer:
        """Who keeps the garbage collector quiet."""
        return self._tamer

    # --- telling ------------------------------------------------------------------------------

    def tell(self, sentence: str, *, is_fault: bool = False) -> None:
        """A notice for the person. Whatever it quotes can do nothing to the terminal."""
        if is_fault:
            self.notify(clean(sentence), severity="error", timeout=8, markup=False)
        else:
            self.notify(clean(sentence), timeout=4, markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy, and say what became of it."""
        self._clipboard = text
        went, sentence = clipboard.copy(text, self._write)
        self.tell(sentence, is_fault=not went)

    def _write(self, sequence: str) -> None:
        if self._driver is not None:
            self._driver.write(sequence)

    def on_line_view_copy_requested(self, event: LineView.CopyRequested) -> None:
        """A pane has something to copy."""
        self.copy_to_clipboard(event.text)

    def on_key(self, _event: events.Key) -> None:
        """A person is at work: no long collection now."""
        self._tamer.note_key()

    # --- themes -------------------------------------------------------------------------------

    def use_theme(self, name: str) -> bool:
        """Paint with a theme; False, with a notice, where it cannot be used."""
        try:
            found = self._shelf.read(name)
        except ThemeError as error:
            self._complaints.append(str(error))
            if self.is_running and self.screen_stack:
                self.tell(str(error), is_fault=True)
            return False
        self.register_theme(found.theme)
        if self.theme == name:
            self.refresh_css(animate=False)
        self.theme = name
        return True

    def _reload_theme(self) -> None:
        if self._shelf.is_stale(self.theme):
            self.use_theme(self.theme)

    def action_choose_theme(self) -> None:
        """Choose the colours; the cursor shows what each is like."""
        from workbench.tui.modals.themes import theme_dialog

        before = self.theme

        def chosen(name: str | None) -> None:
            if name is None:
                self.use_theme(before)
            elif self.use_theme(name):
                self.memory.keep("theme", name)

        self.push_screen(theme_dialog(self._shelf, before, self.use_theme), chosen)

    # --- actions ------------------------------------------------------------------------------

    def action_help(self) -> None:
        """What the keys do here."""
        from workbench.tui.modals.help import HelpDialog
        from workbench.tui.screens.panes import TABLE

        if not isinstance(self.screen, HelpDialog):
            self.push_screen(HelpDialog(self.screen, TABLE))

    def action_help_quit(self) -> None:
        """Ctrl+c ends nothing by accident."""
        self.tell("Nothing is selected to copy. q leaves this screen, ctrl+q leaves Workbench.")

    def get_system_commands(self, screen: Screen[Any]) -> Any:
        """None: the palette shows our own table."""
        del screen
        return ()

    def _fatal_error(self) -> None:
        """A fault of our own: the terminal is left whole, and what happened goes to a file.

        Textual would print the traceback, with every local variable, on the person's terminal.
        """
        self.fault = note_fault(self._exception, state_folder())
        self._close_messages_no_wait()

    def _watch_signals(self) -> None:
        """A terminal that goes away, or a request to end, ends the app in order."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.exit)
