"""Writes event logs of sessions that never ran, for tests and for looking at screens."""

from __future__ import annotations

import io
import json
from typing import Any

from workbench import events as ev
from workbench.engine.gate import digest
from workbench.session.log import LogWriter
from workbench.session.store import SessionDir, Store

START_T = 1_760_000_000.0
TASK = {
    "id": "which-animal",
    "question": "Which animal appears after the host says “ready”?",
    "answer_type": "open",
    "ground_truth": ["a red fox", "fox"],
    "media": {"videos": ["clip.mp4"]},
}


class Story:
    """Writes the log of one session; `clock` is the session's time, moved on by hand."""

    def __init__(self, store: Store, name: str, *, t: float = START_T) -> None:
        self.session: SessionDir = store.create(name, name)
        self.clock = t
        self.step = 0
        self.action = ""
        self.log = LogWriter(self.session.events)

    def add(self, event: ev.Event, after: float = 0.0) -> ev.Event:
        """Append an event `after` seconds later than the last."""
        self.clock += after
        return self.log.append(event, self.clock)

    def open(self, **changes: Any) -> Story:
        """The events that open a session."""
        sandbox = ev.SandboxInfo(kind="docker", image="workbench/sandbox:9f2c", network="none")
        fields: dict[str, Any] = {
            "version": ev.SCHEMA_VERSION,
            "id": self.session.id,
            "task": TASK,
            "model": "anthropic:claude-sonnet",
            "provider": "anthropic",
            "mode": "auto",
            "limits": ev.Limits(steps=40),
            "harness": {},
            "tools_spec": [],
            "sandbox": sandbox,
            "workbench_version": "0",
        }
        self.add(ev.SessionCreated(**{**fields, **changes}))
        self.add(ev.EngineStarted(pid=1, host="here"), 0.1)
        self.add(ev.Prompted(messages=[{"role": "user", "content": TASK["question"]}]))
        return self

    def think(self, reasoning: str = "", after: float = 0.2) -> Story:
        """A model call begins, and streams."""
        self.step += 1
        parent = self.step - 1 or None
        self.add(ev.Thinking(step=self.step, n=self.step, parent=parent), after)
        for part in (reasoning[i : i + 40] for i in range(0, len(reasoning), 40)):
            self.add(ev.Thought(step=self.step, channel="reasoning", text=part), 0.1)
        return self

    def propose(
        self, tool: str = "execute_commands", *, say: str = "", reasoning: str = "", **args: Any
    ) -> Story:
        """The model proposes one action; with `tool=""` it only says something."""
        self.action = f"a{self.step}"
        message: dict[str, Any] = {
            "role": "assistant",
            "content": say,
            "reasoning_content": reasoning,
        }
        actions = []
        if tool:
            call = {"name": tool, "arguments": json.dumps(args)}
            message["tool_calls"] = [{"id": self.action, "type": "function", "function": call}]
            actions = [
                ev.Action(
                    id=self.action,
                    call_id=self.action,
                    tool=tool,
                    arguments=args,
                    digest=digest(tool, args),
                )
            ]
        usage = ev.Usage(
            prompt_tokens=2_000 + 400 * self.step, completion_tokens=180, cost_usd=0.0125
        )
        self.add(
            ev.Proposed(
                step=self.step,
                message=message,
                actions=actions,
                usage=usage,
                latency_s=2.4,
                finish_reason="tool_calls" if tool else "stop",
            ),
            1.6,
        )
        return self

    def hold(self, *reasons: str, risks: list[ev.Risk] | None = None) -> Story:
        """The gate holds the action."""
        held = ev.Held(step=self.step, action=self.action, reasons=list(reasons), risks=risks or [])
        self.add(held)
        return self

    def decide(
        self, decision: ev.Decision = "approve", author: str = "policy", **more: Any
    ) -> Story:
        """The action is decided."""
        arguments = more.pop("arguments", {})
        self.add(
            ev.Decided(
                step=self.step,
                action=self.action,
                decision=decision,
                author=author,
                digest=digest("execute_commands", arguments),
                arguments=arguments,
                **more,
            ),
            0.4,
        )
        return self

    def run(
        self, command: str, output: str = "", exit_code: int | None = 0, took: float = 0.5
    ) -> Story:
        """The command runs to its end; its output becomes a blob."""
        self.start(command, output)
        data = output.encode()
        blob = self.session.blobs.put(data) if data else None
        self.session.output_path(self.action, None).unlink(missing_ok=True)
        self.add(
            ev.Finished(
                step=self.step,
                action=self.action,
                exit_code=exit_code,
                duration_s=took,
                cpu_s=took * 0.8,
                peak_memory_bytes=48 << 20,
                timed_out=exit_code is None,
                output_blob=blob,
                output_bytes=len(data),
                cwd="/workspace",
            ),
            took,
        )
        return self

    def start(self, command: str, output: str = "", timeout_s: float = 10.0) -> Story:
        """The command begins and prints."""
        started = ev.Started(
            step=self.step,
            action=self.action,
            command=command,
            timeout_s=timeout_s,
            cwd="/workspace",
        )
        self.add(started)
        if output:
            self.session.output_path(self.action, None).write_bytes(output.encode())
            end = len(output.encode())
            self.add(
                ev.Output(step=self.step, action=self.action, start=0, end=end, text=output), 0.05
            )
        return self

    def observe(self, text: str, carries: list[int] | None = None) -> Story:
        """The model is told."""
        reply = {"role": "tool", "tool_call_id": self.action, "content": text}
        self.add(ev.Observed(step=self.step, messages=[reply], carries=carries or []))
        return self

    def command(self, command: str, output: str = "", **more: Any) -> Story:
        """A whole step that runs one command."""
        analysis = more.pop("analysis", "")
        plan = more.pop("plan", "")
        self.think(more.pop("reasoning", ""))
        self.propose(analysis=analysis, plan=plan, keystrokes=command, duration=10)
        self.decide(arguments={"keystrokes": command, "duration": 10})
        self.run(command, output, more.pop("exit_code", 0), more.pop("took", 0.5))
        return self.observe(output)

    def file(self, path: str, op: Any = "added", size: int | None = 1024) -> Story:
        """A file of the workspace changed."""
        self.add(ev.FileChanged(step=self.step, path=path, op=op, size=size, mtime=self.clock))
        return self

    def frame(self, path: str, source: str | None, time_s: float | None, **more: Any) -> Story:
        """A picture was made."""
        blob = self.session.blobs.put(picture(time_s or 0.0))
        self.file(path, size=len(self.session.blobs.get(blob)))
        self.add(
            ev.Frame(
                step=self.step,
                path=path,
                blob=blob,
                width=320,
                height=180,
                mime="image/png",
                source=source,
                time_s=time_s,
                matched_by="command" if source else None,
                **more,
            )
        )
        return self

    def close(self, reason: ev.ExitReason = "task_complete", **more: Any) -> SessionDir:
        """The session ends."""
        self.add(ev.Closed(exit_reason=reason, **more), 0.2)
        return self.end()

    def end(self) -> SessionDir:
        """Stop writing here: what follows never happened, or has not yet."""
        self.log.close()
        return self.session


def picture(time_s: float) -> bytes:
    """A small picture that differs with the time."""
    from PIL import Image, ImageDraw

    image = Image.linear_gradient("L").resize((320, 180)).convert("RGB")
    draw = ImageDraw.Draw(image)
    shift = int(time_s * 8) % 240
    draw.rectangle((0, 120, 320, 180), fill=(46, 92, 46))
    draw.ellipse((shift, 70, shift + 80, 150), fill=(214, 98, 36))
    draw.polygon([(shift + 60, 80), (shift + 80, 40), (shift + 90, 90)], fill=(214, 98, 36))
    draw.text((8, 8), f"{time_s:06.2f}", fill=(255, 255, 255))
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()
