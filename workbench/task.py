"""Task files: what a session is asked, with which media, under which limits.

A task is a YAML file (see `docs/task-file.md`) or a row of an OmniCoding task file (JSON or JSONL;
omnicoding-format 5.4).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.errors import UsageError
from workbench.events import Limits

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
MEDIA_KINDS = ("videos", "audios", "images", "documents")


class TaskError(UsageError):
    """A task file that cannot be used; the sentence names the file and the key."""


class Media(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Paths of the inputs, relative to the task file's folder."""

    videos: list[str] = []
    audios: list[str] = []
    images: list[str] = []
    documents: list[str] = []

    def all(self) -> list[str]:
        """Every path once, in the order of the kinds."""
        paths = [*self.videos, *self.audios, *self.images, *self.documents]
        return list(dict.fromkeys(paths))


class SandboxSpec(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What the sandbox may use. `network` is none or full; `memory` as Docker writes it."""

    kind: Literal["docker", "bubblewrap", "local"] | None = None
    network: Literal["none", "full"] = "none"
    memory: str | None = "2g"
    cpus: float | None = 2.0
    pids: int | None = 256
    image: str | None = None


class Task(msgspec.Struct, kw_only=True, frozen=True):
    """One question about some media. `row` is the benchmark row as it came, for the export."""

    id: str
    question: str
    answer_type: Literal["open", "mcq"] = "open"
    ground_truth: list[str] = []
    options: list[str] | None = None
    media: Media = Media()
    limits: Limits = Limits()
    sandbox: SandboxSpec = SandboxSpec()
    model: str | None = None
    breakpoints: list[str] = []
    source_dataset: str | None = None
    category: str | None = None
    row: dict[str, Any] | None = None


def in_bytes(amount: str) -> int:
    """An amount of memory in Docker's notation, such as `512m` or `2g`.

    Raises:
        UsageError: if it is none.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([bkmgt]?)b?", amount.strip().lower())
    if match is None:
        raise UsageError(f"`sandbox.memory`: {amount!r} is no amount; write it like 512m or 2g.")
    return int(float(match[1]) * _UNITS[match[2]])


def load_task(path: Path, row: int | None = None, row_id: str | None = None) -> Task:
    """Read a task file.

    Args:
        path: a `.yaml`, `.yml`, `.json` or `.jsonl` file.
        row: which row of a file with several, from 0.
        row_id: the row's id instead.

    Raises:
        TaskError: naming the file and the key that is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise TaskError(f"{path}: the task file cannot be read: {reason}.") from error
    if path.suffix == ".jsonl":
        values = _json_lines(path, text)
    elif path.suffix == ".json":
        values = _json_rows(path, text)
    else:
        values = [_yaml(path, text)]
    return _to_task(path, _choose(path, values, row, row_id))


def _yaml(path: Path, text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "it is not YAML"
        raise TaskError(f"{path}: {where}{problem}.") from error


def _json_lines(path: Path, text: str) -> list[Any]:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise TaskError(f"{path}: line {number} is not JSON: {error}.") from error
    return rows


def _json_rows(path: Path, text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise TaskError(f"{path}: the file is not JSON: {error}.") from error
    if isinstance(value, dict):
        for key in ("data", "items", "results", "questions"):
            if isinstance(value.get(key), list):
                return list(value[key])
        return [value]
    return list(value) if isinstance(value, list) else [value]


def _choose(path: Path, values: list[Any], row: int | None, row_id: str | None) -> dict[str, Any]:
    if row_id is not None:
        found = [v for v in values if isinstance(v, dict) and str(v.get("id")) == row_id]
        if not found:
            raise TaskError(f"{path}: no row has the id “{row_id}”.")
        return dict(found[0])
    if row is None and len(values) > 1:
        raise TaskError(
            f"{path}: the file has {len(values)} rows; choose one with --row or --row-id."
        )
    index = row or 0
    if not 0 <= index < len(values):
        raise TaskError(f"{path}: there is no row {index}; the file has {len(values)}.")
    if not isinstance(values[index], dict):
        raise TaskError(f"{path}: a task is a mapping with at least `id` and `question`.")
    return dict(values[index])


def _to_task(path: Path, value: dict[str, Any]) -> Task:
    is_row = path.suffix in (".json", ".jsonl")
    known = {field: value[field] for field in Task.__struct_fields__ if field in value}
    known.pop("row", None)
    unknown = sorted(str(key) for key in value if key not in known)
    if unknown and not is_row:
        keys = ", ".join(Task.__struct_fields__[:-1])
        raise TaskError(f"{path}: unknown key `{unknown[0]}`; a task has {keys}.")
    if is_row:
        known["row"] = value
        known = {key: item for key, item in known.items() if item is not None}
    if isinstance(known.get("id"), int):
        known["id"] = str(known["id"])
    try:
        task = msgspec.convert(known, Task)
    except msgspec.ValidationError as error:
        raise TaskError(f"{path}: {_sentence(error)}") from error
    return _checked(path, task)


def _sentence(error: msgspec.ValidationError) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.limits.steps`" as a sentence about a key."""
    text, _, where = str(error).partition(" - at `$.")
    key = where.rstrip("`")
    sentence = text[:1].lower() + text[1:]
    return f"`{key}`: {sentence}." if key else f"{sentence}."


def _checked(path: Path, task: Task) -> Task:
    if not task.question.strip():
        raise TaskError(f"{path}: `question` is empty.")
    if task.answer_type == "mcq" and not task.options:
        raise TaskError(f"{path}: `options` is needed where answer_type is mcq.")
    _check_limits(path, task.sandbox)
    for name in task.media.all():
        source = path.parent / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise TaskError(f"{path}: media `{name}` lies outside the task's folder.")
        if not source.is_file():
            raise TaskError(f"{path}: media `{name}` is not there (looked at {source}).")
    return task


def _check_limits(path: Path, sandbox: SandboxSpec) -> None:
    """What no sandbox could be made with is said before a session is."""
    if sandbox.memory is not None:
        try:
            in_bytes(sandbox.memory)
        except UsageError as error:
            raise TaskError(f"{path}: {error}") from error
    if sandbox.cpus is not None and sandbox.cpus <= 0:
        raise TaskError(f"{path}: `sandbox.cpus`: {sandbox.cpus:g} is not more than none.")
    if sandbox.pids is not None and sandbox.pids < 1:
        raise TaskError(f"{path}: `sandbox.pids`: {sandbox.pids} is not at least 1.")
