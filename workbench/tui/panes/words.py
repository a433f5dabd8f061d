"""Quantities in words, short enough for a narrow pane and the same in all of them."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """`0.9 s`, `42 s`, `2:31 min`, `1:02:03 h`."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{clock(whole).removeprefix('0')} {'h' if whole >= 3600 else 'min'}"


def clock(seconds: float) -> str:
    """A place on a time line: `00:12`, `1:02:03`; tenths of a second are cut off."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes:02}:{left:02}"


def size(count: int) -> str:
    """Bytes, by thousands: `812 B`, `82 kB`, `1.4 MB`."""
    if count < 1000:
        return f"{count} B"
    amount = float(count)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"
    return f"{amount / 1000:.1f} TB"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 match`, `12 matches`, `3 400 lines`."""
    shown = f"{number:,}".replace(",", "\u202f") if number >= 10_000 else str(number)
    return f"{shown} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """`62 %`; what is not quite nothing or everything is not rounded to it."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return "99 %"
    return f"{round(share * 100)} %"
