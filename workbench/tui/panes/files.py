"""The files pane: a tree that follows changes and never steals the cursor."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.message import Message

from workbench.text import cell_width, clean_line, fit
from workbench.tui.panes import words
from workbench.tui.panes.actions import PaneAction
from workbench.tui.panes.bar import EntryBar
from workbench.tui.panes.linepane import LinePane
from workbench.tui.panes.listview import ListView
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.panes.tree import FileEntry, FileTree, Folder, TreeRow

PANE_ACTIONS = (
    PaneAction("files.open", "enter", "choose", "open", "Open the file, or fold the folder."),
    PaneAction("files.unfold", "right", "unfold", "unfold", "Open the folder, then go into it."),
    PaneAction("files.fold", "left", "fold", "fold", "Shut the folder, or go up to it."),
    PaneAction(
        "files.filter", "slash,ctrl+f", "filter", "filter", "Show files by a part of their path."
    ),
    PaneAction(
        "files.hidden", "full_stop", "toggle_hidden", "hidden", "Show names that start with a dot."
    ),
    PaneAction("files.next_change", "c", "next_change", "change", "Go to the next changed file."),
    PaneAction("files.copy", "y", "copy", "copy", "Copy what is selected, else the path."),
)

_MARKS = {"A": ("A", Role.GOOD), "M": ("M", Role.WARN), "R": ("R", Role.BAD)}
_SIGNS = (("A", "+", Role.GOOD), ("M", "~", Role.WARN), ("R", "−", Role.BAD))
_SIZE_CELLS = 7
_TIME_CELLS = 6
_MARK_CELLS = 2
_ROOM_FOR_SIZE = 28
_ROOM_FOR_TIME = 44
_DAY_S = 86_400


class FilesView(ListView):
    """Left and right fold instead of panning."""

    class Folded(Message):
        """Right (1) or left (-1) was pressed."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    def pan_by(self, cells: int) -> None:
        """Unfold or fold."""
        if self.marker.is_on:
            super().pan_by(cells)
        else:
            self.post_message(self.Folded(1 if cells > 0 else -1))


class FilesPane(LinePane):
    """Shows where files are, how large, when written, and what became of them."""

    PANE_ACTIONS: ClassVar[tuple[PaneAction, ...]] = PANE_ACTIONS

    class FileHighlighted(Message):
        """The cursor is on another path; `is_folder` tells what it is."""

        def __init__(self, path: str, is_folder: bool) -> None:
            super().__init__()
            self.path = path
            self.is_folder = is_folder

    class FileOpened(Message):
        """A file is to be shown."""

        def __init__(self, entry: FileEntry) -> None:
            super().__init__()
            self.entry = entry

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        self.files = FilesView(self._line)
        super().__init__(self.files, id=id)
        self._tree = FileTree()
        self._rows: list[TreeRow] = []
        self._wanted = ""
        self._shows_hidden = False
        self._since = ""
        self.show_notice("No files yet.")

    # --- content ------------------------------------------------------------------------------

    def set_files(self, entries: Sequence[FileEntry], since: str = "") -> None:
        """Show these files.

        Args:
            entries: all of them, in any order; those removed still among them with mark R.
            since: since when the marks count, in words: `since the start`.
        """
        if self._tree.update({entry.path: entry for entry in entries}) or since != self._since:
            self._since = since
            self._refresh_rows()

    def show_path(self, path: str) -> bool:
        """Put the cursor on a file, its folders opened; return whether it is there."""
        self._tree.open_to(path)
        self._refresh_rows()
        index = self._index_of(path)
        if index is not None:
            self.files.go_to(index)
        return index is not None

    @property
    def current(self) -> TreeRow | None:
        """The row under the cursor."""
        index = self.files.index
        return self._rows[index] if index is not None and index < len(self._rows) else None

    def _refresh_rows(self) -> None:
        current, index = self.current, self.files.index
        self._rows = self._tree.rows(self._wanted, self._shows_hidden)
        if current is not None:
            # A path that is gone leaves the cursor where it stood.
            found = self._index_of(current.path)
            index = found if found is not None else index
        if self._wanted:
            self.show_notice(f"No path has “{clean_line(self._wanted)}” in it.")
        else:
            self.show_notice("No files yet.")
        self.files.show_entries(len(self._rows), max(0, min(index or 0, len(self._rows) - 1)))

    def _index_of(self, path: str) -> int | None:
        return next((at for at, row in enumerate(self._rows) if row.path == path), None)

    # --- lines --------------------------------------------------------------------------------

    def _line(self, index: int, width: int) -> ViewLine:
        row = self._rows[index]
        facts = _folder_facts(row.folder, width) if row.folder else _file_facts(row.entry, width)
        line = LineBuilder()
        indent = "  " * min(row.depth, max(0, (width - 16) // 4))
        glyph = ("▾ " if row.is_open else "▸ ") if row.folder else "  "
        name = clean_line(row.path.rpartition("/")[2]) + ("/" if row.folder else "")
        room = max(4, width - len(indent) - 2 - cell_width(facts.text) - 1)
        name = fit(name, room)
        line.add(indent).add(glyph, Role.MUTED).add(name, _name_role(row))
        gap = width - cell_width(line.text) - cell_width(facts.text)
        line.add(" " * max(1, gap))
        return line.extend(facts).line()

    @property
    def status(self) -> str:
        """What changed since when, and what is left out."""
        marks = self._tree.root.marks
        changes = [f"{sign}{marks[mark]}" for mark, sign, _role in _SIGNS if marks.get(mark)]
        parts = [" ".join([*changes, self._since]) if changes else ""]
        hidden = 0 if self._shows_hidden else self._tree.hidden_count()
        if hidden:
            parts.append(f"{hidden} hidden")
        if self._wanted:
            parts.append(f"filter “{clean_line(self._wanted)}”")
        return " · ".join(part for part in parts if part)

    # --- actions ------------------------------------------------------------------------------

    def action_choose(self) -> None:
        """Open the file, or fold the folder."""
        self.files.action_choose()

    def action_unfold(self) -> None:
        """Open the folder; if it is open, go to what is in it."""
        row = self.current
        if row is None or row.folder is None:
            return
        if row.is_open:
            self.files.move(1)
        else:
            self._toggle(row)

    def action_fold(self) -> None:
        """Shut the folder; if it is shut, or a file, go up to the folder it is in."""
        row = self.current
        if row is None:
            return
        if row.folder is not None and row.is_open and not self._wanted:
            self._toggle(row)
        elif (index := self._index_of(row.path.rpartition("/")[0])) is not None:
            self.files.go_to(index)

    def action_filter(self) -> None:
        """Show only files with a text in their path."""
        self.bar.open("filter", "filter", self._wanted, "part of a path; esc keeps, empty ends it")

    def action_toggle_hidden(self) -> None:
        """Show or leave out names that start with a dot."""
        self._shows_hidden = not self._shows_hidden
        self._refresh_rows()

    def action_next_change(self) -> None:
        """Go to the next added, modified or removed file, its folders opened."""
        changed = sorted(path for path, entry in self._tree.entries.items() if entry.mark)
        if changed:
            here = self.current.path if self.current else ""
            self.show_path(next((path for path in changed if path > here), changed[0]))

    def action_copy(self) -> None:
        """Copy what is selected, else the path under the cursor."""
        if not self.files.copy() and self.current:
            self.files.post_message(ListView.CopyRequested(clean_line(self.current.path)))

    def _toggle(self, row: TreeRow) -> None:
        self._tree.opened.symmetric_difference_update({row.path})
        self._refresh_rows()

    # --- messages -----------------------------------------------------------------------------

    def on_files_view_folded(self, event: FilesView.Folded) -> None:
        """Arrow keys fold."""
        event.stop()
        if event.direction > 0:
            self.action_unfold()
        else:
            self.action_fold()

    def on_list_view_highlighted(self, event: ListView.Highlighted) -> None:
        """Say which path the cursor is on."""
        event.stop()
        row = self._rows[event.index]
        self.post_message(self.FileHighlighted(row.path, row.folder is not None))

    def on_list_view_chosen(self, event: ListView.Chosen) -> None:
        """Fold a folder, open a file."""
        event.stop()
        row = self._rows[event.index]
        if row.entry is not None:
            self.post_message(self.FileOpened(row.entry))
        elif not self._wanted:
            self._toggle(row)

    def on_entry_bar_edited(self, event: EntryBar.Edited) -> None:
        """Filter as one types."""
        if self.bar.purpose == "filter":
            self._wanted = event.text.strip()
            self._refresh_rows()
            files = sum(1 for row in self._rows if row.entry is not None)
            self.bar.show_outcome(words.count(files, "file") if self._wanted else "")

    def on_entry_bar_stepped(self, event: EntryBar.Stepped) -> None:
        """Up and down move the cursor while one types."""
        if self.bar.purpose == "filter":
            self.files.move(event.direction)


def _name_role(row: TreeRow) -> Role | None:
    if row.folder is not None:
        return Role.STRONG
    return Role.GONE if row.entry is not None and row.entry.mark == "R" else None


def _folder_facts(folder: Folder, width: int) -> LineBuilder:
    """What changed below, whether it is read-only, and the size."""
    facts = LineBuilder()
    for mark, sign, role in _SIGNS:
        if folder.marks.get(mark):
            facts.add(f" {sign}{folder.marks[mark]}", role)
    if folder.is_read_only:
        facts.add(" ro", Role.MUTED)
    if width >= _ROOM_FOR_SIZE:
        size = words.size(folder.size) if folder.size else ""
        facts.add(size.rjust(_SIZE_CELLS + 1), Role.MUTED)
    if width >= _ROOM_FOR_TIME:
        facts.add(" " * _TIME_CELLS)
    return facts


def _file_facts(entry: FileEntry | None, width: int) -> LineBuilder:
    """The mark, the size and the time."""
    facts = LineBuilder()
    if entry is None:
        return facts
    mark, role = _MARKS.get(entry.mark, ("", Role.MUTED))
    facts.add((mark or ("ro" if entry.read_only else "")).rjust(_MARK_CELLS), role)
    if width >= _ROOM_FOR_SIZE:
        size = "" if entry.size is None or entry.mark == "R" else words.size(entry.size)
        facts.add(size.rjust(_SIZE_CELLS + 1), Role.MUTED)
    if width >= _ROOM_FOR_TIME:
        facts.add(_when(entry.mtime).rjust(_TIME_CELLS), Role.MUTED)
    return facts


def _when(mtime: float | None) -> str:
    if mtime is None:
        return ""
    recent = abs(time.time() - mtime) < _DAY_S
    return time.strftime("%H:%M" if recent else "%d %b", time.localtime(mtime))
