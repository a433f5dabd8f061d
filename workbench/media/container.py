"""Opening a video or audio file with PyAV without being led to any other file.

A file that calls itself `clip.mp4` may hold a playlist that names files of the host. So only
demuxers that read nothing but the file itself are allowed, and the name plays no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.media.files import MediaError, open_regular

if TYPE_CHECKING:
    from av.container import InputContainer

_DEMUXERS = (
    "aac,ac3,aiff,amr,ape,asf,au,av1,avi,caf,dsf,dts,dtshd,dv,eac3,flac,flv,gxf,h261,h263,h264,"
    "hevc,ivf,m4v,matroska,mjpeg,mlp,mov,mp3,mpc,mpc8,mpeg,mpegts,mpegvideo,mxf,nut,obu,ogg,rm,"
    "tak,truehd,tta,vc1,voc,vvc,w64,wav,wtv,wv,xwma,yuv4mpegpipe"
)
_OPTIONS = {
    "format_whitelist": _DEMUXERS,
    "protocol_whitelist": "file",
    "probesize": "5000000",
    "analyzeduration": "5000000",
}


@contextmanager
def open_container(path: Path) -> Iterator[InputContainer]:
    """The file as an open PyAV container.

    Raises:
        MediaError: if it is no regular file or none that PyAV reads; also when reading fails inside
            the `with` block.
    """
    import av

    with open_regular(path) as descriptor:
        try:
            with av.open(
                f"/dev/fd/{descriptor}", mode="r", options=_OPTIONS, metadata_errors="ignore"
            ) as container:
                yield container
        except (av.FFmpegError, EOFError) as error:
            reason = getattr(error, "strerror", None) or "it ends too early"
            raise MediaError(
                "unreadable media", f"{path.name} cannot be read: {reason}."
            ) from error


def seconds(ticks: int | None, time_base: Fraction | None) -> float:
    """Ticks of a stream's clock as seconds; 0 where either is unknown."""
    return float((ticks or 0) * (time_base or 0))
