"""Content-addressed bytes, and pictures that go into messages and out of them."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.events import Message
from workbench.session.blobs import (
    BlobError,
    Blobs,
    dehydrate,
    hydrate,
    parse_reference,
    reference,
)

DATA = b"some bytes \x00\xff"
NAME = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs(tmp_path / "blobs")


def test_a_blob_is_named_by_its_content_and_cannot_be_written_to(blobs: Blobs) -> None:
    assert NAME not in blobs
    assert blobs.put(DATA) == NAME
    assert NAME in blobs
    assert blobs.get(NAME) == DATA
    assert blobs.path(NAME) == blobs.folder / NAME[:2] / NAME[2:]
    assert stat.S_IMODE(blobs.path(NAME).stat().st_mode) == 0o444


def test_the_same_bytes_are_kept_once(blobs: Blobs) -> None:
    blobs.put(DATA)
    inode = blobs.path(NAME).stat().st_ino
    blobs.put(DATA)
    assert blobs.path(NAME).stat().st_ino == inode
    assert [path.name for path in blobs.folder.rglob("*") if path.is_file()] == [NAME[2:]]


def test_storing_again_makes_a_blob_fresh(blobs: Blobs) -> None:
    blobs.put(DATA)
    os.utime(blobs.path(NAME), (0, 0))
    blobs.put(DATA)
    assert blobs.path(NAME).stat().st_mtime > 0


def test_many_writers_of_the_same_blob_agree(blobs: Blobs) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(lambda _: blobs.put(DATA * 1000), range(64)))
    assert len(names) == 1
    assert len([path for path in blobs.folder.rglob("*") if path.is_file()]) == 1


def test_a_file_of_the_store_is_taken_over(blobs: Blobs, tmp_path: Path) -> None:
    for _ in range(2):
        path = tmp_path / "finished.out"
        path.write_bytes(DATA)
        blobs.adopt(path, NAME)
        assert not path.exists()
        assert blobs.get(NAME) == DATA


def test_a_part_of_a_blob_can_be_read(blobs: Blobs) -> None:
    blobs.put(DATA)
    assert blobs.read(NAME, 5, 5) == b"bytes"
    assert blobs.read(NAME, 1000, 5) == b""


def test_a_missing_blob_is_a_sentence(blobs: Blobs) -> None:
    sentence = rf"Blob {NAME[:12]}… is missing from the store\."
    with pytest.raises(BlobError, match=sentence):
        blobs.get(NAME)
    with pytest.raises(BlobError, match=sentence):
        blobs.read(NAME, 0, 1)


def picture(url: str) -> Message:
    return {
        "role": "user",
        "content": [
            {"type": "text", "text": url},
            {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
        ],
        "_kept": 1,
    }


def test_pictures_go_into_the_store_and_come_back_byte_for_byte(blobs: Blobs) -> None:
    url = f"data:image/png;base64,{base64.b64encode(DATA).decode()}"
    messages = [{"role": "system", "content": "text"}, picture(url)]
    stored = dehydrate(messages, blobs)
    assert stored[1]["content"][1]["image_url"] == {
        "url": reference(NAME, "image/png"),
        "detail": "low",
    }
    assert stored[1]["content"][0]["text"] == url
    assert hydrate(stored, blobs) == messages
    assert messages[1] == picture(url)


def test_other_addresses_of_pictures_stay_as_they_are(blobs: Blobs) -> None:
    messages = [picture("some://where"), {"role": "user", "content": [{"type": "image_url"}]}]
    assert dehydrate(messages, blobs) == messages
    assert hydrate(messages, blobs) == messages


@pytest.mark.parametrize(
    "url",
    [
        "",
        "blob:",
        f"blob:{NAME}",
        f"blob:{NAME[1:]};image/png",
        "blob:../../x;image/png",
        f"blob:{NAME};image/png\n",
    ],
)
def test_only_a_whole_reference_is_one(url: str) -> None:
    assert parse_reference(url) is None
    assert parse_reference(reference(NAME, "image/png")) == (NAME, "image/png")
