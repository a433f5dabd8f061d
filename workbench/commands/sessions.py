"""Finding the sessions that a command line names."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.session.store import SessionDir, Store


def find(id_or_prefix: str) -> SessionDir:
    """The session of the default store with this id, or the only one whose id starts so.

    Raises:
        NoSuchSession: if there is none, or the prefix fits several.
    """
    return Store.default().session(id_or_prefix)


def find_all(ids: Iterable[str]) -> list[SessionDir]:
    """The sessions, each once, in the order named; raises as `find`."""
    store = Store.default()
    found = {session.id: session for session in map(store.session, ids)}
    return list(found.values())
