"""A file of the workspace: its text, its picture, or its odd bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.errors import WorkbenchError
from workbench.text import clean, clean_line, raw_line
from workbench.tui import keymap, keys
from workbench.tui.content import Content
from workbench.tui.panes import words
from workbench.tui.panes.document import LineSection
from workbench.tui.panes.linepane import LinePane
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.picture import PictureView

_PROBED = 8192
_RAW_BYTES = 64 << 10
_RAW_LINE = 512


class FileText(LinePane):
    """The lines of a file, with find, wrap and copy."""

    BINDINGS = keymap.bindings([*keys.of_target("text"), *keys.of_target("lines")])


class FileScreen(ModalScreen[None]):
    """Reads a file that an agent wrote. Nothing in it reaches the terminal but clean text."""

    DEFAULT_CSS = """
    FileScreen {
        background: $background;
        & #title { height: 1; background: $panel; padding: 0 1; text-style: bold; }
        & FileText { height: 1fr; padding: 0 1; }
        & PictureView { display: none; }
        &.-picture FileText { display: none; }
        &.-picture PictureView { display: block; }
    }
    """
    BINDINGS = keymap.bindings(keys.of_target("file"))

    def __init__(self, path: str, read: Callable[[], Content]) -> None:
        """Args:
        path: as the agent names it.
        read: gives the content; called in a thread.
        """
        super().__init__()
        self._path = clean_line(path)
        self._read = read
        self.text = FileText(LineView(), id="text")

    def compose(self) -> ComposeResult:
        """The path, the content, and the keys."""
        yield Static(self._path, id="title", markup=False)
        yield self.text
        yield PictureView()
        yield KeyBar(keys.BY_ID)

    def on_mount(self) -> None:
        """Begin to read."""
        self.text.show_notice("Reading…")
        self.text.focus_view()
        self.run_worker(self._load(), exclusive=True, exit_on_error=False)

    async def _load(self) -> None:
        try:
            content = await asyncio.to_thread(self._read)
        except WorkbenchError as error:
            self.text.show_notice(str(error), Role.WARN)
            return
        title = f"{self._path} · {words.size(content.size)} · {content.when}"
        self.query_one("#title", Static).update(title)
        if is_picture(content.data):
            self.add_class("-picture")
            self.query_one(PictureView).show(lambda: content.data)
            return
        lines = content_lines(content)
        self.text.show_notice("The file is empty.")
        self.text.view.show([LineSection(len(lines), lambda at, _width: lines[at])])

    def action_close(self) -> None:
        """Back to the session."""
        self.dismiss(None)


_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")


def is_picture(data: bytes) -> bool:
    """Whether the bytes begin as those of a picture do."""
    return data.startswith(_MAGIC) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def content_lines(content: Content) -> list[ViewLine]:
    """A text as clean lines; of other bytes the first, spelled out."""
    data = content.data
    if b"\0" in data[:_PROBED]:
        head = data[:_RAW_BYTES]
        rows = [head[at : at + _RAW_LINE] for at in range(0, len(head), _RAW_LINE)]
        note = f"Not a text: the first {words.size(len(head))}, odd bytes spelled out."
        return [_note(note), *(_raw(row) for row in rows)]
    text = clean(data.decode("utf-8", "replace"))
    lines = [ViewLine(line) for line in text.removesuffix("\n").split("\n")] if text else []
    if len(data) < content.size:
        lines.append(_note(f"… {words.size(content.size - len(data))} more are not shown."))
    return lines


def _raw(data: bytes) -> ViewLine:
    shown = raw_line(data)
    return ViewLine(shown.text, tuple((low, high, Role.ODD) for low, high in shown.odd))


def _note(sentence: str) -> ViewLine:
    return LineBuilder().add(sentence, Role.MUTED).line(words=True)
