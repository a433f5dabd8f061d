"""The session screen: one session, live or finished, steered from where it is watched."""

from __future__ import annotations

import time
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from workbench.engine.control import author
from workbench.session.store import SessionDir
from workbench.tui import keymap, keys
from workbench.tui.application import WorkbenchApp
from workbench.tui.board.board import Board
from workbench.tui.board.plan import Wishes
from workbench.tui.client import Batch, Feed, Steering
from workbench.tui.pace import feed_hz
from workbench.tui.screens.jump import Jump, JumpScreen
from workbench.tui.screens.panes import TABLE
from workbench.tui.screens.stage import Stage
from workbench.tui.settings import Memory
from workbench.tui.view.header import header_view, ticks
from workbench.tui.view.model import Changes, SessionModel
from workbench.tui.widgets.header import HeaderBar
from workbench.tui.widgets.helm import Helm
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.steplist import StepList

TICK_S = 1.0
"""How often what changes by time alone is shown anew."""


class SessionScreen(Screen[None]):
    """Follows a session. What steers it is in `Helm`, what is shown where in `Stage`."""

    BINDINGS = keymap.bindings(keys.of_target("session"))

    class Fed(Message):
        """The feed has news."""

        def __init__(self, batch: Batch) -> None:
            super().__init__()
            self.batch = batch

    def __init__(self, session: SessionDir, steering: Steering, memory: Memory) -> None:
        """Args:
        session: what is shown.
        steering: the door to its engine, or that of an observer.
        memory: where the panes stood last.
        """
        super().__init__()
        self.session = session
        self.model = SessionModel()
        self.stage = Stage(session, self.model, _wishes(memory))
        self._memory = memory
        self._steering = steering
        self._fault = ""
        self._header = HeaderBar()
        self._feed = Feed(session, lambda batch: self.post_message(self.Fed(batch)), feed_hz())
        self._helm = Helm(
            self.stage,
            session,
            self.model,
            steering,
            seen=lambda: self.stage.gate.view,
            chosen=lambda: self.stage.chosen_number,
        )

    @property
    def workbench(self) -> WorkbenchApp:
        """The application, by its own type."""
        assert isinstance(self.app, WorkbenchApp)
        return self.app

    def compose(self) -> ComposeResult:
        """The header, the board of panes, and the keys."""
        yield self._header
        yield self._helm
        yield KeyBar(TABLE, self._helm.urgent)

    def on_mount(self) -> None:
        """Begin to follow."""
        self.stage.focus_pane("steps")
        self._feed.start()
        self.set_interval(TICK_S, self._tick)

    async def on_unmount(self) -> None:
        """Leaving stops nothing but the looking."""
        self._feed.stop()
        await self._steering.close()

    # --- following ----------------------------------------------------------------------------

    @on(Fed)
    def _fed(self, message: Fed) -> None:
        batch = message.batch
        self.model.is_live = batch.is_live
        if batch.state is not None:
            self._show(self.model.replace(batch.state, is_partial=batch.is_partial))
            self.workbench.tamer.settle()
        if batch.events or batch.state is None:
            self._show(self.model.apply(batch.events))
        self._note_faults(batch)
        self.call_after_refresh(self._feed.taken)

    def _show(self, changes: Changes) -> None:
        now = time.time()
        self._header.show(header_view(self.model, now, observe=self._steering.observe))
        self.stage.take(changes, now)
        self._helm.note_change()

    def _tick(self) -> None:
        if ticks(self.model):
            now = time.time()
            self._header.show(header_view(self.model, now, observe=self._steering.observe))
            self.stage.show_now(now)

    def _note_faults(self, batch: Batch) -> None:
        fault = batch.fault or ""
        if batch.bad_lines and not fault:
            fault = f"{batch.bad_lines} lines of the log are no events; they are left out."
        if fault and fault != self._fault:
            self._fault = fault
            self.workbench.tell(fault, is_fault=True)

    @on(Stage.NewAction)
    def _new_action(self) -> None:
        self._helm.note_new_action()

    @on(Helm.Told)
    def _told(self, message: Helm.Told) -> None:
        self.workbench.tell(message.sentence, is_fault=message.is_fault)

    @on(Helm.Forked)
    def _forked(self, message: Helm.Forked) -> None:
        made = message.session
        self.workbench.tell(f"The new session is {made.id}; q comes back here.")
        steering = Steering(made, author())
        self.app.push_screen(SessionScreen(made, steering, self._memory))

    @on(Board.Moved)
    def _moved(self) -> None:
        wishes = self.stage.wishes
        self._memory.keep("board", {"hidden": sorted(wishes.hidden), "sizes": wishes.sizes})

    # --- actions ------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a way back to the newest step only from elsewhere."""
        del parameters
        if action == "go_live":
            return self.stage.chosen is not None
        return True

    def action_go_live(self) -> None:
        """Follow the newest step again."""
        self.stage.follow()
        self.refresh_bindings()

    def action_previous_step(self) -> None:
        """Choose the step before."""
        self.stage.steps.action_cursor_up()

    def action_next_step(self) -> None:
        """Choose the step after."""
        self.stage.steps.action_cursor_down()

    def action_jump(self) -> None:
        """Wait for the second key, then jump."""
        self.app.push_screen(JumpScreen(), self._jump)

    def _jump(self, jump: Jump | None) -> None:
        if jump is None:
            return
        mark, direction = jump
        steps, rows = self.stage.steps, self.model.rows
        if mark == "first":
            steps.go_to(0)
            return
        position = rows.jump(self.model.state, steps.cursor, mark, direction)
        if position is None:
            self.workbench.tell(f"No step has this mark: {mark}.")
        else:
            steps.go_to(position)

    def action_details(self) -> None:
        """Everything about the step under the cursor."""
        if (step := self.stage.steps.step) is not None:
            self._open_details(step)

    @on(StepList.Opened)
    def _step_opened(self, message: StepList.Opened) -> None:
        self._open_details(message.step)

    def _open_details(self, step: int) -> None:
        from workbench.tui.screens.details import DetailsScreen

        def closed(last: int | None) -> None:
            if last is not None and last != step:
                self.stage.choose(last)

        self.app.push_screen(DetailsScreen(self.session, self.model.state, step), closed)

    def action_leave(self) -> None:
        """Back to the library, or out; the session goes on."""
        if len(self.app.screen_stack) > 2:
            self.app.pop_screen()
        else:
            self.app.exit()


def _wishes(memory: Memory) -> Wishes:
    """Where the panes stood last; nonsense in the memory is as good as none."""
    kept: dict[str, Any] = memory.table("board")
    hidden = kept.get("hidden")
    sizes = kept.get("sizes")
    return Wishes(
        hidden=frozenset(str(pane) for pane in hidden) if isinstance(hidden, list) else frozenset(),
        sizes={str(name): int(by) for name, by in sizes.items() if isinstance(by, int)}
        if isinstance(sizes, dict)
        else {},
    )
