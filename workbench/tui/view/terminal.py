"""The commands of the path as the terminal pane shows them."""

from __future__ import annotations

from workbench.session.state import SessionState
from workbench.session.steps import ActionState, StepState
from workbench.session.store import SessionDir
from workbench.trajectory.kira import EXECUTE_COMMANDS, TASK_COMPLETE
from workbench.tui.panes.commands import TerminalItem
from workbench.tui.view.calls import call_of
from workbench.tui.view.model import Changes, SessionModel

WORKSPACE = "/workspace"


class TerminalItems:
    """One item for each command; those that did not change stay the same objects."""

    def __init__(self, session: SessionDir) -> None:
        self._session = session
        self._parts: dict[int, list[TerminalItem]] = {}
        self._steps: dict[str, int] = {}
        self.items: list[TerminalItem] = []

    def take(self, model: SessionModel, changes: Changes) -> bool:
        """The model changed; returns whether the items did."""
        if changes.is_new:
            self._parts.clear()
        for step in changes.steps:
            self._parts.pop(step, None)
        old = self.items
        self.items = [item for step in model.rows.ids for item in self._part(model.state, step)]
        return changes.is_new or old != self.items

    def _part(self, state: SessionState, step: int) -> list[TerminalItem]:
        if (part := self._parts.get(step)) is None:
            shown = state.steps[step]
            folder = _folder_before(state, shown)
            part = []
            for action in shown.actions:
                if _is_shown(action):
                    part.append(self._item(shown, action, folder))
                folder = action.cwd or folder
            self._parts[step] = part
            self._steps.update((item.action, step) for item in part)
        return part

    def step_of(self, action: str) -> int | None:
        """Id of the step that an action belongs to."""
        return self._steps.get(action)

    def first_of(self, step: int) -> str | None:
        """The first action of a step that is shown."""
        return next((item.action for item in self._parts.get(step, ())), None)

    def _item(self, step: StepState, action: ActionState, folder: str) -> TerminalItem:
        has_output = action.output_bytes > 0
        return TerminalItem(
            action=action.id,
            step=step.n,
            command=_command(action),
            phase=action.phase,
            cwd=self._inside(folder),
            path=self._session.output_path(action.id, action.output_blob) if has_output else None,
            output_bytes=action.output_bytes,
            exit_code=action.exit_code,
            duration_s=action.duration_s,
            timed_out=action.timed_out,
            killed=action.killed,
            note=action.note,
            author=action.author,
        )

    def _inside(self, folder: str) -> str:
        """A folder as the agent knows it; without a sandbox its workspace is the host's folder."""
        root = str(self._session.workspace)
        is_below = folder == root or folder.startswith(f"{root}/")
        return f"{WORKSPACE}{folder.removeprefix(root)}" if is_below else folder


def _folder_before(state: SessionState, step: StepState) -> str:
    """Where the shell stood when the step began: an action's `cwd` is where it left the shell."""
    parent = state.steps.get(step.parent) if step.parent is not None else None
    while parent is not None:
        for action in reversed(parent.actions):
            if action.cwd:
                return action.cwd
        parent = state.steps.get(parent.parent) if parent.parent is not None else None
    return WORKSPACE


def _is_shown(action: ActionState) -> bool:
    """Commands that ran, or might: the listing at a task's end is one."""
    return action.tool == EXECUTE_COMMANDS or (
        action.tool == TASK_COMPLETE and action.command is not None
    )


def _command(action: ActionState) -> str:
    """What the shell was given; before that, or where it was several, what was asked for."""
    if action.command is not None and "commands" not in action.arguments:
        return action.command.rstrip("\n")
    return call_of(action).text
