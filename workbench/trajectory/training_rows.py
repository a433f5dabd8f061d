"""Writes ms-swift rows and their pictures to disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from workbench.trajectory.jsonfiles import BadFile
from workbench.trajectory.ms_swift import Conversion, convert
from workbench.trajectory.omnicoding_read import ReadShard
from workbench.trajectory.pictures import Picture, ReadBlob


def write_rows(out: BinaryIO, base: Path, conversion: Conversion, read_blob: ReadBlob) -> None:
    """Append a row, and put its pictures where it names them.

    Args:
        out: the JSON-lines file.
        base: folder that relative picture paths start from.
        conversion: the row.
        read_blob: gives the bytes of pictures that stand in a store.
    """
    out.write(conversion.line().encode("utf-8", "backslashreplace"))
    for path, picture in conversion.pictures:
        _write_picture(base / path, picture, read_blob)


def _write_picture(path: Path, picture: Picture, read_blob: ReadBlob) -> None:
    """Write a picture unless there is one already, as the reference does (C7)."""
    try:
        file = path.open("xb")
    except FileExistsError:
        return
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
    with file:
        file.write(picture.read(read_blob))


def convert_shards(
    shards: Iterable[ReadShard], out: Path, images_dir: str, *, multimodal: bool
) -> int:
    """Convert a run that was read, as the reference's batch converter does.

    Args:
        shards: see `omnicoding_read.read_run`.
        out: the JSON-lines file, replaced.
        images_dir: folder of the pictures as rows shall name it; relative to the folder of `out`.
            Shards whose items have the same names get folders of their own in it.
        multimodal: place pictures instead of dropping them.

    Returns:
        How many rows were written.

    Raises:
        BadFile: if a shard does not say which tools it had.
    """
    shards = list(shards)
    names = [item.folder.name for shard in shards for item in shard.items]
    clash = len(set(names)) < len(names)
    rows = 0
    with out.open("wb") as file:
        for shard in shards:
            place = f"{shard.folder.parent.name}/{shard.folder.name}"
            images = f"{images_dir}/{place}" if clash else images_dir
            tools = shard.meta.get("tools_spec")
            if not isinstance(tools, list):
                raise BadFile(f"{shard.folder / 'run_meta.json'}: `tools_spec` is missing.")
            for item in shard.items:
                conversion = convert(
                    item.messages,
                    tools,
                    item.folder.name,
                    images,
                    multimodal=multimodal,
                    find_legacy_picture=item.find_legacy_picture(),
                )
                write_rows(file, out.parent, conversion, _no_store)
                rows += 1
    return rows


def _no_store(_sha256: str) -> bytes:
    raise BadFile("The run names a picture of a store that is not at hand.")
