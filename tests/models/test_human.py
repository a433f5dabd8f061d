"""The human model."""

from __future__ import annotations

import asyncio

import pytest

from tests.models.wire import ASK, TOOLS, Told, call
from workbench.models.human import HumanModel, NotWaiting


async def waiting(model: HumanModel) -> None:
    async with asyncio.timeout(5):
        while not model.is_waiting:
            await asyncio.sleep(0)


async def test_a_turn_is_handed_in() -> None:
    model = HumanModel()
    with pytest.raises(NotWaiting, match="does not wait for a turn now"):
        model.submit({"role": "assistant", "content": "Too early."})
    asked = asyncio.create_task(model.complete(ASK, TOOLS, Told().listener))
    await waiting(model)
    message = {"role": "assistant", "content": "", "tool_calls": [call("c", "task_complete", {})]}
    model.submit(message)
    with pytest.raises(NotWaiting):
        model.submit(message)
    reply = await asked
    assert (reply.message, reply.finish_reason) == (message, "tool_calls")


async def test_an_interrupted_turn_is_no_longer_waited_for() -> None:
    model = HumanModel()
    asked = asyncio.create_task(model.complete(ASK, TOOLS, Told().listener))
    await waiting(model)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert not model.is_waiting
