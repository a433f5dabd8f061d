"""The five benchmarks: which one a task belongs to, its media, and its user message (5.1 to 5.4).

The skeletons are those of the reference; sentences that it leaves to the harness are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from workbench.task import Task
from workbench.trajectory.extract import Bench

Item = dict[str, Any]

_LETTER_SOURCES = frozenset({"OmniVideoBench", "AVUTBenchmark", "Video-MME-v2"})
"""Task rows of these data sets are asked as LVOmniBench asks."""


def bench_of(item: Item) -> Bench:
    """The benchmark whose keys the row has; `omnigaia`, the general one, for all else."""
    if "question_1" in item:
        return "socialomni_l2"
    if "video_path" in item and "asr_content" in item:
        return "socialomni_l1"
    if item.keys() & {"evidence_windows", "evidence_span", "annotation_capabilities"}:
        return "videozerobench"
    if "correct_option" in item or {"question_id", "video_id", "options"} <= item.keys():
        return "lvomnibench"
    if item.get("source_dataset") in _LETTER_SOURCES and item.get("answer_type") == "mcq":
        return "lvomnibench"
    return "omnigaia"


def item_of(task: Task) -> Item:
    """The data-set row of a task: as it came, else made in OmniGAIA's shape (5.2, 5.4).

    It always has the `id`, `answer_type` and `ground_truth` that the reference filter needs.
    """
    needed: Item = {
        "id": task.id,
        "question": task.question,
        "answer_type": task.answer_type,
        "ground_truth": task.ground_truth,
        "options": task.options,
    }
    if task.row is not None:
        return {**task.row, **{key: v for key, v in needed.items() if key not in task.row}}
    needed["answer"] = task.ground_truth[0] if task.ground_truth else None
    needed["omni_modal_input"] = _omni_modal_input(task)
    needed["source_dataset"] = task.source_dataset
    needed["category"] = task.category
    return needed


def _omni_modal_input(task: Task) -> list[Item]:
    kinds = msgspec.structs.asdict(task.media).items()
    paths = [(kind.removesuffix("s"), path) for kind, found in kinds for path in found]
    return [
        {"type": kind, "id": f"{kind}_{number}", "path": path}
        for number, (kind, path) in enumerate(dict.fromkeys(paths), 1)
    ]


def task_row(task: Task) -> Item:
    """The task as a row of an OmniCoding task file (5.4)."""
    media = task.media
    return {
        "id": task.id,
        "question": task.question,
        "answer_type": task.answer_type,
        "ground_truth": task.ground_truth,
        "options": task.options,
        "media": {"videos": media.videos, "audios": media.audios, "images": media.images},
        "source_dataset": task.source_dataset,
        "category": task.category,
    }


def user_message(task: Task, staged: Sequence[str]) -> str:
    """The user message that opens a session.

    Args:
        task: what is asked.
        staged: paths of the staged files relative to the workspace, in order.
    """
    item = item_of(task)
    return assemble(bench_of(item), item, staged)


def assemble(bench: Bench, item: Item, staged: Sequence[str]) -> str:
    """The user message of a benchmark's item."""
    files = [f"- {path}" for path in staged] or ["- (none)"]
    return "\n".join(["Available staged files:", *files, *_BLOCKS[bench](item, staged)])


def _options(item: Item) -> list[str]:
    options = item.get("options")
    return [str(option) for option in options] if isinstance(options, list) else []


def _omnigaia(item: Item, _staged: Sequence[str]) -> list[str]:
    block = ["", "Question:", str(item.get("question", "")).strip()]
    options = _options(item)
    return [*block, "", "Options:", *options] if options else block


def _lvomnibench(item: Item, _staged: Sequence[str]) -> list[str]:
    options = [option for option in _options(item) if option.strip()]
    ask = "Answer with the letter of the one right option: A, B, C or D."
    return ["", f"Question: {item.get('question', '')}", "Options:", *options, "", ask]


def _videozerobench(item: Item, _staged: Sequence[str]) -> list[str]:
    video = item.get("video") or item.get("video_id")
    return ["", f"Video id / filename: {video}", "", f"Question:\n{item.get('question', '')}"]


def _socialomni_l1(item: Item, staged: Sequence[str]) -> list[str]:
    question, transcript = str(item.get("question", "")), item.get("asr_content")
    return _social_block(question, _options(item), transcript, staged)


def _socialomni_l2(item: Item, staged: Sequence[str]) -> list[str]:
    asked = item.get("question_1") or {}
    return _social_block(
        str(asked.get("question", "")), level2_options(item), item.get("full_asr"), staged
    )


def level2_options(item: Item) -> list[str]:
    """The options of SocialOmni's second level, which its rows hold apart."""
    asked = item.get("question_1") or {}
    return [f"A. {asked.get('option_A') or 'YES'}", f"B. {asked.get('option_B') or 'NO'}"]


def _social_block(
    question: str, options: list[str], transcript: object, staged: Sequence[str]
) -> list[str]:
    parts = ["[TASK]\nWatch and listen, then choose the one right option."]
    if staged:
        parts.append(f"[LOCAL_VIDEO]\n{staged[0]}")
    if transcript:
        parts.append(f"[ASR]\n{transcript}")
    parts.append("\n".join(["Options:", *options]))
    parts.append(f"Question:\n{question}")
    # The example is the letter X, which the converter skips: another would become the answer (C24).
    parts.append("Work through the evidence first, then answer as in <answer>X</answer>.")
    return ["", "\n\n".join(parts)]


_BLOCKS: dict[Bench, Callable[[Item, Sequence[str]], list[str]]] = {
    "omnigaia": _omnigaia,
    "lvomnibench": _lvomnibench,
    "socialomni_l1": _socialomni_l1,
    "socialomni_l2": _socialomni_l2,
    "videozerobench": _videozerobench,
}
