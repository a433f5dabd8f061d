"""The one table of what keys do. Bindings, footer, palette, help and docs are made from it.

An id is `<target>.<verb>`: the verb names the `action_<verb>` of the screen or pane that is the
target. A person's config file gives other keys by id.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.tui.panes.actions import LINE_ACTIONS, PaneAction

PANES = ("steps", "terminal", "frames", "transcript", "files", "media", "gate")
"""The panes of the session screen, in the order of their number keys."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that a person can do."""

    id: str
    keys: str
    """As Textual writes them, separated by commas."""
    label: str
    """One or two words, for the footer."""
    help: str
    """One sentence, for the palette, the help and the docs."""
    group: str
    rank: int = 0
    """Place in the footer, small ones first; 0 keeps it out of the footer."""
    vim: str = ""
    """More keys, for those who move as in vim."""
    action: str = ""
    """The action with its argument, where it is not just the verb."""
    twin: str = ""
    """Id of the action that has the same key, of which only one makes sense at a time."""

    @property
    def target(self) -> str:
        """The screen or pane that it belongs to."""
        return self.id.partition(".")[0]

    @property
    def run(self) -> str:
        """The action as Textual calls it."""
        return self.action or self.id.partition(".")[2]

    def all_keys(self, *, vim: bool) -> list[str]:
        """Every key that does it."""
        keys = self.keys.split(",") if self.keys else []
        return keys + (self.vim.split(",") if vim and self.vim else [])


ANYWHERE = "Anywhere"
DECIDE = "Decide"
STEER = "Steer"
MOVE = "Move"
LOOK = "Look"
LIST = "In lists"
JUMP = "Jump to the next (with shift: the one before)"
DETAILS = "In the details of a step"
LIBRARY = "In the library"
EDITOR = "In dialogs"

_APP = (
    Key("app.help", "question_mark,f1", "help", "What the keys do here.", ANYWHERE, 90),
    Key("app.command_palette", "ctrl+p", "actions", "Find any action by name.", ANYWHERE, 89),
    Key("app.choose_theme", "ctrl+t", "colours", "Choose the colours.", ANYWHERE),
    Key("app.suspend_process", "ctrl+z", "shell", "Go to the shell; `fg` comes back.", ANYWHERE),
    Key("app.quit", "ctrl+q", "quit", "Leave Workbench; sessions go on.", ANYWHERE),
)

_STEER = (
    Key(
        "steer.approve",
        "a",
        "approve",
        "Run the held action as it stands.",
        DECIDE,
        1,
        action="decide('approve')",
    ),
    Key("steer.edit", "e", "edit", "Change the held command, then run it.", DECIDE, 2),
    Key(
        "steer.reject",
        "r",
        "reject",
        "Do not run it, and say why.",
        DECIDE,
        3,
        action="ask('reject')",
    ),
    Key("steer.skip", "s", "skip", "Do not run it, and go on.", DECIDE, 4, action="decide('skip')"),
    Key(
        "steer.type",
        "t",
        "type a command",
        "Act in the agent's shell.",
        DECIDE,
        5,
        action="ask('type')",
    ),
    Key(
        "steer.answer",
        "A",
        "answer",
        "Give the final answer in the model's place.",
        DECIDE,
        6,
        action="ask('answer')",
    ),
    Key(
        "steer.tell",
        "i",
        "tell the agent",
        "Write the agent a message.",
        DECIDE,
        7,
        action="ask('tell')",
    ),
    Key("steer.restart", "R", "restart", "Start the lost engine again.", STEER, 8),
    Key(
        "steer.pause", "space", "pause", "Stop after this step.", STEER, 10, action="send('pause')"
    ),
    Key(
        "steer.resume",
        "space",
        "go on",
        "Go on after a pause.",
        STEER,
        10,
        action="send('resume')",
        twin="steer.pause",
    ),
    Key("steer.step", "n", "step", "Go on for one step.", STEER, 11, action="send('step')"),
    Key(
        "steer.interrupt",
        "x",
        "interrupt",
        "End the command or model call now.",
        STEER,
        12,
        action="send('interrupt')",
    ),
    Key(
        "steer.freeze",
        "F",
        "freeze",
        "Freeze the sandbox where it is.",
        STEER,
        13,
        action="send('freeze')",
    ),
    Key(
        "steer.thaw",
        "F",
        "thaw",
        "Let the frozen sandbox go on.",
        STEER,
        13,
        action="send('thaw')",
        twin="steer.freeze",
    ),
    Key("steer.mode", "m", "mode", "Choose when the gate holds actions.", STEER, 14),
    Key("steer.rewind", "u", "rewind", "Go back to the end of the chosen step.", STEER, 15),
    Key("steer.fork", "f", "fork", "Begin a new session from the chosen step.", STEER, 16),
    Key(
        "steer.break",
        "b",
        "breakpoint",
        "Hold or pause where a condition is met.",
        STEER,
        action="ask('break')",
    ),
    Key(
        "steer.label",
        "L",
        "label",
        "Label the chosen step, or the session.",
        STEER,
        action="ask('label')",
    ),
    Key("steer.stop", "S", "stop", "End the session for good.", STEER),
)

_SESSION = (
    Key("session.go_live", "escape", "live", "Follow the newest step again.", MOVE, 20),
    Key("session.previous_step", "left_square_bracket", "", "Choose the step before.", MOVE),
    Key("session.next_step", "right_square_bracket", "", "Choose the step after.", MOVE),
    Key("session.jump", "g", "jump", "Jump to an error, edit, picture, file or hold.", MOVE, 30),
    Key("session.details", "d", "details", "Everything about the chosen step.", LOOK, 31),
    Key("session.leave", "q", "leave", "Leave the screen; the session goes on.", ANYWHERE, 92),
)

_BOARD = (
    *(
        Key(
            f"board.show_{pane}",
            str(number),
            "",
            f"Go to {pane.upper()}.",
            MOVE,
            action=f"show('{pane}')",
        )
        for number, pane in enumerate(PANES, 1)
    ),
    Key("board.zoom", "z", "zoom", "Give the pane the whole screen, and back.", LOOK, 32),
    Key("board.hide", "H", "", "Hide this pane; its number key shows it again.", LOOK),
    Key("board.wider", "ctrl+right", "", "Make this pane wider.", LOOK, action="resize('x',2)"),
    Key("board.thinner", "ctrl+left", "", "Make it narrower.", LOOK, action="resize('x',-2)"),
    Key("board.taller", "ctrl+down", "", "Make this pane taller.", LOOK, action="resize('y',1)"),
    Key("board.flatter", "ctrl+up", "", "Make it lower.", LOOK, action="resize('y',-1)"),
    Key("board.reset", "equals_sign", "", "Show all panes as at first.", LOOK),
)

_STEPS = (
    Key("steps.cursor_up", "up", "", "The step before.", LIST, vim="k"),
    Key("steps.cursor_down", "down", "", "The step after.", LIST, vim="j"),
    Key("steps.page_up", "pageup", "", "A page up.", LIST, vim="ctrl+b,ctrl+u"),
    Key("steps.page_down", "pagedown", "", "A page down.", LIST, vim="ctrl+d"),
    Key("steps.first", "home", "", "The first step.", LIST),
    Key("steps.last", "end", "", "The last step, and follow.", LIST, vim="G"),
    Key("steps.unfold", "right", "unfold", "Fold the step open.", LIST, 33, vim="l"),
    Key("steps.fold", "left", "", "Fold it shut.", LIST, vim="h"),
    Key("steps.open", "enter", "", "Everything about the step.", LIST),
)

_GATE = (
    Key("gate.scroll_up", "up", "", "A line up.", LIST, vim="k"),
    Key("gate.scroll_down", "down", "", "A line down.", LIST, vim="j"),
    Key("gate.page_up", "pageup", "", "A page up.", LIST, vim="ctrl+u"),
    Key("gate.page_down", "pagedown", "", "A page down.", LIST, vim="ctrl+d"),
    Key("gate.scroll_home", "home", "", "The beginning.", LIST),
    Key("gate.scroll_end", "end", "", "The end.", LIST, vim="G"),
)

_LINES = (
    Key("lines.up", "", "", "A line up.", LIST, vim="k", action="move(-1)"),
    Key("lines.down", "", "", "A line down.", LIST, vim="j", action="move(1)"),
    Key("lines.left", "", "", "To the left.", LIST, vim="h", action="pan(-1)"),
    Key("lines.right", "", "", "To the right.", LIST, vim="l", action="pan(1)"),
    Key("lines.page_up", "", "", "A page up.", LIST, vim="ctrl+b,ctrl+u", action="page(-1)"),
    Key("lines.page_down", "", "", "A page down.", LIST, vim="ctrl+d", action="page(1)"),
)

_FILES = (
    Key(
        "files.since",
        "C",
        "since",
        "Mark changes since the start, or those of the step.",
        "FILES",
        48,
        action="toggle_since",
    ),
)

_FRAMES = (
    Key("frames.open", "enter", "large", "Show the picture as large as the screen.", "FRAMES", 45),
    Key("frames.larger", "plus", "larger", "Fewer and larger pictures.", "FRAMES", 46),
    Key("frames.smaller", "minus", "smaller", "More and smaller pictures.", "FRAMES", 47),
    Key("frames.up", "", "", "The row before.", LIST, vim="k", action="scroll_up"),
    Key("frames.down", "", "", "The row after.", LIST, vim="j", action="scroll_down"),
    Key("frames.left", "", "", "The picture before.", LIST, vim="h", action="scroll_left"),
    Key("frames.right", "", "", "The picture after.", LIST, vim="l", action="scroll_right"),
)

_MEDIA = (
    Key("media.up", "", "", "A line up.", LIST, vim="k", action="scroll_up"),
    Key("media.down", "", "", "A line down.", LIST, vim="j", action="scroll_down"),
)

_VIEWERS = (
    Key("picture.close", "escape,q,enter", "back", "Back to the session.", "In a picture", 1),
    Key(
        "picture.previous",
        "left_square_bracket,left,up",
        "before",
        "The picture before.",
        "In a picture",
        2,
    ),
    Key(
        "picture.next",
        "right_square_bracket,right,down",
        "after",
        "The picture after.",
        "In a picture",
        3,
    ),
    Key("file.close", "escape,q", "back", "Back to the session.", "In a file", 1),
    *(
        Key(f"text.{one.action}", one.keys, one.label, one.help, "In a file", rank)
        for rank, one in enumerate(LINE_ACTIONS, 2)
    ),
)

_JUMP = (
    *(
        Key(f"jump.{name}", letter, name, f"The next {what}.", JUMP, rank, action=f"go('{name}',1)")
        for rank, (name, letter, what) in enumerate(
            (
                ("error", "e", "step that failed"),
                ("edit", "d", "step that a person changed"),
                ("image", "i", "step with pictures"),
                ("file", "f", "step that changed files"),
                ("hold", "h", "step that was held"),
            ),
            2,
        )
    ),
    *(
        Key(f"jump.{name}_back", letter, "", f"The {what} before.", JUMP, action=f"go('{name}',-1)")
        for name, letter, what in (
            ("error", "E", "step that failed"),
            ("edit", "D", "step that a person changed"),
            ("image", "I", "step with pictures"),
            ("file", "F", "step that changed files"),
            ("hold", "H", "step that was held"),
        )
    ),
    Key("jump.first", "g", "first", "The first step.", JUMP, 1, action="go('first',-1)"),
    Key("jump.cancel", "escape", "cancel", "Stay here.", JUMP, 9),
)

_DETAILS = (
    Key("details.close", "escape,d,q", "back", "Back to the session.", DETAILS, 1),
    Key("details.previous", "left_square_bracket", "before", "The step before.", DETAILS, 2),
    Key("details.next", "right_square_bracket", "after", "The step after.", DETAILS, 3),
)

_LIBRARY = (
    Key("library.open", "enter", "open", "Open the session, or attach to it.", LIBRARY, 1),
    Key("library.filter", "slash", "filter", "Filter as you type.", LIBRARY, 2),
    Key("library.new_run", "n", "new run", "Start a session from a task file.", LIBRARY, 3),
    Key("library.mark", "space", "mark", "Mark the session, for export or delete.", LIBRARY, 4),
    Key("library.export", "e", "export", "Write sessions as training data.", LIBRARY, 5),
    Key("library.delete", "d,delete", "delete", "Delete the session.", LIBRARY, 6),
    Key("library.undo", "u", "undo", "Take back what was deleted.", LIBRARY, 7),
    Key("library.copy_id", "y", "copy id", "Copy the session's id.", LIBRARY),
    Key("library.clear", "escape", "clear", "Clear the filter and the marks.", LIBRARY, 8),
    Key("library.quit", "q", "quit", "Leave Workbench; sessions go on.", LIBRARY, 92),
)

_MODAL = (
    Key("modal.cancel", "escape", "close", "Close; what you typed is kept.", EDITOR, 9),
    Key("modal.submit", "ctrl+s,ctrl+enter", "send", "Send it.", EDITOR, 1),
    Key("modal.external", "ctrl+g", "$EDITOR", "Edit it in your own editor.", EDITOR, 2),
    Key("modal.revert", "ctrl+r", "original", "Put the original back.", EDITOR, 3),
)

_PICKER = (
    Key("picker.complete", "tab", "complete", "Take over what the cursor is on.", EDITOR, 2),
)

_LIST = (
    Key("list.choose", "enter,space", "choose", "Take what the cursor is on.", LIST, 1),
    Key("list.up", "", "", "One up.", LIST, vim="k", action="scroll_up"),
    Key("list.down", "", "", "One down.", LIST, vim="j", action="scroll_down"),
    Key("list.first", "", "", "The first.", LIST, vim="g", action="scroll_home"),
    Key("list.last", "", "", "The last.", LIST, vim="G", action="scroll_end"),
)

OWN = (
    *_APP,
    *_STEER,
    *_SESSION,
    *_BOARD,
    *_STEPS,
    *_GATE,
    *_LINES,
    *_FILES,
    *_FRAMES,
    *_MEDIA,
    *_VIEWERS,
    *_JUMP,
    *_DETAILS,
    *_LIBRARY,
    *_MODAL,
    *_PICKER,
    *_LIST,
)
"""Everything but what the panes bring along."""

BY_ID = {key.id: key for key in OWN}

_PANE_KEYS = {"terminal.raw": "B"}
"""Where the key that a pane suggests would hide one of the session's."""


def of_target(target: str, table: Iterable[Key] = OWN) -> list[Key]:
    """The keys of one screen or pane."""
    return [key for key in table if key.target == target]


def of_pane(pane: str, actions: Iterable[PaneAction]) -> list[Key]:
    """The keys of a pane, from what it says it can do."""
    return [
        Key(
            id=action.id,
            keys=_PANE_KEYS.get(action.id, action.keys),
            label=action.label,
            help=action.help,
            group=pane.upper(),
            rank=40 + at,
            action=action.action,
        )
        for at, action in enumerate(actions)
    ]
