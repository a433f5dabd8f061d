"""A small app around one pane, and what a person sees of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from tests.test_text_clean import assert_safe
from workbench.tui.panes.lines import LineView

P = TypeVar("P", bound=Widget)


class Host(App[None], Generic[P]):
    """Shows one pane and keeps the messages that reach it."""

    def __init__(self, pane: P) -> None:
        super().__init__()
        self.pane = pane
        self.said: list[Message] = []

    def compose(self) -> ComposeResult:
        """The pane alone."""
        yield self.pane

    def on_event_posted(self, message: Message) -> None:
        """Keep it."""
        self.said.append(message)

    def heard(self, kind: type[Message]) -> list[Message]:
        """The messages of a kind, oldest first."""
        return [message for message in self.said if isinstance(message, kind)]


def screen_lines(app: App[None]) -> list[str]:
    """The screen's text, row by row; nothing on it may act on a terminal."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip) for strip in strips]
    for line in lines:
        assert_safe(line)
    del width
    return lines[:height]


def view_lines(view: LineView) -> list[str]:
    """The text of a view's rows."""
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def until(pilot: Pilot[None], holds: Callable[[], bool], tries: int = 400) -> None:
    """Let the app go on until something holds."""
    for _try in range(tries):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came to hold")
