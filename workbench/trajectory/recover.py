"""Calls that a model wrote into its text as broken XML (omnicoding-format 3.8, K30)."""

from __future__ import annotations

import json
import re
import secrets
from typing import Any

from workbench.trajectory.arguments import encode
from workbench.trajectory.kira import TOOL_NAMES

_BLOCK = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_FUNCTION = re.compile(r"<?function=\s*(" + "|".join(TOOL_NAMES) + r")\s*>")
_PARAMETER = re.compile(r"<parameter=([^<>\s]+)>")
_PARAMETER_TAG = re.compile(r"</?parameter(?:=[^<>]*)?>")


def recover_calls(content: str, reasoning: str) -> list[dict[str, Any]]:
    """Tool calls in OpenAI shape from malformed XML, of the content first, else of the reasoning.

    Well-formed parameter XML is not touched: only text that becomes a JSON object when its first
    parameter is opened as a JSON string.
    """
    return _recover(content) or _recover(reasoning)


def _recover(text: str) -> list[dict[str, Any]]:
    calls = []
    for block in _BLOCK.findall(text):
        function = _FUNCTION.search(block)
        parameter = _PARAMETER.search(block, function.end()) if function else None
        if function is None or parameter is None:
            continue
        arguments = _arguments(parameter[1], block[parameter.end() :])
        if arguments is not None:
            calls.append(_call(function[1], arguments))
    return calls


def _arguments(first_name: str, rest: str) -> dict[str, Any] | None:
    rest = rest.strip().removesuffix("</function>").rstrip()
    rest = _PARAMETER_TAG.sub("", rest).strip()
    try:
        value = json.loads(f'{{{json.dumps(first_name)}: "{rest}', strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"call_recovered_{secrets.token_hex(8)}",
        "type": "function",
        "function": {"name": name, "arguments": encode(arguments)},
    }
