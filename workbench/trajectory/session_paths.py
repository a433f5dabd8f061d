"""Host paths of a session's folders, as the agent would name them in a container (10.11)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeVar

from workbench.session.store import SessionDir

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Relocation:
    """Replaces the folders of one session in texts; a local sandbox prints their host paths."""

    pattern: re.Pattern[str] | None
    """None where the log names no such folder, and nothing is to be done."""
    names: dict[str, str]

    @classmethod
    def of(cls, session: SessionDir, log: bytes) -> Relocation:
        """The relocation for a session with this log, symbolic links resolved or not."""
        named = {
            session.workspace: "/workspace",
            session.inputs: "/workspace/inputs",
            session.tmp: "/tmp",
        }
        names = {str(path): name for path, name in named.items()}
        names |= {str(path.resolve()): name for path, name in named.items()}
        if not any(path.encode() in log for path in names):
            return cls(None, names)
        alternatives = "|".join(re.escape(path) for path in sorted(names, key=len, reverse=True))
        return cls(re.compile(rf"(?:{alternatives})(?![\w-])"), names)

    def text(self, text: str) -> str:
        """The text with the session's folders renamed."""
        if self.pattern is None:
            return text
        return self.pattern.sub(lambda match: self.names[match[0]], text)

    def values(self, value: T) -> T:
        """The value with every text in it renamed; urls of pictures have no folder to rename."""
        return value if self.pattern is None else self._change(value)

    def _change(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._change(one) for one in value]
        if isinstance(value, dict):
            return {key: self._change(one) for key, one in value.items()}
        return value
