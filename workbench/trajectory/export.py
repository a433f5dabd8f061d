"""Exports sessions as training data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workbench.errors import UsageError
from workbench.events import Message
from workbench.session.store import SessionDir
from workbench.trajectory.checks import TrainingGate
from workbench.trajectory.from_session import Branches, run_items
from workbench.trajectory.ms_swift import convert
from workbench.trajectory.omnicoding import write_run
from workbench.trajectory.run_item import RunItem
from workbench.trajectory.run_layout import ExportTarget, Layout, Register
from workbench.trajectory.run_rows import stored_message
from workbench.trajectory.training_rows import write_rows
from workbench.trajectory.whole_folder import whole_folder

ExportFormat = Literal["omnicoding", "ms-swift"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

ROWS_FILE = "sft_train.jsonl"
"""Name of the rows in an ms-swift export, as the reference filter calls them."""
IMAGES_FOLDER = "images"
"""Folder of the pictures beside the rows; rows name it relative to themselves."""


@dataclass(frozen=True, slots=True)
class Exported:
    """One exported branch. `faults` are sentences; there are some only with `allow`."""

    session: str
    leaf: int | None
    folder: Path
    faults: list[str]


def export_sessions(
    sessions: Sequence[SessionDir],
    export_format: ExportFormat,
    out: Path,
    *,
    allow: bool = False,
    branches: Branches | None = None,
    mask_people: bool = False,
) -> list[Exported]:
    """Write sessions to a folder, whole or not at all.

    Args:
        sessions: what to export.
        export_format: `omnicoding` is a run folder for the reference tools; `ms-swift` the rows
            that its converter makes of that folder, with their pictures.
        out: a new or empty folder; for `omnicoding` also a run that was exported before.
        allow: write even what does not train.
        branches: which branches of each session. A run folder takes all, since the reference
            filter chooses among them; rows, which train as they are, only the current one.
        mask_people: in rows, learn nothing from turns that a person wrote or edited. The rows are
            then no longer what the reference converter makes.

    Raises:
        CannotTrain: if an item has a fault and `allow` is not given. Nothing is written then.
        ExportTarget: if the folder cannot take the export.
        EmptySession: if a session has nothing to export.
    """
    if export_format not in EXPORT_FORMATS:
        formats = ", ".join(EXPORT_FORMATS)
        raise UsageError(f"--format {export_format}: the formats are {formats}.")
    if branches is None:
        branches = "all" if export_format == "omnicoding" else "current"
    with_records = export_format == "omnicoding"
    items = (
        item
        for session in sessions
        for item in run_items(session, branches, with_records=with_records)
    )
    gate = TrainingGate(allow=allow)
    if export_format == "omnicoding":
        folders = write_run(out, map(gate.check, items))
    else:
        folders = write_training_rows(out, items, gate, mask_people=mask_people)
    return [
        Exported(item.origin.session, item.origin.leaf, folder, found)
        for folder, (item, found) in zip(folders, gate.passed, strict=True)
    ]


def write_training_rows(
    out: Path, items: Iterable[RunItem], gate: TrainingGate, *, mask_people: bool = False
) -> list[Path]:
    """Write ms-swift rows and pictures to a new or empty folder; see `export_sessions`.

    Raises:
        ExportTarget: if the folder holds something.
        CannotTrain: as the gate does; nothing is left then.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir())):
        raise ExportTarget(f"{out}: rows are written to a new or empty folder; name another.")
    register = Register(Layout(), out)
    with whole_folder(out) as building, (building / ROWS_FILE).open("wb") as rows:
        for item in map(register.admit, items):
            messages = [stored_message(message) for message in item.messages]
            conversion = convert(
                messages, item.meta.tools_spec, item.name, IMAGES_FOLDER, multimodal=True
            )
            gate.check(item, conversion)
            if mask_people:
                conversion = conversion.without_loss_on(_turns_of_people(messages))
            write_rows(rows, building, conversion, item.read_blob)
    return [out] * len(gate.passed)


def _turns_of_people(messages: Sequence[Message]) -> list[int]:
    """Indexes of assistant messages that a person wrote, or whose calls a person edited."""
    return [
        index
        for index, message in enumerate(messages)
        if message.get("_author", "model") != "model" or message.get("_original_arguments")
    ]
