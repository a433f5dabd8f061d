"""The vocabulary: one small typed record for each thing that can happen in a session.

A log holds one JSON object a line: `seq`, `t`, `kind`, and the fields of the kind. Decoding ignores
unknown fields; an unknown kind becomes `Unknown`, which every reader skips. Media bytes never stand
in an event: an event holds the SHA-256 of a blob.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

SCHEMA_VERSION = 1
"""Raised when an older reader would misread a newer log."""

Json: TypeAlias = Any
"""A value that JSON can hold."""

Message: TypeAlias = dict[str, Json]
"""A chat message in OpenAI shape, as `messages.json` of OmniCoding stores it. A picture in it is an
`image_url` part whose url is `blob:<sha256>;<mime>`; see `session.blobs`."""

Mode = Literal["auto", "risky", "review", "step"]
Decision = Literal["approve", "edit", "reject", "skip", "replace"]
ExitReason = Literal[
    "task_complete", "no_tool_calls", "step_limit", "limit", "stopped", "error", "interrupted"
]
PauseScope = Literal["after_step", "freeze", "interrupt"]


class Record(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """Base of the parts that events are made of."""


class Event(Record, kw_only=True, frozen=True, tag_field="kind"):
    """Base of all events. `seq` counts 1, 2, 3 … without gaps; `t` is UTC seconds since 1970.

    Both are set by the log when the event is appended; `step` is the step's id where there is one.
    """

    seq: int = 0
    t: float = 0.0
    step: int | None = None


# --- parts ------------------------------------------------------------------------------------


class Usage(Record, kw_only=True, frozen=True):
    """Tokens of one model call, 0 where the provider says nothing (omnicoding-format 3.10)."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None


class Action(Record, kw_only=True, frozen=True):
    """One tool call of a proposal. `digest` names exactly what a person saw and approved."""

    id: str
    call_id: str
    tool: str
    arguments: dict[str, Json]
    digest: str


class Risk(Record, kw_only=True, frozen=True):
    """What a risk rule found in an action: `level` is low, medium or high; `reason` a sentence."""

    level: Literal["low", "medium", "high"]
    rule: str
    reason: str


class Segment(Record, kw_only=True, frozen=True):
    """A stretch of speech on a source's time line, in seconds."""

    start: float
    end: float
    text: str
    confidence: float | None = None
    words: list[tuple[float, float, str]] = []


class Parent(Record, kw_only=True, frozen=True):
    """Where a forked session comes from."""

    session: str
    step: int


class SandboxInfo(Record, kw_only=True, frozen=True):
    """What the agent runs in, as shown on screen and kept in the log."""

    kind: str
    image: str | None = None
    image_digest: str | None = None
    network: str = "none"
    memory: str | None = None
    cpus: float | None = None
    pids: int | None = None
    warning: str | None = None


class Limits(Record, kw_only=True, frozen=True):
    """When a session stops by itself; None means no such limit."""

    steps: int | None = 120
    seconds: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None


# --- life of a session ------------------------------------------------------------------------


class SessionCreated(Event, kw_only=True, frozen=True, tag="session_created"):
    """First line of every log: the task and the whole configuration."""

    version: int
    id: str
    task: dict[str, Json]
    model: str
    provider: str
    mode: Mode
    limits: Limits
    harness: dict[str, Json]
    tools_spec: list[dict[str, Json]]
    sandbox: SandboxInfo
    workbench_version: str
    base_url: str | None = None
    parent: Parent | None = None


class EngineStarted(Event, kw_only=True, frozen=True, tag="engine_started"):
    """A process took the session's lease. `repaired` says what an earlier crash left behind."""

    pid: int
    host: str
    sandbox: SandboxInfo | None = None
    repaired: list[str] = []


class Prompted(Event, kw_only=True, frozen=True, tag="prompted"):
    """The system and user messages that open the conversation, verbatim.

    A second one, before the first step, stands for the first: it carries human messages.
    """

    messages: list[Message]
    carries: list[int] = []


class Closed(Event, kw_only=True, frozen=True, tag="closed"):
    """The session ended; `answer` is the text of the last non-empty answer tag."""

    exit_reason: ExitReason
    answer: str | None = None
    error: str | None = None


class Noted(Event, kw_only=True, frozen=True, tag="noted"):
    """A sentence for the person: a retry, a restarted shell, a quota, a reaped container."""

    level: Literal["info", "warning", "error"]
    text: str


# --- one step ---------------------------------------------------------------------------------


class Thinking(Event, kw_only=True, frozen=True, tag="thinking"):
    """A model call began. Opens step `step` as the `n`-th on its path, after `parent`."""

    n: int
    parent: int | None = None


class Thought(Event, kw_only=True, frozen=True, tag="thought"):
    """Text that the model streamed, coalesced; `proposed` holds the whole message later."""

    channel: Literal["reasoning", "text", "call"]
    text: str


class Retried(Event, kw_only=True, frozen=True, tag="retried"):
    """A model call failed for a passing reason and is tried again after `wait_s`."""

    attempt: int
    wait_s: float
    reason: str


class Proposed(Event, kw_only=True, frozen=True, tag="proposed"):
    """The assistant message as it enters the conversation, and the actions parsed from it.

    `native` keeps what the provider needs back verbatim (signed thinking blocks); `warnings` are
    the parser's, told to the model in the next reply. `author` is `human:<name>` where a person
    acted in the agent's place.
    """

    message: Message
    actions: list[Action] = []
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish_reason: str = ""
    warnings: list[str] = []
    native: Json = None
    author: str = "model"


class Compacted(Event, kw_only=True, frozen=True, tag="compacted"):
    """The conversation before this step was replaced by `messages`, since it had grown too long."""

    messages: list[Message]
    usage: Usage = Usage()


class Held(Event, kw_only=True, frozen=True, tag="held"):
    """The gate waits for a person before `action`; `reasons` are sentences."""

    action: str
    reasons: list[str]
    risks: list[Risk] = []


class Decided(Event, kw_only=True, frozen=True, tag="decided"):
    """What was decided: `arguments` are final, `original` is set when they differ.

    `tool` is set when a person put another tool in the place of the proposed one.
    """

    action: str
    decision: Decision
    author: str
    digest: str
    arguments: dict[str, Json]
    original: dict[str, Json] | None = None
    tool: str | None = None
    note: str | None = None


class Started(Event, kw_only=True, frozen=True, tag="started"):
    """A command of an action began. `command` is what the shell was given."""

    action: str
    command: str
    timeout_s: float
    cwd: str | None = None


class Output(Event, kw_only=True, frozen=True, tag="output"):
    """More output of a command: bytes `[start, end)` of `outputs/<action>.out`.

    `text` carries the bytes (decoded, bad bytes replaced) while the action's logged text is small;
    later events carry the range alone and the reader takes the bytes from the file or blob.
    """

    action: str
    start: int
    end: int
    text: str | None = None


class Finished(Event, kw_only=True, frozen=True, tag="finished"):
    """A command ended. Times in seconds, memory in bytes; None where the sandbox cannot tell."""

    action: str
    exit_code: int | None
    duration_s: float
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    timed_out: bool = False
    killed: str | None = None
    output_blob: str | None = None
    output_bytes: int = 0
    cwd: str | None = None


class Observed(Event, kw_only=True, frozen=True, tag="observed"):
    """Messages that entered the conversation after the proposal, exactly as the model sees them.

    `carries` are the `seq` of the human messages that travel in them. `replaces` says that these
    stand for the step's earlier replies, which the model has not seen yet.
    """

    messages: list[Message]
    carries: list[int] = []
    replaces: bool = False


class HumanMessage(Event, kw_only=True, frozen=True, tag="message"):
    """A person's message to the agent. It travels in the observation that names its `seq`."""

    text: str
    author: str


# --- evidence ---------------------------------------------------------------------------------


class FileChanged(Event, kw_only=True, frozen=True, tag="file_changed"):
    """A path under /workspace or /tmp, as the agent names it, was added, modified or removed."""

    path: str
    op: Literal["added", "modified", "removed"]
    size: int | None = None
    mtime: float | None = None
    blob: str | None = None


class FilesChanged(Event, kw_only=True, frozen=True, tag="files_changed"):
    """A storm of changes in one record; each entry is (path, op, size)."""

    changes: list[tuple[str, str, int | None]]


class Snapshot(Event, kw_only=True, frozen=True, tag="snapshot"):
    """Manifest blob of /workspace and /tmp after a step; its data was written before.

    `not_kept` names files whose bytes were too large to keep, each with the reason; `shell` is the
    blob of a script that brings the shell back. The first one, without a step, is the start.
    """

    manifest: str
    files: int
    size_bytes: int
    new_bytes: int = 0
    not_kept: list[str] = []
    shell: str | None = None


class Frame(Event, kw_only=True, frozen=True, tag="frame"):
    """A picture that the session produced or looked at."""

    path: str
    blob: str
    width: int
    height: int
    mime: str
    origin: Literal["made", "read"] = "made"
    source: str | None = None
    time_s: float | None = None
    matched_by: Literal["pixels", "command", "both", "claimed"] | None = None


class Heard(Event, kw_only=True, frozen=True, tag="heard"):
    """Speech that the agent listened to (`by` agent) or that was transcribed for the person.

    Second 0 of `source` is second `offset_s` of `origin`, the medium that it was cut from.
    """

    source: str
    origin: str | None = None
    offset_s: float = 0.0
    segments: list[Segment]
    language: str | None = None
    model: str | None = None
    duration_s: float | None = None
    by: Literal["agent", "person"] = "agent"


class Probed(Event, kw_only=True, frozen=True, tag="probed"):
    """What a staged or made media file is; durations in seconds."""

    path: str
    media: Literal["video", "audio", "image", "document"]
    duration_s: float | None = None
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    codecs: list[str] = []


class Looked(Event, kw_only=True, frozen=True, tag="looked"):
    """Seconds of a source that a command decoded for seeing or hearing."""

    source: str
    sense: Literal["seen", "heard"]
    spans: list[tuple[float, float]]
    by: Literal["agent", "person"] = "agent"
    how: str = "command"


# --- the human hand ---------------------------------------------------------------------------


class Amended(Event, kw_only=True, frozen=True, tag="amended"):
    """A part of an earlier step was edited: what it says, a call's arguments, or the reply.

    `replacement` is the new text (JSON for arguments), `original` the blob of the text before. Of
    arguments and replies it is the first of the step, or that of `action`.
    """

    part: Literal["message", "observation", "arguments"]
    author: str
    original: str
    replacement: str
    action: str | None = None


class Rewound(Event, kw_only=True, frozen=True, tag="rewound"):
    """The leaf moved to step `step`; what follows is branch `branch`. Nothing is deleted."""

    author: str
    branch: int
    pending: bool = False


class Paused(Event, kw_only=True, frozen=True, tag="paused"):
    """The engine stands still, in this scope."""

    scope: PauseScope
    author: str


class Resumed(Event, kw_only=True, frozen=True, tag="resumed"):
    """The engine goes on; `steps` bounds how far (None: no bound)."""

    author: str
    steps: int | None = None


class ModeChanged(Event, kw_only=True, frozen=True, tag="mode_changed"):
    """The gate's mode changed."""

    mode: Mode
    author: str


class Breakpoint(Event, kw_only=True, frozen=True, tag="breakpoint"):
    """The list of breakpoints after a change, as expressions."""

    expressions: list[str]
    author: str


class Labelled(Event, kw_only=True, frozen=True, tag="labelled"):
    """A label on the session, or on a step when `step` is set; None removes it."""

    key: str
    value: str | None
    author: str


class Rewarded(Event, kw_only=True, frozen=True, tag="rewarded"):
    """Reward components and total, and the function that produced them."""

    function: str
    total: float
    components: dict[str, Json]


class Unknown(Event, kw_only=True, frozen=True, tag="unknown"):
    """A kind that this version does not know: kept in the file, skipped by readers."""

    original_kind: str = ""


AnyEvent: TypeAlias = (
    SessionCreated
    | EngineStarted
    | Prompted
    | Closed
    | Noted
    | Thinking
    | Thought
    | Retried
    | Proposed
    | Compacted
    | Held
    | Decided
    | Started
    | Output
    | Finished
    | Observed
    | HumanMessage
    | FileChanged
    | FilesChanged
    | Snapshot
    | Frame
    | Heard
    | Probed
    | Looked
    | Amended
    | Rewound
    | Paused
    | Resumed
    | ModeChanged
    | Breakpoint
    | Labelled
    | Rewarded
    | Unknown
)


class _Header(msgspec.Struct):
    seq: int
    t: float
    kind: str
    step: int | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyEvent)
_header_decoder = msgspec.json.Decoder(_Header)
_KINDS = frozenset(
    info.tag
    for info in (msgspec.inspect.type_info(kind) for kind in AnyEvent.__args__)
    if isinstance(info, msgspec.inspect.StructType)
)


class EventDecodeError(ValueError):
    """A line that is not a whole event."""


def encode(event: Event) -> bytes:
    """One event as a line of JSON, without the newline."""
    return _encoder.encode(event)


def decode(line: bytes) -> AnyEvent:
    """One line as an event.

    Raises:
        EventDecodeError: if the line is torn, or a known kind has fields of a wrong type.
    """
    try:
        return _decoder.decode(line)
    except msgspec.DecodeError as error:
        try:
            header = _header_decoder.decode(line)
        except msgspec.DecodeError:
            raise EventDecodeError(str(error)) from error
        if header.kind in _KINDS:
            raise EventDecodeError(f"{header.kind}: {error}") from error
        return Unknown(seq=header.seq, t=header.t, step=header.step, original_kind=header.kind)
