"""Models behind Anthropic's messages API, and servers that speak it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anthropic

from workbench.events import Message
from workbench.models.base import Listener, ModelError, Provider, Reply
from workbench.models.retry import Backoff, PassingFault
from workbench.models.sdk import IDLE_S, SdkModel
from workbench.models.spec import ModelOptions
from workbench.models.wire import priced
from workbench.models.wire_blocks import MessageStream
from workbench.models.wire_endpoint import ANTHROPIC_TOKEN, ONE_CALL, anthropic_endpoint
from workbench.models.wire_errors import as_object, refuse_web_page, translate
from workbench.models.wire_limits import learned, room_left
from workbench.models.wire_messages import Limits, messages_body


class AnthropicModel(SdkModel):
    """A model behind the messages API.

    The base url is what was given, else `ANTHROPIC_BASE_URL`; the key is `ANTHROPIC_API_KEY`, else
    the bearer token `ANTHROPIC_AUTH_TOKEN`. A server of one's own needs none.
    """

    provider: Provider = "anthropic"

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
        endpoint = anthropic_endpoint(name, base_url)
        super().__init__(f"anthropic:{name}", endpoint, options, backoff, idle_s)
        self._limits = Limits()
        is_token = endpoint.key_name == ANTHROPIC_TOKEN
        self._client = anthropic.AsyncAnthropic(
            api_key=None if is_token else endpoint.key,
            auth_token=endpoint.key if is_token else None,
            base_url=endpoint.base_url.rstrip("/").removesuffix("/v1"),
            max_retries=0,
            default_headers=ONE_CALL,
            timeout=anthropic.Timeout(idle_s, connect=self._connect_s),
        )

    def _connections(self) -> anthropic.AsyncAnthropic:
        return self._client

    async def _try(
        self, messages: Sequence[Message], tools: Sequence[dict[str, Any]], listener: Listener
    ) -> Reply:
        """One try, within limits that are learned from refusals.

        A reply that has to be shorter only because this conversation is long teaches nothing.
        """
        limits = self._limits
        while True:
            body = messages_body(self._endpoint.model, messages, tools, self._options, limits)
            try:
                return await self._request(body, listener)
            except (ModelError, PassingFault):
                raise
            except Exception as error:
                room = room_left(error, limits.max_tokens)
                narrower = learned(error, body, self._limits)
                if room is not None:
                    limits = replace(limits, max_tokens=room)
                elif narrower is not None:
                    limits = self._limits = narrower
                else:
                    raise translate(error, self._endpoint, self._idle_s) from error

    async def _request(self, body: dict[str, Any], listener: Listener) -> Reply:
        collected = MessageStream(self._endpoint.model, listener)
        named = ("model", "max_tokens", "messages")
        stream = await self._client.messages.create(
            model=body["model"],
            max_tokens=body["max_tokens"],
            messages=body["messages"],
            stream=True,
            extra_body={key: value for key, value in body.items() if key not in named},
        )
        async with stream:
            refuse_web_page(stream.response.headers, self._endpoint)
            async for event in stream:
                collected.feed(as_object(event, self._endpoint))
        reply = collected.reply()
        return replace(reply, usage=priced(reply.usage, self._options.prices))
