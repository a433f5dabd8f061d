"""Events as lines of JSON: round trips, kinds from the future, damaged lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench import events as ev

SAMPLES: list[ev.Event] = [
    ev.EngineStarted(seq=2, t=2.0, pid=7, host="h", repaired=["a torn line"]),
    ev.Prompted(seq=3, t=3.0, messages=[{"role": "user", "content": "who? — 誰 🦊"}]),
    ev.Proposed(
        seq=5,
        t=5.0,
        step=1,
        message={"role": "assistant", "content": None, "_ours": {"deep": [1, 2.5, None]}},
        actions=[
            ev.Action(id="a", call_id="c", tool="t", arguments={"k": "ls\n"}, digest="d" * 16)
        ],
        usage=ev.Usage(prompt_tokens=3, cost_usd=0.25),
        native=[{"signature": "x"}],
    ),
    ev.Output(seq=6, t=6.0, step=1, action="a", start=0, end=4, text="a\x1b[0m\x00"),
    ev.FilesChanged(seq=7, t=7.0, step=1, changes=[("a", "added", 3), ("b", "removed", None)]),
    ev.Looked(seq=8, t=8.0, step=1, source="c.mp4", sense="seen", spans=[(0.0, 1.5)]),
    ev.Rewound(seq=9, t=9.0, step=None, author="human:ann", branch=1),
    ev.Closed(seq=10, t=10.0, exit_reason="task_complete", answer="a red fox"),
]


@pytest.mark.parametrize("event", SAMPLES, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: ev.Event) -> None:
    line = ev.encode(event)
    assert b"\n" not in line
    assert ev.decode(line) == event


def test_a_line_starts_with_its_kind_so_that_readers_can_skip_cheaply() -> None:
    assert ev.encode(ev.Noted(level="info", text="x")).startswith(b'{"kind":"noted"')


def test_defaults_are_not_written() -> None:
    assert json.loads(ev.encode(ev.Closed(seq=1, t=2.0, exit_reason="stopped"))) == {
        "kind": "closed",
        "seq": 1,
        "t": 2.0,
        "exit_reason": "stopped",
    }


def test_fields_of_a_newer_version_are_ignored() -> None:
    line = b'{"kind":"noted","seq":4,"t":1.0,"level":"info","text":"x","from_the_future":[1]}'
    assert ev.decode(line) == ev.Noted(seq=4, t=1.0, level="info", text="x")


def test_a_kind_of_a_newer_version_is_kept_by_name() -> None:
    event = ev.decode(b'{"kind":"teleported","seq":4,"t":1.0,"step":2,"to":"mars"}')
    assert event == ev.Unknown(seq=4, t=1.0, step=2, original_kind="teleported")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"seq":1,"t":1.0}',
        b'{"kind":"closed","seq":1,"t":1.0}',
        b'{"kind":"closed","seq":1,"t":1.0,"exit_reason":"bored"}',
        b'{"kind":"noted","seq":"one","t":1.0,"level":"info","text":"x"}',
        b'{"kind":"noted","seq":1,"t":1.0,"level":"info","text":"x"',
        b'{"kind":"noted","seq":1,"t":1.0,"level":"info","text":"\xff"}',
    ],
)
def test_a_damaged_line_is_an_error_of_its_own(line: bytes) -> None:
    with pytest.raises(ev.EventDecodeError):
        ev.decode(line)


def test_an_error_names_the_kind_and_the_field() -> None:
    line = json.dumps({"kind": "held", "seq": 1, "t": 0.0, "action": 5, "reasons": []}).encode()
    with pytest.raises(ev.EventDecodeError, match=r"held: .*action"):
        ev.decode(line)


def test_every_kind_has_a_tag_of_its_own() -> None:
    kinds: tuple[Any, ...] = ev.AnyEvent.__args__
    tags = [kind.__struct_config__.tag for kind in kinds]
    assert len(set(tags)) == len(tags)
    assert all(kind.__doc__ for kind in kinds)
