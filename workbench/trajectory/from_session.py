"""A session's branches as items of an OmniCoding run (omnicoding-format 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

import msgspec

from workbench.errors import UsageError
from workbench.events import AnyEvent, Message, SessionCreated, Usage
from workbench.session.log import read_events
from workbench.session.state import SessionState, fold
from workbench.session.steps import StepState
from workbench.session.store import SessionDir
from workbench.task import Task
from workbench.trajectory.benches import bench_of, item_of
from workbench.trajectory.interventions import interventions_of
from workbench.trajectory.run_item import Json, Origin, RunExit, RunItem, RunMeta, has_answer
from workbench.trajectory.session_paths import Relocation
from workbench.trajectory.session_steps import image_subcalls_of, retry_attempts_of, step_records

Branches = Literal["all", "current"]

_REMINDERS = {"qwen": 10, "openai": 2, "anthropic": 2}
_OTHER_REMINDERS = 4
_PROVIDERS = frozenset({"qwen", "openai", "anthropic", "openrouter"})
_DEFAULT_STEP_LIMIT = 120


class EmptySession(UsageError):
    """The session has nothing that can be exported."""


def no_finished_step(session: str) -> EmptySession:
    """The sentence for a session without one."""
    return EmptySession(f"Session {session} has no finished step; there is nothing to export.")


def run_items(
    session: SessionDir, branches: Branches = "all", *, with_records: bool = True
) -> list[RunItem]:
    """One item for each branch that holds a step, the current one last (10.8).

    Args:
        session: finished or live; a proposal that nobody answered yet is left out.
        branches: every branch, or only the one where the session stands.
        with_records: also gather what a run folder holds beside the messages.

    Raises:
        EmptySession: if there is nothing to export.
    """
    events = list(read_events(session.events))
    state = fold(events)
    if state.created is None:
        raise EmptySession(f"Session {session.id} has not begun; there is nothing to export.")
    current = _answered_tip(state, state.leaf)
    leaves = [] if current is None else [current]
    if branches == "all":
        leaves = [*_abandoned_tips(state, current), *leaves]
    if not leaves:
        raise no_finished_step(session.id)
    log = session.events.read_bytes()
    move = Relocation.of(session, log)
    roots = _private_roots(session, (state.sandbox or state.created.sandbox).kind)
    named = tuple(root for root in roots if root.encode() in log)
    items = []
    for leaf in leaves:
        item = _item(session, state, leaf, move, is_current=leaf == current)
        item = replace(item, private_roots=named)
        items.append(_with_records(item, state, events, move) if with_records else item)
    return items


def _abandoned_tips(state: SessionState, current: int | None) -> list[int]:
    """The last answered step of each other branch that holds something of its own."""
    tips = dict.fromkeys(_answered_tip(state, branch.leaf) for branch in state.branches)
    found = [tip for tip in tips if tip is not None]
    inner = {step.id for tip in found for step in state.path(tip)[:-1]}
    return [tip for tip in found if tip not in inner and tip != current]


def _answered_tip(state: SessionState, leaf: int | None) -> int | None:
    """The last step of the path that has a message, and replies where it has calls."""
    path = [] if leaf is None else state.path(leaf)
    for step in reversed(path):
        if step.message is not None and (step.observed or not step.actions):
            return step.id
    return None


def _item(
    session: SessionDir, state: SessionState, leaf: int, move: Relocation, *, is_current: bool
) -> RunItem:
    created = state.created
    assert created is not None
    path = state.path(leaf)
    messages = move.values(state.conversation(leaf))
    exit_reason, error = _exit(state, path, messages, is_current=is_current)
    item = item_of(_task(created))
    return RunItem(
        meta=_meta(created, state.prompt, bench_of(item)),
        item=item,
        messages=messages,
        exit_reason=exit_reason,
        error=error,
        origin=Origin(session.id, leaf, path[-1].branch),
        usage=_usage(path),
        is_current=is_current,
        blobs=session.blobs,
    )


def _with_records(
    item: RunItem, state: SessionState, events: Sequence[AnyEvent], move: Relocation
) -> RunItem:
    """The item with the step list, reminders, pictures, summaries and interventions."""
    path = state.path(item.origin.leaf)
    return replace(
        item,
        steps=move.values(step_records(path)),
        retry_attempts=move.values(retry_attempts_of(state.prompt, path)),
        image_subcalls=image_subcalls_of(path),
        snapshots=move.values(_snapshots(state, path)),
        interventions=move.values(interventions_of(events, state.prompt, path)),
    )


def _exit(
    state: SessionState, path: Sequence[StepState], messages: list[Message], *, is_current: bool
) -> tuple[RunExit, str | None]:
    """The exit reason in words that every tool knows, and the error of a real fault (10.9)."""
    closed = state.closed if is_current else None
    reason = closed.exit_reason if closed else None
    if reason == "task_complete" or (reason is None and _ended_by_itself(path)):
        return "task_complete", None
    if reason in ("step_limit", "limit"):
        return "step_limit", None
    if reason == "no_tool_calls":
        return "no_tool_calls", None
    if reason == "error":
        return "error", (closed.error if closed else None) or "The run failed."
    return ("no_tool_calls" if has_answer(messages) else "error"), None


def _ended_by_itself(path: Sequence[StepState]) -> bool:
    """Whether a branch that was left again had been finished by the agent."""
    last = path[-1]
    accepted = [action.decision in ("approve", "edit") for action in last.actions]
    return any(action.tool == "task_complete" for action in last.actions) and all(accepted)


def _task(created: SessionCreated) -> Task:
    try:
        return msgspec.convert(created.task, Task)
    except msgspec.ValidationError as error:
        raise EmptySession(f"Session {created.id}: its task cannot be read: {error}.") from error


def _meta(created: SessionCreated, prompt: Sequence[Message], bench: Any) -> RunMeta:
    harness = created.harness
    provider: Any = created.provider if created.provider in _PROVIDERS else "other"
    system = [message["content"] for message in prompt if message.get("role") == "system"]
    return RunMeta(
        bench=bench,
        model=created.model.replace(":", "/", 1),
        provider=provider,
        api_base=_without_credentials(created.base_url),
        system_prompt=str(system[0]) if system else "",
        tools_spec=created.tools_spec,
        step_limit=created.limits.steps or _DEFAULT_STEP_LIMIT,
        max_tool_reminders=_REMINDERS.get(created.provider, _OTHER_REMINDERS),
        reasoning_effort=harness.get("reasoning_effort"),
        thinking_budget_tokens=harness.get("thinking_budget_tokens"),
        temperature=harness.get("temperature"),
        top_p=harness.get("top_p"),
        seed=harness.get("seed"),
        extra_system_prompt=str(harness.get("extra_system_prompt") or ""),
    )


def _without_credentials(url: str | None) -> str | None:
    """The address without a user name and password in it."""
    if url is None or "@" not in url:
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _usage(path: Sequence[StepState]) -> Usage:
    names = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
    return Usage(**{name: sum(getattr(step.usage, name) for step in path) for name in names})


def _snapshots(state: SessionState, path: Sequence[StepState]) -> list[Json]:
    """What the conversation was before each time it was summarised (1.9)."""
    snapshots: list[Json] = []
    for position, step in enumerate(path):
        if step.compacted is None:
            continue
        before = state.conversation(path[position - 1].id) if position else list(state.prompt)
        snapshots.append(
            {
                "summarize_index": len(snapshots) + 1,
                "step_at_summarize": sum(bool(one.actions) for one in path[:position]),
                "pre_summary_messages": before,
                "post_summary_messages": step.compacted,
            }
        )
    return snapshots


def _private_roots(session: SessionDir, sandbox_kind: str) -> tuple[str, ...]:
    """Folders of this machine that the texts must not name.

    A container has a home of its own, often with the same path as ours: only a sandbox that shows
    the host's files makes the home folder private.
    """
    store = str(session.folder.parent.parent)
    home = str(Path.home())
    is_host = sandbox_kind == "local" or home not in ("/", "/root")
    return (store, home) if is_host and home != "/" else (store,)
