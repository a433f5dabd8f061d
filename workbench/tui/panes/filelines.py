"""Lines of a file of any size, by blocks of 32 KiB, without an index.

Block `i` holds the lines that start in bytes `[i * BLOCK, (i + 1) * BLOCK)`, so it can be read
alone: showing the end of a gigabyte costs one read of 64 KiB. A line that fills a whole block is
broken there; what it was in the middle of (an escape, a control string) carries over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from workbench.text import PLAIN, Style, apply_sgr
from workbench.tui.panes.needle import Needle

BLOCK = 1 << 15
_LOOK_BACK = 1 << 16
_STRING_LOOK_BACK = 1 << 22
_MAX_OPEN = 300
_SCAN_STEP = 1 << 19
_SCAN_OVERLAP = 1 << 12

_SGR = re.compile(rb"\x1b\[([0-9:;]{0,256})m")
_OPEN_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]{0,256}[ -/]{0,16})?\Z")
_STRING_OPENER = re.compile(rb"\x1b[\]PX^_]")
_STRING_ENDER = re.compile(rb"[\x07\x18\x1a\x1b\n]")


@dataclass
class RawBlock:
    """The lines of one block as bytes, and what they inherit from the bytes before."""

    file: FileLines
    start: int
    lines: list[bytes]
    context: bytes = b""
    """Opens the sequence that the first line goes on with; not part of the file there."""
    _styles: dict[int, Style] = field(default_factory=dict)

    @cached_property
    def _has_escapes(self) -> bool:
        return any(b"\x1b" in line for line in self.lines)

    @cached_property
    def _first_style(self) -> Style:
        before = self.file.read(max(0, self.start - _LOOK_BACK), min(self.start, _LOOK_BACK))
        return style_after(before, PLAIN)

    def style_at(self, index: int) -> Style:
        """The style in force where a line starts. Colours carry for 64 KiB at least."""
        if not index or not self._has_escapes:
            return self._first_style
        if (known := self._styles.get(index)) is None:
            start = index - 1 if index - 1 in self._styles else self._last_reset(index)
            known = self._styles.get(start, self._first_style)
            for line in self.lines[start:index]:
                known = style_after(line, known)
            self._styles[index] = known
        return known

    def _last_reset(self, index: int) -> int:
        """The nearest line before `index` that resets all colours, so that older ones are gone."""
        for at in range(index - 1, -1, -1):
            if b"\x1b[0m" in self.lines[at] or b"\x1b[m" in self.lines[at]:
                return at
        return 0


def style_after(data: bytes, style: Style) -> Style:
    """The style in force after `data`, given the one before it."""
    if b"\x1b" not in data:
        return style
    reset = max(data.rfind(b"\x1b[0m"), data.rfind(b"\x1b[m"))
    for match in _SGR.finditer(data, max(0, reset)):
        style = apply_sgr(style, match[1].decode("ascii"))
    return style


class FileLines:
    """A file that may still grow, seen as blocks of lines. A missing file reads as empty."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.size = size
        """Bytes that are known to be there."""

    @property
    def block_count(self) -> int:
        """How many blocks the file has."""
        return -(-self.size // BLOCK)

    def read(self, start: int, length: int) -> bytes:
        """Bytes of the file, as many as there are."""
        length = min(length, self.size - start)
        if length <= 0:
            return b""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return b""
        try:
            return os.pread(fd, length, start)
        finally:
            os.close(fd)

    def is_missing(self) -> bool:
        """Whether there is no file to read from."""
        return not self.path.is_file()

    def block(self, index: int) -> RawBlock:
        """The lines of a block."""
        origin = index * BLOCK
        lead = 1 if index else 0
        data = self.read(origin - lead, lead + 2 * BLOCK)
        start = _first_start(data, lead, lead + BLOCK)
        end = _first_start(data, lead + BLOCK, lead + 2 * BLOCK)
        body = data[start:end]
        if not body:
            return RawBlock(self, origin, [])
        lines = body.split(b"\n")
        # The rest of a broken line, where it returns to the line's start, writes over this.
        if not lines[-1] or (end < len(data) and b"\r" in data[end:]):
            lines.pop()
        file_start = origin - lead + start
        is_broken_off = index > 0 and data[start - 1 : start] != b"\n"
        context = self._open_sequence(file_start) if is_broken_off else b""
        if context == _IN_STRING and not _STRING_ENDER.search(body):
            lines = []
        return RawBlock(self, file_start, lines, context)

    def scan(self, needle: Needle, first: int = 0) -> Iterator[int]:
        """Blocks from `first` on that may hold `needle`, in order. May name one too many."""
        last = first - 1
        for start in range(first * BLOCK, self.size, _SCAN_STEP):
            if needle.is_abandoned:
                return
            data = self.read(start, _SCAN_STEP + _SCAN_OVERLAP)
            for offset in needle.offsets(data, BLOCK):
                block = (start + offset) // BLOCK
                for candidate in (block - 1, block):
                    if candidate > last:
                        last = candidate
                        yield candidate

    def _open_sequence(self, position: int) -> bytes:
        """What a line broken at `position` is in the middle of, as bytes to put before it."""
        tail = self.read(max(0, position - _MAX_OPEN), min(position, _MAX_OPEN))
        if match := _OPEN_SEQUENCE.search(tail):
            return match[0]
        return _IN_STRING if self._is_in_string(position) else b""

    def _is_in_string(self, position: int) -> bool:
        lowest = max(0, position - _STRING_LOOK_BACK)
        end = position
        while end > lowest:
            start = max(lowest, end - _LOOK_BACK)
            data = self.read(start, end - start + 1 if end < position else end - start)
            escape = data.rfind(b"\x1b", 0, end - start)
            if escape >= 0:
                opens = _STRING_OPENER.match(data, escape) is not None
                return opens and not _STRING_ENDER.search(data, escape + 1)
            if _STRING_ENDER.search(data):
                return False
            end = start
        return False


_IN_STRING = b"\x1bX"


def _first_start(data: bytes, low: int, high: int) -> int:
    """Where the first line of the block `[low, high)` of `data` starts."""
    if low == 0 or low >= len(data):
        return min(low, len(data))
    if data[low - 1 : low] == b"\n":
        return low
    newline = data.find(b"\n", low, high)
    if newline >= 0:
        return newline + 1
    if high > len(data):
        return len(data)
    # No line ends in this block: the line is broken at its edge, between two characters.
    for start in range(low, low + 3):
        if data[start] & 0xC0 != 0x80:
            return start
    return low
