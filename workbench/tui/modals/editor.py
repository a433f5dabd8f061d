"""The command editor: the command in bash colours, the original beside it with what changes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static, TextArea

from workbench.text import clean, clean_line
from workbench.tui.client import Outcome
from workbench.tui.modals.dialog import Dialog
from workbench.tui.modals.external import EditorFailed, edit_outside
from workbench.tui.modals.prompt import Question, TypingArea
from workbench.tui.view.diff import diff_lines
from workbench.tui.widgets.lines import Lines

_EXECUTE = "execute_commands"
_BESIDE_FROM = 100
_ODD = "It has characters that cannot be shown; what you send has stand-ins for them."


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit that was not sent."""

    text: str
    duration: str = ""
    note: str = ""


Send = Callable[[dict[str, Any], str], Awaitable[Outcome]]
"""Takes the final arguments and the note."""


class EditorDialog(Dialog[Draft]):
    """Edits the arguments of a held action. Dismissed with a draft, or None once it was sent."""

    DEFAULT_CSS = """
    EditorDialog {
        & > #box { max-width: 180; height: 80%; width: 96%; }
        & #sides { height: 1fr; }
        & #left { width: 1fr; }
        & #diff { width: 1fr; height: 1fr; background: $surface; padding: 0 1; }
        & .label { height: 1; color: $foreground-muted; }
        & #text { height: 1fr; }
        & #fields { height: 1; margin: 1 0 0 0; }
        & #fields Static { width: auto; padding: 0 1 0 0; color: $foreground-muted; }
        & #duration { width: 8; margin: 0 3 0 0; }
        & #note { width: 1fr; }
        &.-stacked #sides { layout: vertical; }
        &.-stacked #left { height: 2fr; width: 100%; }
        &.-stacked #right { height: 1fr; width: 100%; }
    }
    """

    def __init__(
        self, about: str, tool: str, arguments: dict[str, Any], draft: Draft | None, send: Send
    ) -> None:
        """Args:
        about: id of the action.
        tool: its tool; a command is edited as one, other arguments as JSON.
        arguments: as they were proposed.
        draft: what was typed before and not sent.
        send: takes what is to run; a failure is shown here, and everything stays.
        """
        title = f"Edit · {clean_line(tool)}"
        super().__init__(title, about)
        self._is_command = tool == _EXECUTE and isinstance(arguments.get("keystrokes"), str)
        self._arguments = arguments
        self._send = send
        proposed = (
            arguments["keystrokes"]
            if self._is_command
            else json.dumps(arguments, indent=2, ensure_ascii=False)
        )
        self._original = clean(proposed, keep_tabs=True)
        self._is_shown_whole = self._original == proposed
        start = draft or Draft(self._original, _number(arguments.get("duration")))
        language = "bash" if self._is_command else "json"
        self.area = TypingArea(
            Question(title, "", start.text, language=language, enter_sends=False)
        )
        self._duration = Input(start.duration, id="duration", compact=True, placeholder="seconds")
        self._note = Input(start.note, id="note", compact=True, placeholder="why, if you like")
        self._diff = Lines(id="diff")

    def body(self) -> ComposeResult:
        """The editor, the comparison, and the other fields."""
        what = "COMMAND, as it will run" if self._is_command else "ARGUMENTS, as JSON"
        with Horizontal(id="sides"):
            with Vertical(id="left"):
                yield Static(what, classes="label", markup=False)
                yield self.area
            with Vertical(id="right"):
                yield Static(" ORIGINAL, with your changes", classes="label", markup=False)
                yield self._diff
        with Horizontal(id="fields"):
            if self._is_command:
                yield Static("may take", markup=False)
                yield self._duration
            yield Static("note", markup=False)
            yield self._note

    def on_mount(self) -> None:
        """Ready to type."""
        for field in (self._duration, self._note):
            field.cursor_blink = False
        self.area.focus()
        self._diff.show(diff_lines(self._original, self.area.text))
        if not self._is_shown_whole:
            self.complain(_ODD)

    def on_resize(self, event: events.Resize) -> None:
        """One over the other where there is no room beside."""
        self.set_class(event.size.width < _BESIDE_FROM, "-stacked")

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.complain("")
        self._diff.show(diff_lines(self._original, self.area.text))

    async def action_submit(self) -> None:
        """Run what stands here."""
        try:
            arguments = self._final()
        except ValueError as error:
            self.complain(str(error))
            return
        outcome = await self._send(arguments, self._note.value.strip())
        if outcome.ok:
            self.dismiss(None)
        else:
            self.complain(f"{outcome.sentence} What you typed is kept.")

    def _final(self) -> dict[str, Any]:
        """The arguments as they stand here.

        Raises:
            ValueError: with a sentence, where they cannot be used.
        """
        if not self._is_command:
            try:
                value = json.loads(self.area.text)
            except ValueError as error:
                raise ValueError(f"The arguments are not JSON: {error}.") from error
            if not isinstance(value, dict):
                raise ValueError("The arguments are not a JSON object.")
            return value
        if not self.area.text.strip():
            raise ValueError("The command is empty; skip it instead.")
        final = {**self._arguments, "keystrokes": self.area.text}
        if seconds := self._duration.value.strip():
            final["duration"] = _seconds(seconds)
        return final

    def action_external(self) -> None:
        """Go on in the person's own editor."""
        try:
            with self.app.suspend():
                text = edit_outside(self.area.text, ".sh" if self._is_command else ".json")
        except EditorFailed as error:
            self.complain(str(error))
            return
        end = "\n" if self._original.endswith("\n") else ""
        self.area.text = clean(text, keep_tabs=True).rstrip("\n") + end
        self.area.focus()

    def action_revert(self) -> None:
        """Put the original back; undo brings the edit back."""
        self.area.replace(self._original, (0, 0), self.area.document.end)

    def action_cancel(self) -> None:
        """Close; what was typed becomes a draft."""
        changed = self.area.text != self._original or self._note.value
        draft = Draft(self.area.text, self._duration.value, self._note.value)
        self.dismiss(draft if changed else None)


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= 60:
        raise ValueError("“May take” is a number of seconds, more than 0 and at most 60.")
    return int(seconds) if seconds.is_integer() else seconds
