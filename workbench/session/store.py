"""The store: where sessions and blobs stand on disk."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UsageError
from workbench.session import lease
from workbench.session.blobs import Blobs

_ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}\Z")


class NoSuchSession(UsageError):
    """No session of the store has this id."""


@dataclass(frozen=True, slots=True)
class SessionDir:
    """The folder of one session and what stands where in it."""

    folder: Path
    blobs: Blobs

    @property
    def id(self) -> str:
        """The session's id: the folder's name."""
        return self.folder.name

    @property
    def events(self) -> Path:
        """The append-only event log."""
        return self.folder / "events.jsonl"

    @property
    def outputs(self) -> Path:
        """Raw output of commands that have not finished yet, one file for each action."""
        return self.folder / "outputs"

    @property
    def workspace(self) -> Path:
        """The host side of `/workspace`."""
        return self.folder / "workspace"

    @property
    def tmp(self) -> Path:
        """The host side of `/tmp`."""
        return self.folder / "tmp"

    @property
    def inputs(self) -> Path:
        """The staged inputs, mounted read-only at `/workspace/inputs`."""
        return self.folder / "inputs"

    @property
    def bridge(self) -> Path:
        """The folder of the socket through which the sandbox reaches host tools."""
        return self.folder / "bridge"

    @property
    def control(self) -> Path:
        """The control socket of a live engine."""
        return self.folder / "control.sock"

    @property
    def lease(self) -> Path:
        """The lock of the process that runs the session."""
        return self.folder / "lease.json"

    @property
    def engine_log(self) -> Path:
        """What the engine process printed: for a fault that has no event."""
        return self.folder / "engine.log"

    def is_live(self) -> bool:
        """Whether an engine runs the session now."""
        return lease.is_held(self.lease)

    def output_path(self, action: str, blob: str | None) -> Path:
        """Where the raw output of an action stands: the blob once it has finished."""
        return self.blobs.path(blob) if blob else self.outputs / f"{action}.out"


class Store:
    """All sessions under one root folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.blobs = Blobs(root / "blobs")

    @classmethod
    def default(cls) -> Store:
        """`$WORKBENCH_HOME`, else the platform's user data folder."""
        home = os.environ.get("WORKBENCH_HOME")
        if home:
            return cls(Path(home).expanduser().absolute())
        from platformdirs import user_data_path

        return cls(user_data_path("workbench", appauthor=False))

    @property
    def sessions(self) -> Path:
        """The folder that holds a folder for each session."""
        return self.root / "sessions"

    def ids(self) -> list[str]:
        """Ids of all sessions, in name order."""
        try:
            return sorted(
                entry.name
                for entry in os.scandir(self.sessions)
                if _ID.match(entry.name) and entry.is_dir()
            )
        except FileNotFoundError:
            return []

    def session(self, id_or_prefix: str) -> SessionDir:
        """The session with this id, or the only one whose id starts so.

        Raises:
            NoSuchSession: if there is none, or the prefix fits several.
        """
        if _ID.match(id_or_prefix) and (self.sessions / id_or_prefix).is_dir():
            return SessionDir(self.sessions / id_or_prefix, self.blobs)
        matches = [name for name in self.ids() if name.startswith(id_or_prefix)]
        if id_or_prefix and len(matches) == 1:
            return SessionDir(self.sessions / matches[0], self.blobs)
        if id_or_prefix and matches:
            raise NoSuchSession(
                f"“{id_or_prefix}” fits {len(matches)} sessions: {', '.join(matches[:5])}. "
                "Write more of the id."
            )
        raise NoSuchSession(
            f"There is no session “{id_or_prefix}” in {self.root}; `workbench ls` lists them."
        )

    def create(self, wanted: str | None, stem: str) -> SessionDir:
        """A new session folder.

        Args:
            wanted: the id that the user asked for, or None for one made from `stem`.
            stem: usually the task's id.

        Raises:
            UsageError: if the id is taken or not a plain name.
        """
        if wanted is not None and not _ID.match(wanted):
            raise UsageError(
                f"--id {wanted}: an id is 1 to 128 letters, digits, dots, dashes or underscores."
            )
        self._make_folders()
        clean = re.sub(r"[^A-Za-z0-9_.-]+", "-", stem).strip("-.")[:80] or "session"
        while True:
            name = wanted or f"{clean}-{secrets.token_hex(3)}"
            folder = self.sessions / name
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                if wanted:
                    raise UsageError(f"--id {wanted}: a session of this id exists.") from None
                continue
            session = SessionDir(folder, self.blobs)
            for part in (session.outputs, session.workspace, session.tmp, session.inputs):
                part.mkdir()
            session.bridge.mkdir()
            return session

    def _make_folders(self) -> None:
        """Closed to other people of the machine, whatever the root is: sessions hold anything."""
        self.root.mkdir(parents=True, exist_ok=True)
        for folder in (self.sessions, self.blobs.folder):
            folder.mkdir(mode=0o700, exist_ok=True)
