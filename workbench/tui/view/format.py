"""Numbers as people read them, in as few cells as possible."""

from __future__ import annotations

_MINUTE_S = 60
_HOUR_S = 3600
_DAY_S = 86_400


def duration(seconds: float | None) -> str:
    """A span of time in at most six cells: `0.2s`, `59s`, `4m09`, `3h20`, `12d`."""
    if seconds is None:
        return ""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f}s"
    whole = round(seconds)
    if whole < _MINUTE_S:
        return f"{whole}s"
    if whole < _HOUR_S:
        return f"{whole // _MINUTE_S}m{whole % _MINUTE_S:02}"
    if whole < 2 * _DAY_S:
        return f"{whole // _HOUR_S}h{whole % _HOUR_S // _MINUTE_S:02}"
    return f"{whole // _DAY_S}d"


def tokens(number: int) -> str:
    """A number in at most five cells: `940`, `12.4k`, `3.1M`."""
    if number < 1000:
        return str(number)
    for unit in ("k", "M", "G"):
        scaled = number / 1000
        if scaled < 99.95:
            return f"{scaled:.1f}{unit}"
        if scaled < 999.5 or unit == "G":
            return f"{scaled:.0f}{unit}"
        number = round(scaled)
    return str(number)


def cost(dollars: float | None) -> str:
    """A price: `$0.21`, `$0.004` for less than a cent, empty where unknown."""
    if dollars is None:
        return ""
    return f"${dollars:.2f}" if dollars >= 0.01 or dollars == 0 else f"${dollars:.3f}"


def age(seconds: float) -> str:
    """How long ago: `now`, `4 min`, `3 h`, `12 d`."""
    if seconds < 45:
        return "now"
    if seconds < 45 * _MINUTE_S:
        return f"{max(1, round(seconds / _MINUTE_S))} min"
    if seconds < 36 * _HOUR_S:
        return f"{max(1, round(seconds / _HOUR_S))} h"
    return f"{max(1, round(seconds / _DAY_S))} d"


def few(number: int) -> str:
    """A count in at most three cells: `7`, `840`, `12k`."""
    if number < 1000:
        return str(number)
    return f"{number // 1000}k" if number < 100_000 else "99k"
