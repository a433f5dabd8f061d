"""What an OmniCoding run folder holds already, and which numbers are free in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.errors import UsageError
from workbench.trajectory.jsonfiles import read_json
from workbench.trajectory.run_item import Json, RunItem

MADE_BY = "exported_by"
"""Key of `run_meta.json` that marks a run as ours; the reference tools ignore it."""
SIDECAR = "workbench.json"
"""File of an item folder that says which branch of which session it shows."""
SHARDS = "_shards"


class ExportTarget(UsageError):
    """The folder cannot take the export; the sentence says why."""


@dataclass(slots=True)
class Shard:
    """One shard: its place, its `run_meta.json` and its rows."""

    bench: str
    number: int
    meta: Json
    rows: list[Json] = field(default_factory=list)
    items: list[Json] = field(default_factory=list)
    """Data-set rows, as `_shards/<bench>/shard_NN.json` holds them."""

    @property
    def folder(self) -> str:
        """Where the shard stands under the root."""
        return f"{self.bench}_kira/shard_{self.number:02d}"

    @property
    def copy(self) -> str:
        """Where the rescorer looks for the data-set rows."""
        return f"{SHARDS}/{self.bench}/shard_{self.number:02d}.json"


@dataclass(slots=True)
class Layout:
    """All shards of a run."""

    shards: list[Shard] = field(default_factory=list)

    @classmethod
    def survey(cls, root: Path) -> Layout:
        """What stands under `root`; nothing if it is missing or empty.

        Raises:
            ExportTarget: if there is something else than a run that Workbench wrote.
        """
        if not root.exists() and not root.is_symlink():
            return cls()
        if not root.is_dir():
            raise ExportTarget(f"{root}: this is a file; name a new folder for the export.")
        entries = [entry.name for entry in root.iterdir()]
        foreign = [name for name in entries if name != SHARDS and not name.endswith("_kira")]
        metas = sorted(root.glob("*_kira/shard_[0-9][0-9]/run_meta.json"))
        if entries and (foreign or not metas):
            raise ExportTarget(
                f"{root}: the folder holds other things (“{(foreign or entries)[0]}”); name a new "
                "or empty folder, or a run that Workbench exported."
            )
        return cls([_read_shard(path) for path in metas])

    def shard_for(self, item: RunItem) -> Shard:
        """The shard with the item's meta data, made if there is none."""
        meta = item.meta.record()
        same = [shard for shard in self.shards if shard.bench == item.meta.bench]
        for shard in same:
            if {key: shard.meta[key] for key in shard.meta if key != MADE_BY} == meta:
                return shard
        number = max((shard.number for shard in same), default=-1) + 1
        self.shards.append(Shard(item.meta.bench, number, meta))
        return self.shards[-1]


class Register:
    """Gives the new items of a run their numbers, and refuses what the run holds already."""

    def __init__(self, layout: Layout, root: Path) -> None:
        rows = [(shard.bench, row) for shard in layout.shards for row in shard.rows]
        self._taken = {int(row["source_index"]) for _bench, row in rows}
        self._next = max(self._taken, default=-1) + 1
        self._attempts: dict[tuple[str, str], int] = {}
        for bench, row in rows:
            self._count((bench, str(row.get("id"))), int(row.get("attempt") or 1))
        self._names = {}
        for path in root.glob(f"*_kira/shard_*/item_*/{SIDECAR}"):
            note = read_json(path)
            self._names[(note.get("session"), note.get("leaf"))] = path.parent.name

    def _count(self, key: tuple[str, str], attempt: int) -> None:
        self._attempts[key] = max(self._attempts.get(key, 0), attempt)

    def admit(self, item: RunItem) -> RunItem:
        """The item with an index that is free in the run, an attempt, and an `id` for the filter.

        Attempts of one task count on from those that are there: the reference's inventory prefers
        the larger one (10.8).

        Raises:
            ExportTarget: if the index that was asked for is taken, or the branch is there already.
        """
        branch = (item.origin.session, item.origin.leaf)
        if branch in self._names:
            raise ExportTarget(
                f"Session {item.origin.session} stands in the export already, as "
                f"{self._names[branch]}; export it to a new folder."
            )
        index = self._next if item.source_index is None else item.source_index
        if index in self._taken:
            raise ExportTarget(f"source_index {index} is taken in this run; give each its own.")
        data_row = dict(item.item)
        data_row.setdefault("id", data_row.get("question_id", f"item-{index}"))
        key = (item.meta.bench, str(data_row["id"]))
        attempt = item.attempt or self._attempts.get(key, 0) + 1
        admitted = replace(item, item=data_row, source_index=index, attempt=attempt)
        self._taken.add(index)
        self._next = max(self._next, index + 1)
        self._count(key, attempt)
        self._names[branch] = admitted.name
        return admitted


def _read_shard(meta_path: Path) -> Shard:
    """A shard that we wrote.

    Raises:
        ExportTarget: if the shard is not ours, or a file of it is no longer what we wrote.
    """
    meta = read_json(meta_path)
    folder = meta_path.parent
    if not isinstance(meta, dict) or MADE_BY not in meta:
        raise ExportTarget(f"{folder}: this run was not written by Workbench; it stays as it is.")
    bench = folder.parent.name.removesuffix("_kira")
    shard = Shard(bench, int(folder.name.removeprefix("shard_")), meta)
    shard.rows = _rows(folder / "results.json", "source_index")
    shard.items = _rows(folder.parent.parent / shard.copy, "__source_index__")
    return shard


def _rows(path: Path, index: str) -> list[Json]:
    rows = read_json(path)
    if isinstance(rows, list) and all(
        isinstance(row, dict) and isinstance(row.get(index), int) for row in rows
    ):
        return rows
    raise ExportTarget(f"{path}: it was changed since the export; name a new folder instead.")
