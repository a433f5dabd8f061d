"""What a person set in `config.yaml`, and what the screen remembers from one day to the next."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import UsageError


def config_folder() -> Path:
    """`$XDG_CONFIG_HOME/workbench`: config.yaml and the folder `themes` of the person's own."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "workbench"


def state_folder() -> Path:
    """`$XDG_STATE_HOME/workbench`: what is remembered."""
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "workbench"


@dataclass(frozen=True, slots=True)
class Settings:
    """A person's own wishes. Every key of `config.yaml` is one of these."""

    keys: dict[str, str] = field(default_factory=dict)
    """Other keys for actions, by id: `{steer.approve: y}`."""
    theme: str | None = None
    """A theme that is used whatever was chosen on the screen last."""
    vim: bool = True
    """Whether j, k, h, l, G and their like move as in vim."""


def read_settings(folder: Path) -> Settings:
    """The settings of `config.yaml` in `folder`; the usual ones where there is no such file.

    Raises:
        UsageError: naming the file and the key that is wrong.
    """
    path = folder / "config.yaml"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the file cannot be read: {error}.") from error
    import yaml

    try:
        value = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise UsageError(f"{path}: the file is not YAML.") from error
    return _settings_of(path, value)


def _settings_of(path: Path, value: Any) -> Settings:
    known = Settings.__dataclass_fields__
    if not isinstance(value, dict):
        raise UsageError(f"{path}: expected keys: {', '.join(known)}.")
    for key in value:
        if key not in known:
            raise UsageError(f"{path}: unknown key `{key}`; known: {', '.join(known)}.")
    keys = value.get("keys") or {}
    if not isinstance(keys, dict):
        raise UsageError(f"{path}: `keys`: expected actions with their keys.")
    if not isinstance(value.get("vim", True), bool):
        raise UsageError(f"{path}: `vim`: expected true or false.")
    theme = value.get("theme")
    return Settings(
        keys={str(action): str(wanted) for action, wanted in keys.items()},
        theme=None if theme is None else str(theme),
        vim=value.get("vim", True),
    )


class Memory:
    """Small things that are remembered between runs. Losing them costs nothing."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "screen.json"
        self._values = self._read()

    def _read(self) -> dict[str, Any]:
        try:
            values = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def text(self, key: str) -> str | None:
        """A remembered text."""
        value = self._values.get(key)
        return value if isinstance(value, str) else None

    def table(self, key: str) -> dict[str, Any]:
        """A remembered table."""
        value = self._values.get(key)
        return dict(value) if isinstance(value, dict) else {}

    def keep(self, key: str, value: str | dict[str, Any] | bool) -> None:
        """Remember a value. A disk that does not take it is no reason to complain."""
        if self._values.get(key) == value:
            return
        self._values = {**self._read(), key: value}
        temporary = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(self._values, indent=1), encoding="utf-8")
            temporary.replace(self._path)
        except OSError:
            return

    def has(self, key: str) -> bool:
        """Whether something is remembered under a key."""
        return key in self._values
