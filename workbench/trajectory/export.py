"""Exports sessions as training data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workbench.errors import UsageError
from workbench.events import Message
from workbench.session.store import SessionDir
from workbench.trajectory.checks import TrainingGate
from workbench.trajectory.from_session import Branches, no_finished_step, run_items
from workbench.trajectory.ms_swift import Conversion, convert
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
            that their converter makes of that folder, byte for byte, with the pictures.
        out: a new or empty folder; for `omnicoding` also a run that was exported before.
        allow: write even what does not train.
        branches: which branches of each session. A run folder takes all, since the reference
            filter chooses among them; of rows, which train as they are, only the current branch's
            are written.
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
    gate = TrainingGate(allow=allow)
    if export_format == "omnicoding":
        items = (one for session in sessions for one in run_items(session, branches or "all"))
        folders = write_run(out, map(gate.check, items))
    else:
        folders = _Rows(gate, branches or "current", mask_people).write(out, sessions)
    return [
        Exported(origin.session, origin.leaf, folder, found)
        for folder, (origin, found) in zip(folders, gate.passed, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Writes ms-swift rows and pictures."""

    gate: TrainingGate
    branches: Branches
    mask_people: bool

    def write(self, out: Path, sessions: Sequence[SessionDir]) -> list[Path]:
        """Write to a new or empty folder."""
        if out.is_file() or (out.is_dir() and any(out.iterdir())):
            raise ExportTarget(f"{out}: rows are written to a new or empty folder; name another.")
        register = Register(Layout(), out)
        with whole_folder(out) as building, (building / ROWS_FILE).open("wb") as rows:
            for session in sessions:
                for item in map(register.admit, self._items(session)):
                    # Branches that are left out count too: names are those of the run folder.
                    if item.is_current or self.branches == "all":
                        write_rows(rows, building, self._conversion(item), item.read_blob)
        return [out] * len(self.gate.passed)

    def _items(self, session: SessionDir) -> list[RunItem]:
        items = run_items(session, "all", with_records=False)
        if self.branches == "current" and not items[-1].is_current:
            raise no_finished_step(session.id)
        return items

    def _conversion(self, item: RunItem) -> Conversion:
        messages = [stored_message(message) for message in item.messages]
        conversion = convert(
            messages, item.meta.tools_spec, item.name, IMAGES_FOLDER, multimodal=True
        )
        self.gate.check(item, conversion)
        if not self.mask_people:
            return conversion
        return conversion.without_loss_on(_turns_of_people(messages))


def _turns_of_people(messages: Sequence[Message]) -> list[int]:
    """Indexes of assistant messages that a person wrote or edited."""
    return [
        index
        for index, message in enumerate(messages)
        if message.get("role") == "assistant"
        and (
            message.get("_author", "model") != "model"
            or message.get("_original_arguments")
            or message.get("_amended")
        )
    ]
