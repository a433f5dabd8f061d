"""The command palette: every action of the key table that can be done now, by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.binding import ActiveBinding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from workbench.tui.keymap import shown
from workbench.tui.screens.panes import TABLE


class ActionProvider(Provider):
    """Offers what the focused pane and its screen can do, with the keys that do it."""

    def _actions(self) -> Iterator[tuple[str, str, Any]]:
        """Name, help with keys, and what to call, once for each action."""
        found: dict[str, tuple[str, ActiveBinding]] = {}
        for key, active in self.screen.active_bindings.items():
            if active.binding.id in TABLE and active.enabled:
                found.setdefault(active.binding.id or "", (key, active))
        for action in TABLE:
            if action in found:
                key, active = found[action]
                run = partial(self._run, active.node, active.binding.action)
                yield TABLE[action].help.rstrip("."), f"{shown(key)} · {action}", run

    async def _run(self, node: DOMNode, action: str) -> None:
        await self.app.run_action(action, node)

    async def discover(self) -> Hits:
        """Everything, as the table has it."""
        for name, text, run in self._actions():
            yield DiscoveryHit(Content(name), run, text=name, help=text)

    async def search(self, query: str) -> Hits:
        """What the query fits."""
        matcher = self.matcher(query)
        for name, text, run in self._actions():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), run, text=name, help=text)
