"""What a list of sessions says about one: read from the log with everything heavy left out."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from workbench import events as ev
from workbench.session.state import SessionState
from workbench.session.store import SessionDir

_BLOCK = 4 << 20
_NOT_NEEDED = tuple(
    f'{{"kind":"{kind}"'.encode()
    for kind in (
        "output",
        "thought",
        "file_changed",
        "files_changed",
        "frame",
        "heard",
        "looked",
        "probed",
        "snapshot",
        "started",
        "finished",
        "noted",
        "retried",
    )
)


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One session in a list. Times are UTC seconds since 1970."""

    id: str
    status: str
    """As `SessionState.status`; `lost` where its engine died."""
    is_live: bool = False
    """Whether an engine runs it now."""
    task_id: str = ""
    question: str = ""
    model: str = ""
    mode: str = ""
    sandbox: str = ""
    steps: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    edits: int = 0
    answer: str | None = None
    exit_reason: str | None = None
    error: str | None = None
    labels: dict[str, str] = {}
    created_t: float = 0.0
    last_t: float = 0.0


@dataclass(slots=True)
class SummaryReader:
    """Follows one log and keeps what a summary needs; what is read once is not read again."""

    session: SessionDir
    _state: SessionState = field(default_factory=SessionState)
    _offset: int = 0

    def read(self) -> Summary:
        """The summary of the log as it stands now.

        Raises:
            OSError: if the log cannot be read.
        """
        tail = _LeanTail(self.session, self._offset)
        for event in tail.events():
            self._state.apply(event)
        self._offset = tail.offset
        return _summary(self.session.id, self._state)


class _LeanTail:
    """The events of a log without those that a summary does not need."""

    def __init__(self, session: SessionDir, offset: int) -> None:
        self.offset = offset
        self._path = session.events

    def events(self) -> list[ev.AnyEvent]:
        found: list[ev.AnyEvent] = []
        rest = b""
        with self._path.open("rb") as log:
            log.seek(self.offset)
            while block := log.read(_BLOCK):
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    self.offset += len(line) + 1
                    if not line.startswith(_NOT_NEEDED):
                        found += _decoded(line)
        return found


def _decoded(line: bytes) -> list[ev.AnyEvent]:
    try:
        return [ev.decode(line)]
    except ev.EventDecodeError:
        return []


def _summary(session_id: str, state: SessionState) -> Summary:
    created, closed = state.created, state.closed
    totals = state.totals()
    return Summary(
        id=session_id,
        status=state.status,
        task_id=str(created.task.get("id") or "") if created else "",
        question=str(created.task.get("question") or "") if created else "",
        model=created.model if created else "",
        mode=state.control.mode,
        sandbox=state.sandbox.kind if state.sandbox else "",
        steps=len(state.path()),
        tokens=totals.prompt_tokens + totals.completion_tokens,
        cost_usd=totals.cost_usd,
        edits=totals.edits,
        answer=closed.answer if closed else None,
        exit_reason=closed.exit_reason if closed else None,
        error=closed.error if closed else None,
        labels={key: value for key, (value, _author) in state.labels.items()},
        created_t=state.started_t,
        last_t=state.last_t,
    )
