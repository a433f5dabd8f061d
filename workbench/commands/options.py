"""The options of each command. Only argparse here: nothing that a command needs is imported."""

from __future__ import annotations

import argparse
from typing import Any

MODES = ("auto", "risky", "review", "step")
SANDBOXES = ("docker", "bubblewrap", "local")
EXPORT_FORMATS = ("omnicoding", "ms-swift")

_RUN_DEFAULTS: dict[str, Any] = {
    "row": None,
    "row_id": None,
    "id": None,
    "model": None,
    "sandbox": None,
    "mode": None,
    "base_url": None,
    "temperature": None,
    "reasoning_effort": None,
    "breakpoint": [],
    "detach": False,
    "json": False,
}
"""What `run` has as options and `demo` leaves to its task file."""


def run(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench run`."""
    parser.add_argument("task", metavar="TASK", help="a task file: YAML, or rows as JSON or JSONL")
    parser.add_argument("--row", type=int, metavar="N", help="the row of a file of rows, from 0")
    parser.add_argument("--row-id", metavar="ID", help="the row with this id")
    parser.add_argument("--id", metavar="ID", help="the session's id; made from the task's if none")
    model = parser.add_argument_group("model")
    model.add_argument(
        "--model",
        metavar="SPEC",
        help="openai:MODEL, anthropic:MODEL, scripted:FILE or human; stands above the task file",
    )
    model.add_argument("--base-url", metavar="URL", help="a server that speaks the model's API")
    model.add_argument("--temperature", type=float, metavar="X", help="sampling temperature")
    model.add_argument(
        "--reasoning-effort", metavar="LEVEL", help="how much to reason, where the model takes it"
    )
    control = parser.add_argument_group("control")
    control.add_argument(
        "--sandbox", choices=SANDBOXES, help="where commands run; the best one here if not given"
    )
    control.add_argument(
        "--mode",
        choices=MODES,
        help="what waits for a person: nothing (auto), what is risky, every action (review), "
        "every step; auto if not given",
    )
    control.add_argument(
        "--breakpoint",
        action="append",
        metavar="EXPR",
        help="hold where this is true, as in “command ~ rm -rf”; may be repeated",
    )
    screen = parser.add_argument_group("screen")
    screen.add_argument("--headless", action="store_true", help="narrate on stderr, open no screen")
    screen.add_argument(
        "--detach", action="store_true", help="print the session's id and leave it running"
    )
    screen.add_argument("--json", action="store_true", help="print the events as JSON lines")


def demo(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench demo`."""
    parser.add_argument("--headless", action="store_true", help="narrate on stderr, open no screen")
    parser.set_defaults(**_RUN_DEFAULTS)


def attach(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench attach`."""
    _session(parser)
    parser.add_argument(
        "--observe", action="store_true", help="watch only; every key that steers is off"
    )


def open_(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench open`."""
    parser.add_argument(
        "session",
        metavar="ID|PATH",
        help="a session of the store, or a session's folder or an OmniCoding run elsewhere",
    )


def ls(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench ls`."""
    _json(parser, "print the sessions as one JSON list")


def show(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench show`."""
    _session(parser)
    _json(parser, "print one JSON document")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--step", type=int, metavar="N", help="only step N of the current path")
    which.add_argument("--all", action="store_true", help="the steps of every branch")


def rm(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench rm`."""
    parser.add_argument("sessions", nargs="+", metavar="ID", help="a session that is not live")


def gc(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench gc`."""
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be freed, free nothing"
    )
    _json(parser, "print the counts as JSON")


def export(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench export`."""
    parser.add_argument("sessions", nargs="+", metavar="ID", help="a session of the store")
    parser.add_argument(
        "--format",
        required=True,
        choices=EXPORT_FORMATS,
        help="a run folder as OmniCoding's tools read it, or training rows for ms-swift",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--allow", action="store_true", help="write even sessions that cannot train, and say why"
    )


def import_(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench import`."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file or folder of trajectories")


def doctor(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench doctor`."""
    _json(parser, "print the checks as one JSON document")


def _session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session", metavar="ID", help="the session's id, or as much of its start as is unique"
    )


def _json(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--json", action="store_true", help=text)


def sandbox_build(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench sandbox build`."""
    parser.add_argument("--force", action="store_true", help="build even where the image is there")


def sandbox_audit(parser: argparse.ArgumentParser) -> None:
    """Options of `workbench sandbox audit`."""
    parser.add_argument(
        "--sandbox", choices=SANDBOXES, help="which kind; the best one here if not given"
    )
    _json(parser, "print the findings as one JSON document")
