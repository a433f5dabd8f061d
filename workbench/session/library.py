"""All sessions of a store, summarised: what is known stands in `library.db`, and is rebuildable.

A summary holds as long as its log's size and time of change do; those of live sessions are followed
from where they were read to. The database is a cache: without it everything is only slower.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from workbench.session.store import SessionDir, Store
from workbench.session.summary import Summary, SummaryReader

__all__ = ["Library", "Summary", "summaries"]

_VERSION = 2
"""Raised when summaries hold other things than before."""
_YOUNG_S = 30.0
"""How long a folder without an engine may be one that is only starting."""
_COMMIT_EVERY = 200


def summaries(store: Store) -> Iterator[Summary]:
    """The summaries of all sessions, the most recently written first, as they are ready."""
    with contextlib.closing(Library(store)) as library:
        yield from library.summaries()


class _Stamp(NamedTuple):
    """What a log looked like when it was read."""

    size: int
    mtime_ns: int


class Library:
    """Summaries of a store. Used by one thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cache = _Cache(store.root / "library.db")
        self._known: dict[str, tuple[_Stamp, Summary]] = self._cache.load()
        self._readers: dict[str, SummaryReader] = {}
        """Of the sessions that were not closed when they were last read."""

    def close(self) -> None:
        """Let go of the database. Safe to call twice."""
        self._cache.close()

    def summaries(self) -> Iterator[Summary]:
        """As the function of this name; what did not change since the last call costs a stat."""
        stamps = sorted(self._stamps(), key=lambda pair: -pair[1].mtime_ns)
        fresh = 0
        for name, stamp in stamps:
            known = self._known.get(name)
            if known is None or known[0] != stamp:
                known = (stamp, self._read(name))
                self._known[name] = known
                self._cache.keep(name, stamp, known[1])
                fresh += 1
                if fresh % _COMMIT_EVERY == 0:
                    self._cache.commit()
            yield self._as_it_stands(*known)
        self._forget(self._known.keys() - {name for name, _stamp in stamps})
        self._cache.commit()

    def _stamps(self) -> Iterator[tuple[str, _Stamp]]:
        for name in self._store.ids():
            session = self._session(name)
            stamp = _stamp_of(session)
            if stamp is not None:
                yield name, stamp
            elif session.folder.is_dir():
                yield name, _NO_LOG

    def _session(self, name: str) -> SessionDir:
        return SessionDir(self._store.sessions / name, self._store.blobs)

    def _read(self, name: str) -> Summary:
        reader = self._readers.pop(name, None) or SummaryReader(self._session(name))
        try:
            summary = reader.read()
        except FileNotFoundError:
            return Summary(id=name, status="starting")
        except OSError as error:
            return Summary(id=name, status="unreadable", error=str(error.strerror or error))
        if summary.status != "closed":
            self._readers[name] = reader
        return summary

    def _as_it_stands(self, stamp: _Stamp, summary: Summary) -> Summary:
        """With what the log cannot say: whether an engine lives."""
        if summary.status in ("closed", "unreadable"):
            return summary
        session = self._session(summary.id)
        if session.is_live():
            return msgspec.structs.replace(summary, is_live=True)
        latest = summary
        if _stamp_of(session) != stamp:
            # Its engine wrote its last words since the log was read.
            latest = self._read(summary.id)
        self._readers.pop(summary.id, None)
        if latest.status == "closed":
            return latest
        if not session.lease.exists() and _is_young(session.folder):
            return msgspec.structs.replace(latest, status="starting")
        return msgspec.structs.replace(latest, status="lost")

    def _forget(self, names: set[str]) -> None:
        for name in names:
            del self._known[name]
            self._readers.pop(name, None)
            self._cache.forget(name)


_NO_LOG = _Stamp(0, 0)


def _stamp_of(session: SessionDir) -> _Stamp | None:
    try:
        found = os.stat(session.events)
    except OSError:
        return None
    return _Stamp(found.st_size, found.st_mtime_ns)


def _is_young(folder: Path) -> bool:
    try:
        return time.time() - folder.stat().st_ctime < _YOUNG_S
    except OSError:
        return False


class _Cache:
    """The database. Whatever is wrong with it, the library goes on without."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = self._open()

    def _open(self) -> sqlite3.Connection | None:
        for attempt in (1, 2):
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                database = sqlite3.connect(self._path, timeout=2.0, check_same_thread=False)
                _prepare(database)
            except sqlite3.DatabaseError:
                if attempt == 1:
                    with contextlib.suppress(OSError):
                        self._path.unlink()
            except OSError:
                break
            else:
                return database
        return None

    def load(self) -> dict[str, tuple[_Stamp, Summary]]:
        """All that is kept."""
        rows = self._run("SELECT id, size, mtime_ns, summary FROM summaries")
        known: dict[str, tuple[_Stamp, Summary]] = {}
        for name, size, mtime_ns, data in rows:
            with contextlib.suppress(msgspec.DecodeError):
                known[name] = (_Stamp(size, mtime_ns), msgspec.json.decode(data, type=Summary))
        return known

    def keep(self, name: str, stamp: _Stamp, summary: Summary) -> None:
        """Note a summary; it is on disk after the next `commit`."""
        row = (name, *stamp, msgspec.json.encode(summary))
        self._run("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?)", row)

    def forget(self, name: str) -> None:
        """A session is gone."""
        self._run("DELETE FROM summaries WHERE id = ?", (name,))

    def commit(self) -> None:
        """Write what was noted."""
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.commit()

    def close(self) -> None:
        """Write what was noted and let go."""
        self.commit()
        if self._database is not None:
            self._database.close()
            self._database = None

    def _run(self, statement: str, values: tuple[object, ...] = ()) -> list[Any]:
        if self._database is None:
            return []
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error:
            return []


def _prepare(database: sqlite3.Connection) -> None:
    """Make the table, anew where an older version left another one."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != _VERSION:
        database.execute("DROP TABLE IF EXISTS summaries")
        database.execute(f"PRAGMA user_version = {_VERSION}")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(
        "CREATE TABLE IF NOT EXISTS summaries "
        "(id TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, summary BLOB)"
    )
