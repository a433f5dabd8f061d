"""Fields that a server does not take: found in its refusal, then left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.models.wire_chat import OPTIONAL
from workbench.models.wire_errors import said, status_of


def refused_field(error: Exception, body: Mapping[str, Any]) -> str | None:
    """The optional field that a refusal names and the request had; None if it names none."""
    if status_of(error) not in (400, 422):
        return None
    words = said(error)
    for name in OPTIONAL:
        if re.search(rf"\b{name}\b", words) and _has(body, name):
            return name
    return None


def _has(body: Mapping[str, Any], name: str) -> bool:
    return name in body or any(name in message for message in body.get("messages", ()))
