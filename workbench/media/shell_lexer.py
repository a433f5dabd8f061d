"""Cutting a bash script into words and operators. Nothing is executed or looked up.

`shlex` cannot do it: it loses which operators were quoted, and knows no substitutions or heredocs.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_NESTING = 40
"""Substitutions within one another; deeper ones run to the end of the script."""
_OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "(", ")")
_REDIRECTS = ("<<<", "<<-", "<<", "&>>", "&>", ">>", ">&", "<&", ">|", ">", "<")


@dataclass(slots=True)
class Token:
    """A word (as written, with its quotes), an operator, a redirection or a heredoc's text."""

    kind: str
    text: str


@dataclass(slots=True)
class _Lexer:
    source: str
    at: int = 0
    word: list[str] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    awaited: list[str] = field(default_factory=list)
    """Delimiters of heredocs whose text begins after this line."""

    def run(self) -> list[Token]:
        while self.at < len(self.source):
            self.step(self.source[self.at])
        self.end_word()
        return self.tokens

    def step(self, char: str) -> None:
        if self.source.startswith("\\\n", self.at):
            self.at += 2
        elif char in " \t\r":
            self.end_word()
            self.at += 1
        elif char == "\n":
            self.end_line()
        elif char == "#" and not self.word:
            end = self.source.find("\n", self.at)
            self.at = len(self.source) if end < 0 else end
        elif char in "'\"\\`" or self.source.startswith(("$(", "${"), self.at):
            self.take(quoted_end(self.source, self.at))
        elif not self.operator():
            self.take(self.at + 1)

    def take(self, end: int) -> None:
        self.word.append(self.source[self.at : end])
        self.at = end

    def end_word(self) -> None:
        if not self.word:
            return
        text = "".join(self.word)
        self.word.clear()
        last = self.tokens[-1] if self.tokens else None
        if last is not None and last.kind == "redirect" and not last.text.endswith(" "):
            if last.text in ("<<", "<<-"):
                self.awaited.append(text.strip("'\"\\"))
            last.text += f" {text} "
        else:
            self.tokens.append(Token("word", text))

    def end_line(self) -> None:
        self.end_word()
        self.at += 1
        for delimiter in self.awaited:
            lines = []
            while self.at < len(self.source):
                end = self.source.find("\n", self.at)
                end = len(self.source) if end < 0 else end
                line, self.at = self.source[self.at : end], end + 1
                if line.strip("\t ") == delimiter:
                    break
                lines.append(line)
            self.tokens.append(Token("heredoc", "\n".join(lines)))
        self.awaited.clear()
        self.tokens.append(Token("operator", "\n"))

    def operator(self) -> bool:
        for mark in _REDIRECTS:
            if self.source.startswith(mark, self.at):
                if self.word and "".join(self.word).isdigit():
                    self.word.clear()
                self.end_word()
                self.tokens.append(Token("redirect", mark))
                self.at += len(mark)
                return True
        for mark in _OPERATORS:
            if self.source.startswith(mark, self.at):
                self.end_word()
                self.tokens.append(Token("operator", mark))
                self.at += len(mark)
                return True
        return False


def tokens(source: str) -> list[Token]:
    """The script's tokens; an unclosed quote runs to the end."""
    return _Lexer(source).run()


def quoted_end(source: str, at: int, depth: int = 0) -> int:
    """The position after the quote, escape or substitution that begins at `at`."""
    if depth > MAX_NESTING:
        return len(source)
    char = source[at]
    if char == "\\":
        return min(at + 2, len(source))
    if char == "'":
        end = source.find("'", at + 1)
        return len(source) if end < 0 else end + 1
    if char in '"`':
        return _until(source, at + 1, char, "", depth)
    opening = source[at + 1]
    return _until(source, at + 2, ")" if opening == "(" else "}", opening, depth)


def _until(source: str, at: int, closing: str, opening: str, depth: int) -> int:
    """After the `closing` that belongs here, past nested quotes and brackets."""
    marks = ("\\", "$(", "${") if closing in '"`' else ("\\", "$(", "${", "'", '"', "`")
    unclosed = 1
    while at < len(source):
        char = source[at]
        if char == closing:
            unclosed -= 1
            at += 1
            if unclosed == 0:
                return at
        elif char == opening:
            unclosed += 1
            at += 1
        elif source.startswith(marks, at):
            at = quoted_end(source, at, depth + 1)
        else:
            at += 1
    return len(source)
