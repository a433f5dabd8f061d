"""What a person can tell a live session: one handler for each command, keys and `ctl` alike."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from workbench.engine import breakpoints
from workbench.engine.gate import Gate, GateError, Verdict
from workbench.engine.loop import Loop
from workbench.engine.recorder import Recorder
from workbench.engine.rewind import RewindRequest
from workbench.engine.turns import new_call
from workbench.errors import UsageError
from workbench.events import Breakpoint, HumanMessage, Labelled, Message, Mode, Noted, Paused
from workbench.models.base import Model
from workbench.models.human import HumanModel
from workbench.sandbox.base import Sandbox
from workbench.session.amend import Change, amendment

Answer = dict[str, Any]
Arguments = dict[str, Any]
MODES: tuple[Mode, ...] = ("auto", "risky", "review", "step")
DEFAULT_DURATION_S = 10.0
"""How long a command that a person types may take, unless they say otherwise."""


class Commands:
    """The control commands of one live session."""

    def __init__(
        self,
        recorder: Recorder,
        gate: Gate,
        loop: Loop,
        sandbox: Sandbox,
        model: Model,
        stop: Callable[[], None],
        rewind: Callable[[RewindRequest, bool], Awaitable[Answer]],
    ) -> None:
        self._recorder = recorder
        self._gate = gate
        self._loop = loop
        self._sandbox = sandbox
        self._model = model
        self._stop = stop
        self._go_back = rewind
        self._handlers: dict[str, Callable[[str, Arguments], Awaitable[Answer | None]]] = {
            "status": self._status,
            "pause": self._pause,
            "freeze": self._freeze,
            "resume": self._resume,
            "step": self._step,
            "interrupt": self._interrupt,
            "mode": self._mode,
            "approve": self._approve,
            "edit": self._edit,
            "reject": self._reject,
            "skip": self._skip,
            "say": self._say,
            "shell": self._shell,
            "act": self._act,
            "answer": self._answer,
            "break": self._break,
            "label": self._label,
            "amend": self._amend,
            "rewind": self._rewind,
            "stop": self._stop_session,
        }

    async def handle(self, command: str, author: str, arguments: Arguments) -> Answer:
        """Carry out one command.

        Raises:
            WorkbenchError: with the sentence for the person.
        """
        handler = self._handlers.get(command)
        if handler is None:
            raise UsageError(
                f"There is no command “{command}”; known: {', '.join(self._handlers)}."
            )
        answer = await handler(author, arguments) or {}
        state = self._recorder.state
        return {"seq": state.seq, "status": state.status, **answer}

    # --- going and standing still -------------------------------------------------------------

    async def _status(self, _author: str, _arguments: Arguments) -> Answer:
        held = self._gate.pending
        return {
            "mode": self._recorder.state.control.mode,
            "held": None if held is None else {"action": held.id, "digest": held.digest},
        }

    async def _pause(self, author: str, _arguments: Arguments) -> None:
        self._recorder.record(Paused(scope="after_step", author=author))

    async def _freeze(self, author: str, _arguments: Arguments) -> None:
        await self._sandbox.freeze()
        self._recorder.record(Paused(scope="freeze", author=author))

    async def _resume(self, author: str, arguments: Arguments) -> None:
        await self._go_on(author, _number(arguments, "steps"))

    async def _step(self, author: str, arguments: Arguments) -> None:
        await self._go_on(author, _number(arguments, "n") or 1)

    async def _go_on(self, author: str, steps: int | None) -> None:
        if self._recorder.state.control.paused == "freeze":
            await self._sandbox.thaw()
        self._gate.resume(author, steps)

    async def _interrupt(self, author: str, _arguments: Arguments) -> Answer:
        if self._recorder.state.control.paused == "freeze":
            await self._sandbox.thaw()
        killed = await self._sandbox.interrupt()
        self._recorder.record(Paused(scope="interrupt", author=author))
        cut = not killed and self._loop.interrupt_model()
        return {"interrupted": "command" if killed else "model call" if cut else None}

    async def _mode(self, author: str, arguments: Arguments) -> None:
        mode = arguments.get("mode")
        if mode not in MODES:
            raise UsageError(f"mode: “{mode}” is not one of {', '.join(MODES)}.")
        self._gate.set_mode(mode, author)

    async def _stop_session(self, author: str, _arguments: Arguments) -> None:
        self._recorder.record(Noted(level="info", text=f"Stopped by {author}."))
        asyncio.get_running_loop().call_soon(self._stop)

    async def _rewind(self, author: str, arguments: Arguments) -> Answer:
        step = arguments.get("step")
        if isinstance(step, bool) or not isinstance(step, int):
            raise UsageError("rewind: name a `step`, 0 for the start.")
        request = RewindRequest(step, bool(arguments.get("before")), author)
        return await self._go_back(request, bool(arguments.get("preview")))

    # --- deciding -----------------------------------------------------------------------------

    async def _approve(self, author: str, arguments: Arguments) -> Answer:
        return await self._decide(
            Verdict("approve", author, note=_text(arguments, "note")), arguments
        )

    async def _reject(self, author: str, arguments: Arguments) -> Answer:
        note = _text(arguments, "note")
        if not note:
            raise UsageError("reject: say in `note` why, so that the agent can do better.")
        return await self._decide(Verdict("reject", author, note=note), arguments)

    async def _skip(self, author: str, arguments: Arguments) -> Answer:
        return await self._decide(Verdict("skip", author, note=_text(arguments, "note")), arguments)

    async def _edit(self, author: str, arguments: Arguments) -> Answer:
        held = self._gate.pending
        if held is None:
            raise GateError(f"Nothing is held: the session is {self._recorder.state.status}.")
        if "arguments" in arguments:
            final = _object(arguments["arguments"])
        elif (keystrokes := _text(arguments, "keystrokes")) is not None:
            if held.tool != "execute_commands":
                raise UsageError(f"edit: {held.tool} has no keystrokes; give `arguments`.")
            final = {**held.arguments, "keystrokes": keystrokes}
        else:
            raise UsageError("edit: give `keystrokes` or `arguments`.")
        verdict = Verdict("edit", author, final, note=_text(arguments, "note"))
        return await self._decide(verdict, arguments)

    async def _decide(self, verdict: Verdict, arguments: Arguments) -> Answer:
        held = self._gate.pending
        self._gate.decide(verdict, _text(arguments, "action"), _text(arguments, "digest"))
        assert held is not None
        await self._recorder.wait_until(lambda state: state.control.held != held.id)
        return {"action": held.id, "decision": verdict.decision, "digest": held.digest}

    # --- acting and speaking ------------------------------------------------------------------

    async def _say(self, author: str, arguments: Arguments) -> None:
        text = (_text(arguments, "text") or "").strip()
        if not text:
            raise UsageError("say: the message is empty.")
        leaf = self._recorder.state.leaf
        self._recorder.record(HumanMessage(step=leaf, text=text, author=author))

    async def _shell(self, author: str, arguments: Arguments) -> Answer:
        command = _text(arguments, "command") or ""
        if not command.strip():
            raise UsageError("shell: the command is empty.")
        duration = _number(arguments, "duration") or DEFAULT_DURATION_S
        call = {
            "analysis": _text(arguments, "analysis") or "",
            "plan": _text(arguments, "plan") or "",
            "keystrokes": command,
            "duration": duration,
        }
        return await self._act_as_agent("execute_commands", call, "", author)

    async def _act(self, author: str, arguments: Arguments) -> Answer:
        tool = _text(arguments, "tool") or ""
        call = _object(arguments.get("arguments") or {})
        return await self._act_as_agent(tool, call, _text(arguments, "say") or "", author)

    async def _act_as_agent(self, tool: str, call: Arguments, say: str, author: str) -> Answer:
        """A person's own action: in place of what is held, else as the next turn."""
        if self._gate.pending is not None:
            verdict = Verdict("replace", author, call, tool=tool)
            return await self._decide(verdict, {})
        message: Message = {
            "role": "assistant",
            "content": say,
            "tool_calls": [new_call(tool, call)],
        }
        return self._hand_in(message, author)

    async def _answer(self, author: str, arguments: Arguments) -> Answer:
        text = (_text(arguments, "text") or "").strip()
        if not text:
            raise UsageError("answer: the text is empty.")
        return self._hand_in({"role": "assistant", "content": f"<answer>{text}</answer>"}, author)

    def _hand_in(self, message: Message, author: str) -> Answer:
        if isinstance(self._model, HumanModel) and self._model.is_waiting:
            self._model.submit(message)
            return {"queued": False}
        self._loop.queue_human_turn(message, author)
        return {"queued": True}

    # --- breakpoints and labels ---------------------------------------------------------------

    async def _break(self, author: str, arguments: Arguments) -> Answer:
        expressions = list(self._recorder.state.control.breakpoints)
        if arguments.get("clear"):
            expressions = []
        elif arguments.get("list"):
            return {"breakpoints": expressions}
        else:
            rule = breakpoints.parse(_text(arguments, "expression") or "")
            if rule.expression not in expressions:
                expressions.append(rule.expression)
        self._recorder.record(Breakpoint(expressions=expressions, author=author))
        return {"breakpoints": expressions}

    async def _label(self, author: str, arguments: Arguments) -> None:
        key = (_text(arguments, "key") or "").strip()
        if not key:
            raise UsageError("label: a label needs a `key`.")
        step = _number(arguments, "step")
        if step is not None:
            path = self._recorder.state.path()
            if not 1 <= step <= len(path):
                raise UsageError(f"label: there is no step {step} on this path of {len(path)}.")
            step = path[step - 1].id
        value = _text(arguments, "value")
        self._recorder.record(Labelled(step=step, key=key, value=value, author=author))

    async def _amend(self, author: str, arguments: Arguments) -> None:
        change = Change.of(arguments)
        recorder = self._recorder
        recorder.record(amendment(recorder.session.blobs, recorder.state, change, author))


def _text(arguments: Arguments, key: str) -> str | None:
    value = arguments.get(key)
    if value is None or isinstance(value, str):
        return value
    raise UsageError(f"`{key}`: expected a text.")


def _number(arguments: Arguments, key: str) -> int | None:
    value = arguments.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise UsageError(f"`{key}`: expected a number above 0.")
    return int(value) or 1


def _object(value: Any) -> Arguments:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise UsageError(f"`arguments`: not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError("`arguments`: expected a JSON object.")
    return value
