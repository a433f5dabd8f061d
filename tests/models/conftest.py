"""A model server for each test, and models that ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from tests.models.server import ModelServer
from tests.models.wire import FAST, KEY
from workbench.models.anthropic import AnthropicModel
from workbench.models.openai import OpenAIModel
from workbench.models.spec import ModelOptions

MakeOpenAI = Callable[..., OpenAIModel]
MakeAnthropic = Callable[..., AnthropicModel]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    """A server that listens."""
    one = ModelServer()
    await one.start()
    yield one
    await one.stop()


@pytest.fixture
async def make_openai(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[MakeOpenAI]:
    """Makes models of the server's `/v1`; closed afterwards."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made: list[OpenAIModel] = []

    def make(name: str = "m", *, idle_s: float = 5.0, **options: object) -> OpenAIModel:
        chosen = ModelOptions(**options)  # type: ignore[arg-type]
        url = f"{server.url}/v1"
        made.append(OpenAIModel(name, base_url=url, options=chosen, backoff=FAST, idle_s=idle_s))
        return made[-1]

    yield make
    for model in made:
        await model.close()


@pytest.fixture
async def make_anthropic(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[MakeAnthropic]:
    """Makes models of the server; closed afterwards."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    made: list[AnthropicModel] = []

    def make(name: str = "claude", *, idle_s: float = 5.0, **options: object) -> AnthropicModel:
        chosen = ModelOptions(**options)  # type: ignore[arg-type]
        made.append(
            AnthropicModel(name, base_url=server.url, options=chosen, backoff=FAST, idle_s=idle_s)
        )
        return made[-1]

    yield make
    for model in made:
        await model.close()
