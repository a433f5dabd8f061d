"""What is searched for, in raw bytes and in shown text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

_SEQUENCES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")


class Needle:
    """A literal text to find; upper and lower case are told apart only if it has upper case."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ignore_case = text == text.lower()
        self.is_abandoned = False
        """Set by whoever started a search for it, to end the search early."""

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.text), re.IGNORECASE if self.ignore_case else 0)

    @cached_property
    def _bytes(self) -> bytes:
        raw = self.text.encode("utf-8", "replace")
        return raw.lower() if self.ignore_case else raw

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it stands in a shown line."""
        return [match.span() for match in self._pattern.finditer(text)]

    def is_in(self, text: str) -> bool:
        """Whether a shown line holds it."""
        return self._pattern.search(text) is not None

    def offsets(self, data: bytes, step: int) -> Iterator[int]:
        """An offset for each part of `step` bytes of `data` that may hold it, in order.

        Colour changes within it do not hide it.
        """
        if not self.text.isascii() and self.ignore_case:
            yield from self._offsets_by_part(data, step)
            return
        haystack = data.lower() if self.ignore_case else data
        if b"\x1b" in data:
            yield from self._offsets_by_part(haystack, step)
            return
        at = haystack.find(self._bytes)
        while at >= 0:
            yield at
            at = haystack.find(self._bytes, (at // step + 1) * step)

    def _offsets_by_part(self, data: bytes, step: int) -> Iterator[int]:
        overlap = 16 * len(self._bytes)
        for start in range(0, len(data), step):
            part = _SEQUENCES.sub(b"", data[start : start + step + overlap])
            if self._bytes in part or self._is_in_decoded(part):
                yield start

    def _is_in_decoded(self, data: bytes) -> bool:
        """For letters beyond ASCII, whose case bytes do not tell."""
        return not self.text.isascii() and self.is_in(data.decode("utf-8", "replace"))
