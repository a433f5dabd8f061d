"""Everything about one step: what was thought, said, done, decided, told and printed."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from workbench.session.state import SessionState
from workbench.session.steps import StepState
from workbench.session.store import SessionDir
from workbench.text import clean_line
from workbench.tui import keymap, keys
from workbench.tui.panes.document import LineSection
from workbench.tui.panes.filelines import FileLines
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.output import OutputSection
from workbench.tui.panes.paint import ViewLine
from workbench.tui.view.details import detail_lines, observed_text
from workbench.tui.view.states import step_word
from workbench.tui.view.steps import title_of
from workbench.tui.widgets.keybar import KeyBar

_BESIDE_FROM = 110


class DetailsScreen(ModalScreen[int]):
    """Reads a step; `[` and `]` go to the steps beside it."""

    DEFAULT_CSS = """
    DetailsScreen {
        background: $background;
        & #title { height: 1; background: $panel; padding: 0 1; text-style: bold; }
        & .heading { height: 1; color: $text-accent; text-style: bold; padding: 0 1; }
        & #about { height: 1fr; padding: 0 1; }
        & #told { height: 1fr; }
        & #told > Vertical { width: 1fr; }
        & #told LineView { padding: 0 1; }
        &.-stacked #told { layout: vertical; height: 2fr; }
        &.-stacked #told > Vertical { width: 100%; height: 1fr; }
    }
    """
    BINDINGS = keymap.bindings(keys.of_target("details"))

    def __init__(self, session: SessionDir, state: SessionState, step: int) -> None:
        """Args:
        session: where outputs stand.
        state: the session; it may grow meanwhile.
        step: id of the step.
        """
        super().__init__()
        self._session = session
        self._state = state
        self._path = [one.id for one in state.path()]
        self._step = step
        self._about = LineView()
        self._about.id = "about"
        self._observed = LineView()
        self._output = LineView()

    def compose(self) -> ComposeResult:
        """The title, what it is about, and what was told beside what was printed."""
        yield Static("", id="title", markup=False)
        yield self._about
        with Horizontal(id="told"):
            with Vertical():
                yield Static("AS THE MODEL SAW IT", classes="heading", markup=False)
                yield self._observed
            with Vertical():
                yield Static("WHOLE OUTPUT", classes="heading", markup=False)
                yield self._output
        yield KeyBar(keys.BY_ID)

    def on_mount(self) -> None:
        """Show the step."""
        self._about.focus()
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """One over the other where there is no room beside."""
        self.set_class(event.size.width < _BESIDE_FROM, "-stacked")

    def _show(self) -> None:
        step = self._state.steps[self._step]
        word = step_word(step)
        title = f"step {step.n} · {word.glyph} {word.word} · {clean_line(title_of(step))}"
        self.query_one("#title", Static).update(title)
        lines = detail_lines(step)
        _show_lines(self._about, lines)
        self._about.styles.height = min(len(lines) + 1, max(4, self.size.height // 2))
        self._observed.show_notice("The model was told nothing yet.")
        _show_text(self._observed, observed_text(step))
        self._output.show_notice("The step printed nothing.")
        self._output.show(_outputs(self._session, step))

    def action_previous(self) -> None:
        """The step before."""
        self._go(-1)

    def action_next(self) -> None:
        """The step after."""
        self._go(1)

    def _go(self, by: int) -> None:
        at = self._path.index(self._step) + by if self._step in self._path else -1
        if 0 <= at < len(self._path):
            self._step = self._path[at]
            self._show()

    def action_close(self) -> None:
        """Back to the session, with the step that was read last."""
        self.dismiss(self._step)


def _show_lines(view: LineView, lines: list[ViewLine]) -> None:
    view.show([LineSection(len(lines), lambda at, _width: lines[at])] if lines else [])


def _show_text(view: LineView, text: str) -> None:
    lines = [ViewLine(line, words=True) for line in text.split("\n")] if text else []
    _show_lines(view, lines)


def _outputs(session: SessionDir, step: StepState) -> list[OutputSection]:
    return [
        OutputSection(
            FileLines(session.output_path(action.id, action.output_blob), action.output_bytes)
        )
        for action in step.actions
        if action.output_bytes
    ]
