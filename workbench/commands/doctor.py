"""`workbench doctor`: what is here, what is missing, and what that costs."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from workbench.commands.streams import write_json, write_line
from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `costs` says what does not work without it."""

    name: str
    ok: bool
    detail: str
    costs: str = ""


def doctor(args: argparse.Namespace) -> int:
    """Print the checks; 1 where no task can be run here at all."""
    checks = list(look())
    by_name = {check.name: check.ok for check in checks}
    can_run = by_name["store"] and (by_name["docker"] or by_name["bubblewrap"])
    if args.json:
        write_json({"ok": can_run, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            write_line(_line(check))
    return 0 if can_run else 1


def look() -> Iterator[Check]:
    """All checks, in the order in which a person needs the things."""
    yield _store()
    yield _docker()
    yield _bubblewrap()
    for name, costs in _PROGRAMS:
        yield _program(name, costs)
    yield _whisper()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        yield _key(name)
    yield _terminal()


_PROGRAMS = (
    ("ffmpeg", "the local and bubblewrap sandboxes cannot cut video and sound"),
    ("ffprobe", "the local and bubblewrap sandboxes cannot look at what a medium is"),
    ("tesseract", "the local and bubblewrap sandboxes cannot read text in pictures"),
    ("git", "the local and bubblewrap sandboxes have no git"),
)


def _line(check: Check) -> str:
    mark = "✓" if check.ok else "✗"
    costs = "" if check.ok or not check.costs else f"; without it {check.costs}"
    return f"{mark} {check.name:<18} {check.detail}{costs}"


def _store() -> Check:
    from workbench.session.store import Store

    root = Store.default().root
    try:
        root.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(root).free
    except OSError as error:
        return Check("store", False, f"{root}: {error.strerror}", "no session can be written")
    if not os.access(root, os.W_OK):
        return Check("store", False, f"{root} is read-only", "no session can be written")
    return Check("store", True, f"{root}, {free / 1e9:.1f} GB free")


def _docker() -> Check:
    from workbench.sandbox.docker import why_not

    return _sandbox("docker", why_not, "commands run in bubblewrap, with this machine's programs")


def _bubblewrap() -> Check:
    from workbench.sandbox.bubblewrap import why_not

    return _sandbox("bubblewrap", why_not, "there is no sandbox where docker is missing too")


def _sandbox(name: str, why_not: Callable[[], str | None], costs: str) -> Check:
    reason = why_not()
    return Check(name, reason is None, reason or "works", costs)


def _program(name: str, costs: str) -> Check:
    path = shutil.which(name)
    return Check(name, path is not None, path or "not found in PATH", costs)


def _whisper() -> Check:
    from workbench.media.whisper_model import find_model

    try:
        model = find_model()
    except WorkbenchError as error:
        return Check("speech model", False, str(error).rstrip("."), "nothing is transcribed")
    return Check("speech model", True, model.name)


def _key(name: str) -> Check:
    """Whether a key is set; the key itself is never read out."""
    provider = name.partition("_")[0].lower()
    is_set = bool(os.environ.get(name))
    costs = f"{provider} models need --base-url and a server that asks for no key"
    return Check(name, is_set, "set" if is_set else "not set", costs)


def _terminal() -> Check:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Check("terminal", False, "stdin or stdout is no terminal", "there is no screen")
    size = shutil.get_terminal_size()
    kind = os.environ.get("TERM", "") or "no TERM"
    colours = os.environ.get("COLORTERM") or "256 colours at most"
    detail = f"{kind}, {size.columns}×{size.lines}, {colours}"
    is_fit = size.columns >= 80 and size.lines >= 24 and kind not in ("dumb", "no TERM")
    return Check("terminal", is_fit, detail, "the screen needs 80×24 and a terminal with cursor")
