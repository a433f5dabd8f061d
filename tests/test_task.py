"""Task files: what is accepted, and the one sentence for what is not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from workbench.engine.breakpoints import parse
from workbench.resources import shipped
from workbench.task import Media, Task, TaskError, in_bytes, load_task

ROOT = Path(__file__).parent.parent

WHOLE = """\
id: 7
question: Which animal?
answer_type: mcq
options: [A fox, An owl]
ground_truth: [A]
media: {videos: [clip.mp4], images: [a/b.png]}
limits: {steps: 5, cost_usd: 0.5}
sandbox: {network: full, memory: 1g, cpus: 1.5, pids: 64, kind: docker}
model: openai:some
breakpoints: ["tool = image_read"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "clip.mp4").write_bytes(b"x")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.png").write_bytes(b"x")
    return tmp_path


def written(folder: Path, text: str, name: str = "task.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_of_a_task_is_read(folder: Path) -> None:
    task = load_task(written(folder, WHOLE))
    assert (task.id, task.answer_type, task.options) == ("7", "mcq", ["A fox", "An owl"])
    assert task.media.all() == ["clip.mp4", "a/b.png"]
    assert (task.limits.steps, task.limits.cost_usd, task.limits.seconds) == (5, 0.5, None)
    assert (task.sandbox.kind, task.sandbox.network, task.sandbox.pids) == ("docker", "full", 64)
    assert (task.model, task.breakpoints) == ("openai:some", ["tool = image_read"])


def test_a_task_needs_no_more_than_an_id_and_a_question(folder: Path) -> None:
    task = load_task(written(folder, "id: a\nquestion: Why?\n"))
    assert (task.answer_type, task.media, task.sandbox.network) == ("open", Media(), "none")


def test_the_sample_task_is_a_task() -> None:
    task = load_task(shipped("sessions") / "which-animal" / "task.yaml")
    assert task.media.videos == ["clip.mp4"]


def test_a_file_named_twice_is_staged_once() -> None:
    assert Media(videos=["a", "b"], audios=["a"]).all() == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id: a\n", "`question`|question"),
        ("question: Why?\n", "id"),
        ("id: a\nquestion: ' '\n", "`question` is empty"),
        ("id: a\nquestion: b\ncolour: red\n", "unknown key `colour`"),
        ("id: a\nquestion: b\nlimits: {steps: many}\n", r"`limits\.steps`: expected"),
        ("id: a\nquestion: b\nanswer_type: mcq\n", "`options` is needed"),
        ("id: a\nquestion: b\nmedia: {videos: [gone.mp4]}\n", "media `gone.mp4` is not there"),
        ("id: a\nquestion: b\nmedia: {videos: [../x]}\n", "lies outside the task's folder"),
        ("id: a\nquestion: b\nmedia: {videos: [/etc/passwd]}\n", "lies outside the task's folder"),
        ("id: a\nquestion: b\nsandbox: {network: some}\n", r"`sandbox\.network`"),
        (
            "id: a\nquestion: b\nsandbox: {memory: lots}\n",
            r"`sandbox\.memory`: 'lots' is no amount",
        ),
        ("id: a\nquestion: b\nsandbox: {cpus: 0}\n", r"`sandbox\.cpus`"),
        ("id: a\nquestion: b\nsandbox: {pids: -1}\n", r"`sandbox\.pids`"),
        ("id: [a\n", "line 2"),
        ("- a\n- b\n", "a task is a mapping"),
        ("just text", "a task is a mapping"),
        ("", "a task is a mapping"),
    ],
)
def test_a_wrong_task_is_one_sentence_with_the_file(folder: Path, text: str, sentence: str) -> None:
    path = written(folder, text)
    with pytest.raises(TaskError, match=sentence) as raised:
        load_task(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("amount", "size"), [("512m", 512 << 20), ("2g", 2 << 30), ("1.5 GB", 3 << 29), ("4096", 4096)]
)
def test_amounts_of_memory(amount: str, size: int) -> None:
    assert in_bytes(amount) == size


@pytest.mark.parametrize("name", ["gone.yaml", "folder.yaml", "bytes.yaml"])
def test_a_file_that_cannot_be_read_is_one_sentence(folder: Path, name: str) -> None:
    (folder / "folder.yaml").mkdir()
    (folder / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TaskError, match="cannot be read"):
        load_task(folder / name)


def rows(count: int) -> list[dict[str, object]]:
    return [
        {"id": f"r{n}", "question": f"Q{n}", "benchmark_field": n, "options": None}
        for n in range(count)
    ]


def test_a_row_of_a_benchmark_is_taken_as_it_is(folder: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in rows(3)) + "\n\n"
    path = written(folder, lines, "rows.jsonl")
    assert load_task(path, row=2).question == "Q2"
    chosen = load_task(path, row_id="r1")
    assert chosen.row == rows(3)[1]


@pytest.mark.parametrize("key", ["data", "items", "results", "questions"])
def test_rows_may_stand_below_a_key(folder: Path, key: str) -> None:
    path = written(folder, json.dumps({key: rows(2)}), "rows.json")
    assert load_task(path, row=1).id == "r1"


@pytest.mark.parametrize(
    ("row", "row_id", "sentence"),
    [
        (None, None, "has 3 rows; choose one"),
        (3, None, "there is no row 3"),
        (-1, None, "there is no row -1"),
        (None, "r9", "no row has the id “r9”"),
    ],
)
def test_a_row_that_is_not_there(
    folder: Path, row: int | None, row_id: str | None, sentence: str
) -> None:
    path = written(folder, json.dumps(rows(3)), "rows.json")
    with pytest.raises(TaskError, match=sentence):
        load_task(path, row=row, row_id=row_id)


def test_a_broken_line_is_named_by_number(folder: Path) -> None:
    path = written(folder, '{"id": "a", "question": "b"}\n{"id":\n', "rows.jsonl")
    with pytest.raises(TaskError, match="line 2 is not JSON"):
        load_task(path, row=0)


@pytest.mark.parametrize("page", ["README.md", "docs/task-file.md"])
def test_the_examples_of_the_documentation_are_tasks(folder: Path, page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    task = load_task(written(folder, example))
    assert task.id == "which-animal"
    assert [parse(expression).expression for expression in task.breakpoints] == task.breakpoints


def test_the_documentation_names_every_key_and_only_breakpoints_that_can_be_read() -> None:
    text = (ROOT / "docs" / "task-file.md").read_text(encoding="utf-8")
    keys = [name for name in Task.__struct_fields__ if name != "row"]
    assert [name for name in keys if f"`{name}`" not in text] == []
    table = text.partition("| expression | holds |")[2]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    expressions = re.findall(r"`([^`]+)`", " ".join(cells))
    assert len(expressions) == 9
    for expression in expressions:
        parse(expression)
