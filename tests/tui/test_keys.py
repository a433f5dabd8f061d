"""The key table, and a person's own keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import UsageError
from workbench.tui import keymap, keys
from workbench.tui.screens.panes import TABLE
from workbench.tui.settings import Memory, Settings, read_settings
from workbench.tui.widgets.keybar import Hint, hint_line


def test_every_steering_verb_of_the_product_has_its_key() -> None:
    wanted = {
        "approve": "a",
        "edit": "e",
        "reject": "r",
        "skip": "s",
        "type": "t",
        "tell": "i",
        "pause": "space",
        "step": "n",
        "interrupt": "x",
        "mode": "m",
        "rewind": "u",
        "fork": "f",
    }
    assert {verb: keys.BY_ID[f"steer.{verb}"].keys for verb in wanted} == wanted
    assert keys.BY_ID["app.command_palette"].keys == "ctrl+p"
    assert "question_mark" in keys.BY_ID["app.help"].keys


def test_no_key_does_two_things_in_one_place() -> None:
    assert keymap.keymap(TABLE.values(), {}, vim=True) == {}
    for key in TABLE.values():
        assert key.help.endswith(".")
        assert key.label == key.label.strip()


def test_no_pane_hides_a_key_that_decides_or_steers() -> None:
    steering = {one for key in keys.of_target("steer") for one in key.all_keys(vim=True)}
    for key in TABLE.values():
        if key.target in ("terminal", "files", "frames", "transcript", "media", "lines", "steps"):
            clash = steering & set(key.all_keys(vim=True))
            # Matches are gone through with n only while something is searched for.
            assert not clash or key.run.startswith("find_"), key


def test_other_keys_by_id() -> None:
    changed = keymap.keymap(TABLE.values(), {"steer.approve": "y"}, vim=True)
    assert changed == {"steer.approve": "y"}
    with pytest.raises(UsageError, match=r"did you mean `steer\.approve`"):
        keymap.keymap(TABLE.values(), {"steer.aprove": "y"}, vim=True)
    with pytest.raises(UsageError, match="taken twice"):
        keymap.keymap(TABLE.values(), {"steer.approve": "e"}, vim=True)


def test_the_reference_names_every_action() -> None:
    text = keymap.reference(TABLE.values())
    assert all(f"`{key.id}`" in text for key in TABLE.values())


def test_settings_are_read_and_faults_are_sentences(tmp_path: Path) -> None:
    assert read_settings(tmp_path) == Settings()
    config = tmp_path / "config.yaml"
    config.write_text("keys: {steer.approve: y}\ntheme: paper\nvim: false\n", encoding="utf-8")
    assert read_settings(tmp_path) == Settings({"steer.approve": "y"}, "paper", vim=False)
    for text, sentence in (
        ("keys: [1]", "`keys`: expected"),
        ("colour: red", "unknown key `colour`"),
        ("a: [", "not YAML"),
        ("- 1", "expected keys"),
        ("vim: 3", "`vim`: expected true or false"),
    ):
        config.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=sentence):
            read_settings(tmp_path)


def test_memory_survives_nonsense(tmp_path: Path) -> None:
    (tmp_path / "screen.json").write_text("][", encoding="utf-8")
    memory = Memory(tmp_path)
    assert memory.text("theme") is None
    memory.keep("theme", "paper")
    memory.keep("board", {"sizes": {"gate": 2}})
    again = Memory(tmp_path)
    assert again.text("theme") == "paper"
    assert again.table("board") == {"sizes": {"gate": 2}}
    assert again.table("theme") == {}


HINTS = (
    Hint("a", "approve", is_urgent=True),
    *(Hint(letter, "something long") for letter in "bcdefgh"),
    Hint("question_mark", "help", stays=True),
    Hint("q", "leave", stays=True),
)


@pytest.mark.parametrize("width", [36, 60, 200])
def test_what_is_urgent_and_the_way_out_have_room_first(width: int) -> None:
    line, places = hint_line(HINTS, width)
    assert line.text.startswith(" a approve ")
    assert line.text.endswith(" ? help  q leave ")
    assert places[-1][1] <= width
