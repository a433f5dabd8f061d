"""Themes: YAML files, those that ship and those of the person, read again when they change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textual.color import Color, ColorParseError
from textual.theme import Theme

from workbench.errors import UsageError

DEFAULT_DARK = "night"
DEFAULT_LIGHT = "paper"
_COLOURS = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "success",
    "warning",
    "error",
)
_KEYS = {*_COLOURS, "label", "dark", "variables"}


class ThemeError(UsageError):
    """A theme file that cannot be used; the sentence names the file and the key."""


class ThemeFile(NamedTuple):
    """A theme as a person chooses it."""

    name: str
    label: str
    theme: Theme


def read_theme(path: Path) -> ThemeFile:
    """Read a theme file; its name is the file's.

    Raises:
        ThemeError: naming the file and what is wrong in it.
    """
    import yaml

    try:
        value = yaml.load(path.read_bytes(), Loader=_loader())
    except OSError as error:
        raise ThemeError(f"{path}: the theme cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ThemeError(f"{path}: the theme is not YAML.") from error
    if not isinstance(value, dict):
        raise ThemeError(f"{path}: a theme has keys: {', '.join(sorted(_KEYS))}.")
    return _theme_of(path, value)


def _loader() -> Any:
    """YAML's safe loader, in C where there is one."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _theme_of(path: Path, value: dict[str, Any]) -> ThemeFile:
    unknown = sorted(str(key) for key in value if key not in _KEYS)
    if unknown:
        raise ThemeError(f"{path}: unknown key `{unknown[0]}`; known: {', '.join(sorted(_KEYS))}.")
    colours: dict[str, Any] = {
        key: _colour(path, key, value[key]) for key in _COLOURS if key in value
    }
    missing = [key for key in ("primary", "foreground", "background") if key not in colours]
    if missing:
        raise ThemeError(f"{path}: `{missing[0]}` is missing.")
    dark = value.get("dark", True)
    if not isinstance(dark, bool):
        raise ThemeError(f"{path}: `dark`: expected true or false.")
    variables = value.get("variables") or {}
    if not isinstance(variables, dict):
        raise ThemeError(f"{path}: `variables`: expected names with colours.")
    extra = {str(key): _colour(path, f"variables.{key}", one) for key, one in variables.items()}
    theme = Theme(name=path.stem, dark=dark, variables=extra, **colours)
    return ThemeFile(path.stem, str(value.get("label") or path.stem), theme)


def _colour(path: Path, key: str, value: object) -> str:
    try:
        Color.parse(str(value))
    except ColorParseError as error:
        raise ThemeError(
            f"{path}: `{key}`: “{value}” is not a colour; write it as '#6ca4d9'."
        ) from error
    return str(value)


class ThemeShelf:
    """The themes of some folders; a later folder's theme stands for an earlier one's."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._seen: dict[str, tuple[Path, int]] = {}

    def names(self) -> list[str]:
        """Names of all themes, in order."""
        return sorted(self._files())

    def read(self, name: str) -> ThemeFile:
        """The theme of this name.

        Raises:
            ThemeError: if there is none, or its file is wrong.
        """
        path = self._files().get(name)
        if path is None:
            raise ThemeError(f"There is no theme “{name}”; there are {', '.join(self.names())}.")
        self._seen[name] = (path, _changed(path))
        return read_theme(path)

    def is_stale(self, name: str) -> bool:
        """Whether the theme's file changed since it was read last."""
        if name not in self._seen:
            return False
        path = self._files().get(name)
        return path is not None and (path, _changed(path)) != self._seen[name]

    def _files(self) -> dict[str, Path]:
        return {
            path.stem: path
            for folder in self._folders
            for pattern in ("*.yaml", "*.yml")
            for path in folder.glob(pattern)
        }


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
