"""A folder that appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import UsageError


class CannotWrite(UsageError):
    """The folder cannot be written; the sentence says why."""


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """An empty folder to fill; when the block ends well it takes the place of `target`.

    Until then `target` stays as it is, and an error leaves nothing behind. What `target` held is
    gone afterwards, so link or copy what shall stay.

    Raises:
        CannotWrite: if the disk is full, or the place is not ours to write.
    """
    target = target.resolve()
    building: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{target.name}.new-", dir=target.parent))
        building.chmod(0o755)
        yield building
        _take_place(building, target)
    except OSError as error:
        raise CannotWrite(f"{target}: it cannot be written: {error.strerror or error}.") from error
    finally:
        if building is not None:
            shutil.rmtree(building, ignore_errors=True)


def _take_place(building: Path, target: Path) -> None:
    if not target.exists() or not any(target.iterdir()):
        building.rename(target)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.old-", dir=target.parent))
    target.rename(aside)
    try:
        building.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside)


def link_tree(source: Path, target: Path) -> None:
    """The files of `source` in `target` too, as hard links where the file system has them.

    A file of the copy must be replaced, never changed in place.
    """
    shutil.copytree(source, target, copy_function=_link_or_copy, dirs_exist_ok=True, symlinks=True)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def write_file(path: Path, data: bytes) -> None:
    """Write a file of a folder that is being built, over a linked one if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
