"""The panes of a session and their one selection: choosing in one shows it in all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import on
from textual.message import Message

from workbench.session.store import SessionDir
from workbench.tui.board.board import Board
from workbench.tui.board.plan import Wishes
from workbench.tui.content import read_content
from workbench.tui.panes.linepane import LinePane
from workbench.tui.panes.terminal import TerminalPane
from workbench.tui.screens.panes import Files, Frames, Terminal, Transcript
from workbench.tui.view.files import Since, file_entries, since_words
from workbench.tui.view.frames import frame_items
from workbench.tui.view.gate import gate_view
from workbench.tui.view.media import media_rows
from workbench.tui.view.model import Changes, SessionModel
from workbench.tui.view.terminal import TerminalItems
from workbench.tui.view.transcript import transcript_entries
from workbench.tui.widgets.gate import GatePane
from workbench.tui.widgets.media import MediaPane
from workbench.tui.widgets.steplist import StepList


class Stage(Board):
    """Shows a `SessionModel` in all panes. It follows the newest step until one is chosen."""

    class NewAction(Message):
        """The gate shows another action than before."""

    def __init__(self, session: SessionDir, model: SessionModel, wishes: Wishes) -> None:
        """Args:
        session: where outputs and pictures stand.
        model: what is shown.
        wishes: where the person had the panes last.
        """
        self._session = session
        self._model = model
        self._commands = TerminalItems(session)
        self._since: Since = "start"
        self.chosen: int | None = None
        """Id of the step that is looked at; None while the newest is followed."""
        self.steps = StepList(model)
        self.gate = GatePane()
        self.terminal = Terminal(id="terminal")
        self.frames = Frames(session.blobs)
        self.transcript = Transcript(id="transcript")
        self.files = Files(id="files")
        self.media = MediaPane()
        panes = (self.frames, self.transcript, self.files, self.media)
        super().__init__([self.steps, self.terminal, *panes, self.gate], wishes)

    # --- content ------------------------------------------------------------------------------

    def take(self, changes: Changes, now: float) -> None:
        """The model changed."""
        self.show_now(now)
        self.steps.take(changes)
        if self._commands.take(self._model, changes):
            self.terminal.set_items(self._commands.items)
        if changes.files:
            self._show_files()
        if changes.media:
            self._show_evidence()
        self._entitle_panes()

    def show_now(self, now: float) -> None:
        """Time went on, or the model changed."""
        view = gate_view(self._model, now)
        old = self.gate.view
        self.gate.show_view(view)
        self.entitle("gate", "", view.title)
        if old is None or (old.action, old.digest) != (view.action, view.digest):
            self.post_message(self.NewAction())

    def _entitle_panes(self) -> None:
        count = len(self._model.rows)
        self.entitle("steps", f"{self.chosen_number} of {count}" if self.chosen else f"{count}")
        self.entitle("frames", self.frames.status)
        self.entitle("terminal", self.terminal.status)
        self.entitle("transcript", self.transcript.status)
        self.entitle("files", self.files.status)

    def _show_evidence(self) -> None:
        """Pictures, speech, and the seconds that were seen and heard."""
        state = self._model.state
        self.frames.show_items(frame_items(state))
        self.transcript.show_entries(transcript_entries(state))
        self.media.show_media(media_rows(state, self.chosen))

    def _show_files(self) -> None:
        state = self._model.state
        step = state.steps.get(self.chosen) if self.chosen is not None else None
        entries = file_entries(state, self.chosen, self._since)
        self.files.set_files(entries, since_words(step, self._since))

    @on(LinePane.StatusChanged)
    def _status_changed(self, message: LinePane.StatusChanged) -> None:
        message.stop()
        self.entitle(message.pane.id or "", message.pane.status)

    @on(MediaPane.Resized)
    def _media_resized(self) -> None:
        self.wish(replace(self.wishes, media_rows=self.media.rows))

    @on(GatePane.Resized)
    def _gate_resized(self) -> None:
        view = self.gate.view
        waits = view is not None and view.waits
        self.wish(replace(self.wishes, gate_rows=self.gate.rows, gate_waits=waits))
        self.mark(self.focused_pane, "gate" if waits else None)

    # --- the selection ------------------------------------------------------------------------

    @property
    def chosen_number(self) -> int | None:
        """Number of the step that is looked at, as people count."""
        step = self._model.state.steps.get(self.chosen) if self.chosen is not None else None
        return step.n if step is not None else None

    def choose(self, step: int) -> None:
        """Look at a step in all panes."""
        self.steps.go_to_step(step)

    def follow(self) -> None:
        """Look at the newest step, whatever comes."""
        self.steps.go_live()

    @on(StepList.Chosen)
    def _step_chosen(self, message: StepList.Chosen) -> None:
        message.stop()
        self.chosen = message.step
        self._show_files()
        self.media.show_media(media_rows(self._model.state, message.step))
        self.transcript.show_step(message.step)
        if message.step is None:
            self.terminal.view.follow()
            self.frames.go_live()
        else:
            self._show_commands(message.step)
            self.frames.show_step(message.step)
        self._entitle_panes()

    def _show_commands(self, step: int) -> None:
        """Go to the step's command, unless one of its commands is looked at already."""
        current = self.terminal.current
        if current is None or self._commands.step_of(current.action) != step:
            action = self._commands.first_of(step)
            if action is not None:
                self.terminal.show_action(action)

    @on(TerminalPane.ActionChosen)
    def _action_chosen(self, message: TerminalPane.ActionChosen) -> None:
        message.stop()
        step = self._commands.step_of(message.action)
        if step is not None:
            self.choose(step)

    @on(Files.SinceToggled)
    def _since_toggled(self, message: Files.SinceToggled) -> None:
        message.stop()
        self._since = "step" if self._since == "start" else "start"
        self._show_files()

    @on(Frames.Chosen)
    def _frame_chosen(self, message: Frames.Chosen) -> None:
        message.stop()
        item = self.frames.items[self.frames.cursor]
        self.choose(message.step)
        if item.source is not None and item.time_s is not None:
            self.transcript.show_moment(item.source, item.time_s)

    @on(Transcript.Chosen)
    def _speech_chosen(self, message: Transcript.Chosen) -> None:
        message.stop()
        if message.step != self.chosen:
            self.choose(message.step)

    # --- what opens over the board ------------------------------------------------------------

    @on(Frames.Opened)
    def _frame_opened(self, message: Frames.Opened) -> None:
        from workbench.tui.screens.picture import PictureScreen

        message.stop()
        screen = PictureScreen(self.frames.items, message.index, self._session.blobs)
        self.app.push_screen(screen, lambda last: self.frames.go_to(last or 0))

    @on(Files.FileOpened)
    def _file_opened(self, message: Files.FileOpened) -> None:
        from workbench.tui.screens.file import FileScreen

        message.stop()
        path = message.entry.path
        read = partial(read_content, self._session, self._model.state, self.chosen, path)
        self.app.push_screen(FileScreen(path, read))
