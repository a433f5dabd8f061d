"""Reads OmniCoding run folders, ours and others' (omnicoding-format 1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError
from workbench.events import Message
from workbench.trajectory.jsonfiles import BadFile, read_json, read_lines
from workbench.trajectory.ms_swift import FindLegacyPicture
from workbench.trajectory.pictures import Picture, extension_of, picture_from_base64
from workbench.trajectory.run_item import Json

_IMAGE_SUFFIXES = ("jpg", "jpeg", "png", "gif", "webp")


class NoRun(UsageError):
    """There is no OmniCoding run at the path."""


@dataclass(slots=True)
class ReadItem:
    """One item as it stands on disk; what is missing or broken is None or empty."""

    folder: Path
    messages: list[Message]
    row: Json | None = None
    """Its row of `results.json`."""
    item: Json | None = None
    """Its data-set row."""
    final_text: str | None = None
    steps: list[Json] = field(default_factory=list)
    image_subcalls: list[Json] = field(default_factory=list)
    interventions: list[Json] = field(default_factory=list)
    snapshots: list[Json] = field(default_factory=list)

    @property
    def source_index(self) -> int | None:
        """The number in the folder's name."""
        number = self.folder.name.removeprefix("item_")
        return int(number) if number.isascii() and number.isdigit() else None

    def find_legacy_picture(self) -> FindLegacyPicture:
        """Finds pictures that a sub-model described, for the converter (C19)."""
        return lambda path: _legacy_picture(self, path)


@dataclass(slots=True)
class ReadShard:
    """One shard. `problems` are sentences about what could not be read."""

    folder: Path
    meta: Json
    items: list[ReadItem] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_run(path: Path, *, messages_only: bool = False) -> list[ReadShard]:
    """All shards at `path`: a run's root, a benchmark's folder, a shard, or one item.

    Items that cannot be read are left out and told of in `problems`.

    Args:
        path: where the run stands.
        messages_only: read the conversations and what the shard says of itself, no more.

    Raises:
        NoRun: if there is no item at all.
    """
    if (path / "messages.json").is_file():
        return [_read_shard(path.parent, [path], messages_only)]
    folders = {
        item.parent: None
        for pattern in ("item_*", "shard_*/item_*", "*/shard_*/item_*")
        for item in sorted(path.glob(pattern))
        if item.is_dir()
    }
    if not folders:
        raise NoRun(f"{path}: there is no OmniCoding run here (no item_NNNN/messages.json).")
    return [
        _read_shard(
            folder, [one for one in sorted(folder.glob("item_*")) if one.is_dir()], messages_only
        )
        for folder in folders
    ]


def _read_shard(folder: Path, item_folders: list[Path], messages_only: bool) -> ReadShard:
    shard = ReadShard(folder, {})
    meta = _optional(shard, folder / "run_meta.json")
    shard.meta = meta if isinstance(meta, dict) else {}
    for item_folder in item_folders:
        try:
            shard.items.append(ReadItem(item_folder, _messages(item_folder / "messages.json")))
        except BadFile as error:
            shard.problems.append(str(error))
    if not messages_only:
        _read_records(shard)
    return shard


def _messages(path: Path) -> list[Message]:
    messages = read_json(path)
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise BadFile(f"{path}: this is no list of messages.")
    return messages


def _read_records(shard: ReadShard) -> None:
    """Read what stands beside the messages."""
    rows = {row.get("source_index"): row for row in _objects(shard, shard.folder / "results.json")}
    items = {item.get("__source_index__"): item for item in _data_set_rows(shard)}
    for item in shard.items:
        folder = item.folder
        item.row, item.item = rows.get(item.source_index), items.get(item.source_index)
        text = folder / "final_text.txt"
        item.final_text = text.read_text("utf-8", "replace") if text.is_file() else None
        item.steps = _objects(shard, folder / "trajectory.json")
        item.image_subcalls = _object_lines(folder / "image_subcalls.jsonl")
        item.interventions = _object_lines(folder / "interventions.jsonl")
        item.snapshots = _objects(shard, folder / "pre_summary_snapshots.json")


def _data_set_rows(shard: ReadShard) -> Iterator[Json]:
    """The rows of the shard's own copy, else of the benchmark's `items.json`."""
    bench = shard.folder.parent
    copy = bench.parent / "_shards" / bench.name.removesuffix("_kira")
    for path in (copy / f"{shard.folder.name}.json", bench / "items.json"):
        if path.is_file():
            for position, item in enumerate(_objects(shard, path)):
                yield {"__source_index__": position, **item}
            return


def _optional(shard: ReadShard, path: Path) -> object:
    if not path.is_file():
        return None
    try:
        return read_json(path)
    except BadFile as error:
        shard.problems.append(str(error))
        return None


def _objects(shard: ReadShard, path: Path) -> list[Json]:
    """The objects of a list, or of a list wrapped in an object as 1.10 allows."""
    value = _optional(shard, path)
    if isinstance(value, dict):
        keys = ("data", "items", "results", "questions")
        value = next((value[key] for key in keys if isinstance(value.get(key), list)), None)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _object_lines(path: Path) -> list[Json]:
    if not path.is_file():
        return []
    return [value for value in read_lines(path) if isinstance(value, dict)]


def _legacy_picture(item: ReadItem, path: str) -> Picture | None:
    """The picture in the item's folder, else in the record of the call."""
    stem = Path(path).stem
    for suffix in _IMAGE_SUFFIXES:
        file = item.folder / "images" / f"{stem}.{suffix}"
        if file.is_file():
            return Picture(extension_of(suffix), data=file.read_bytes())
    for call in _object_lines(item.folder / "image_subcalls.jsonl"):
        if call.get("file_path_arg") == path and call.get("status") == "ok":
            mime, encoded = call.get("mime"), call.get("image_b64")
            if isinstance(mime, str) and isinstance(encoded, str):
                return picture_from_base64(mime.removeprefix("image/"), encoded)
    return None
