"""Picking a file: by typing its path, or by walking through folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input

from workbench.text import clean_line
from workbench.tui import keymap, keys
from workbench.tui.modals.choice import Options
from workbench.tui.modals.dialog import Dialog
from workbench.tui.panes import words
from workbench.tui.panes.listview import ListView
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

_MAX_ENTRIES = 2_000


class Entry(NamedTuple):
    """A folder or file of the folder that is shown."""

    path: Path
    is_folder: bool
    size: int = 0


def entries_of(folder: Path, suffixes: Sequence[str], start: str = "") -> list[Entry]:
    """Folders, then files with these suffixes, whose names begin with `start`; the parent first.

    Raises:
        OSError: if the folder cannot be read.
    """
    found = []
    with os.scandir(folder) as listing:
        for entry in listing:
            is_folder = entry.is_dir()
            is_wanted = is_folder or entry.name.lower().endswith(tuple(suffixes))
            is_shown = not entry.name.startswith(".") or start.startswith(".")
            if is_wanted and is_shown and entry.name.lower().startswith(start.lower()):
                size = 0 if is_folder else entry.stat().st_size
                found.append(Entry(Path(entry.path), is_folder, size))
    found.sort(key=lambda one: (not one.is_folder, one.path.name.lower()))
    parent = [] if start or folder.parent == folder else [Entry(folder.parent, True)]
    return parent + found[:_MAX_ENTRIES]


class PickerDialog(Dialog[Path]):
    """Gives the file that is picked, or nothing."""

    DEFAULT_CSS = """
    PickerDialog {
        & #path { background: $background; margin: 0 0 1 0; }
        & ListView { height: 14; }
    }
    """
    BINDINGS = keymap.bindings(keys.of_target("picker"))

    def __init__(self, title: str, folder: Path, suffixes: Sequence[str]) -> None:
        """Args:
        title: what is picked.
        folder: where to begin.
        suffixes: of the files that can be picked, with their dots, in small letters.
        """
        super().__init__(title)
        self._suffixes = suffixes
        self._folder = folder
        self._entries: list[Entry] = []
        self._path = Input(f"{clean_line(str(folder))}/", id="path", compact=True)
        self._path.cursor_blink = False
        self.list = Options(self._line)

    def body(self) -> ComposeResult:
        """The path, and what is in its folder."""
        yield self._path
        yield self.list

    def on_mount(self) -> None:
        """Ready to type a path; the arrows walk the list."""
        self._path.focus()
        self._path.cursor_position = len(self._path.value)
        self._refill()

    def _refill(self) -> None:
        typed = Path(self._path.value).expanduser()
        ends_open = self._path.value.endswith("/")
        folder, start = (typed, "") if ends_open else (typed.parent, typed.name)
        try:
            self._entries = entries_of(folder, self._suffixes, start)
        except OSError as error:
            self._entries = []
            self.list.show_notice(f"{clean_line(str(folder))}: {error.strerror or error}")
        else:
            self._folder = folder
            self.list.show_notice("No task file here.")
        self.list.show_entries(len(self._entries), 0)

    def _line(self, index: int, width: int) -> ViewLine:
        del width
        entry = self._entries[index]
        is_parent = entry.is_folder and entry.path == self._folder.parent
        name = ".." if is_parent else clean_line(entry.path.name)
        builder = LineBuilder().add(" ")
        builder.add(
            f"{name}/" if entry.is_folder else name, None if entry.is_folder else Role.STRONG
        )
        size = "" if entry.is_folder else words.size(entry.size)
        return builder.add(f"  {size}", Role.MUTED).line()

    @on(Input.Changed)
    def _typed(self) -> None:
        self.complain("")
        self._refill()

    def on_key(self, event: events.Key) -> None:
        """From the path, the arrows go through the list."""
        if self._path.has_focus and event.key in ("up", "down"):
            event.stop()
            self.list.move(1 if event.key == "down" else -1)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        typed = Path(self._path.value).expanduser()
        if typed.is_file():
            self.dismiss(typed)
        elif self.list.index is not None:
            self._take(self._entries[self.list.index])
        else:
            self.complain("There is no such file.")

    @on(ListView.Chosen)
    def _chosen(self, message: ListView.Chosen) -> None:
        self._take(self._entries[message.index])

    def _take(self, entry: Entry) -> None:
        if not entry.is_folder:
            self.dismiss(entry.path)
            return
        self._path.value = f"{str(entry.path).rstrip('/')}/"
        self._path.cursor_position = len(self._path.value)

    def action_complete(self) -> None:
        """Take over what the cursor is on."""
        if self.list.index is not None:
            entry = self._entries[self.list.index]
            self._path.value = f"{entry.path}/" if entry.is_folder else str(entry.path)
            self._path.cursor_position = len(self._path.value)
