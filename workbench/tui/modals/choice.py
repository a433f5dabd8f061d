"""Choosing one of a few things, and being asked before something is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.widgets import Static

from workbench.text import clean, clean_line, pad
from workbench.tui import keymap, keys
from workbench.tui.modals.dialog import Dialog
from workbench.tui.panes.listview import ListView
from workbench.tui.panes.paint import LineBuilder, Role, ViewLine

_MAX_ROWS = 16


class Option(NamedTuple):
    """Something that can be chosen."""

    value: str
    label: str
    help: str = ""


class Options(ListView):
    """A line for each option, with a cursor."""

    DEFAULT_CSS = "Options { background: $surface; margin: 1 0; }"
    BINDINGS = keymap.bindings(keys.of_target("list"))


class ChoiceDialog(Dialog[str]):
    """One of some options, or nothing."""

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        current: str = "",
        *,
        hint: str = "",
        preview: Callable[[str], object] | None = None,
    ) -> None:
        """Args:
        title: what is chosen.
        options: what there is.
        current: the value that is chosen now.
        hint: a sentence above the options.
        preview: called with each value that the cursor comes to.
        """
        super().__init__(title)
        self.list = Options(self._line)
        self._options = options
        self._hint = hint
        self._preview = preview
        values = [option.value for option in options]
        self._start = values.index(current) if current in values else 0
        self._label_cells = max((len(option.label) for option in options), default=0) + 2

    def body(self) -> ComposeResult:
        """The hint and the options."""
        if self._hint:
            yield Static(clean(self._hint), classes="hint", markup=False)
        yield self.list

    def on_mount(self) -> None:
        """The cursor stands on what is chosen now."""
        self.list.styles.height = min(len(self._options), _MAX_ROWS)
        self.list.show_entries(len(self._options), self._start)
        self.list.focus()

    def _line(self, index: int, width: int) -> ViewLine:
        del width
        option = self._options[index]
        builder = LineBuilder().add(" ")
        builder.add(pad(clean_line(option.label), self._label_cells), Role.STRONG)
        return builder.add(clean_line(option.help), Role.MUTED).line()

    def on_list_view_highlighted(self, event: ListView.Highlighted) -> None:
        """Show what it would be like."""
        if self._preview is not None:
            self._preview(self._options[event.index].value)

    def on_list_view_chosen(self, event: ListView.Chosen) -> None:
        """Chosen."""
        self.dismiss(self._options[event.index].value)


def confirm(title: str, question: str, yes: str, no: str = "Leave it as it is") -> ChoiceDialog:
    """A dialog that gives "yes" only where the person says so; the cursor stands on no."""
    options = [Option("no", no), Option("yes", yes)]
    return ChoiceDialog(title, options, "no", hint=question)
