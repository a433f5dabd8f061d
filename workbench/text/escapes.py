"""Terminal control sequences: telling them apart from text, whole, at any chunk boundary.

The grammar is ECMA-48's with three bounds, so that a hostile stream can neither grow memory nor
hide output: a CSI holds at most 256 parameter bytes, other escapes 16 intermediates, and a control
string (OSC, DCS, APC, PM, SOS) ends at the latest with its line.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_STRING_START = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])"
_STRING_BODY = r"[^\x07\x18\x1a\x1b\x9c\n]*"
_STRING_END = r"(?:\x07|\x9c|\x18|\x1a|\x1b\\)"
_CSI_OPEN = r"(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,16}"
_ESCAPE_OPEN = r"\x1b[ -/]{0,16}"

SEQUENCE = re.compile(
    f"{_STRING_START}{_STRING_BODY}{_STRING_END}?|{_CSI_OPEN}[@-~]?|{_ESCAPE_OPEN}[0-~]?|\x9c"
)
"""A control sequence, or what stands of one that breaks off. Matches every ESC and C1 opener."""

_TOKEN = re.compile(
    r"(?P<text>[^\x07\x08\x09\x0a\x0d\x1b\x90\x98\x9b-\x9f]+)"
    r"|(?P<control>[\x08\x09\x0a\x0d])"
    rf"|(?P<string>{_STRING_START}{_STRING_BODY})(?P<string_end>{_STRING_END})?"
    r"|(?:\x1b\[|\x9b)(?P<params>[0-?]{0,256})(?P<mid>[ -/]{0,16})(?P<final>[@-~])"
    r"|(?P<dropped>\x1b(?:[ -/]{1,16}[0-~]|[0-OQ-WYZ\\`-~])|[\x07\x9c])"
    rf"|(?P<open>{_CSI_OPEN}|{_ESCAPE_OPEN})"
)
_STRING_REST = re.compile(f"{_STRING_BODY}(?P<end>{_STRING_END})?")


class Token(NamedTuple):
    """A piece of a stream: a run of `text`, one `control` of `\\b\\t\\n\\r`, or a `csi`."""

    kind: Literal["text", "control", "csi"]
    value: str
    """The text, the control character, or the final byte of the CSI."""
    params: str = ""


class Scanner:
    """Splits a stream of text into tokens; every other control sequence is dropped whole.

    Feeding a stream in any chunks gives the same tokens, save that runs of text may be split.
    """

    def __init__(self) -> None:
        self._held = ""
        self._in_string = False

    def feed(self, text: str) -> list[Token]:
        """The tokens that `text` completes."""
        text = self._held + text
        self._held = ""
        position = self._skip_string(text) if self._in_string else 0
        tokens: list[Token] = []
        while position < len(text):
            match = _TOKEN.match(text, position)
            assert match is not None, "the grammar covers every character"
            position = match.end()
            token = self._token(match)
            if token is not None:
                tokens.append(token)
        return tokens

    def _token(self, match: re.Match[str]) -> Token | None:
        kind = match.lastgroup
        if kind == "text":
            return Token("text", match[0])
        if kind == "control":
            return Token("control", match[0])
        if kind == "final":
            # A private marker or an intermediate makes another function of the same final byte.
            if match["mid"] or match["params"][:1] in tuple("<=>?"):
                return None
            return Token("csi", match["final"], match["params"])
        at_end = match.end() == len(match.string)
        if kind == "open" and at_end:
            self._held = match[0]
        elif kind == "string":
            rest = match.string[match.end() : match.end() + 2]
            self._in_string = rest in ("", "\x1b")
        return None

    def _skip_string(self, text: str) -> int:
        """Leave out the rest of a control string; return where text goes on."""
        match = _STRING_REST.match(text)
        assert match is not None, "an empty body matches"
        if match["end"] is None and text[match.end() :] == "\x1b":
            self._held = "\x1b"
            return len(text)
        self._in_string = match["end"] is None and match.end() == len(text)
        return match.end()
