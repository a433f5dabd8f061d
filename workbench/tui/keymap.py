"""What is made from the key table: bindings, a person's own keys, names of keys, the docs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.binding import Binding, BindingType

from workbench.errors import UsageError
from workbench.tui.keys import Key

_SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "plus": "+",
    "minus": "-",
    "comma": ",",
    "full_stop": ".",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


def bindings(keys: Iterable[Key]) -> list[BindingType]:
    """The keys as bindings of a screen or pane; the app's key map changes them."""
    return [
        Binding(
            ",".join(key.all_keys(vim=True)),
            key.run,
            key.label or key.help.rstrip("."),
            show=key.rank > 0,
            tooltip=key.help,
            id=key.id,
        )
        for key in keys
    ]


def keymap(table: Iterable[Key], wanted: Mapping[str, str], *, vim: bool) -> dict[str, str]:
    """What the app's key map must say for what a person's config file wants.

    Raises:
        UsageError: for an id that there is not, or a key that would do two things in one place.
    """
    known = {key.id: key for key in table}
    for name in wanted:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1)
            hint = f"; did you mean `{near[0]}`?" if near else "."
            raise UsageError(f"keys: there is no action `{name}`{hint}")
    changed = {
        key.id: key.keys for key in known.values() if key.vim and key.keys and not vim
    } | dict(wanted)
    _check_clashes(known, wanted, changed, vim=vim)
    return changed


def _check_clashes(
    known: Mapping[str, Key], wanted: Mapping[str, str], changed: Mapping[str, str], *, vim: bool
) -> None:
    taken: dict[tuple[str, str], str] = {}
    for key in sorted(known.values(), key=lambda key: key.id not in wanted):
        keys = changed[key.id].split(",") if key.id in changed else key.all_keys(vim=vim)
        for one in keys:
            other = taken.setdefault((key.target, one.strip()), key.id)
            if other not in (key.id, key.twin) and known[other].twin != key.id:
                raise UsageError(
                    f"keys: `{one.strip()}` is taken twice: by `{other}` and by `{key.id}`."
                )


def shown(key: str) -> str:
    """A key as a person reads it: `?`, `esc`, `↑`, `ctrl+p`."""
    modifiers, _, name = key.rpartition("+") if len(key) > 1 else ("", "", key)
    return f"{modifiers}+{_SHOWN.get(name, name)}" if modifiers else _SHOWN.get(name, name)


def reference(table: Iterable[Key]) -> str:
    """The table as Markdown, for the docs."""
    groups: dict[str, list[Key]] = {}
    for key in table:
        groups.setdefault(key.group, []).append(key)
    lines = ["# Keys", ""]
    lines += ["Give an action other keys in `config.yaml`: `keys: {session.approve: y}`.", ""]
    for group, keys in groups.items():
        lines += [f"## {group}", "", "| keys | what | id |", "|---|---|---|"]
        for key in keys:
            names = " ".join(f"`{shown(one)}`" for one in key.all_keys(vim=True))
            lines.append(f"| {names} | {key.help} | `{key.id}` |")
        lines.append("")
    return "\n".join(lines)
