"""The helm: the keys by which a person steers a session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from workbench.errors import WorkbenchError
from workbench.session.store import SessionDir
from workbench.tui import keymap, keys
from workbench.tui.client import Outcome, Steering
from workbench.tui.engines import fork, restart
from workbench.tui.modals.dialog import Dialog
from workbench.tui.view.gate import GateView
from workbench.tui.view.model import SessionModel
from workbench.tui.view.steering import MODES, awaited, can, standing

JUST_APPEARED_S = 0.4
"""A decision sooner than this after an action appeared was meant for the one before."""

_COMMANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "thaw": ("resume", {}),
    "step": ("step", {"n": 1}),
}
"""Verbs that the engine knows by another name, or with arguments."""


class Helm(Vertical):
    """Holds the board. Reads the model; what it does goes through `Steering`."""

    DEFAULT_CSS = "Helm { height: 1fr; }"
    BINDINGS = keymap.bindings(keys.of_target("steer"))

    class Told(Message):
        """A sentence for the person: what was done, or why it was not."""

        def __init__(self, sentence: str, *, is_fault: bool = False) -> None:
            super().__init__()
            self.sentence = sentence
            self.is_fault = is_fault

    class Forked(Message):
        """A new session began as a copy of this one."""

        def __init__(self, session: SessionDir) -> None:
            super().__init__()
            self.session = session

    def __init__(
        self,
        board: Widget,
        session: SessionDir,
        model: SessionModel,
        steering: Steering,
        *,
        seen: Callable[[], GateView | None],
        chosen: Callable[[], int | None],
    ) -> None:
        """Args:
        board: what it holds.
        session: whose engine is steered.
        model: the session's state, only read here.
        steering: the door to the engine.
        seen: what the gate shows now.
        chosen: number of the step that is chosen, None while the newest is followed.
        """
        super().__init__(board, id="helm")
        self._session = session
        self._model = model
        self._steering = steering
        self._seen = seen
        self._chosen = chosen
        self._drafts: dict[tuple[str, str], Any] = {}
        """What was typed and not sent, by verb and action."""
        self._appeared_t = 0.0
        self._standing: tuple[object, ...] = ()

    def note_change(self) -> None:
        """The model changed: other things may be possible now."""
        now = standing(self._model)
        if now == self._standing:
            return
        self._standing = now
        self.refresh_bindings()
        held = self._model.state.control.held
        for screen in self.app.screen_stack:
            about = getattr(screen, "about", None)
            if about is not None and about != held and isinstance(screen, Dialog):
                screen.complain("This action was decided meanwhile. What you typed is kept.")

    def note_new_action(self) -> None:
        """The gate shows another action than before."""
        self._appeared_t = time.monotonic()

    def urgent(self) -> frozenset[str]:
        """Ids of the keys that something waits for."""
        verbs = awaited(self._model, observe=self._steering.observe)
        return frozenset(f"steer.{verb}" for verb in verbs)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense as the session stands."""
        verb = str(parameters[0]) if parameters else action
        if f"steer.{verb}" not in keys.BY_ID:
            return True
        return can(verb, self._model, observe=self._steering.observe)

    # --- actions ------------------------------------------------------------------------------

    def action_send(self, verb: str) -> None:
        """Tell the engine something that needs no more words."""
        command, arguments = _COMMANDS.get(verb, (verb, {}))
        self._start(command, **arguments)

    def action_decide(self, verb: str) -> None:
        """Approve or skip what is seen."""
        view = self._seen()
        if view is None or view.action is None:
            return
        if time.monotonic() - self._appeared_t < JUST_APPEARED_S:
            self._tell("This action has only just appeared: look at it, then decide.")
            return
        self._start(verb, action=view.action, digest=view.digest)

    def action_ask(self, verb: str) -> None:
        """Ask for the words that a verb needs, and send them."""
        from workbench.tui.modals.asks import arguments_of, ask_for
        from workbench.tui.modals.prompt import PromptDialog

        view = self._seen()
        step = self._chosen()
        held = {"action": view.action, "digest": view.digest} if view and view.action else {}
        about = held if verb == "reject" else {}
        key = (verb, str(about.get("action", "")))
        ask = ask_for(verb, self._model, step)

        async def send(text: str) -> Outcome:
            try:
                arguments = arguments_of(ask, text, step)
            except ValueError as error:
                return Outcome(False, str(error))
            return await self._steering.send(ask.command, **about, **arguments)

        question = replace(ask.question, draft=self._drafts.get(key) or "")
        dialog = PromptDialog(question, send, about.get("action"))
        self.app.push_screen(dialog, lambda left: self._keep(key, left))

    def action_edit(self) -> None:
        """Change the held action."""
        from workbench.tui.modals.editor import EditorDialog

        view, action = self._seen(), self._model.state.held_action
        if view is None or action is None or action.id != view.action:
            return

        async def send(arguments: dict[str, Any], note: str) -> Outcome:
            more = {"note": note} if note else {}
            return await self._steering.send(
                "edit", action=view.action, digest=view.digest, arguments=arguments, **more
            )

        key = ("edit", action.id)
        draft = self._drafts.get(key)
        dialog = EditorDialog(action.id, action.tool, action.arguments, draft, send)
        self.app.push_screen(dialog, lambda draft: self._keep(key, draft))

    def _keep(self, key: tuple[str, str], draft: Any) -> None:
        if draft:
            self._drafts[key] = draft
            self._tell("Not sent; what you typed comes back with the same key.")
        else:
            self._drafts.pop(key, None)

    def action_mode(self) -> None:
        """Choose when the gate holds actions."""
        from workbench.tui.modals.choice import ChoiceDialog, Option

        options = [Option(mode, mode, text) for mode, text in MODES]
        dialog = ChoiceDialog("When does the gate hold?", options, self._model.state.control.mode)
        self.app.push_screen(dialog, lambda mode: self._start("mode", mode=mode) if mode else None)

    def action_stop(self) -> None:
        """Ask, then end the session for good."""
        _confirm(
            self,
            "Stop the session?",
            "The running command is ended and the session is closed. It stays to be read and "
            "exported, but cannot go on.",
            "Stop it",
            lambda: self._start("stop"),
        )

    def action_rewind(self) -> None:
        """Ask, then go back to the end of the chosen step."""
        step = self._chosen()
        if step is None:
            self._tell("Choose the step to go back to first; then rewind.")
            return
        _confirm(
            self,
            f"Rewind to the end of step {step}?",
            "The conversation and the files go back to how they were then. Nothing is deleted: "
            "what came after stays as a branch.",
            f"Rewind to step {step}",
            lambda: self._start("rewind", step=step),
        )

    def action_fork(self) -> None:
        """Ask, then begin a new session from the end of the chosen step."""
        step = self._chosen()
        if step is None:
            self._tell("Choose the step to fork at first; then fork.")
            return
        _confirm(
            self,
            f"Fork at the end of step {step}?",
            "A new session begins as a copy of this one up to there, and goes on by itself. "
            "This one stays as it is.",
            f"Fork at step {step}",
            lambda: self._begin(partial(fork, self._session, step)),
        )

    def action_restart(self) -> None:
        """Start the lost engine again."""
        self._tell("Starting the engine again…")
        self._begin(partial(restart, self._session))

    def _begin(self, start: Callable[[], SessionDir | None]) -> None:
        """Start an engine in the background; a session that is new is told."""

        async def begin() -> None:
            try:
                made = await asyncio.to_thread(start)
            except WorkbenchError as error:
                self._tell(str(error), is_fault=True)
                return
            if made is not None:
                self.post_message(self.Forked(made))

        self.run_worker(begin(), group="engine", exclusive=True, exit_on_error=False)

    # --- sending ------------------------------------------------------------------------------

    def _start(self, command: str, **arguments: Any) -> None:
        """Send in the background, in order with what was sent before."""
        sending = self._send(command, arguments)
        self.run_worker(sending, group="steer", exit_on_error=False)

    async def _send(self, command: str, arguments: dict[str, Any]) -> None:
        outcome = await self._steering.send(command, **arguments)
        if not outcome.ok:
            self._tell(outcome.sentence, is_fault=True)

    def _tell(self, sentence: str, *, is_fault: bool = False) -> None:
        self.post_message(self.Told(sentence, is_fault=is_fault))


def _confirm(widget: Widget, title: str, question: str, yes: str, do: Callable[[], None]) -> None:
    """Ask, and do it only if the person says so."""
    from workbench.tui.modals.choice import confirm

    dialog = confirm(title, question, yes)
    widget.app.push_screen(dialog, lambda answer: do() if answer == "yes" else None)
