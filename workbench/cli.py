"""The command line: a table of commands, and `main`.

A command's module is imported when it runs, so that `workbench --help` stays light.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from workbench import __version__
from workbench.commands import ctl_options, options
from workbench.commands.edge import guarded
from workbench.commands.parser import Command, Parser, add_commands

DESCRIPTION = (
    "See and steer omnimodal agent sessions. Without a command: the library of all sessions."
)
EPILOG = (
    "Exit codes: 0 the task was completed, 1 it failed, 2 wrong usage or bad input, "
    "3 a limit stopped it, 130 interrupted. Sessions stand in $WORKBENCH_HOME, else in the "
    "platform's user data folder. Keys come from the environment: OPENAI_API_KEY, "
    "ANTHROPIC_API_KEY."
)
LIBRARY = "screens:show_library"
"""What runs without a command."""


def _sandbox(parser: argparse.ArgumentParser) -> None:
    add_commands(parser, SANDBOX_COMMANDS, required=True)


SANDBOX_COMMANDS = (
    Command(
        "build",
        "build the sandbox image for docker",
        options.sandbox_build,
        "sandbox:build",
    ),
    Command(
        "audit",
        "try to break out of a sandbox and say what held",
        options.sandbox_audit,
        "sandbox:audit",
    ),
)
COMMANDS = (
    Command("demo", "run the shipped sample task; needs no key", options.demo, "run:run_demo"),
    Command("run", "run a task as a new session", options.run, "run:run_task"),
    Command("attach", "the screen of a live session", options.attach, "screens:attach"),
    Command("open", "the screen of a finished or foreign session", options.open_, "screens:open_"),
    Command("ls", "list the sessions", options.ls, "listing:ls"),
    Command("show", "print what a session did", options.show, "show:show"),
    Command("rm", "remove sessions that are not live", options.rm, "removal:rm"),
    Command("gc", "free what no session needs any more", options.gc, "gc:gc"),
    Command("ctl", "steer a session; prints JSON", ctl_options.add_verbs, "ctl:ctl"),
    Command("export", "write sessions as training data", options.export, "exporting:export"),
    Command("import", "take trajectories into the store", options.import_, "importing:import_"),
    Command("sandbox", "build the sandbox image, or audit a sandbox", _sandbox, ""),
    Command("doctor", "say what is here and what is missing", options.doctor, "doctor:doctor"),
)


def build_parser() -> Parser:
    """The parser of the whole command line."""
    parser = Parser(prog="workbench", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--version", action="version", version=f"workbench {__version__}")
    parser.set_defaults(target=LIBRARY)
    add_commands(parser, COMMANDS, required=False)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    return guarded(lambda: _run(arguments))


def _run(arguments: list[str]) -> int:
    args = build_parser().parse_args(arguments)
    module, _, function = args.target.partition(":")
    code = getattr(import_module(f"workbench.commands.{module}"), function)(args)
    return int(code or 0)
