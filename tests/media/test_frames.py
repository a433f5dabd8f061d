"""Decoding pictures: whole, odd and hostile ones."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from workbench.media.frames import BadImage, image_facts, thumbnail, to_png


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    chunks += [(b"IDAT", zlib.compress(bytes(100))), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))
        for tag, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF"])
def test_a_thumbnail_keeps_the_aspect(kind: str) -> None:
    pixels = thumbnail(encoded(Image.new("RGB", (400, 200), (200, 40, 40)), kind), 80, 80)
    assert pixels.shape == (40, 80, 3)
    assert pixels.dtype == np.uint8
    assert np.abs(pixels.astype(int).mean(axis=(0, 1)) - (200, 40, 40)).max() < 6


def test_small_pictures_are_not_blown_up() -> None:
    assert thumbnail(encoded(Image.new("RGB", (5, 3))), 80, 80).shape == (3, 5, 3)


def test_exif_rotation_is_honoured() -> None:
    image = Image.new("RGB", (40, 20), "blue")
    image.paste((255, 0, 0), (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = 6
    pixels = thumbnail(encoded(image, "JPEG", exif=exif, quality=95), 100, 100)
    assert pixels.shape == (40, 20, 3)
    facts = image_facts(encoded(image, "JPEG", exif=exif))
    assert (facts.width, facts.height, facts.mime) == (20, 40, "image/jpeg")
    assert pixels[5, 10, 0] > 200
    assert pixels[35, 10, 2] > 200


def test_transparency_lies_on_a_checker() -> None:
    image = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    image.paste((10, 200, 10, 255), (16, 16, 32, 32))
    pixels = thumbnail(encoded(image), 32, 32)
    assert set(pixels[:16, :16].ravel().tolist()) == {153, 204}
    assert pixels[20, 20].tolist() == [10, 200, 10]


@pytest.mark.parametrize("mode", ["L", "P", "CMYK", "1", "LA", "I;16", "F"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    grey = np.full((8, 8), 128, np.uint8)
    if mode == "I;16":
        image = Image.fromarray(grey.astype(np.uint16) * 257)
    elif mode == "F":
        image = Image.fromarray(grey.astype(np.float32))
    else:
        image = Image.fromarray(grey).convert(mode)
    kind = "TIFF" if mode in ("CMYK", "F") else "PNG"
    pixels = thumbnail(encoded(image, kind), 8, 8)
    assert pixels.shape == (8, 8, 3)
    if mode in ("L", "P", "CMYK", "LA", "I;16"):
        assert abs(int(pixels.mean()) - 128) < 3


def test_the_frames_of_an_animation() -> None:
    pictures = [Image.new("RGB", (10, 10), colour) for colour in ("red", "lime", "blue")]
    for kind in ("GIF", "WEBP"):
        data = encoded(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=50)
        assert image_facts(data).frames == 3
        colours = [thumbnail(data, 10, 10, frame)[5, 5].argmax() for frame in (0, 1, 2, 99)]
        assert colours == [0, 1, 2, 2]
    assert image_facts(encoded(pictures[0])).frames == 1


@pytest.mark.parametrize(
    ("data", "label"),
    [
        (b"", "not an image"),
        (b"hello", "not an image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", "not an image"),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "not an image"),
        (png_header(30_000, 30_000), "too large: 900 MP"),
        (png_header(8_000, 8_000), "too large: 64 MP"),
        (png_header(640, 480), "truncated"),
        (encoded(Image.effect_noise((200, 200), 50))[:-4000], "truncated"),
        (encoded(Image.effect_noise((200, 200), 50), "JPEG")[:-4000], "truncated"),
    ],
)
def test_what_is_no_picture_has_a_short_label(data: bytes, label: str) -> None:
    with pytest.raises(BadImage) as caught:
        thumbnail(data, 100, 100)
    assert caught.value.label == label
    assert str(caught.value).endswith(".")


def test_spoilt_bytes_never_raise_anything_else() -> None:
    random = np.random.default_rng(7)
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"):
        whole = np.frombuffer(encoded(Image.effect_noise((40, 40), 50), kind), np.uint8)
        for _ in range(60):
            spoilt = whole.copy()
            where = random.integers(0, len(spoilt), 6)
            spoilt[where] = random.integers(0, 256, 6)
            with contextlib.suppress(BadImage):
                assert thumbnail(spoilt.tobytes(), 32, 32).shape[2] == 3


def test_png_goes_there_and_back() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    assert (thumbnail(to_png(pixels), 30, 20) == pixels).all()
