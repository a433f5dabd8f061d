"""The event log on disk: one writer that can die at any byte, readers that follow it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.events import Noted, Unknown
from workbench.session.log import LogError, LogWriter, Tail, read_events


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def note(text: str) -> Noted:
    return Noted(level="info", text=text)


def texts(path: Path) -> list[str]:
    return [event.text for event in read_events(path) if isinstance(event, Noted)]


def written(path: Path, *words: str) -> None:
    log = LogWriter(path)
    for word in words:
        log.append(note(word))
    log.close()


def test_seq_counts_without_gaps_over_writers(path: Path) -> None:
    written(path, "a", "b")
    written(path, "c")
    assert [event.seq for event in read_events(path)] == [1, 2, 3]
    assert texts(path) == ["a", "b", "c"]


def test_an_event_is_on_disk_when_append_returns(path: Path) -> None:
    log = LogWriter(path)
    stamped = log.append(note("a"), t=5.0)
    assert list(read_events(path)) == [stamped]
    assert (stamped.seq, stamped.t) == (1, 5.0)
    log.close()
    log.close()


def test_the_log_is_for_its_owner_alone(path: Path) -> None:
    written(path, "a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_torn_last_line_is_dropped_at_every_length(path: Path) -> None:
    written(path, "a", "b")
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    for length in range(second, len(whole)):
        path.write_bytes(whole[:length])
        log = LogWriter(path)
        assert log.repair.dropped_bytes == length - second
        log.append(note("c"))
        log.close()
        assert texts(path) == ["a", "c"]
        assert [event.seq for event in read_events(path)] == [1, 2]


def test_a_log_that_is_one_torn_line_starts_anew(path: Path) -> None:
    path.write_bytes(b'{"kind":"noted","seq"')
    log = LogWriter(path)
    assert (log.repair.dropped_bytes, log.last_seq) == (21, 0)
    log.close()


def test_a_long_last_line_is_found(path: Path) -> None:
    written(path, "a", "x" * (3 << 20))
    with path.open("ab") as file:
        file.write(b'{"kind":"noted","text":"' + b"y" * (3 << 20))
    log = LogWriter(path)
    assert log.last_seq == 2
    log.close()


def test_a_log_that_ends_in_garbage_is_not_written_on(path: Path) -> None:
    path.write_bytes(b"this is no event\n")
    with pytest.raises(LogError, match="not an event"):
        LogWriter(path)


def test_a_log_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be opened: No such file"):
        LogWriter(tmp_path / "gone" / "events.jsonl")
    with pytest.raises(LogError, match="there is no event log here"):
        list(read_events(tmp_path))


def test_a_full_disk_leaves_nothing_half_written(path: Path) -> None:
    script = f"""
import resource, signal
from pathlib import Path
from workbench.events import Noted
from workbench.session.log import LogError, LogWriter
log = LogWriter(Path({str(path)!r}))
log.append(Noted(level="info", text="a"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    log.append(Noted(level="info", text="b" * 2000))
except LogError as error:
    print(error)
log.append(Noted(level="info", text="c"))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert "the event log cannot be written: File too large." in done.stdout
    assert texts(path) == ["a", "c"]


def test_a_killed_writer_costs_at_most_the_line_it_wrote(path: Path) -> None:
    script = f"""
from pathlib import Path
from workbench.events import Noted
from workbench.session.log import LogWriter
log = LogWriter(Path({str(path)!r}))
while True:
    print(log.append(Noted(level="info", text="x" * 5000)).seq, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    promised = [int(process.stdout.readline()) for _ in range(50)][-1]
    process.send_signal(signal.SIGKILL)
    promised = max([promised, *(int(line) for line in process.stdout if line.endswith("\n"))])
    process.wait()
    process.stdout.close()
    log = LogWriter(path)
    assert log.last_seq >= promised
    log.close()
    assert [event.seq for event in read_events(path)] == list(range(1, log.last_seq + 1))


def test_a_tail_reads_every_line_once_and_only_when_it_is_whole(path: Path) -> None:
    tail = Tail(path)
    assert tail.poll() == []
    written(path, "a", "ö", "c")
    content = path.read_bytes()
    path.write_bytes(b"")
    seen: list[str] = []
    for byte in content:
        with path.open("ab") as file:
            file.write(bytes([byte]))
        seen += [event.text for event in tail.poll() if isinstance(event, Noted)]
        assert tail.offset <= path.stat().st_size
    assert seen == ["a", "ö", "c"]
    assert tail.poll() == []


def test_a_tail_goes_on_where_another_stopped(path: Path) -> None:
    written(path, "a")
    first = Tail(path)
    first.poll()
    written(path, "b")
    assert [event.seq for event in Tail(path, first.offset).poll()] == [2]


def test_a_tail_takes_about_as_much_as_it_is_told_and_always_whole_lines(path: Path) -> None:
    written(path, *("x" * 100 for _ in range(50)), "y" * (2 << 20), "z")
    tail = Tail(path)
    portions = []
    while events := tail.poll(limit_bytes=1000):
        portions.append(len(events))
    assert sum(portions) == 52
    assert len(portions) > 5


def test_damaged_lines_in_the_middle_are_counted_and_skipped(path: Path) -> None:
    written(path, "a")
    with path.open("ab") as file:
        file.write(b'garbage\n{"kind":"later","seq":2,"t":1.0}\n\x00\x00\n')
        file.write(b'{"kind":"noted","seq":3,"t":1.0,"level":"info","text":"b"}\n')
    tail = Tail(path)
    events = tail.poll()
    assert [type(event) for event in events] == [Noted, Unknown, Noted]
    assert tail.bad_lines == 2
    assert tail.offset == path.stat().st_size


def test_no_descriptor_is_left_open(path: Path) -> None:
    written(path, "a")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        Tail(path).poll()
        Tail(path.parent / "gone").poll()
    assert len(os.listdir("/proc/self/fd")) == before
