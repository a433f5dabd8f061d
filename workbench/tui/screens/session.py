"""The session screen: one session, live or finished, in one selection over all panes."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from workbench.session.store import SessionDir
from workbench.tui import keymap, keys
from workbench.tui.board.board import Board
from workbench.tui.board.plan import Wishes
from workbench.tui.client import Batch, Feed, Steering
from workbench.tui.pace import feed_hz
from workbench.tui.panes.terminal import TerminalPane
from workbench.tui.view.gate import gate_view
from workbench.tui.view.header import header_view, ticks
from workbench.tui.view.model import Changes, SessionModel
from workbench.tui.view.terminal import TerminalItems
from workbench.tui.widgets.gate import GatePane
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.steplist import StepList


class SessionScreen(Screen[None]):
    """Follows one session and shows it; what steers it is in `Helm`."""

    BINDINGS = keymap.bindings(keys.of_target("session"))

    class Fed(Message):
        """The feed has news."""

        def __init__(self, batch: Batch) -> None:
            super().__init__()
            self.batch = batch

    def __init__(self, session: SessionDir, steering: Steering) -> None:
        super().__init__()
        self.session = session
        self.steering = steering
        self.model = SessionModel()
        self._feed = Feed(session, lambda batch: self.post_message(self.Fed(batch)), feed_hz())
        self._terminal_items = TerminalItems(session)
        self.steps = StepList(self.model)
        self.gate = GatePane()
        self.terminal = TerminalPane(id="terminal")
        self.header = HeaderBar()
        wishes = Wishes(hidden=frozenset({"frames", "transcript", "files", "media"}))
        titles = {pane: str(number) for number, pane in enumerate(keys.PANES, 1)}
        self.board = Board([self.steps, self.terminal, self.gate], wishes, titles)

    def compose(self) -> ComposeResult:
        yield self.header
        yield self.board
        yield KeyBar({key.id: key for key in keys.OWN})

    def on_mount(self) -> None:
        self.steps.focus()
        self._feed.start()
        self.set_interval(1.0, self._tick)

    def on_unmount(self) -> None:
        self._feed.stop()

    @on(Fed)
    def _fed(self, message: Fed) -> None:
        batch = message.batch
        changes = Changes()
        if batch.state is not None:
            changes = self.model.replace(batch.state, is_partial=batch.is_partial)
        self.model.is_live = batch.is_live
        if batch.events:
            changes = self.model.apply(batch.events)
        self._show(changes)
        self.call_after_refresh(self._feed.taken)

    def _show(self, changes: Changes) -> None:
        self._show_now()
        self.steps.take(changes)
        if self._terminal_items.take(self.model, changes):
            self.terminal.set_items(self._terminal_items.items)

    def _show_now(self) -> None:
        now = time.time()
        self.header.show(header_view(self.model, now))
        self.gate.show(gate_view(self.model, now))

    def _tick(self) -> None:
        if ticks(self.model):
            self._show_now()

    @on(GatePane.Resized)
    def _gate_resized(self) -> None:
        view = self.gate.view
        from dataclasses import replace
        self.board.wish(replace(self.board.wishes, gate_rows=self.gate.rows, gate_waits=bool(view and view.waits)))
        self.board.entitle("gate", "", view.title if view else "")
        self.board.mark(self.focused.id if self.focused else None, "gate" if view and view.waits else None)
