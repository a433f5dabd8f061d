"""Decoding pictures that someone untrusted made: bounded bytes, bounded pixels, no surprises."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from workbench.media.files import MediaError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Pixels: TypeAlias = NDArray[np.uint8]
    """RGB pixels, height x width x 3."""

MAX_BYTES = 64 * 1024 * 1024
"""The longest picture file that is decoded."""
MAX_PIXELS = 50_000_000
"""The largest picture that is decoded: 150 MB as RGB."""

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO", "PPM")
"""Decoders that run no other program and open no other file (unlike EPS)."""

_CHECKER_LIGHT, _CHECKER_DARK, _CHECKER_SIZE = 204, 153, 8


class BadImage(MediaError):
    """Bytes that give no picture; `label` says why in a few words."""


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What a picture is: its size as shown, its type by content, and how many pictures it holds."""

    width: int
    height: int
    mime: str
    frames: int = 1
    rotation: int = 0
    """Degrees clockwise that EXIF asks for."""


@contextmanager
def open_image(file: BinaryIO) -> Iterator[Image]:
    """A Pillow image whose header is read and whose size is within bounds.

    Raises:
        BadImage: here, or for whatever Pillow raises inside the `with` block.
    """
    import warnings

    from PIL import Image as pillow
    from PIL import UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with pillow.open(file, formats=_FORMATS) as image:
                width, height = image.size
                if width * height > MAX_PIXELS:
                    label = f"too large: {width * height / 1e6:.0f} MP"
                    raise BadImage(label, f"The picture is larger than {MAX_PIXELS:,} pixels.")
                yield image
        except BadImage:
            raise
        except pillow.DecompressionBombError as error:
            size = re.search(r"\((\d+) pixels\)", str(error))
            label = f"too large: {int(size[1]) / 1e6:.0f} MP" if size else "too large"
            raise BadImage(label, f"The picture is larger than {MAX_PIXELS:,} pixels.") from error
        except UnidentifiedImageError as error:
            raise BadImage("not an image", "The bytes are not a picture.") from error
        except (OSError, EOFError, ValueError, SyntaxError, ArithmeticError, LookupError) as error:
            label = "truncated" if "truncated" in str(error).lower() else "damaged"
            raise BadImage(label, f"The picture is {label}: {error}.") from error
        except (TypeError, AttributeError, MemoryError, RuntimeError) as error:
            raise BadImage("damaged", f"The picture is damaged: {error}.") from error


def thumbnail(data: bytes, max_w: int, max_h: int, frame: int = 0) -> Pixels:
    """The picture as RGB pixels that fit `max_w` x `max_h`; smaller ones keep their size.

    EXIF rotation is applied and transparency lies on a checker-board.

    Args:
        data: the file's bytes, of any known format.
        max_w: greatest width, in pixels.
        max_h: greatest height, in pixels.
        frame: which picture of an animation; one past the end is the last.

    Raises:
        BadImage: with a short label.
    """
    import numpy as np
    from PIL import ImageOps
    from PIL.Image import Resampling

    if len(data) > MAX_BYTES:
        raise BadImage("too large", f"The picture file has {len(data):,} bytes.")
    with open_image(io.BytesIO(data)) as image:
        _choose_frame(image, frame)
        image.draft("RGB", (max_w * 2, max_h * 2))
        small = _eight_bit(image)
        ImageOps.exif_transpose(small, in_place=True)
        small.thumbnail((max_w, max_h), Resampling.BOX, reducing_gap=None)
        return np.asarray(_on_checker(small), dtype=np.uint8)


def image_facts(data: bytes | BinaryIO) -> ImageFacts:
    """Look at a picture's header, without decoding it.

    Raises:
        BadImage: with a short label.
    """
    from PIL import Image as pillow

    file = io.BytesIO(data) if isinstance(data, bytes) else data
    with open_image(file) as image:
        width, height = image.size
        turn = _turn(image)
        if turn in (90, 270):
            width, height = height, width
        mime = pillow.MIME.get(image.format or "", "application/octet-stream")
        return ImageFacts(width, height, mime, int(getattr(image, "n_frames", 1)), turn)


def to_png(pixels: Pixels) -> bytes:
    """RGB pixels as a PNG file."""
    from PIL import Image as pillow

    buffer = io.BytesIO()
    pillow.fromarray(pixels).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def _turn(image: Image) -> int:
    """Degrees clockwise that the EXIF orientation asks for (Exif 2.3, tag 0x0112)."""
    try:
        orientation = image.getexif().get(0x0112, 1)
    except (OSError, SyntaxError, ValueError):
        return 0
    return {3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}.get(orientation, 0)


def _choose_frame(image: Image, frame: int) -> None:
    count = int(getattr(image, "n_frames", 1))
    if count > 1:
        image.seek(max(0, min(frame, count - 1)))


def _eight_bit(image: Image) -> Image:
    """As RGB or RGBA. Deep grey pictures are scaled to 8 bits, not cut off at 255."""
    import numpy as np
    from PIL import Image as pillow

    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        values = np.asarray(image, dtype=np.float32)
        top = max(float(values.max(initial=0)), 1.0) if image.mode == "F" else 65535.0
        grey = np.clip(values * (255 / top), 0, 255).astype(np.uint8)
        return _with_exif(pillow.fromarray(grey).convert("RGB"), image)
    transparent = image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info
    return image.convert("RGBA" if transparent else "RGB")


def _with_exif(converted: Image, original: Image) -> Image:
    exif: Any = original.info.get("exif")
    if exif is not None:
        converted.info["exif"] = exif
    return converted


def _on_checker(image: Image) -> Image:
    import numpy as np
    from PIL import Image as pillow

    if image.mode != "RGBA":
        return image
    width, height = image.size
    rows, columns = np.indices((height, width)) // _CHECKER_SIZE
    grey = np.where((rows + columns) % 2 == 0, _CHECKER_LIGHT, _CHECKER_DARK).astype(np.uint8)
    checker = pillow.fromarray(grey).convert("RGBA")
    return pillow.alpha_composite(checker, image).convert("RGB")
