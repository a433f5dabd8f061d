"""Asking for some text: why something is rejected, a message, a command, a label."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Static, TextArea

from workbench.text import clean
from workbench.tui.client import Outcome
from workbench.tui.modals.dialog import Dialog

Send = Callable[[str], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked for."""

    title: str
    hint: str
    draft: str = ""
    """What was typed before and not sent."""
    rows: int = 3
    language: str | None = None
    """For colours: `bash`, or none."""
    enter_sends: bool = True
    """Whether the enter key sends; else it begins a new line and ctrl+s sends."""
    may_be_empty: bool = False


_ENDS = ("ctrl+home", "ctrl+end", "ctrl+shift+home", "ctrl+shift+end")


class TypingArea(TextArea):
    """A text area in which a dialog decides what the enter key does."""

    def __init__(self, question: Question) -> None:
        super().__init__(
            clean(question.draft, keep_tabs=True),
            language=question.language,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            id="text",
        )
        self.cursor_blink = False
        self._enter_sends = question.enter_sends

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self._enter_sends:
            event.prevent_default()
            event.stop()
            await self.screen.run_action("submit")
        elif event.key == "ctrl+j":
            event.prevent_default()
            event.stop()
            self.insert("\n")
        elif event.key in _ENDS:
            event.prevent_default()
            event.stop()
            self._go_to_end(event.key)
        else:
            await super()._on_key(event)

    def _go_to_end(self, key: str) -> None:
        """To the begin or the end of the whole text, which Textual has no keys for."""
        to = self.document.end if key.endswith("end") else (0, 0)
        self.move_cursor(to, select="shift" in key)

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text, keep_tabs=True)
        await super()._on_paste(event)


class PromptDialog(Dialog[str]):
    """Asks, sends, and closes only once what was typed has arrived.

    It is dismissed with the text that was not sent, or with None once it was.
    """

    def __init__(self, question: Question, send: Send, about: str | None = None) -> None:
        """Args:
        question: what is asked for.
        send: takes the text; a failure is shown here, and the text stays.
        about: as for every dialog.
        """
        super().__init__(question.title, about)
        self._question = question
        self._send = send
        self.area = TypingArea(question)
        self.area.styles.height = question.rows

    def body(self) -> ComposeResult:
        """What is asked, and room for the answer."""
        yield Static(clean(self._question.hint), classes="hint", markup=False)
        yield self.area

    def on_mount(self) -> None:
        """Go on at the end of the draft."""
        self.area.move_cursor(self.area.document.end)
        self.area.focus()

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.complain("")

    async def action_submit(self) -> None:
        """Send the text."""
        text = self.area.text.strip("\n")
        if not text.strip() and not self._question.may_be_empty:
            self.complain("It is empty.")
            return
        outcome = await self._send(text)
        if outcome.ok:
            self.dismiss(None)
        else:
            self.complain(f"{outcome.sentence} Your text is kept.")

    def action_cancel(self) -> None:
        """Close; the text becomes a draft."""
        self.dismiss(self.area.text)
