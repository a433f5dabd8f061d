"""Predictions and filter verdicts against the recorded cases and the sample run."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trajectory.vectors import CALM, SAMPLE_RUN, load, read_json
from workbench.trajectory.extract import BENCHES, Bench, extract
from workbench.trajectory.filtering import row_verdict, verdict


@pytest.mark.parametrize(
    "case", load("extract"), ids=lambda case: f"{case['bench']}: {case['text']}"
)
def test_recorded_extraction(case: dict[str, Any]) -> None:
    found = extract(case["bench"], case["item"], case["text"])
    assert {"prediction": found.prediction, "is_correct": found.is_correct} == case["expect"]


@pytest.mark.parametrize("case", load("filter"), ids=lambda case: case["expect"]["reason"])
def test_recorded_verdict(case: dict[str, Any]) -> None:
    found = verdict(case["answer_type"], case["predicted"], case["ground_truths"])
    assert {"ok": found.ok, "reason": found.reason} == case["expect"]


def test_sample_run_verdicts_match_the_filter_report() -> None:
    bench = SAMPLE_RUN / "omnigaia_kira"
    items = {item["id"]: item for item in read_json(bench / "items.json")}
    report = read_json(SAMPLE_RUN / "golden" / "sft" / "filter_report.json")
    rows = read_json(bench / "shard_00" / "results.json")
    for row, expected in zip(rows, report["items"], strict=True):
        found = row_verdict(row, items[row["id"]], [])
        assert (found.ok, found.reason) == (expected["passed"], expected["reason"])


def test_row_verdict_looks_for_a_tag_and_marks_rescued_runs() -> None:
    item = {"ground_truth": ["red"], "answer_type": "open"}
    messages = [
        {"role": "tool", "content": "<answer>red</answer>"},
        {"role": "user", "content": "<answer>blue</answer>"},
    ]
    row = {"exit_reason": "step_limit"}
    found = row_verdict(row, item, messages)
    assert (found.ok, found.reason) == (True, "open_substring(g_in_p=True);rescue=on")
    assert row_verdict(row, item, messages, rescue_partial=False).reason == "bad_exit(step_limit)"
    assert row_verdict({**row, "predicted_answer": "x"}, None, []).reason.startswith("no_ground")
    assert verdict("open", "...", ["x"]).reason == "prediction_empty_after_normalize"


_OPTIONS = {"options": ["A. Ann", "B. Bob"], "correct_option": "B"}


@pytest.mark.parametrize(
    ("bench", "item", "text", "prediction", "is_correct"),
    [
        ("lvomnibench", _OPTIONS, "<answer>(**b**).</answer>", "B", True),
        ("lvomnibench", {"options": []}, "The final answer is (C)", "C", None),
        ("socialomni_l1", {"options": ["Ann", "Bob"]}, "So\n**B**", "B", None),
        ("socialomni_l2", {}, "<answer>neither</answer>", "", None),
        ("videozerobench", {"answer": "1,000"}, "<answer>1000.0</answer>", "1000.0", True),
        ("videozerobench", {"answer": "Ｔhe-fox!"}, "<answer>the fox</answer>", "the fox", True),
        ("videozerobench", {}, "the answer is probably 8", "", None),
        ("videozerobench", {}, "answer: " + "x" * 81, "", None),
    ],
)
def test_more_texts(
    bench: Bench, item: dict[str, Any], text: str, prediction: str, is_correct: bool | None
) -> None:
    found = extract(bench, item, text)
    assert (found.prediction, found.is_correct) == (prediction, is_correct)


@CALM
@given(st.sampled_from(BENCHES), st.text(max_size=200))
def test_any_text_gives_a_string(bench: Bench, text: str) -> None:
    assert isinstance(extract(bench, {"options": ["A. x", "B. y"]}, text).prediction, str)
    assert get_args(Bench) == BENCHES
