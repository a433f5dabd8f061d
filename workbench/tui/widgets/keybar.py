"""The footer: the keys that work here and now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from textual import events
from textual.strip import Strip

from workbench.text import cell_width
from workbench.tui.keymap import shown
from workbench.tui.keys import Key
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine
from workbench.tui.widgets.painted import Painted


class Hint(NamedTuple):
    """A key and what it does, in a word or two."""

    key: str
    """As Textual calls it."""
    label: str
    is_urgent: bool = False
    """Whether something waits for it."""
    stays: bool = False
    """Whether it has room before others have."""


_STAYS_FROM = 90
"""Ranks from which on a hint stays: help, and how to leave."""


class KeyBar(Painted):
    """One line of hints; a click on one does it."""

    DEFAULT_CSS = """
    KeyBar { height: 1; dock: bottom; background: $panel; color: $foreground-muted; }
    """

    def __init__(
        self, table: Mapping[str, Key], urgent: Callable[[], frozenset[str]] = frozenset
    ) -> None:
        """Args:
        table: every key by its id.
        urgent: ids of what a person is waited for to do.
        """
        super().__init__(id="keys")
        self.hints: tuple[Hint, ...] = ()
        self._table = table
        self._urgent = urgent

    def on_mount(self) -> None:
        """Follow what the focused widget can do."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.follow())
        self.call_after_refresh(self.follow)

    def follow(self) -> None:
        """Show the keys of the focused pane and of its screen."""
        if not self.is_attached:
            return
        urgent = self._urgent()
        found: dict[str, tuple[int, Hint]] = {}
        for active in self.screen.active_bindings.values():
            key = self._table.get(active.binding.id or "")
            if key is None or not key.rank or not active.enabled or key.id in found:
                continue
            hint = Hint(
                active.binding.key,
                active.binding.description,
                key.id in urgent,
                key.rank >= _STAYS_FROM,
            )
            found[key.id] = (key.rank - 100 * hint.is_urgent, hint)
        hints = tuple(hint for _rank, hint in sorted(found.values(), key=lambda pair: pair[0]))
        if hints != self.hints:
            self.hints = hints
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The one line."""
        return self.blank() if y else self.painted(hint_line(self.hints, self.size.width)[0])

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        for start, end, hint in hint_line(self.hints, self.size.width)[1]:
            if start <= event.x < end:
                self.app.simulate_key(hint.key)


def hint_line(hints: tuple[Hint, ...], width: int) -> tuple[ViewLine, list[tuple[int, int, Hint]]]:
    """As many hints as fit, and the cells of each."""
    builder = LineBuilder()
    places: list[tuple[int, int, Hint]] = []
    used = 0
    for hint in _fitting(hints, width):
        builder.add(f" {shown(hint.key)} ", Role.WARN if hint.is_urgent else Role.ACCENT)
        builder.add(f"{hint.label} ", Role.STRONG if hint.is_urgent else None)
        places.append((used, used + _width(hint), hint))
        used += _width(hint)
    return builder.line(), places


def _width(hint: Hint) -> int:
    return cell_width(f" {shown(hint.key)} {hint.label} ")


def _fitting(hints: tuple[Hint, ...], width: int) -> list[Hint]:
    """The hints that there is room for, in their order: what is urgent first, then what stays."""
    kept: set[int] = set()
    order = sorted(range(len(hints)), key=lambda at: (not hints[at].is_urgent, not hints[at].stays))
    for at in order:
        if _width(hints[at]) <= width:
            width -= _width(hints[at])
            kept.add(at)
    return [hint for at, hint in enumerate(hints) if at in kept]
