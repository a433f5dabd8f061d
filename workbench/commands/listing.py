"""`workbench ls`: all sessions, one a line."""

from __future__ import annotations

import argparse
from typing import Any

import msgspec

from workbench.commands.streams import say, width, write, write_json
from workbench.commands.table import Column, table
from workbench.session.library import Summary, summaries
from workbench.session.report import public_status
from workbench.session.store import Store
from workbench.tui.view import format as words

COLUMNS = (
    Column("SESSION"),
    Column("STATUS"),
    Column("STEPS", is_number=True),
    Column("TOKENS", is_number=True),
    Column("COST", is_number=True),
    Column("TIME", is_number=True),
    Column("MODEL"),
    Column("ANSWER"),
)


def ls(args: argparse.Namespace) -> None:
    """Print the sessions, the most recently written first."""
    store = Store.default()
    found = summaries(store)
    if args.json:
        write_json([as_json(one) for one in found])
        return
    rows = [_row(one) for one in found]
    if not rows:
        say(f"There are no sessions in {store.root}; `workbench demo` makes one.")
        return
    write(table(COLUMNS, rows, width()))


def as_json(summary: Summary) -> dict[str, Any]:
    """A summary as scripts read it: its fields, with the status in public words."""
    fields: dict[str, Any] = msgspec.to_builtins(summary)
    return {**fields, "status": public_status(summary.status)}


def _row(summary: Summary) -> list[str]:
    took = words.duration(summary.last_t - summary.created_t) if summary.created_t else ""
    status = public_status(summary.status)
    if summary.exit_reason not in (None, "task_complete"):
        status += f" ({summary.exit_reason})"
    return [
        summary.id,
        status,
        str(summary.steps),
        words.tokens(summary.tokens),
        words.cost(summary.cost_usd),
        took,
        summary.model,
        summary.answer or summary.error or "",
    ]
