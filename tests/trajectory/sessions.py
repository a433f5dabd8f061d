"""Session logs written by hand: what an engine would have recorded, without running one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from workbench import events as ev
from workbench.engine.prompts import CONTINUE_REMINDER, TOOLS_SPEC
from workbench.session.blobs import reference
from workbench.session.log import LogWriter
from workbench.session.store import SessionDir, Store
from workbench.task import Media, Task
from workbench.trajectory.benches import user_message
from workbench.trajectory.parse import parse_turn

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"
    b"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
)
TASK = Task(
    id="which-animal",
    question="Which animal appears?",
    ground_truth=["fox"],
    media=Media(videos=["clip.mp4"]),
)


class Scribe:
    """Writes the log of one session, step by step."""

    def __init__(self, store: Store, task: Task = TASK, **created: Any) -> None:
        self.session: SessionDir = store.create(None, task.id)
        self._log = LogWriter(self.session.events)
        self._steps = 0
        self._parents: dict[int | None, int] = {None: 0}
        self.leaf: int | None = None
        given: dict[str, Any] = {
            "version": ev.SCHEMA_VERSION,
            "id": self.session.id,
            "task": msgspec.to_builtins(task),
            "model": "scripted:demo",
            "provider": "scripted",
            "mode": "auto",
            "limits": task.limits,
            "harness": {"temperature": 0.5},
            "tools_spec": TOOLS_SPEC,
            "sandbox": ev.SandboxInfo(kind="local"),
            "workbench_version": "0",
        }
        self.record(ev.SessionCreated(**{**given, **created}))
        staged = [f"inputs/{name}" for name in task.media.all()]
        prompt = [
            {"role": "system", "content": "You work in a sandbox."},
            {"role": "user", "content": user_message(task, staged)},
        ]
        self.record(ev.Prompted(messages=prompt))

    def record(self, event: ev.Event) -> int:
        """Append an event; returns its `seq`."""
        return self._log.append(event, t=1000.0 + self._log.last_seq).seq

    def propose(self, content: str, *calls: tuple[str, dict[str, Any]], **more: Any) -> int:
        """A model call that gave this turn; returns the step's id."""
        self._steps += 1
        step, parent = self._steps, self.leaf
        depth = self._parents[parent] + 1
        self._parents[step] = depth
        self.leaf = step
        self.record(ev.Thinking(step=step, n=depth, parent=parent))
        message: ev.Message = {"role": "assistant", "content": content}
        if calls:
            message["tool_calls"] = [_call(step, n, *call) for n, call in enumerate(calls, 1)]
        message |= more
        message["_finish_reason"] = "tool_calls" if calls else "stop"
        actions = [
            ev.Action(
                id=f"{step}.{n}", call_id=c.id, tool=c.name, arguments=c.arguments, digest="d"
            )
            for n, c in enumerate(parse_turn(message).calls, 1)
        ]
        usage = ev.Usage(prompt_tokens=100, completion_tokens=10, reasoning_tokens=1)
        self.record(ev.Proposed(step=step, message=message, actions=actions, usage=usage))
        return step

    def observe(self, *texts: str, picture: bytes | None = None, path: str = "a.png") -> None:
        """Approve the calls of the last turn and answer each with a text."""
        step = self.leaf
        for n, _text in enumerate(texts, 1):
            decided = ev.Decided(
                step=step,
                action=f"{step}.{n}",
                decision="approve",
                author="policy",
                digest="d",
                arguments={},
            )
            self.record(decided)
        messages: list[ev.Message] = [
            {"role": "tool", "tool_call_id": f"call_{step}_{n}", "content": text}
            for n, text in enumerate(texts, 1)
        ]
        if picture is not None:
            url = reference(self.session.blobs.put(picture), "image/png")
            parts = [
                {"type": "text", "text": f"image_read: '{path}'"},
                {"type": "image_url", "image_url": {"url": url}},
            ]
            messages.append({"role": "user", "content": parts})
        self.record(ev.Observed(step=step, messages=messages))

    def command(self, keystrokes: str, output: str) -> int:
        """A turn that ran a command."""
        arguments = {"analysis": "a", "plan": "p", "keystrokes": keystrokes}
        step = self.propose("", ("execute_commands", arguments))
        self.observe(output)
        return step

    def look(self, path: str, picture: bytes | None = PNG) -> int:
        """A turn that looked at a picture, in vain if there is none."""
        arguments = {"file_path": path, "image_read_instruction": "look"}
        step = self.propose("", ("image_read", arguments))
        if picture is None:
            self.observe(f"ERROR: image not found: /workspace/{path}")
        else:
            size = len(picture)
            self.observe(f"Loaded '{path}' (image/png, {size} bytes).", picture=picture, path=path)
        return step

    def answer(self, text: str) -> None:
        """The answer, the reminder that follows it, and the end."""
        self.propose(f"<answer>{text}</answer>")
        reminder = {"role": "user", "content": CONTINUE_REMINDER, "_reminder": "no_tool_calls"}
        self.record(ev.Observed(step=self.leaf, messages=[reminder]))
        self.propose("", ("task_complete", {}))
        self.observe("/workspace\ninputs")
        self.record(ev.Closed(exit_reason="task_complete", answer=text))

    def rewind(self, step: int | None, branch: int) -> None:
        """Move the leaf back."""
        self.record(ev.Rewound(step=step, author="human:ann", branch=branch))
        self.leaf = step


def _call(step: int, n: int, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(arguments, ensure_ascii=False)
    function = {"name": name, "arguments": text}
    return {"id": f"call_{step}_{n}", "type": "function", "function": function}


def plain_session(store: Store) -> SessionDir:
    """A session that looked at a picture, ran a command, and answered."""
    scribe = Scribe(store)
    scribe.look("frames/f.png")
    scribe.command("ls", "frames")
    scribe.answer("fox")
    return scribe.session


def make_store(root: Path) -> Store:
    """A store of the test's own."""
    return Store(root / "store")
