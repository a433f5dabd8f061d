"""What the keys do here: those of the focused pane first, then those of its screen."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.screen import Screen

from workbench.tui.keymap import shown
from workbench.tui.keys import Key
from workbench.tui.modals.dialog import Dialog
from workbench.tui.panes.document import LineSection
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

_KEY_CELLS = 20


class HelpDialog(Dialog[None]):
    """Lists the keys that work where the person was."""

    DEFAULT_CSS = """
    HelpDialog LineView { height: auto; max-height: 100%; background: $surface; }
    """

    def __init__(self, screen: Screen[Any], table: dict[str, Key]) -> None:
        """Args:
        screen: where help was asked for.
        table: every key by its id.
        """
        focused = screen.focused
        pane = (
            next((node.id for node in focused.ancestors_with_self if node.id), "")
            if focused
            else ""
        )
        super().__init__(f"Keys · {(pane or 'here').upper()}")
        self._lines = help_lines(_by_group(screen, table))

    def body(self) -> ComposeResult:
        """The list."""
        yield LineView()

    def on_mount(self) -> None:
        """Show it."""
        view = self.query_one(LineView)
        view.show([LineSection(len(self._lines), lambda at, _width: self._lines[at])])
        view.styles.height = min(len(self._lines), max(4, self.app.size.height - 8))
        view.focus()


def _by_group(screen: Screen[Any], table: dict[str, Key]) -> dict[str, dict[str, list[str]]]:
    """Group to help sentence to keys, the focused pane's group first."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, active in screen.active_bindings.items():
        key = table.get(active.binding.id or "")
        if key is not None:
            groups.setdefault(key.group, {}).setdefault(key.help, []).append(shown(name))
    return groups


def help_lines(groups: dict[str, dict[str, list[str]]]) -> list[ViewLine]:
    """The list as lines: a heading for each group, then its keys."""
    lines: list[ViewLine] = []
    for group, entries in groups.items():
        if lines:
            lines.append(ViewLine(""))
        lines.append(LineBuilder().add(group, Role.ACCENT).line())
        for text, names in entries.items():
            builder = LineBuilder().add(f"  {' '.join(names):<{_KEY_CELLS}} ", Role.STRONG)
            lines.append(builder.add(text).line(indent=_KEY_CELLS + 3, words=True))
    return lines
