"""Choosing the colours, seen at once."""

from __future__ import annotations

from collections.abc import Callable

from workbench.tui.modals.choice import ChoiceDialog, Option
from workbench.tui.themes import ThemeError, ThemeShelf


def theme_dialog(shelf: ThemeShelf, current: str, preview: Callable[[str], object]) -> ChoiceDialog:
    """All themes of a shelf; the cursor shows what each is like."""
    options = [_option(shelf, name) for name in shelf.names()]
    hint = "Your own themes stand in the folder `themes` beside config.yaml."
    return ChoiceDialog("Colours", options, current, hint=hint, preview=preview)


def _option(shelf: ThemeShelf, name: str) -> Option:
    try:
        found = shelf.read(name)
    except ThemeError as error:
        return Option(name, name, str(error))
    return Option(name, found.label, "dark" if found.theme.dark else "light")
