"""The report of a session as text: made of the same JSON that `show --json` prints.

Every value may be an agent's: it is cleaned before it becomes part of a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.text import clean, clean_line
from workbench.tui.view import format as words

Json = dict[str, Any]

MARKS = {
    "done": "✓",
    "running": "▶",
    "held": "◌",
    "proposed": "◌",
    "thinking": "…",
    "interrupted": "✗",
}
"""A glyph beside the word of a step's state."""
WIDTH = 100


def session_text(report: Json) -> str:
    """The whole report: head, media, one line for each step and action, and the end."""
    lines = [*_head(report), *_media(report["media"]), ""]
    branch = None
    for step in report["steps"]:
        if branch is not None and step["branch"] != branch:
            lines.append(f"branch {step['branch']}, after step {step['parent'] or 0}")
        branch = step["branch"]
        lines += _step_lines(step)
    lines += _end(report)
    return "\n".join(lines) + "\n"


def step_text(step: Json) -> str:
    """One step in full: what was thought, said and done, and what came of it."""
    lines = [f"step {step['n']} · {step['state']} · branch {step['branch']}"]
    lines += _block("thinks", step["think"]) + _block("says", step["say"])
    for action in step["actions"]:
        lines += _action_in_full(action)
    for reply in step["replies"]:
        lines += _block(f"is told ({reply['role']})", reply["text"])
    lines += [f"file {_file(file)}" for file in step["files"]]
    lines += [f"picture {_frame(frame)}" for frame in step["frames"]]
    lines += [f"heard {_heard(heard)}" for heard in step["heard"]]
    return "\n".join(lines) + "\n"


def _head(report: Json) -> Iterator[str]:
    sandbox = report["sandbox"]
    place = f"{sandbox['kind']} net:{sandbox['network']}" if sandbox else "no sandbox yet"
    model = report["model"] or "no model yet"
    yield clean_line(f"{report['id']} · {report['status']} · {model} · {place} · {report['mode']}")
    if report["question"]:
        yield from _indented(report["question"], "  ")
    totals = report["totals"]
    tokens = totals["prompt_tokens"] + totals["completion_tokens"]
    parts = [
        _count(totals["steps"], "step"),
        _count(totals["actions"], "action"),
        f"{words.tokens(tokens)} tokens",
        words.cost(totals["cost_usd"]),
        words.duration(totals["wall_s"]),
    ]
    if totals["human_actions"] or totals["edits"]:
        parts.append(f"{totals['human_actions']} by a person, {totals['edits']} edited")
    if len(report["branches"]) > 1:
        parts.append(f"{len(report['branches'])} branches")
    if report["parent"]:
        parts.append(f"forked from {report['parent']['session']} at {report['parent']['step']}")
    yield clean_line(" · ".join(part for part in parts if part))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _media(media: list[Json]) -> Iterator[str]:
    for one in media:
        length = "" if one["duration_s"] is None else f" {words.duration(one['duration_s'])}"
        senses = [
            f"{sense} {one[f'{sense}_fraction']:.0%}"
            for sense in ("seen", "heard")
            if one[f"{sense}_fraction"] is not None
        ]
        yield clean_line(f"media {one['path']} ({one['kind']}{length}) " + ", ".join(senses))


def _step_lines(step: Json) -> Iterator[str]:
    mark = MARKS.get(step["state"], "?")
    say = step["say"] or step["think"] or ""
    yield _cut(f"{step['n']:>3} {mark} {step['state']}  {_first_line(say)}".rstrip())
    for action in step["actions"]:
        yield _cut(f"      {_outcome(action):<12}  {_call(action)}")
    for frame in step["frames"]:
        yield _cut(f"      picture       {_frame(frame)}")
    if step["files"]:
        names = ", ".join(file["path"] for file in step["files"])
        yield _cut(f"      files         {names}")


def _end(report: Json) -> Iterator[str]:
    if report["held"]:
        yield clean_line(f"held: {report['held']['action']} (digest {report['held']['digest']})")
    for key, value in report["labels"].items():
        yield clean_line(f"label {key} = {value}")
    if report["reward"]:
        yield f"reward {report['reward']['total']:g} ({report['reward']['function']})"
    if report["exit_reason"]:
        yield clean_line(f"ended: {report['exit_reason']}")
    if report["error"]:
        yield clean_line(f"error: {report['error']}")
    if report["answer"] is not None:
        yield clean_line(f"answer: {report['answer']}")


def _action_in_full(action: Json) -> Iterator[str]:
    decided = f" · {action['decision']} by {action['decided_by']}" if action["decision"] else ""
    who = action["author"] if action["original_arguments"] is not None else action["proposed_by"]
    yield clean_line(f"{action['tool']} · {_outcome(action)} · by {who}{decided}")
    if action["original_arguments"] is not None:
        yield from _arguments("proposed ", action["original_arguments"])
    yield from _arguments("", action["arguments"])
    if action["note"]:
        yield from _block("note", action["note"])
    yield from _block("output", action["output"])
    if action["observation"] != action["output"]:
        yield from _block("is told", action["observation"])


def _arguments(prefix: str, arguments: Json) -> Iterator[str]:
    for key, value in arguments.items():
        yield from _block(prefix + key, value if isinstance(value, str) else repr(value))


def _outcome(action: Json) -> str:
    """What became of an action, in a word or two."""
    if action["state"] in ("rejected", "skipped", "proposed", "held", "running", "approved"):
        return str(action["state"])
    if action["timed_out"]:
        return "timed out"
    if action["killed"]:
        return "ended"
    if action["exit_code"] is None:
        return "done"
    return f"exit {action['exit_code']} {words.duration(action['duration_s'])}".rstrip()


def _call(action: Json) -> str:
    arguments = action["arguments"]
    command = arguments.get("keystrokes") or arguments.get("command")
    if isinstance(command, str):
        text = f"$ {_first_line(command)}"
    elif isinstance(arguments.get("file_path"), str):
        text = f"{action['tool']} {arguments['file_path']}"
    else:
        text = action["tool"]
    if action["original_arguments"] is not None:
        text += f"  ✎ {action['author']}"
    return text


def _frame(frame: Json) -> str:
    when = "" if frame["time_s"] is None else f" · {frame['source']} at {frame['time_s']:.2f} s"
    return clean_line(f"{frame['path']} {frame['width']}×{frame['height']}{when}")


def _file(file: Json) -> str:
    size = "" if file["size"] is None else f" ({file['size']} bytes)"
    return clean_line(f"{file['op']} {file['path']}{size}")


def _heard(heard: Json) -> str:
    where = f"{heard['source']} {heard['start']:.1f} to {heard['end']:.1f} s"
    return clean_line(f"{where}: {heard['text']}")


def _block(title: str, text: str | None) -> list[str]:
    """A title and the text below it; on one line where it is short."""
    shown = clean(text or "").strip("\n")
    if not shown:
        return []
    if "\n" not in shown and len(shown) < WIDTH:
        return [f"{clean_line(title)}: {shown}"]
    return [f"{clean_line(title)}:", *(f"  {line}" for line in shown.split("\n"))]


def _indented(text: str, indent: str) -> list[str]:
    return [indent + line for line in clean(text).split("\n")]


def _first_line(text: str) -> str:
    lines = text.strip().splitlines() or [""]
    return lines[0] + (f" … ({len(lines)} lines)" if len(lines) > 1 else "")


def _cut(line: str) -> str:
    from workbench.text import fit

    return fit(clean_line(line), WIDTH)
