"""An item of an OmniCoding run as a finished session, so that the screens can show it.

What the run does not tell stays unknown: exit codes, durations, raw output, files. A command's
output is what the model was told of it. The conversation is kept as it stands, so that an export
gives the same messages again.
"""

from __future__ import annotations

import binascii
import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from workbench import __version__
from workbench import events as ev
from workbench.media.files import MediaError
from workbench.media.frames import image_facts
from workbench.session.blobs import BlobError, dehydrate, parse_reference
from workbench.session.log import LogWriter
from workbench.session.store import SessionDir, Store
from workbench.task import Task
from workbench.trajectory.jsonfiles import BadFile
from workbench.trajectory.kira import EXECUTE_COMMANDS
from workbench.trajectory.omnicoding_read import ReadItem, ReadShard
from workbench.trajectory.parse import ParsedTurn, parse_turn
from workbench.trajectory.run_item import Json
from workbench.trajectory.tags import answer_payloads

NOTE = (
    "Imported from an OmniCoding run: an output is what the model was told of it; times, exit "
    "codes and files are not known."
)
POLICY = "policy"
_EXITS: dict[object, ev.ExitReason] = {
    "task_complete": "task_complete",
    "step_limit": "step_limit",
    "no_tool_calls": "no_tool_calls",
}
_HARNESS = ("temperature", "top_p", "seed", "reasoning_effort", "thinking_budget_tokens")
_USAGE = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")


def import_item(store: Store, shard: ReadShard, item: ReadItem) -> SessionDir:
    """Take one item into a store.

    Raises:
        BadFile: if its messages are no conversation.
    """
    path = item.folder / "messages.json"
    _check(path, item.messages)
    task = _task(item)
    session = store.create(None, task.id)
    try:
        try:
            messages = dehydrate(item.messages, session.blobs)
        except (binascii.Error, ValueError) as error:
            raise BadFile(f"{path}: a picture in it is not base64.") from error
        log = LogWriter(session.events)
        try:
            _Scribe(session, log, path.stat().st_mtime).write(shard, item, task, messages)
        finally:
            log.close()
    except BaseException:
        shutil.rmtree(session.folder, ignore_errors=True)
        raise
    return session


def _check(path: object, messages: Sequence[ev.Message]) -> None:
    """What every reader of a conversation relies on."""
    for number, message in enumerate(messages, 1):
        if message.get("role") not in ("system", "user", "assistant", "tool"):
            raise BadFile(f"{path}: message {number} has no role that Workbench knows.")
        if not isinstance(message.get("content"), str | list | None):
            raise BadFile(f"{path}: the content of message {number} is neither text nor parts.")
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            raise BadFile(f"{path}: the tool calls of message {number} are no list of objects.")
    if not any(message.get("role") == "assistant" for message in messages):
        raise BadFile(f"{path}: there is no turn of a model in it.")


@dataclass(slots=True)
class _Turn:
    """One assistant message and what followed it."""

    message: ev.Message
    replies: list[ev.Message]
    parsed: ParsedTurn
    usage: ev.Usage


@dataclass(slots=True)
class _Scribe:
    """Writes the events of one session, all at the time when the run was written."""

    session: SessionDir
    log: LogWriter
    t: float

    def write(
        self, shard: ReadShard, item: ReadItem, task: Task, messages: list[ev.Message]
    ) -> None:
        """Write the whole session."""
        first = next(at for at, one in enumerate(messages) if one["role"] == "assistant")
        self._record(_created(self.session, shard.meta, item, task))
        self._record(ev.Prompted(messages=messages[:first]))
        self._record(ev.Noted(level="info", text=NOTE))
        if item.snapshots:
            text = "The run summarised its earlier turns; only what follows is shown."
            self._record(ev.Noted(level="warning", text=text))
        for step, turn in enumerate(_turns(item, messages[first:]), 1):
            self._step(step, turn)
        self._record(_closed(item, messages))

    def _record(self, event: ev.Event) -> None:
        self.log.append(event, self.t)

    def _step(self, step: int, turn: _Turn) -> None:
        self._record(ev.Thinking(step=step, n=step, parent=step - 1 or None))
        actions = [
            ev.Action(
                id=f"{step}.{number}",
                call_id=call.id,
                tool=call.name,
                arguments=call.arguments,
                digest="",
            )
            for number, call in enumerate(turn.parsed.calls, 1)
        ]
        finish = turn.message.get("_finish_reason")
        self._record(
            ev.Proposed(
                step=step,
                message=turn.message,
                actions=actions,
                usage=turn.usage,
                finish_reason=finish if isinstance(finish, str) else "",
                warnings=turn.parsed.warnings if actions else [],
            )
        )
        for index, action in enumerate(actions):
            self._action(step, index, action, turn)
        for frame in _frames(self.session, step, turn):
            self._record(frame)
        if turn.replies:
            self._record(ev.Observed(step=step, messages=turn.replies))

    def _action(self, step: int, index: int, action: ev.Action, turn: _Turn) -> None:
        self._record(
            ev.Decided(
                step=step,
                action=action.id,
                decision="approve",
                author=POLICY,
                digest=action.digest,
                arguments=action.arguments,
            )
        )
        commands = [one for one in turn.parsed.commands if one.call_index == index]
        if action.tool != EXECUTE_COMMANDS or not commands:
            return
        self._record(
            ev.Started(
                step=step,
                action=action.id,
                command="\n".join(one.keystrokes for one in commands),
                timeout_s=sum(one.duration_s for one in commands),
            )
        )
        if output := _reply_to(action.call_id, turn.replies).encode("utf-8", "replace"):
            self.session.output_path(action.id, None).write_bytes(output)
            self._record(ev.Output(step=step, action=action.id, start=0, end=len(output)))


def _turns(item: ReadItem, messages: Sequence[ev.Message]) -> list[_Turn]:
    """The turns, with the tokens that the run knows of each.

    The step list knows those of turns with calls; what the row has beyond them belongs to turns
    without, of which the last is given all of it, so that the sum is right.
    """
    turns: list[_Turn] = []
    for message in messages:
        if message["role"] == "assistant":
            turns.append(_Turn(message, [], parse_turn(message), ev.Usage()))
        else:
            turns[-1].replies.append(message)
    with_calls = [turn for turn in turns if turn.parsed.calls]
    if len(with_calls) == len(item.steps):
        for turn, record in zip(with_calls, item.steps, strict=True):
            turn.usage = _usage(record)
        plain = [turn for turn in turns if not turn.parsed.calls]
        if plain and item.row is not None:
            plain[-1].usage = _rest(_usage(item.row), [turn.usage for turn in with_calls])
    return turns


def _usage(record: Json) -> ev.Usage:
    found = {name: record.get(name) for name in _USAGE}
    return ev.Usage(
        **{name: value for name, value in found.items() if type(value) is int and value >= 0}
    )


def _rest(whole: ev.Usage, parts: Sequence[ev.Usage]) -> ev.Usage:
    return ev.Usage(
        **{
            name: max(0, getattr(whole, name) - sum(getattr(part, name) for part in parts))
            for name in _USAGE
        }
    )


def _reply_to(call_id: str, replies: Sequence[ev.Message]) -> str:
    for reply in replies:
        if reply["role"] == "tool" and reply.get("tool_call_id") == call_id:
            return reply["content"] if isinstance(reply.get("content"), str) else ""
    return ""


def _frames(session: SessionDir, step: int, turn: _Turn) -> Iterator[ev.Frame]:
    """The pictures that the model was shown."""
    asked = turn.parsed.image_read
    for reply in turn.replies:
        content = reply.get("content")
        for part in content if isinstance(content, list) else []:
            url = _url(part)
            if (found := parse_reference(url)) is None:
                continue
            with contextlib.suppress(MediaError, BlobError):
                facts = image_facts(session.blobs.get(found[0]))
                yield ev.Frame(
                    step=step,
                    path=asked.file_path if asked else "picture",
                    blob=found[0],
                    width=facts.width,
                    height=facts.height,
                    mime=facts.mime,
                    origin="read",
                )


def _url(part: Any) -> str:
    image = part.get("image_url") if isinstance(part, dict) else None
    url = image.get("url") if isinstance(image, dict) else None
    return url if isinstance(url, str) else ""


def _task(item: ReadItem) -> Task:
    """The task as far as the data-set row tells it."""
    row = item.item
    if row is None:
        return Task(id=item.folder.name, question=_question(item.messages))
    kept = {key: value for key, value in row.items() if key != "__source_index__"}
    truth, options = row.get("ground_truth"), row.get("options")
    return Task(
        id=str(row.get("id") or item.folder.name),
        question=str(row.get("question") or _question(item.messages)),
        answer_type="mcq" if row.get("answer_type") == "mcq" else "open",
        ground_truth=_texts(truth) if isinstance(truth, list) else _texts([truth]),
        options=_texts(options) if isinstance(options, list) else None,
        row=kept,
    )


def _texts(values: Sequence[object]) -> list[str]:
    return [str(value) for value in values if value is not None]


def _question(messages: Sequence[ev.Message]) -> str:
    """What the first user message asks."""
    asked = next((one.get("content") for one in messages if one["role"] == "user"), None)
    return asked if isinstance(asked, str) else ""


def _created(session: SessionDir, meta: Json, item: ReadItem, task: Task) -> ev.SessionCreated:
    model = meta.get("model") or (item.row or {}).get("model") or "unknown"
    limit, tools = meta.get("step_limit"), meta.get("tools_spec")
    base = meta.get("api_base")
    return ev.SessionCreated(
        version=ev.SCHEMA_VERSION,
        id=session.id,
        task=msgspec.to_builtins(task),
        model=str(model),
        provider=str(meta.get("provider") or "other"),
        mode="auto",
        limits=ev.Limits(steps=limit if isinstance(limit, int) else None),
        harness={key: meta[key] for key in _HARNESS if meta.get(key) is not None},
        tools_spec=tools if isinstance(tools, list) else [],
        sandbox=ev.SandboxInfo(kind="imported", network="unknown"),
        workbench_version=__version__,
        base_url=base if isinstance(base, str) else None,
    )


def _closed(item: ReadItem, messages: Sequence[ev.Message]) -> ev.Closed:
    row = item.row or {}
    error = row.get("error")
    reason = _EXITS.get(row.get("exit_reason"))
    if reason is None:
        has_ended = parse_turn(_last_turn(messages)).task_complete
        reason = "error" if row else "task_complete" if has_ended else "no_tool_calls"
    return ev.Closed(
        exit_reason=reason,
        answer=_answer(messages),
        error=error if isinstance(error, str) and reason == "error" else None,
    )


def _last_turn(messages: Sequence[ev.Message]) -> ev.Message:
    return next(one for one in reversed(messages) if one["role"] == "assistant")


def _answer(messages: Sequence[ev.Message]) -> str | None:
    """The last answer that the model gave in tags."""
    payloads = [
        payload
        for message in messages
        if message["role"] == "assistant"
        for text in (message.get("reasoning_content"), message.get("content"))
        if isinstance(text, str)
        for payload in answer_payloads(text)
        if payload
    ]
    return payloads[-1] if payloads else None
