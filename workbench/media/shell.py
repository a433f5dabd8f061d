"""The simple commands of a bash script, in order, as far as they are plain. Nothing is executed.

Loops over plain words are unrolled, `cd` is followed, wrappers such as `timeout` are taken off, and
scripts inside (`bash -c`, `$(…)`) are looked into.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.media.shell_lexer import Token, quoted_end, tokens
from workbench.media.shell_words import expand

MAX_SOURCE = 100_000
MAX_COMMANDS = 1_000
MAX_STEPS = 20_000
"""Turns of loops and lines without a command that are followed."""
_MAX_DEPTH = 8

_PREFIXES = frozenset(
    ("if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "time", "{", "}")
)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_WRAPPERS = {"timeout": 1, "nice": 0, "nohup": 0, "sudo": 0, "stdbuf": 0, "env": 0, "exec": 0}
"""Programs that run another one, and how many words of their own stand before it."""
_VALUED = frozenset(("-k", "-s", "-n", "-u", "-C", "-S", "--signal", "--kill-after"))


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its words. `folder` is where it runs, from where the script began."""

    words: tuple[str, ...]
    folder: str = ""
    heredoc: str = ""
    piped: bool = False
    """Whether its output goes into another program."""

    @property
    def program(self) -> str:
        """The program's name without its folder."""
        return posixpath.basename(self.words[0])

    def path(self, word: str) -> str:
        """A word as a path, from where the script began."""
        return posixpath.normpath(posixpath.join(self.folder, word))


def commands(source: str, files: Iterable[str] = ()) -> list[Command]:
    """The simple commands of a script.

    Args:
        source: bash; of a very long one, nothing is said.
        files: paths that `*` in the words of a loop may stand for.
    """
    if len(source) > MAX_SOURCE:
        return []
    reader = _Reader(sorted(files))
    reader.read(tokens(source), 0)
    return reader.found


@dataclass(slots=True)
class _Reader:
    files: Sequence[str]
    found: list[Command] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    folder: str = ""
    steps: int = 0
    left: list[str] = field(default_factory=list)
    """Folders to return to at the end of subshells."""

    def read(self, script: list[Token], depth: int) -> None:
        at = 0
        words: list[str] = []
        heredoc = ""
        while at < len(script) and depth < _MAX_DEPTH and not self.is_tired():
            token = script[at]
            at += 1
            if token.kind == "word" and token.text == "for" and not _significant(words):
                at = self.loop(script, at, depth)
                words.clear()
            elif token.kind == "word":
                words.append(token.text)
            elif token.kind == "heredoc":
                heredoc = token.text
            elif token.kind == "operator":
                if token.text == "\n" and _heredoc_follows(script, at - 1):
                    continue
                self.simple(words, heredoc, depth, piped=token.text in ("|", "|&"))
                words, heredoc = [], ""
                self.subshell(token.text)
        self.simple(words, heredoc, depth)

    def is_tired(self) -> bool:
        return len(self.found) >= MAX_COMMANDS or self.steps >= MAX_STEPS

    def subshell(self, mark: str) -> None:
        if mark == "(":
            self.left.append(self.folder)
        elif mark == ")" and self.left:
            self.folder = self.left.pop()

    def loop(self, script: list[Token], at: int, depth: int) -> int:
        """Unroll `for name in words; do …; done`; returns the position after it."""
        end = _end_of_loop(script, at)
        header_end = next(
            (i for i in range(at, end) if script[i].kind == "word" and script[i].text == "do"), end
        )
        header = [token.text for token in script[at:header_end] if token.kind == "word"]
        name, listed = (header[0], header[2:]) if header[1:2] == ["in"] else ("", [])
        values = [value for raw in listed for word in self.expanded(raw) for value in word]
        for value in values or [""]:
            if self.is_tired():
                break
            if values:
                self.variables[name] = value
            self.read(script[header_end + 1 : end], depth + 1)
        return end + 1

    def expanded(self, raw: str) -> Iterable[list[str]]:
        """The words behind a loop's word; patterns become the known files that match."""
        for word in expand(raw, self.variables):
            is_pattern = any(mark in word for mark in "*?[")
            matching = fnmatch.filter(self.files, word.removeprefix("./")) if is_pattern else []
            yield matching or [word]

    def simple(self, raws: list[str], heredoc: str, depth: int, *, piped: bool = False) -> None:
        self.steps += 1
        if not raws or self.is_tired():
            return
        for raw in raws:
            self.look_inside(raw, depth)
        words = [word for raw in raws for word in expand(raw, self.variables)]
        while words and words[0] in _PREFIXES:
            words.pop(0)
        words = self.assigned(words)
        words = _unwrapped(words)
        if not words:
            return
        if words[0] == "cd":
            self.folder = posixpath.normpath(posixpath.join(self.folder, *words[1:2]))
        elif words[0] in ("bash", "sh") and len(words) > 2 and words[1] in ("-c", "-lc", "-ec"):
            self.read(tokens(words[2]), depth + 1)
        else:
            self.found.append(Command(tuple(words), self.folder, heredoc, piped))

    def assigned(self, words: list[str]) -> list[str]:
        """Take off `name=value` in front; alone on a line, they hold from then on."""
        rest = words[1:] if words[:1] in (["export"], ["local"]) else words
        pairs: list[tuple[str, str]] = []
        for word in rest:
            match = _ASSIGNMENT.fullmatch(word)
            if not match:
                return rest[len(pairs) :] if rest is words else words
            pairs.append((match[1], match[2]))
        self.variables.update(pairs)
        return []

    def look_inside(self, raw: str, depth: int) -> None:
        """Commands in `$(…)` and backticks, save those that only count or print."""
        for inner in _substitutions(raw):
            if not inner.startswith(("seq ", "printf ")):
                self.read(tokens(inner), depth + 1)


def _significant(words: list[str]) -> list[str]:
    return [word for word in words if word not in _PREFIXES]


def _heredoc_follows(script: list[Token], at: int) -> bool:
    return at + 1 < len(script) and script[at + 1].kind == "heredoc"


def _end_of_loop(script: list[Token], at: int) -> int:
    """The position of the `done` that closes the loop, or the end."""
    depth = 1
    for index in range(at, len(script)):
        token = script[index]
        if token.kind != "word" or not _begins_command(script, index):
            continue
        if token.text in ("for", "while", "until"):
            depth += 1
        elif token.text == "done":
            depth -= 1
            if depth == 0:
                return index
    return len(script)


def _begins_command(script: list[Token], at: int) -> bool:
    before = script[at - 1] if at else None
    return before is None or before.kind != "word" or before.text in _PREFIXES


def _unwrapped(words: list[str]) -> list[str]:
    """The command inside `timeout 30 …`, `env A=b …`, `nohup …`."""
    while words and posixpath.basename(words[0]) in _WRAPPERS:
        own = _WRAPPERS[posixpath.basename(words[0])]
        words = words[1:]
        while words and (words[0].startswith("-") or _ASSIGNMENT.fullmatch(words[0])):
            words = words[2 if words[0] in _VALUED else 1 :]
        words = words[own:]
    return words


def _substitutions(raw: str) -> Iterable[str]:
    at = 0
    while at < len(raw):
        if raw.startswith(("'", "\\", "$(("), at):
            at = quoted_end(raw, at)
        elif raw.startswith("$(", at) or raw[at] == "`":
            end = quoted_end(raw, at)
            yield raw[at + (1 if raw[at] == "`" else 2) : end - 1]
            at = end
        else:
            at += 1
