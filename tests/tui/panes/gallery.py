"""Pictures of the panes, to look at: `python -m tests.tui.panes.gallery OUT [PANE…]`.

Writes a PNG for each pane, size and theme; needs `rsvg-convert`.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widget import Widget
from textual.widgets import Input

from tests.tui.panes import samples
from workbench.tui.panes.terminal import TerminalPane

SIZES = ((200, 50), (120, 35), (80, 24), (40, 10), (20, 5))
THEMES = ("textual-dark", "textual-light")


class Frame(App[None]):
    """One pane in a border."""

    CSS = """
    #pane { border: round $primary 50%; height: 1fr; border-title-color: $text-accent; }
    #pane:focus-within { border: round $primary; }
    """

    def __init__(self, make: Callable[[], Widget]) -> None:
        super().__init__()
        self.make = make

    def compose(self) -> ComposeResult:
        pane = self.make()
        pane.id = "pane"
        pane.border_title = type(pane).__name__.removesuffix("Pane").upper()
        yield pane


Scene = tuple[Callable[[], Widget], Callable[[Frame, Widget], Awaitable[None]]]


def scenes(folder: Path) -> dict[str, Scene]:
    """Every picture by name."""
    items = samples.write_outputs(folder)

    async def fill_terminal(app: Frame, pane: Widget) -> None:
        assert isinstance(pane, TerminalPane)
        pane.set_items(items)
        pane.focus_view()

    async def top(app: Frame, pane: Widget) -> None:
        await fill_terminal(app, pane)
        assert isinstance(pane, TerminalPane)
        pane.show_action("a1")
        pane.action_find()
        pane.bar.query_one(Input).value = "frame"

    async def raw(app: Frame, pane: Widget) -> None:
        await fill_terminal(app, pane)
        assert isinstance(pane, TerminalPane)
        pane.action_toggle_raw()
        pane.show_action("a4")

    async def nothing(app: Frame, pane: Widget) -> None:
        return None

    return {
        "terminal": (TerminalPane, fill_terminal),
        "terminal-find": (TerminalPane, top),
        "terminal-raw": (TerminalPane, raw),
        "terminal-empty": (TerminalPane, nothing),
    }


async def shoot(name: str, scene: Scene, size: tuple[int, int], theme: str, out: Path) -> None:
    """One picture."""
    make, fill = scene
    app = Frame(make)
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await pilot.pause()
        await fill(app, app.query_one("#pane"))
        await pilot.pause(0.2)
        svg = app.export_screenshot(title=f"{name} {size[0]}x{size[1]}")
    svg = svg.replace("Fira Code", "DejaVu Sans Mono").replace(
        "<svg ", '<svg xml:space="preserve" '
    )
    target = out / f"{name}-{size[0]}x{size[1]}-{theme}.png"
    subprocess.run(["rsvg-convert", "-o", str(target)], input=svg.encode(), check=True)


async def main(out: Path, wanted: list[str]) -> None:
    """All pictures, or those whose name starts with a wanted word."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, scene in scenes(Path(folder)).items():
            if wanted and not any(name.startswith(word) for word in wanted):
                continue
            for size in SIZES:
                for theme in THEMES:
                    await shoot(name, scene, size, theme, out)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
