"""Trying again, and how long to wait before."""

from __future__ import annotations

import pytest

from tests.models.wire import FAST, Told
from workbench.models.base import ModelUnavailable, Retry
from workbench.models.retry import Backoff, PassingFault, with_retries


def test_waits_double_up_to_the_longest() -> None:
    backoff = Backoff(first_s=0.5, longest_s=4.0)
    for failed, full in enumerate((0.5, 1.0, 2.0, 4.0, 4.0), 1):
        assert 0.75 * full <= backoff.wait_s(failed) <= full


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (0.0, 0.0), (-3.0, 0.0)])
def test_what_a_server_asks_comes_first(asked: float, waited: float) -> None:
    assert Backoff().wait_s(1, asked) == waited


def test_a_wait_that_is_no_number_is_not_heeded() -> None:
    assert Backoff(first_s=0.5).wait_s(1, float("nan")) <= 0.5


async def test_each_retry_is_told_before_it() -> None:
    told = Told()
    faults = [PassingFault("busy", 0.001), PassingFault("cut", 0.002)]

    async def attempt() -> str:
        assert len(told.retries) == 2 - len(faults)
        if faults:
            raise faults.pop(0)
        return "done"

    result = await with_retries(attempt, who="host", listener=told.listener, backoff=FAST)
    assert result == "done"
    assert told.retries == [Retry(1, 0.001, "busy"), Retry(2, 0.002, "cut")]


async def test_other_errors_are_not_tried_again() -> None:
    count = 0

    async def attempt() -> None:
        nonlocal count
        count += 1
        raise LookupError

    with pytest.raises(LookupError):
        await with_retries(attempt, who="host", listener=Told().listener, backoff=FAST)
    assert count == 1


async def test_a_wait_without_end_is_refused() -> None:
    async def attempt() -> None:
        raise PassingFault("busy", float("inf"))

    with pytest.raises(ModelUnavailable, match=r"^host asks to wait inf s before .*: busy\.$"):
        await with_retries(attempt, who="host", listener=Told().listener, backoff=FAST)
