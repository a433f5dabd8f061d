"""The library: all sessions of a store, live ones first; what is opened, deleted, exported, run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from workbench.engine.control import author
from workbench.errors import WorkbenchError
from workbench.session import trash
from workbench.session.store import SessionDir, Store
from workbench.tui import keymap, keys
from workbench.tui.application import WorkbenchApp
from workbench.tui.client import Steering
from workbench.tui.library_feed import LibraryFeed, News
from workbench.tui.panes import words
from workbench.tui.settings import Memory
from workbench.tui.widgets.catalog import Catalog
from workbench.tui.widgets.keybar import KeyBar

AGE_EVERY_S = 30.0
"""How often ages are shown anew."""
TASK_SUFFIXES = (".yaml", ".yml", ".json", ".jsonl")


class LibraryScreen(Screen[None]):
    """Follows a store, and does what is wanted with its sessions."""

    BINDINGS = keymap.bindings(keys.of_target("library"))

    class Fed(Message):
        """The feed has news."""

        def __init__(self, news: News) -> None:
            super().__init__()
            self.news = news

    def __init__(self, store: Store, memory: Memory) -> None:
        """Args:
        store: whose sessions are shown.
        memory: what was used last.
        """
        super().__init__()
        self._store = store
        self._memory = memory
        self._deleted: list[list[str]] = []
        self.catalog = Catalog(str(store.root))
        self._feed = LibraryFeed(store, lambda news: self.post_message(self.Fed(news)))

    @property
    def workbench(self) -> WorkbenchApp:
        """The application, by its own type."""
        assert isinstance(self.app, WorkbenchApp)
        return self.app

    def compose(self) -> ComposeResult:
        """The catalogue and the keys."""
        yield self.catalog
        yield KeyBar(keys.BY_ID)

    def on_mount(self) -> None:
        """Begin to load."""
        self.catalog.focus_list()
        self._feed.start()
        self.set_interval(AGE_EVERY_S, lambda: self.catalog.show_rows(self.catalog.current))

    def on_unmount(self) -> None:
        """Nothing is to be shown any more."""
        self._feed.stop()

    def on_screen_resume(self) -> None:
        """Back from a session, which may have changed."""
        self._feed.look()

    @on(Fed)
    def _fed(self, message: Fed) -> None:
        self.catalog.take(message.news)
        if message.news.fault:
            self.workbench.tell(message.news.fault, is_fault=True)

    @on(Catalog.Changed)
    def _catalog_changed(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what there is something for."""
        del parameters
        if action in ("open", "mark", "export", "delete", "copy_id"):
            return self.catalog.current is not None
        if action == "undo":
            return bool(self._deleted)
        return self.catalog.is_narrowed if action == "clear" else True

    # --- looking ------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Type what is looked for."""
        self.catalog.filter.focus()

    def action_clear(self) -> None:
        """Clear the filter, then the marks."""
        self.catalog.clear()

    def action_mark(self) -> None:
        """Mark the session, for export or delete."""
        self.catalog.toggle_mark()

    def action_copy_id(self) -> None:
        """Copy the session's id."""
        if (one := self.catalog.current) is not None:
            self.app.copy_to_clipboard(one.id)

    @on(Catalog.Opened)
    def action_open(self) -> None:
        """Open the session, or attach to it."""
        if (one := self.catalog.current) is not None:
            self.open_session(one.id)

    def open_session(self, name: str) -> None:
        """Show a session on top of the library."""
        from workbench.tui.screens.session import SessionScreen

        try:
            session = self._store.session(name)
        except WorkbenchError as error:
            self.workbench.tell(str(error), is_fault=True)
            return
        self.app.push_screen(SessionScreen(session, Steering(session, author()), self._memory))

    # --- deleting -----------------------------------------------------------------------------

    def action_delete(self) -> None:
        """Ask, then delete; it can be taken back for a while."""
        from workbench.tui.modals.choice import confirm

        names = self.catalog.meant
        what = names[0] if len(names) == 1 else words.count(len(names), "session")
        question = "It can be taken back until you leave, with the key u here."
        dialog = confirm(f"Delete {what}?", question, "Delete", "Keep")
        self.app.push_screen(dialog, lambda yes: self._delete(names) if yes == "yes" else None)

    def _delete(self, names: list[str]) -> None:
        gone = [
            name
            for name in names
            if self._does(partial(trash.discard, self._store, self._dir(name)))
        ]
        if gone:
            self._deleted.append(gone)
            self.workbench.tell(f"Deleted {words.count(len(gone), 'session')}; u takes it back.")
        self._feed.look()

    def action_undo(self) -> None:
        """Take back what was deleted last."""
        for name in self._deleted.pop() if self._deleted else ():
            self._does(partial(trash.restore, self._store, name))
        self._feed.look()

    def _does(self, deed: Callable[[], object]) -> bool:
        """Do something with the store; what cannot be done is told."""
        try:
            deed()
        except WorkbenchError as error:
            self.workbench.tell(str(error), is_fault=True)
            return False
        return True

    def _dir(self, name: str) -> SessionDir:
        return SessionDir(self._store.sessions / name, self._store.blobs)

    # --- exporting and running ----------------------------------------------------------------

    def action_export(self) -> None:
        """Write the sessions as training data."""
        from workbench.tui.modals.export import ask_export

        ask_export(self.workbench, [self._dir(name) for name in self.catalog.meant], self._memory)

    def action_new_run(self) -> None:
        """Pick a task file, then start a session of it."""
        from workbench.tui.modals.picker import PickerDialog

        folder = Path(self._memory.text("tasks") or Path.cwd())
        dialog = PickerDialog("New run: which task?", folder, TASK_SUFFIXES)
        self.app.push_screen(dialog, self._run_task)

    def _run_task(self, task: Path | None) -> None:
        from workbench.tui.modals.newrun import NewRunDialog

        if task is None:
            return
        self._memory.keep("tasks", str(task.parent))
        dialog = NewRunDialog(task, self._memory.text("model") or "")

        def started(name: str | None) -> None:
            if name is not None:
                self._memory.keep("model", dialog.model)
                self.open_session(name)

        self.app.push_screen(dialog, started)

    def action_quit(self) -> None:
        """Leave Workbench; sessions go on."""
        self.app.exit()
