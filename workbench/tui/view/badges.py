"""What sort of work a command is, judged from the programs that it calls."""

from __future__ import annotations

import re

from workbench.session.steps import StepState
from workbench.tui.view.calls import call_of

_SEPARATOR = re.compile(r"\n|&&|\|\|?|;|\$\(|[`({]")
_ASSIGNMENT = re.compile(r"^\w+=\S*$")
_WRAPPERS = frozenset({"sudo", "time", "timeout", "nice", "env", "exec", "nohup", "xargs", "do"})

_FAMILIES = {
    "probe": "ffprobe mediainfo exiftool file identify soxi",
    "speech": "whisper",
    "sound": "sox play rec espeak-ng",
    "ocr": "tesseract",
    "pages": "pdftotext pdftoppm pdfinfo",
    "picture": "convert magick montage compare composite mogrify",
    "python": "python python3 ipython",
    "search": "grep rg find locate ag",
    "fetch": "curl wget yt-dlp",
    "data": "jq awk sqlite3 sort uniq wc cut",
    "read": "cat head tail sed less nl tac strings xxd",
    "list": "ls tree du df pwd stat cd",
    "files": "rm mv cp mkdir touch chmod ln tar unzip zip",
    "install": "pip pip3 apt apt-get npm",
}
_PROGRAMS = {name: family for family, names in _FAMILIES.items() for name in names.split()}
_WEIGHT = {
    family: weight
    for weight, family in enumerate(
        (
            "speech",
            "ocr",
            "frames",
            "sound",
            "picture",
            "pages",
            "python",
            "probe",
            "install",
            "fetch",
            "search",
            "data",
            "files",
            "read",
            "list",
        )
    )
}
"""The most telling family of a pipeline comes first."""

_TOOLS = {"image_read": "look", "task_complete": "finish"}


def badge(command: str) -> str:
    """One word for a shell command; `shell` where nothing is known."""
    families = {_family(part.split()) for part in _SEPARATOR.split(command)}
    known = [family for family in families if family in _WEIGHT]
    return min(known, key=_WEIGHT.__getitem__) if known else "shell"


def step_badge(step: StepState) -> str:
    """One word for a step: the work of its first action, or that it only says something."""
    if not step.actions:
        return "say" if step.message is not None else ""
    call = call_of(step.actions[0])
    if call.tool == "execute_commands":
        return badge(call.text)
    return _TOOLS.get(call.tool, call.tool)


def _family(words: list[str]) -> str:
    while words and (words[0] in _WRAPPERS or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    if not words:
        return ""
    program = words[0].rsplit("/", 1)[-1]
    if program == "ffmpeg":
        return "sound" if _makes_sound(words) else "frames"
    return _PROGRAMS.get(program, "")


def _makes_sound(words: list[str]) -> bool:
    last = words[-1].lower()
    return "-vn" in words or last.endswith((".wav", ".mp3", ".flac", ".m4a", ".ogg"))
