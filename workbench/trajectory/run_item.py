"""One trajectory as an OmniCoding run holds it, before it is written (omnicoding-format 1)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from workbench.events import Message, Usage
from workbench.session.blobs import Blobs
from workbench.trajectory.extract import Bench
from workbench.trajectory.pictures import Picture
from workbench.trajectory.tags import answer_payloads

RunExit = Literal["task_complete", "step_limit", "no_tool_calls", "error"]
"""The exit reasons that all tools know, the RL schema included (1.3, 4.6)."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunMeta:
    """`run_meta.json`: what all items of a shard share; fields in the order of the file (1.2)."""

    bench: Bench
    model: str
    """As litellm names it, for example `openai/gpt-5`."""
    provider: Literal["qwen", "openai", "anthropic", "openrouter", "other"]
    api_base: str | None
    system_prompt: str
    tools_spec: list[Json]
    step_limit: int = 120
    max_tool_reminders: int = 4
    request_timeout_s: int = 900
    block_timeout_s: int = 600
    shell_max_output_bytes: int = 30_000
    enable_thinking: bool = True
    enable_summarize: bool = True
    reasoning_effort: str | None = None
    thinking_budget_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    extra_system_prompt: str = ""
    """Text of the skill that was used, for the prompt-parity check (7.2)."""

    def record(self) -> Json:
        """As the JSON object of the file."""
        record: Json = {"harness": HARNESS, "harness_version": HARNESS_VERSION}
        record.update((one.name, getattr(self, one.name)) for one in fields(self))
        if not self.extra_system_prompt:
            del record["extra_system_prompt"]
        return record


HARNESS = "kira"
HARNESS_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class ImageSubcall:
    """One dispatched `image_read`, successful if there is a picture (1.7). Times in seconds."""

    file_path_arg: str
    instruction: str
    ts: float
    resolved_path: str | None = None
    mime: str | None = None
    picture: Picture | None = None
    error: str | None = None
    elapsed_s: float | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Which branch of which session an item shows."""

    session: str
    leaf: int | None
    branch: int = 0


@dataclass(frozen=True, slots=True)
class RunItem:
    """One trajectory. Pictures in messages are `data:` urls, or `blob:` urls of `blobs`.

    `source_index` and `attempt` are None where the writer shall give the next free number.
    """

    meta: RunMeta
    item: Json
    """The data-set row."""
    messages: list[Message]
    exit_reason: RunExit
    origin: Origin
    source_index: int | None = None
    attempt: int | None = None
    error: str | None = None
    """Set for real faults only: the reference runs such an item again on resume (10.9)."""
    steps: list[Json] = field(default_factory=list)
    """Entries of `trajectory.json` (1.6)."""
    usage: Usage = field(default_factory=Usage)
    retry_attempts: list[Json] = field(default_factory=list)
    image_subcalls: list[ImageSubcall] = field(default_factory=list)
    snapshots: list[Json] = field(default_factory=list)
    """Entries of `pre_summary_snapshots.json` (1.9)."""
    interventions: list[Json] = field(default_factory=list)
    """What people did, for our own sidecar `interventions.jsonl` (10.3)."""
    private_roots: tuple[str, ...] = ()
    """Folders of this machine that no exported text may name (10.11)."""
    is_current: bool = True
    """Whether it is the branch where its session stands."""
    blobs: Blobs | None = None

    @property
    def name(self) -> str:
        """The name of the item's folder."""
        return f"item_{self.source_index or 0:04d}"

    def read_blob(self, sha256: str) -> bytes:
        """The bytes of a picture of the store."""
        if self.blobs is None:
            raise ValueError("the item has no store for its pictures")
        return self.blobs.get(sha256)


def has_answer(messages: list[Message]) -> bool:
    """Whether a non-empty answer tag stands in assistant text, reasoning or tool text (K20)."""
    return any(
        any(answer_payloads(text))
        for message in messages
        if message.get("role") in ("assistant", "tool")
        for text in (message.get("content"), message.get("reasoning_content"))
        if isinstance(text, str)
    )
