"""Models behind the chat completions API: OpenAI, vLLM, SGLang, Ollama, llama.cpp, gateways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import openai

from workbench.events import Message
from workbench.models.base import Listener, ModelError, Provider, Reply
from workbench.models.retry import Backoff, PassingFault
from workbench.models.sdk import IDLE_S, SdkModel
from workbench.models.spec import ModelOptions
from workbench.models.wire import priced
from workbench.models.wire_chat import chat_body, provider_of
from workbench.models.wire_chunks import ChatStream
from workbench.models.wire_endpoint import ONE_CALL, openai_endpoint
from workbench.models.wire_errors import as_object, refuse_web_page, translate
from workbench.models.wire_refused import refused_field


class OpenAIModel(SdkModel):
    """A model behind an OpenAI-compatible server.

    The base url is what was given, else `OPENAI_BASE_URL`; the key is `OPENAI_API_KEY`. A server
    of one's own needs no key.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        options: ModelOptions | None = None,
        backoff: Backoff | None = None,
        idle_s: float = IDLE_S,
    ) -> None:
        """Open no connection yet.

        Raises:
            UsageError: for a base url or a key that cannot be used.
            RefusedKey: if there is no key and the server is a public one.
        """
        endpoint = openai_endpoint(name, base_url)
        super().__init__(f"openai:{name}", endpoint, options, backoff, idle_s)
        self.provider: Provider = provider_of(name, endpoint.base_url)
        self._refused: set[str] = set()
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key,
            base_url=endpoint.base_url,
            max_retries=0,
            default_headers=ONE_CALL,
            timeout=openai.Timeout(idle_s, connect=self._connect_s),
        )

    def _connections(self) -> openai.AsyncOpenAI:
        return self._client

    async def _try(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """One try; a field that the server refuses is left out from then on."""
        while True:
            body = chat_body(
                self._endpoint.model,
                self.provider,
                messages,
                tools,
                self._options,
                self._refused,
            )
            try:
                return await self._request(body, listener)
            except (ModelError, PassingFault):
                raise
            except Exception as error:
                field = refused_field(error, body)
                if field is None:
                    raise translate(error, self._endpoint, self._idle_s) from error
                self._refused.add(field)

    async def _request(self, body: dict[str, Any], listener: Listener) -> Reply:
        names = [tool["function"]["name"] for tool in body.get("tools", [])]
        collected = ChatStream(names, listener)
        stream = await self._client.chat.completions.create(
            model=body["model"],
            messages=body["messages"],
            stream=True,
            extra_body={k: v for k, v in body.items() if k not in ("model", "messages")},
        )
        async with stream:
            refuse_web_page(stream.response.headers, self._endpoint)
            async for chunk in stream:
                collected.feed(as_object(chunk, self._endpoint))
        reply = collected.reply()
        return replace(reply, usage=priced(reply.usage, self._options.prices))
