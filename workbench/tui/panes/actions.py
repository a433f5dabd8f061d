"""What a pane can do, as data: the key table, the palette and the help are made from it."""

from __future__ import annotations

from typing import NamedTuple


class PaneAction(NamedTuple):
    """One action of a pane, under a name that a key map can refer to."""

    id: str
    keys: str
    """Suggested keys, separated by commas, as Textual writes them."""
    action: str
    """Name of the `action_*` method of the pane."""
    label: str
    """One or two words, for the footer."""
    help: str
    """One sentence, for the palette and the help."""


LINE_ACTIONS = (
    PaneAction("lines.find", "slash,ctrl+f", "find", "find", "Find text in this pane."),
    PaneAction("lines.find_next", "n", "find_next", "next", "Go to the next match."),
    PaneAction("lines.find_previous", "N", "find_previous", "previous", "Go to the match before."),
    PaneAction("lines.follow", "G,end", "follow", "end", "Go to the end and follow it."),
    PaneAction("lines.wrap", "w", "toggle_wrap", "wrap", "Wrap long lines, or pan over them."),
    PaneAction("lines.mark", "v", "mark", "select", "Select lines with the keyboard."),
    PaneAction("lines.copy", "y", "copy", "copy", "Copy what is selected."),
    PaneAction("lines.goto", "colon", "goto", "go to", "Go to a line by its number."),
)
"""Every pane that shows lines has these."""
