"""Who owns a session: one live process, and never a dead one."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.session.lease import Lease, LeaseHeld, is_held, read_owner

OWNER = """
import sys
from pathlib import Path
from workbench.session.lease import Lease
lease = Lease.acquire(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lease.json"


@pytest.fixture
def owner(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lease."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with process:
        yield process
        process.kill()


def test_a_lease_that_nobody_took_is_not_held(path: Path) -> None:
    assert not is_held(path)
    assert read_owner(path) is None


def test_a_live_owner_keeps_others_out(path: Path, owner: subprocess.Popen[str]) -> None:
    assert is_held(path)
    with pytest.raises(LeaseHeld, match=f"run by process {owner.pid} on "):
        Lease.acquire(path)
    recorded = read_owner(path)
    assert recorded is not None
    assert recorded.pid == owner.pid


def test_a_killed_owner_blocks_nobody(path: Path, owner: subprocess.Popen[str]) -> None:
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert not is_held(path)
    lease = Lease.acquire(path)
    recorded = read_owner(path)
    assert recorded is not None
    assert recorded.pid == os.getpid()
    lease.release()


def test_a_child_of_the_owner_does_not_inherit_the_lease(path: Path) -> None:
    lease = Lease.acquire(path)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with child:
        assert is_held(path)
        lease.release()
        assert not is_held(path)
        child.kill()


def test_a_lease_can_be_given_back_twice_and_taken_again(path: Path) -> None:
    lease = Lease.acquire(path)
    lease.release()
    lease.release()
    Lease.acquire(path).release()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_looking_does_not_take(path: Path) -> None:
    Lease.acquire(path).release()
    assert [is_held(path) for _ in range(3)] == [False] * 3
    Lease.acquire(path).release()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"pid": "x"}', b"\xff"])
def test_a_damaged_record_is_no_owner_and_no_obstacle(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert read_owner(path) is None
    Lease.acquire(path).release()
    assert read_owner(path) is not None
