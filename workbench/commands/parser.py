"""An argument parser that speaks in sentences and prints through our streams."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from workbench.commands.streams import write
from workbench.errors import UsageError

AddOptions = Callable[[argparse.ArgumentParser], None]


class Parser(argparse.ArgumentParser):
    """Raises `UsageError` instead of exiting; never takes half an option for a whole one."""

    def __init__(self, *args: object, **options: object) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(*args, **options)  # type: ignore[arg-type]

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments with one sentence."""
        raise UsageError(f"{self.prog}: {message.rstrip('.')}. See `{self.prog} --help`.")

    def _print_message(self, message: str, file: object = None) -> None:
        """Help and version are what was asked for: data, on stdout."""
        del file
        write(message)


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name and help, its options, and what carries it out.

    `target` is `module:function` below `workbench.commands`, imported only when the command runs.
    """

    name: str
    help: str
    add_options: AddOptions
    target: str


def no_options(_parser: argparse.ArgumentParser) -> None:
    """For a command without options."""


def sentence(text: str) -> str:
    """A help text as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:]}."


def add_commands(
    parser: argparse.ArgumentParser, commands: tuple[Command, ...], *, required: bool
) -> None:
    """Give a parser these commands; the parsed arguments name the chosen one's `target`."""
    choices = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="chosen", required=required
    )
    for command in commands:
        sub = choices.add_parser(
            command.name, help=command.help, description=sentence(command.help)
        )
        command.add_options(sub)
        if command.target:
            sub.set_defaults(target=command.target)
