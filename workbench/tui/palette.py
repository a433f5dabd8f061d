"""The command palette: every action of the key table that can be done now, by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode

from workbench.tui.keymap import shown


class ActionProvider(Provider):
    """Offers what the focused pane and its screen can do, with the keys that do it."""

    def _actions(self) -> Iterator[tuple[str, str, Any]]:
        """Name, help with keys, and what to call, once for each action."""
        seen: set[str] = set()
        for key, active in self.screen.active_bindings.items():
            binding = active.binding
            if binding.id is None or binding.id in seen or not active.enabled:
                continue
            seen.add(binding.id)
            name = binding.tooltip.rstrip(".") or binding.description
            run = partial(self._run, active.node, binding.action)
            yield name, f"{shown(key)} · {binding.id}", run

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
