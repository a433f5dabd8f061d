"""Where a model is served, and the key for it, from the environment only."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from workbench.errors import UsageError
from workbench.models.base import RefusedKey
from workbench.text.clean import clean_line

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
ANTHROPIC_TOKEN = "ANTHROPIC_AUTH_TOKEN"
"""The variable of a bearer token, which gateways use in place of a key."""
PLACEHOLDER = "none"
"""The key that is sent to a server of one's own, which as a rule asks for none."""
ONE_CALL = {"Connection": "close"}
"""Headers of each request: many servers drop a connection that was idle for some seconds, just as
long as a command takes; a new one costs little beside a reply."""
LONGEST_DETAIL = 300
"""Characters that are quoted of what a server says."""

_KEYLIKE = re.compile(r"(?i)\b(?:sk|pk|rk|key|gsk|xai)-[\w*.-]{4,}|\bbearer\s+\S+")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a base url. `key_name` is the variable that holds the key."""

    model: str
    base_url: str
    key_name: str
    key: str = field(repr=False)

    @property
    def host(self) -> str:
        """The host as a person knows it, with its port; never with user or password."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def quote(self, text: str) -> str:
        """What a server said, on one short line, without keys and without a final full stop."""
        if self.key and self.key != PLACEHOLDER:
            text = text.replace(self.key, "***")
        line = " ".join(clean_line(_KEYLIKE.sub("***", text)).split())
        short = line if len(line) <= LONGEST_DETAIL else line[:LONGEST_DETAIL] + "…"
        return short.rstrip(". ")


def endpoint(
    model: str, base_url: str | None, *, prefix: str, default_url: str, key_names: tuple[str, ...]
) -> Endpoint:
    """The endpoint of a model: a base url that was given, or `PREFIX_BASE_URL`, or the default.

    Raises:
        UsageError: for a base url or a key that cannot be used.
        RefusedKey: if a public server needs a key and none is set.
    """
    url = (base_url or os.environ.get(f"{prefix}_BASE_URL") or default_url).strip()
    _check_url(url)
    for name in key_names:
        if key := os.environ.get(name, "").strip():
            if not key.isascii() or not key.isprintable() or " " in key:
                raise UsageError(f"{name} holds a character that no key has; set it anew.")
            return Endpoint(model, url, name, key)
    if is_own_server(url):
        return Endpoint(model, url, key_names[0], PLACEHOLDER)
    raise RefusedKey(
        f"{key_names[0]} is not set: {urlsplit(url).hostname} needs a key in the environment."
    )


def openai_endpoint(model: str, base_url: str | None) -> Endpoint:
    """The endpoint of `openai:MODEL`; raises as `endpoint` does."""
    return endpoint(
        model, base_url, prefix="OPENAI", default_url=OPENAI_URL, key_names=("OPENAI_API_KEY",)
    )


def anthropic_endpoint(model: str, base_url: str | None) -> Endpoint:
    """The endpoint of `anthropic:MODEL`; raises as `endpoint` does."""
    return endpoint(
        model,
        base_url,
        prefix="ANTHROPIC",
        default_url=ANTHROPIC_URL,
        key_names=("ANTHROPIC_API_KEY", ANTHROPIC_TOKEN),
    )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        shown = clean_line(url.rpartition("@")[2])
        raise UsageError(f"base url “{shown}”: write it like http://localhost:8000/v1.")


def is_own_server(url: str) -> bool:
    """Whether the host is this machine or one of a private network, where a key is optional."""
    host = urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.endswith((".local", ".lan", ".internal", ".localhost"))
    return address.is_private or address.is_loopback or address.is_unspecified
