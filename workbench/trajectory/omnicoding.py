"""Writes OmniCoding run folders (omnicoding-format 1), whole or not at all."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from workbench import __version__
from workbench.events import Message
from workbench.session.blobs import hydrate
from workbench.trajectory.jsonfiles import lines, pretty
from workbench.trajectory.run_item import ImageSubcall, Json, RunItem
from workbench.trajectory.run_layout import MADE_BY, SIDECAR, Layout, Register, Shard
from workbench.trajectory.run_rows import final_text, result_row, stored_message
from workbench.trajectory.whole_folder import link_tree, whole_folder, write_file

_MAX_STEM_BYTES = 200


def write_run(root: Path, items: Iterable[RunItem]) -> list[Path]:
    """Write items as a run, or add them to a run that Workbench wrote.

    Args:
        root: the folder above `<bench>_kira`; new, empty, or an exported run.
        items: those without a `source_index` or an `attempt` get the next free one. They are taken
            one after the other; an error among them leaves `root` as it was.

    Returns:
        The folders of the items, in their order.

    Raises:
        ExportTarget: if the folder cannot take them.
    """
    layout = Layout.survey(root)
    register = Register(layout, root)
    folders = []
    with whole_folder(root) as building:
        if layout.shards:
            link_tree(root, building)
        for item in map(register.admit, items):
            shard = layout.shard_for(item)
            place = f"{shard.folder}/{item.name}"
            _add_item(building / place, shard, item)
            folders.append(root / place)
        _write_shards(building, layout.shards)
    return folders


def _add_item(folder: Path, shard: Shard, item: RunItem) -> None:
    """Write the item's folder, and note its rows."""
    messages = exported_messages(item)
    text = final_text(messages)
    shard.rows.append(result_row(item, messages, text))
    shard.items.append({**item.item, "__source_index__": item.source_index})
    write_file(folder / "messages.json", pretty(messages))
    write_file(folder / "final_text.txt", text.encode("utf-8", "replace"))
    write_file(folder / "trajectory.json", pretty(item.steps))
    if item.snapshots:
        write_file(folder / "pre_summary_snapshots.json", pretty(_hydrated_snapshots(item)))
    if item.image_subcalls:
        _write_subcalls(folder, item)
    if item.interventions:
        write_file(folder / "interventions.jsonl", lines(item.interventions))
    write_file(folder / SIDECAR, pretty(_origin(item)))


def exported_messages(item: RunItem) -> list[Message]:
    """The messages as `messages.json` holds them, pictures inline."""
    stored = [stored_message(message) for message in item.messages]
    return stored if item.blobs is None else hydrate(stored, item.blobs)


def _hydrated_snapshots(item: RunItem) -> list[Json]:
    if item.blobs is None:
        return item.snapshots
    hydrated = []
    for snapshot in item.snapshots:
        inline = {
            key: hydrate([stored_message(message) for message in snapshot[key]], item.blobs)
            for key in ("pre_summary_messages", "post_summary_messages")
        }
        hydrated.append({**snapshot, **inline})
    return hydrated


def _origin(item: RunItem) -> Json:
    return {
        "session": item.origin.session,
        "branch": item.origin.branch,
        "leaf": item.origin.leaf,
        "is_current": item.is_current,
        "workbench_version": __version__,
    }


def _write_subcalls(folder: Path, item: RunItem) -> None:
    records = []
    for call in item.image_subcalls:
        data = None if call.picture is None else call.picture.read(item.read_blob)
        records.append(_subcall_record(call, data))
        if data is not None and call.picture is not None:
            path = folder / "images" / f"{_stem(call.file_path_arg)}.{call.picture.extension}"
            if not path.exists():  # of two pictures with one name the first stays (1.8)
                write_file(path, data)
    write_file(folder / "image_subcalls.jsonl", lines(records))
    (folder / "images").mkdir(exist_ok=True)


def _subcall_record(call: ImageSubcall, data: bytes | None) -> Json:
    return {
        "ts": call.ts,
        "file_path_arg": call.file_path_arg,
        "instruction": call.instruction,
        "mode": "native",
        "resolved_path": call.resolved_path if data is not None else None,
        "mime": call.mime if data is not None else None,
        "image_b64": None if data is None else base64.b64encode(data).decode(),
        "image_bytes": len(data or b""),
        "status": "input_rejected" if data is None else "ok",
        "error": call.error,
        "elapsed_s": call.elapsed_s,
    }


def _stem(file_path: str) -> str:
    """The file name without its ending, as a name that cannot leave the folder."""
    stem = PurePosixPath(file_path).stem
    safe = "".join(char if char.isprintable() and char not in "/\\" else "_" for char in stem)
    return safe.encode()[:_MAX_STEM_BYTES].decode(errors="ignore").strip(".") or "image"


def _write_shards(building: Path, shards: Iterable[Shard]) -> None:
    benches: dict[str, list[Shard]] = {}
    for shard in shards:
        benches.setdefault(shard.bench, []).append(shard)
        meta = {**shard.meta, MADE_BY: f"workbench {__version__}"}
        write_file(building / shard.folder / "run_meta.json", pretty(meta))
        rows = sorted(shard.rows, key=lambda row: int(row["source_index"]))
        write_file(building / shard.folder / "results.json", pretty(rows))
        write_file(building / shard.copy, pretty(_by_index(shard.items)))
    for bench, of_bench in benches.items():
        items = [item for shard in of_bench for item in shard.items]
        write_file(building / f"{bench}_kira" / "items.json", pretty(_by_index(items)))


def _by_index(items: list[Json]) -> list[Json]:
    def index(item: dict[str, Any]) -> int:
        return int(item["__source_index__"])

    return sorted(items, key=index)
