"""What can be told a session: the commands of `workbench ctl ID`, in one table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from workbench.commands.options import MODES
from workbench.commands.parser import no_options, sentence


@dataclass(frozen=True, slots=True)
class Verb:
    """One control command; `fields` are the arguments that the engine is sent, where given."""

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None] = no_options
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """What `wait` waits for; `step` is set for the kind `step`."""

    kind: str
    step: int | None = None


def goal(text: str) -> Goal:
    """`held`, `paused`, `closed` or `step:N` as a goal; for argparse."""
    kind, colon, number = text.partition(":")
    if kind in ("held", "paused", "closed") and not colon:
        return Goal(kind)
    if kind == "step" and number.isascii() and number.isdigit() and int(number) > 0:
        return Goal("step", int(number))
    raise argparse.ArgumentTypeError(f"“{text}” is not held, paused, closed or step:N")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"“{text}” is not a number above 0")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value < float("inf"):
        return value
    raise argparse.ArgumentTypeError(f"“{text}” is not a number of seconds")


def _step(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("n", nargs="?", type=_count, default=1, metavar="N", help="how many; 1")


def _mode(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mode", choices=MODES, help="what waits for a person from now on")


def _approve(parser: argparse.ArgumentParser) -> None:
    _digest(parser)
    parser.add_argument("--note", metavar="TEXT", help="tell the agent this with the result")


def _edit(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--keystrokes", metavar="TEXT", help="the command to run instead")
    what.add_argument("--arguments", metavar="JSON", help="all arguments of the call instead")
    _approve(parser)


def _reject(parser: argparse.ArgumentParser) -> None:
    _digest(parser)
    parser.add_argument(
        "--note", metavar="TEXT", required=True, help="why, so that the agent can do better"
    )


def _digest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--digest", metavar="D", help="decide only if this digest is what is held")


def _say(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", help="the agent reads it with its next observation")


def _shell(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("command", metavar="COMMAND", help="runs as the agent's own action")
    parser.add_argument(
        "--duration", type=_seconds, metavar="S", help="how long it may take, in seconds; 10"
    )


def _act(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", help="the tool to call in the agent's place")
    parser.add_argument("--arguments", metavar="JSON", default="{}", help="the call's arguments")
    parser.add_argument("--say", metavar="TEXT", help="what the agent says with the call")


def _answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", help="the final answer, in the agent's place")


def _break(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("expression", nargs="?", metavar="EXPR", help="hold where this is true")
    what.add_argument("--list", action="store_true", help="print the breakpoints")
    what.add_argument("--clear", action="store_true", help="remove all breakpoints")


def _number(text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    raise argparse.ArgumentTypeError(f"“{text}” is not the number of a step")


def _rewind(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "step", type=_number, metavar="STEP", help="go back to after this step; 0 for the start"
    )
    parser.add_argument(
        "--before", action="store_true", help="to before it, with its proposal held again"
    )
    parser.add_argument(
        "--preview", action="store_true", help="only list the files that would change"
    )


def _fork(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "step", type=_number, metavar="STEP", help="the last step that is copied; 0 for none"
    )
    parser.add_argument("--id", metavar="NEW", help="the new session's id")
    parser.add_argument("--model", metavar="SPEC", help="another model than this session has")
    parser.add_argument("--mode", choices=MODES, help="another mode than this session has")


def _amend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", type=_count, metavar="STEP", help="a step of the current path")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--observation", metavar="TEXT", help="what the agent was told")
    what.add_argument("--say", metavar="TEXT", help="what the agent said")
    what.add_argument("--keystrokes", metavar="TEXT", help="the command that it gave")


def _label(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="what is labelled, as in failure")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("value", nargs="?", metavar="VALUE", help="the label")
    what.add_argument("--remove", action="store_true", help="take the label away")
    parser.add_argument("--step", type=_count, metavar="N", help="label step N of the current path")


def _wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for",
        dest="goal",
        type=goal,
        required=True,
        metavar="GOAL",
        help="held: an action waits for a decision; paused: it stands still, or is frozen; "
        "closed: it ended and its engine too; step:N: the agent's N-th turn is known",
    )
    parser.add_argument(
        "--timeout", type=_seconds, metavar="S", help="give up after S seconds; never if not given"
    )


VERBS = (
    Verb("status", "print what the session does"),
    Verb("wait", "return when the session is in a state", _wait),
    Verb("pause", "stand still after the current step"),
    Verb("freeze", "stop every process of the sandbox where it is, now"),
    Verb("resume", "go on; starts a session's engine again where it is dead"),
    Verb("step", "go on for N steps", _step, ("n",)),
    Verb("mode", "change what waits for a person", _mode, ("mode",)),
    Verb("approve", "let the held action run", _approve, ("digest", "note")),
    Verb(
        "edit",
        "run this in the held action's place",
        _edit,
        ("keystrokes", "arguments", "digest", "note"),
    ),
    Verb("reject", "do not run the held action, and say why", _reject, ("digest", "note")),
    Verb("skip", "do not run the held action", _approve, ("digest", "note")),
    Verb("say", "tell the agent something", _say, ("text",)),
    Verb("shell", "run a command in the agent's place", _shell, ("command", "duration")),
    Verb("act", "call a tool in the agent's place", _act, ("tool", "arguments", "say")),
    Verb("answer", "give the answer in the agent's place", _answer, ("text",)),
    Verb("interrupt", "end the running command or model call, and stand still"),
    Verb("break", "hold where something is true", _break, ("expression", "list", "clear")),
    Verb(
        "rewind",
        "go back to an earlier step, as a new branch",
        _rewind,
        ("step", "before", "preview"),
    ),
    Verb("fork", "start a new session that is a copy up to a step", _fork),
    Verb(
        "amend",
        "change the words of an earlier step",
        _amend,
        ("step", "observation", "say", "keystrokes"),
    ),
    Verb("label", "put a label on the session or on a step", _label, ("step", "key", "value")),
    Verb("stop", "end the session"),
)


def add_verbs(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench ctl`."""
    parser.add_argument(
        "session", metavar="ID", help="the session's id, or as much of its start as is unique"
    )
    choices = parser.add_subparsers(title="commands", metavar="COMMAND", dest="verb", required=True)
    for verb in VERBS:
        sub = choices.add_parser(verb.name, help=verb.help, description=sentence(verb.help))
        verb.add_options(sub)
        sub.set_defaults(fields=verb.fields)
