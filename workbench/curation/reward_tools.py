"""What a trajectory's tool calls were: counts, faults and evidence for the reward (4.2, 4.3)."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.events import Message

_NETWORK = re.compile(r"\b(?:curl|wget|ssh|scp|rsync|nc|telnet)\b|https?://")
_GOLD_WORDS = (
    "ground_truth",
    "answer_key",
    "gold_answer",
    ".gold",
    "all_final.jsonl",
    "rl_train.jsonl",
    "sft_train.jsonl",
)
_SYNTAX_FAULT = re.compile(
    r"SyntaxError|invalid syntax|unexpected EOF|parse error|unexpected token|missing operand"
    r"|unterminated string",
    re.IGNORECASE,
)
_CALL_BLOCK = re.compile(r"<tool_call[^>]*>(.*?)(?:</tool_call>|$)", re.DOTALL)
_OPEN_ROOTS = ("/workspace", "/tmp")

_VIDEO = (
    "ffmpeg ffprobe ffplay yt-dlp mpv vlc VideoCapture VideoWriter VideoFileClip moviepy decord "
    "VideoReader imageio mediainfo"
)
_AUDIO = (
    "whisper faster_whisper librosa torchaudio soundfile sf.read pydub AudioSegment wave.open sox "
    "demucs spleeter lame"
)
_IMAGE = (
    "PIL.Image.open Image.open cv2.imread cv2.imwrite tesseract pytesseract convert magick "
    "identify mogrify easyocr paddleocr pdftotext pdftoppm exiftool image_read"
)


@dataclass(frozen=True, slots=True)
class ToolSets:
    """Which tools are allowed, and which words are evidence that a modality was used."""

    allowed: frozenset[str] = frozenset({"execute_commands", "image_read", "task_complete"})
    video: frozenset[str] = frozenset(_VIDEO.split())
    audio: frozenset[str] = frozenset(_AUDIO.split())
    image: frozenset[str] = frozenset(_IMAGE.split())

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> ToolSets:
        """The sets, each replaced by `RELAX_ROUTER_<NAME>_TOOLS` where that is set (commas)."""
        replaced = {}
        for name in cls.__dataclass_fields__:
            value = environment.get(f"RELAX_ROUTER_{name.upper()}_TOOLS")
            if value is not None:
                replaced[name] = frozenset(filter(None, map(str.strip, value.split(","))))
        return cls(**replaced)


@dataclass(slots=True)
class ToolAudit:
    """Counts of calls and faults. `evidence` holds tool names and modality words that occurred."""

    calls: int = 0
    unparseable: int = 0
    disallowed: int = 0
    escapes: int = 0
    syntax_faults: int = 0
    evidence: set[str] = field(default_factory=set)

    @property
    def faults(self) -> int:
        """All faults together, as the penalty counts them."""
        return self.unparseable + self.disallowed + self.escapes + self.syntax_faults


def audit_tools(messages: Iterable[Message], workspace: str | None, tools: ToolSets) -> ToolAudit:
    """Examine every call and every tool reply.

    Args:
        messages: of the trajectory.
        workspace: absolute paths outside it, /workspace and /tmp are escapes; None: not examined.
        tools: the sets to judge by.
    """
    audit = ToolAudit()
    for message in messages:
        content = message.get("content")
        if message.get("role") == "assistant":
            for call in _calls(message):
                _examine(audit, call, workspace, tools)
        elif message.get("role") == "tool" and isinstance(content, str):
            audit.syntax_faults += bool(_SYNTAX_FAULT.search(content))
    return audit


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as written; `arguments` is None where there is no object to be had."""

    name: str
    arguments: dict[str, Any] | None


def _calls(message: Message) -> Iterator[_Call]:
    """The tool calls of a message, else those that its text holds as raw blocks."""
    calls, content = message.get("tool_calls"), message.get("content")
    if isinstance(calls, list) and calls:
        for call in calls:
            function = call.get("function") if isinstance(call, dict) else None
            yield _call(function)
    elif isinstance(content, str) and "<tool_call" in content:
        for block in _CALL_BLOCK.findall(content) or [""]:
            try:
                yield _call(json.loads(block))
            except (ValueError, RecursionError):
                yield _Call("", None)


def _call(function: object) -> _Call:
    if not isinstance(function, dict):
        return _Call("", None)
    name = function.get("name")
    return _Call(name if isinstance(name, str) else "", _arguments(function.get("arguments")))


def _arguments(raw: object) -> dict[str, Any] | None:
    if raw is None or raw == "":
        return {}
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            return None
    return raw if isinstance(raw, dict) else None


def _examine(audit: ToolAudit, call: _Call, workspace: str | None, tools: ToolSets) -> None:
    audit.calls += 1
    if call.name:
        audit.evidence.add(call.name)
    if not call.name or call.arguments is None:
        audit.unparseable += 1
        return
    texts = list(_strings(call.arguments))
    audit.disallowed += call.name not in tools.allowed
    audit.disallowed += any(_NETWORK.search(text) for text in texts)
    audit.escapes += any(_escapes(text, workspace) for text in texts)
    folded = "\n".join(texts).lower()
    words = tools.video | tools.audio | tools.image
    audit.evidence.update(word for word in words if word.lower() in folded)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _escapes(text: str, workspace: str | None) -> bool:
    if any(word in text for word in _GOLD_WORDS):
        return True
    if workspace is None:
        return False
    try:
        tokens = shlex.split(text)
    except ValueError:
        tokens = text.split()
    roots = (workspace, *_OPEN_ROOTS)
    return any(_is_outside(token, roots) for token in tokens if token.startswith("/"))


def _is_outside(path: str, roots: tuple[str, ...]) -> bool:
    if path.strip("/") == "":
        return False
    at = posixpath.normpath(path)
    return not any(at == root or at.startswith(root.rstrip("/") + "/") for root in roots)
