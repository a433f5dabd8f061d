"""Files as a tree of folders, kept up to date by differences. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

_MAX_DEPTH = 40

Mark = Literal["", "A", "M", "R"]
"""Added, modified or removed since what the pane says."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file as the pane shows it."""

    path: str
    """From the workspace, with slashes: `frames/f_012.png`."""
    size: int | None = None
    mtime: float | None = None
    """UTC seconds."""
    mark: Mark = ""
    read_only: bool = False


@dataclass(slots=True)
class Folder:
    """A folder and what is in it, by name."""

    path: str
    folders: dict[str, Folder] = field(default_factory=dict)
    files: dict[str, FileEntry] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    """Of the files, sorted."""
    folder_names: list[str] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)
    """How many files in it and below carry each mark."""
    count: int = 0
    """Files in it and below."""
    size: int = 0
    """Bytes in it and below, without removed files."""

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def is_read_only(self) -> bool:
        """Whether everything in it is."""
        return self.count > 0 and self.marks.get("ro", 0) == self.count


class TreeRow(NamedTuple):
    """A folder or file that is in sight in the tree."""

    depth: int
    path: str
    folder: Folder | None
    entry: FileEntry | None
    is_open: bool = False


class FileTree:
    """All files of a workspace. Folders are open or shut; hidden names can be left out."""

    def __init__(self) -> None:
        self.root = Folder("")
        self.entries: Mapping[str, FileEntry] = {}
        self.opened: set[str] = set()

    def update(self, entries: Mapping[str, FileEntry]) -> bool:
        """Show these files; only differences are worked on. Return whether there were any."""
        gone = [path for path in self.entries if path not in entries]
        changed = [
            entry
            for path, entry in entries.items()
            if self.entries.get(path) is not entry and self.entries.get(path) != entry
        ]
        for path in gone:
            self._count(self.entries[path], -1)
            self._remove(path)
        for entry in changed:
            if (old := self.entries.get(entry.path)) is not None:
                self._count(old, -1)
            self._put(entry)
            self._count(entry, 1)
        self.entries = dict(entries)
        return bool(gone or changed)

    def rows(self, wanted: str = "", shows_hidden: bool = False) -> list[TreeRow]:
        """What is in sight, from top to bottom.

        Args:
            wanted: only files whose path has this in it, and the folders they are in, all open.
            shows_hidden: also names that start with a dot.
        """
        rows: list[TreeRow] = []
        if wanted:
            matching = _Matching(wanted.lower(), shows_hidden)
            rows.extend(matching.rows(self.root, 0))
        else:
            self._add_rows(self.root, 0, shows_hidden, rows)
        return rows

    def hidden_count(self) -> int:
        """Files that are left out because a part of their path starts with a dot."""
        return sum(1 for path in self.entries if is_hidden(path))

    def open_to(self, path: str) -> None:
        """Open all folders that a path lies in."""
        while "/" in path:
            path = path.rpartition("/")[0]
            self.opened.add(path)

    def _add_rows(
        self, folder: Folder, depth: int, shows_hidden: bool, rows: list[TreeRow]
    ) -> None:
        for name in folder.folder_names:
            if shows_hidden or not name.startswith("."):
                child = folder.folders[name]
                is_open = child.path in self.opened
                rows.append(TreeRow(depth, child.path, child, None, is_open))
                if is_open:
                    self._add_rows(child, depth + 1, shows_hidden, rows)
        for name in folder.names:
            if shows_hidden or not name.startswith("."):
                entry = folder.files[name]
                rows.append(TreeRow(depth, entry.path, None, entry))

    def _put(self, entry: FileEntry) -> None:
        *folders, name = _parts(entry.path)
        folder = self.root
        for part in folders:
            child = folder.folders.get(part)
            if child is None:
                child = Folder(f"{folder.path}/{part}" if folder.path else part)
                folder.folders[part] = child
                insort(folder.folder_names, part)
            folder = child
        if name not in folder.files:
            insort(folder.names, name)
        folder.files[name] = entry

    def _remove(self, path: str) -> None:
        *parts, name = _parts(path)
        trail = self._trail(path)
        del trail[-1].files[name]
        trail[-1].names.remove(name)
        for parent, part in zip(reversed(trail[:-1]), reversed(parts), strict=True):
            child = parent.folders[part]
            if child.files or child.folders:
                break
            del parent.folders[part]
            parent.folder_names.remove(part)

    def _count(self, entry: FileEntry, step: int) -> None:
        for folder in self._trail(entry.path):
            folder.count += step
            if entry.mark != "R":
                folder.size += step * (entry.size or 0)
            for mark in (entry.mark, "ro" if entry.read_only else ""):
                if mark:
                    folder.marks[mark] = folder.marks.get(mark, 0) + step

    def _trail(self, path: str) -> list[Folder]:
        """The folders that a path lies in, from the root down."""
        trail = [self.root]
        for part in _parts(path)[:-1]:
            trail.append(trail[-1].folders[part])
        return trail


class _Matching:
    """Rows of the files whose path has a text in it."""

    def __init__(self, wanted: str, shows_hidden: bool) -> None:
        self._wanted = wanted
        self._shows_hidden = shows_hidden

    def rows(self, folder: Folder, depth: int) -> Iterator[TreeRow]:
        """The folders that hold matches, and the matches."""
        for name in folder.folder_names:
            if self._shows_hidden or not name.startswith("."):
                child = folder.folders[name]
                inner = list(self.rows(child, depth + 1))
                if inner:
                    yield TreeRow(depth, child.path, child, None, True)
                    yield from inner
        for name in folder.names:
            entry = folder.files[name]
            is_shown = self._shows_hidden or not name.startswith(".")
            if is_shown and self._wanted in entry.path.lower():
                yield TreeRow(depth, entry.path, None, entry)


def is_hidden(path: str) -> bool:
    """Whether a part of a path starts with a dot."""
    return path.startswith(".") or "/." in path


def _parts(path: str) -> list[str]:
    """The folders of a path and its name; what lies deeper than a person looks is one name."""
    return path.split("/", _MAX_DEPTH)
