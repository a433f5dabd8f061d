"""File names as text: any bytes become a string that JSON and UTF-8 can hold."""

from __future__ import annotations


def printable(name: str) -> str:
    """The name with each byte that is no UTF-8 (a surrogate escape of `os.fsdecode`) as `\\xNN`."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raw = name.encode("utf-8", "surrogateescape")
        return raw.decode("utf-8", "backslashreplace")
    return name
