"""User messages and data-set rows of the five benchmarks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trajectory.vectors import SAMPLE_RUN, read_json
from workbench.task import Media, Task
from workbench.trajectory.benches import assemble, bench_of, item_of, task_row, user_message
from workbench.trajectory.canonical import last_training_answer
from workbench.trajectory.extract import BENCHES, Bench

_LETTERS = {"question_id": 1, "video_id": "v", "question": "Who?", "options": ["A. a", " ", "B. b"]}
_LEVEL_1 = {"id": 1, "video_path": "v.mp4", "asr_content": "hi", "question": "Who?"}
_LEVEL_2 = {"video_id": "v", "question_1": {"question": "Now?", "option_A": "YES"}}
_ZERO = {"question_id": 1, "video": "v.mp4", "question": "How many?", "evidence_windows": []}


def test_sample_run_messages() -> None:
    for item in read_json(SAMPLE_RUN / "omnigaia_kira" / "items.json"):
        staged = [f"inputs/{medium['path']}" for medium in item["omni_modal_input"]]
        folder = SAMPLE_RUN / "omnigaia_kira" / "shard_00" / f"item_{item['__source_index__']:04d}"
        expected = read_json(folder / "messages.json")[1]["content"]
        assert assemble("omnigaia", item, staged) == expected


@pytest.mark.parametrize(
    ("item", "bench"),
    [
        (_LETTERS, "lvomnibench"),
        (_LEVEL_1, "socialomni_l1"),
        (_LEVEL_2, "socialomni_l2"),
        (_ZERO, "videozerobench"),
        ({"id": 1, "source_dataset": "OmniVideoBench", "answer_type": "mcq"}, "lvomnibench"),
        ({"id": 1, "source_dataset": "OmniVideoBench", "answer_type": "open"}, "omnigaia"),
        ({"id": 1}, "omnigaia"),
    ],
)
def test_benchmark_by_keys(item: dict[str, Any], bench: Bench) -> None:
    assert bench_of(item) == bench


def test_skeletons() -> None:
    files = "Available staged files:\n- inputs/v.mp4\n"
    letters = assemble("lvomnibench", _LETTERS, ["inputs/v.mp4"])
    assert letters.startswith(f"{files}\nQuestion: Who?\nOptions:\nA. a\nB. b\n\n")
    zero = assemble("videozerobench", _ZERO, ["inputs/v.mp4"])
    assert zero == f"{files}\nVideo id / filename: v.mp4\n\nQuestion:\nHow many?"
    social = assemble("socialomni_l2", {**_LEVEL_2, "full_asr": "hello"}, ["inputs/v.mp4"])
    parts = ["[TASK]", "[LOCAL_VIDEO]", "[ASR]", "Options:", "Question:", "<answer>"]
    assert [social.index(part) for part in parts] == sorted(social.index(part) for part in parts)
    assert "A. YES\nB. NO" in social
    assert "[ASR]" not in assemble("socialomni_l2", _LEVEL_2, [])
    assert assemble("omnigaia", {"question": " q "}, []) == (
        "Available staged files:\n- (none)\n\nQuestion:\nq"
    )


@pytest.mark.parametrize("bench", BENCHES)
def test_no_question_teaches_an_answer_of_its_own(bench: Bench) -> None:
    content = assemble(bench, {**_LEVEL_2, "question": "q", "options": ["A. a"]}, ["inputs/v"])
    assert last_training_answer([{"role": "user", "content": content}]) is None


def test_a_task_becomes_a_row() -> None:
    task = Task(
        id="t",
        question="Q?",
        answer_type="mcq",
        ground_truth=["A"],
        options=["A. a"],
        media=Media(videos=["a.mp4"], documents=["b.pdf"]),
    )
    item = item_of(task)
    assert [(m["type"], m["path"]) for m in item["omni_modal_input"]] == [
        ("video", "a.mp4"),
        ("document", "b.pdf"),
    ]
    assert (item["id"], item["answer"], item["ground_truth"]) == ("t", "A", ["A"])
    assert user_message(task, ["inputs/a.mp4"]).endswith("Question:\nQ?\n\nOptions:\nA. a")
    keys = "id question answer_type ground_truth options media source_dataset category"
    assert list(task_row(task)) == keys.split()
    came = {"question_id": 7, "correct_option": "A", "question": "Q?"}
    kept = item_of(Task(id="7", question="Q?", row=came))
    assert {key: kept[key] for key in came} == came
    assert kept["id"] == "7"
