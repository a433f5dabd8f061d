"""One word for what a command is about, told from its text alone."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, get_args

from workbench.media import ffmpeg_line
from workbench.media.shell import Command, commands

Badge: TypeAlias = Literal[
    "speech",
    "ocr",
    "frames",
    "audio",
    "document",
    "image",
    "search",
    "probe",
    "python",
    "files",
    "shell",
]

_RANK: tuple[Badge, ...] = get_args(Badge)
"""Of a script with several commands the first of these that occurs is its badge."""

_PROGRAMS: dict[Badge, str] = {
    "speech": "whisper whisperx whisper-ctranslate2 faster-whisper",
    "ocr": "tesseract easyocr paddleocr ocrmypdf",
    "frames": "ffmpegthumbnailer scenedetect",
    "audio": "sox play rec lame aubio demucs spleeter fpcalc",
    "document": "pdftotext pdftoppm pdfinfo pdfimages pdfgrep pandoc libreoffice soffice docx2txt "
    "catdoc antiword unrtf mutool qpdf",
    "image": "convert magick montage mogrify compare composite cwebp dwebp zbarimg chafa",
    "search": "web_search curl wget yt-dlp lynx",
    "probe": "ffprobe mediainfo exiftool identify file soxi mkvinfo mkvmerge",
    "files": "ls cat head tail grep egrep rg find wc mkdir cp mv rm touch tree du stat less sort "
    "uniq cut tr sed awk jq echo printf tee diff ln chmod basename dirname realpath pwd cd test [ "
    "unzip zip tar xxd od nl column md5sum sha256sum",
}
_BADGES: dict[str, Badge] = {
    name: badge for badge, names in _PROGRAMS.items() for name in names.split()
}

_PYTHON_MARKS: tuple[tuple[Badge, str], ...] = (
    ("speech", r"\bwhisper\b|faster_whisper|WhisperModel|speech_recognition"),
    ("ocr", r"tesseract|easyocr|paddleocr"),
    ("frames", r"\bcv2\b|VideoCapture|moviepy|decord|\bimageio\b|\bimport av\b"),
    (
        "audio",
        r"librosa|soundfile|torchaudio|pydub|AudioSegment|\bimport wave\b|scipy\.io\.wavfile",
    ),
    ("document", r"pdfplumber|PyPDF|pypdf|fitz|\bdocx\b|openpyxl|pptx"),
    ("image", r"\bPIL\b|Image\.open|skimage"),
    ("search", r"\brequests\b|urllib|httpx"),
)


def badge(command: str) -> Badge:
    """The badge of a script; `shell` where nothing better is known."""
    found = {_badge_of(simple) for simple in commands(command)}
    return next((name for name in _RANK if name in found), "shell")


def _badge_of(simple: Command) -> Badge:
    program = simple.program
    if program == "ffmpeg":
        return _ffmpeg_badge(simple)
    if re.fullmatch(r"i?python[\d.]*", program):
        return _python_badge(" ".join(simple.words[1:]) + "\n" + simple.heredoc)
    return _BADGES.get(program, "shell")


def _ffmpeg_badge(simple: Command) -> Badge:
    line = ffmpeg_line.parse(simple.words[1:])
    kinds = {output.kind for output in line.outputs}
    if "pictures" in kinds or "video" in kinds:
        return "frames"
    if "sound" in kinds:
        return "audio"
    if not line.outputs:
        return "probe"
    analysed = " ".join(output.filters for output in line.outputs)
    listens = any(mark in analysed for mark in ("silence", "volume", "loudnorm", "ebur", "astats"))
    return "audio" if listens else "frames"


def _python_badge(text: str) -> Badge:
    return next((name for name, marks in _PYTHON_MARKS if re.search(marks, text)), "python")
