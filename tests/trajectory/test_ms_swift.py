"""The converter against the recorded cases, the sample run, and odd messages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectory.vectors import CALM, SAMPLE_RUN, load, read_json
from workbench.trajectory.ms_swift import convert

_CASES = load("convert")
_SHARD = SAMPLE_RUN / "omnigaia_kira" / "shard_00"


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_recorded_case(case: dict[str, Any]) -> None:
    conversion = convert(case["messages"], [], "item_0000", "images", **case["options"])
    assert json.dumps(conversion.row["messages"]) == json.dumps(case["expect"]["messages"])
    assert conversion.row.get("images", []) == case["expect"]["images"]
    assert len(conversion.sources) == len(conversion.row["messages"])


@pytest.mark.parametrize(
    ("golden", "multimodal", "images_dir"),
    [("convert_text.jsonl", False, "images"), ("sft/sft_train.jsonl", True, "golden/sft/images")],
)
def test_sample_run_byte_for_byte(golden: str, multimodal: bool, images_dir: str) -> None:
    tools = read_json(_SHARD / "run_meta.json")["tools_spec"]
    items = sorted(_SHARD.glob("item_*"))
    conversions = [
        convert(
            read_json(item / "messages.json"), tools, item.name, images_dir, multimodal=multimodal
        )
        for item in items
    ]
    written = "".join(conversion.line() for conversion in conversions)
    assert written.encode() == (SAMPLE_RUN / "golden" / golden).read_bytes()
    for conversion in conversions:
        for path, picture in conversion.pictures:
            assert picture.read() == (SAMPLE_RUN / path).read_bytes()


def test_blob_pictures_become_pictures_of_the_row() -> None:
    url = f"blob:{'ab' * 32};image/jpeg"
    messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]
    conversion = convert(messages, [], "item_0007", "images", multimodal=True)
    assert conversion.row["images"] == ["images/item_0007/img_000.jpg"]
    assert conversion.pictures[0][1].read(lambda sha256: sha256.encode()) == b"ab" * 32


def test_legacy_reply_gets_its_picture() -> None:
    reply = "image_read result for 'a/b.png':\nA red square."
    messages = [{"role": "user", "content": "Q"}, {"role": "tool", "content": reply}]
    found: list[str] = []
    shown = _conversion_with_legacy(messages, found)
    assert found == ["a/b.png"]
    assert shown.row["messages"][1]["content"] == f"<image>\n{reply}"
    plain = convert(messages, [], "i", "images", multimodal=True)
    assert plain.row["messages"][1]["content"] == reply


def _conversion_with_legacy(messages: list[dict[str, Any]], found: list[str]) -> Any:
    from workbench.trajectory.pictures import Picture

    def find(path: str) -> Picture:
        found.append(path)
        return Picture("png", data=b"x")

    return convert(messages, [], "i", "images", multimodal=True, find_legacy_picture=find)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
_texts = st.sampled_from(
    ["", " ", "<answer>7</answer>", "<ANSWER>x</ANSWER>", "Please continue solving the task", "a"]
)
_calls = st.lists(
    st.fixed_dictionaries(
        {
            "function": st.fixed_dictionaries(
                {
                    "name": st.sampled_from(["image_read", "task_complete", "x", None]),
                    "arguments": st.sampled_from(["{}", "", "[1]", '{"a": "b', None, 3]) | _json,
                }
            )
        }
    )
    | _json,
    max_size=3,
)
_parts = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["text", "image_url", "odd"]),
            "text": _texts | _json,
            "image_url": st.fixed_dictionaries(
                {
                    "url": st.sampled_from(
                        ["data:image/png;base64,AA==", "data:image/png;base64,!", 5]
                    )
                }
            )
            | _json,
        }
    )
    | _json,
    max_size=3,
)
_messages = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["system", "user", "assistant", "tool", "note", None]),
            "content": _texts | _parts | _json,
        },
        optional={"tool_calls": _calls | _json, "reasoning_content": _texts | _json},
    ),
    max_size=8,
)


@CALM
@given(_messages, st.booleans(), st.booleans(), st.booleans())
def test_odd_messages_never_break_it(
    messages: list[dict[str, Any]], multimodal: bool, think: bool, canonical: bool
) -> None:
    conversion = convert(
        messages,
        [],
        "item_0000",
        "images",
        multimodal=multimodal,
        fill_empty_think=think,
        canonicalize_answer=canonical,
    )
    roles = {entry["role"] for entry in conversion.row["messages"]}
    assert roles <= {"system", "user", "assistant", "tool_call", "tool_response"}
    assert all(isinstance(entry["content"], str) for entry in conversion.row["messages"])
    assert len(conversion.pictures) == len(conversion.row.get("images", []))
    assert json.loads(conversion.line()) == conversion.row
