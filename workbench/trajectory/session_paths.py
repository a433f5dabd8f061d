"""Host paths of a session's folders, as the agent would name them in a container (10.11)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from workbench.events import Message
from workbench.session.store import SessionDir

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Relocation:
    """Replaces the folders of one session in texts; a local sandbox prints their host paths."""

    pattern: re.Pattern[str]
    names: dict[str, str]
    hints: tuple[str, ...]
    """The session's own folder: a text without it is left alone without a look."""

    @classmethod
    def of(cls, session: SessionDir) -> Relocation:
        """The relocation for a session, with and without symbolic links resolved."""
        named = {
            session.workspace: "/workspace",
            session.inputs: "/workspace/inputs",
            session.tmp: "/tmp",
        }
        names = {str(path): name for path, name in named.items()}
        names |= {str(path.resolve()): name for path, name in named.items()}
        alternatives = "|".join(re.escape(path) for path in sorted(names, key=len, reverse=True))
        hints = (str(session.folder), str(session.folder.resolve()))
        return cls(re.compile(rf"(?:{alternatives})(?![\w-])"), names, hints)

    def text(self, text: str) -> str:
        """The text with the session's folders renamed."""
        if not any(hint in text for hint in self.hints):
            return text
        return self.pattern.sub(lambda match: self.names[match[0]], text)

    def values(self, value: T) -> T:
        """The value with every text in it renamed; urls of pictures have no folder to rename."""
        return self._change(value)  # type: ignore[no-any-return]

    def messages(self, messages: Sequence[Message]) -> list[Message]:
        """The messages with every text in them renamed."""
        return [self._change(message) for message in messages]

    def _change(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._change(one) for one in value]
        if isinstance(value, dict):
            return {key: self._change(one) for key, one in value.items()}
        return value
