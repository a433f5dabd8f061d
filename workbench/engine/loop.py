"""The agent loop (omnicoding-format 3): propose, gate, run, observe, until the task is done.

The loop keeps nothing of its own that a restart would lose: each round begins from the folded
state, so a session goes on after a crash, a rewind or a fork exactly where its log stands.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from workbench.engine import observation
from workbench.engine.gate import POLICY, Gate, Verdict
from workbench.engine.prompts import (
    CONTINUE_REMINDER,
    MISSING_ANSWER_REMINDER,
    SHORTEN_REMINDER,
)
from workbench.engine.recorder import Recorder
from workbench.engine.tools import Command, Tools
from workbench.engine.turns import Turns
from workbench.events import Decided, ExitReason, Finished, Message, Observed, Prompted
from workbench.models.base import ModelError, Provider
from workbench.session.steps import ActionState, StepState
from workbench.trajectory.parse import parse_turn

REMINDERS: dict[Provider, int] = {"qwen": 10, "openai": 2, "anthropic": 2}
"""How many turns in a row without a call are reminded of (K18); 4 for other providers."""
TRUNCATIONS = 2
"""How many cut-off replies in a row end the session (K32)."""
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the loop ended; `error` is a sentence where the reason is `error`."""

    reason: ExitReason
    error: str | None = None


@dataclass(slots=True)
class _Turn:
    """What came of the calls of one turn so far, by call position."""

    results: list[str]
    own_replies: dict[int, str]
    pictures: list[Message]
    notes: list[str]
    is_finish_accepted: bool = False
    reminded: int | None = None
    """Position of the reply that carries the reminder of a missing answer."""


class Loop:
    """Drives one session from its state to its end."""

    def __init__(
        self,
        recorder: Recorder,
        turns: Turns,
        gate: Gate,
        tools: Tools,
        provider: Provider,
        settle: Callable[[StepState, ActionState], Awaitable[None]],
        step_ended: Callable[[StepState], Awaitable[None]],
    ) -> None:
        self._recorder = recorder
        self._turns = turns
        self._gate = gate
        self._tools = tools
        self._provider = provider
        self._settle = settle
        self._step_ended = step_ended
        self._human_turns: deque[tuple[Message, str]] = deque()
        self._call: asyncio.Task[StepState] | None = None
        self._again: StepState | None = None

    def queue_human_turn(self, message: Message, author: str) -> None:
        """Let a person act in the agent's place at the next step."""
        self._human_turns.append((message, author))

    def propose_again(self, earlier: StepState) -> None:
        """Begin with an earlier proposal, held, instead of a model call."""
        self._again = earlier

    def interrupt_model(self) -> bool:
        """Cut a model call that is under way; returns whether there was one."""
        return self._call is not None and self._call.cancel()

    async def run(self) -> Ending:
        """Go on until the session ends."""
        try:
            while True:
                ending = await self._unfinished_step() or await self._next_step()
                if ending is not None:
                    return ending
        except ModelError as error:
            return Ending("error", str(error))

    async def _unfinished_step(self) -> Ending | None:
        """A step that an earlier engine left behind its proposal is carried out first."""
        state = self._recorder.state
        leaf = state.steps.get(state.leaf) if state.leaf is not None else None
        if leaf is None or leaf.message is None or leaf.phase == "done":
            return None
        ending = await self._carry_out(leaf)
        await self._step_ended(leaf)
        return ending

    async def _next_step(self) -> Ending | None:
        if (ending := self._limit()) is not None:
            return ending
        await self._gate.before_step()
        self._deliver_between_steps()
        if self._again is not None:
            step, self._again = self._turns.propose_again(self._again), None
            self._gate.hold_next(f"Proposed again: you went back to before step {step.n}.")
        elif self._human_turns:
            step = self._turns.human_turn(*self._human_turns.popleft())
        else:
            proposed = await self._propose()
            if proposed is None:
                return None
            step = proposed
        ending = await self._carry_out(step)
        await self._step_ended(step)
        self._gate.after_step()
        return ending

    async def _propose(self) -> StepState | None:
        """The model's turn; None when a person cut the call."""
        self._call = asyncio.create_task(self._turns.next_turn())
        try:
            return await self._call
        except asyncio.CancelledError:
            if not self._call.cancelled() or asyncio.current_task().cancelling():  # type: ignore[union-attr]
                self._call.cancel()
                raise
            return None
        finally:
            self._call = None

    def _limit(self) -> Ending | None:
        """Whether a limit of the session is reached."""
        state = self._recorder.state
        assert state.created is not None
        limits = state.created.limits
        totals = state.totals()
        path = state.path()
        if limits.steps is not None and len(path) >= limits.steps:
            return Ending("step_limit")
        active_s = sum(
            step.latency_s + sum(action.duration_s or 0.0 for action in step.actions)
            for step in path
        )
        tokens = totals.prompt_tokens + totals.completion_tokens
        for name, limit, spent in (
            ("seconds", limits.seconds, active_s),
            ("tokens", limits.tokens, tokens),
            ("cost", limits.cost_usd, totals.cost_usd or 0.0),
        ):
            if limit is not None and spent >= limit:
                return Ending("limit", f"The limit of {name} is reached: {spent:g} of {limit:g}.")
        return None

    # --- messages of the person ---------------------------------------------------------------

    def _undelivered(self) -> tuple[list[str], list[int]]:
        waiting = [said for said in self._recorder.state.said if not said.delivered]
        return [said.text for said in waiting], [said.seq for said in waiting]

    def _deliver_between_steps(self) -> None:
        """Put what was said since the last observation into it: the model has not seen it yet."""
        notes, carried = self._undelivered()
        if not notes:
            return
        state = self._recorder.state
        leaf = state.steps.get(state.leaf) if state.leaf is not None else None
        if leaf is None:
            messages = observation.notes_after_prompt(state.prompt, notes)
            self._recorder.record(Prompted(messages=messages, carries=carried))
        else:
            messages = observation.with_notes(leaf.observed, notes)
            self._observe(leaf, messages, carried, replaces=True)

    def _observe(
        self,
        step: StepState,
        messages: list[Message],
        carried: list[int],
        *,
        replaces: bool = False,
    ) -> None:
        self._recorder.record(
            Observed(step=step.id, messages=messages, carries=carried, replaces=replaces)
        )

    # --- one turn -----------------------------------------------------------------------------

    async def _carry_out(self, step: StepState) -> Ending | None:
        """Gate and run the actions of a proposed step, and observe what came of them."""
        if not step.actions:
            return self._remind(step)
        turn = _Turn([], {}, [], [])
        runnable = self._runnable(step)
        for position, action in enumerate(step.actions):
            if action.tool == "task_complete" and position in runnable:
                continue
            if position in runnable:
                await self._act(step, position, action, turn)
            elif action.tool in ("execute_commands", "image_read") and action.decision is None:
                self._pass_over(step, action)
        for position, action in enumerate(step.actions):
            if action.tool == "task_complete" and position in runnable:
                alone = len(runnable) == 1
                await self._finish_gate(step, position, action, turn, alone=alone)
        notes, carried = self._undelivered()
        if notes:
            turn.is_finish_accepted = False
        replies = observation.tool_replies(
            [action.call_id for action in step.actions],
            turn.results,
            turn.own_replies,
            step.warnings,
        )
        if turn.reminded is not None:
            replies[turn.reminded]["_reminder"] = "missing_answer"
        replies = observation.with_notes(replies, [*turn.notes, *notes])
        self._observe(step, [*replies, *turn.pictures], carried)
        return Ending("task_complete") if turn.is_finish_accepted else None

    def _runnable(self, step: StepState) -> list[int]:
        """Positions of the calls that are carried out (K6 to K10)."""
        valid = [
            position
            for position, action in enumerate(step.actions)
            if _commands(action) or _picture(action) or action.tool == "task_complete"
        ]
        pictures = [p for p in valid if step.actions[p].tool == "image_read"]
        if not pictures:
            return valid
        finishes = [p for p in valid if step.actions[p].tool == "task_complete"]
        return [pictures[0], *finishes]

    def _pass_over(self, step: StepState, action: ActionState) -> None:
        self._recorder.record(
            Decided(
                step=step.id,
                action=action.id,
                decision="skip",
                author=POLICY,
                digest=action.digest,
                arguments=action.arguments,
                note="Not run: one picture, or a valid call, is carried out in a turn.",
            )
        )

    async def _act(self, step: StepState, position: int, action: ActionState, turn: _Turn) -> None:
        if action.phase in ("running", "done"):
            turn.results.append(self._left_behind(step, action))
            return
        if action.phase not in ("rejected", "skipped"):
            verdict = await self._gate.judge(step, action)
            self._take_note(verdict, turn)
        if action.phase == "rejected":
            note = f": {action.note}" if action.note else "."
            turn.own_replies[position] = f"The operator rejected this call; it was not run{note}"
        elif action.phase == "skipped":
            turn.own_replies[position] = "The operator skipped this call; it was not run."
        else:
            await self._run(step, action, turn)
        await self._settle(step, action)

    def _take_note(self, verdict: Verdict, turn: _Turn) -> None:
        if verdict.note and verdict.decision in ("approve", "edit", "replace"):
            turn.notes.append(verdict.note)

    async def _run(self, step: StepState, action: ActionState, turn: _Turn) -> None:
        if path := _picture(action):
            reply, picture = await self._tools.read_image(step, path)
            turn.results.append(reply)
            if picture is not None:
                turn.pictures.append(picture)
            return
        output = await self._tools.run_commands(step, action, _commands(action))
        turn.results.append(output)
        self._gate.check_result(step, action, output)

    def _left_behind(self, step: StepState, action: ActionState) -> str:
        """The reply for a command that an earlier engine began and did not answer."""
        if action.phase == "running":
            self._recorder.record(
                Finished(
                    step=step.id,
                    action=action.id,
                    exit_code=None,
                    duration_s=action.known_to_run_s,
                    killed="engine lost",
                    output_blob=self._tools.keep_output(action),
                    output_bytes=action.output_bytes,
                )
            )
        text = "".join(action.output_text)
        cut = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{cut}[!] The command was interrupted: the session's engine ended meanwhile."

    # --- finishing ----------------------------------------------------------------------------

    async def _finish_gate(
        self, step: StepState, position: int, action: ActionState, turn: _Turn, *, alone: bool
    ) -> None:
        """K20 as amended in 10.7: the reminder goes into the reply, so that the run trains."""
        if action.phase in ("proposed", "held", "approved"):
            verdict = await self._gate.judge(step, action)
            self._take_note(verdict, turn)
        if action.decision in ("reject", "skip"):
            note = action.note or "go on with the task"
            turn.own_replies[position] = f"The operator does not accept the end yet: {note}"
            return
        if alone:
            listing = Command("pwd && ls", 1.0)
            turn.results.append(await self._tools.run_commands(step, action, [listing]))
        if self._has_answer() or self._was_reminded():
            turn.is_finish_accepted = not turn.notes
        else:
            turn.own_replies[position] = MISSING_ANSWER_REMINDER
            turn.reminded = position

    def _has_answer(self) -> bool:
        return any(
            _ANSWER.search(text) and any(found.strip() for found in _ANSWER.findall(text))
            for text in _agent_texts(self._recorder.state.conversation())
        )

    def _was_reminded(self) -> bool:
        return any(
            message.get("_reminder") == "missing_answer"
            for message in self._recorder.state.conversation()
        )

    def _remind(self, step: StepState) -> Ending | None:
        """A turn without calls: remind, or end when the budget is used up (K18, K32)."""
        path = self._recorder.state.path()
        truncated = bool(step.message and step.message.get("_synthetic_truncated"))
        streak = _streak(path, lambda one: not one.actions)
        notes, carried = self._undelivered()
        if truncated:
            cut = _streak(path, lambda one: bool((one.message or {}).get("_synthetic_truncated")))
            if cut >= TRUNCATIONS:
                self._observe(step, [], [])
                return Ending("error", "The model's reply was cut off for its length twice.")
            reminder = {"role": "user", "content": SHORTEN_REMINDER, "_reminder": "truncated"}
        elif streak > REMINDERS.get(self._provider, 4) and not notes:
            self._observe(step, [], [])
            return Ending("no_tool_calls")
        else:
            reminder = {"role": "user", "content": CONTINUE_REMINDER, "_reminder": "no_tool_calls"}
        self._observe(step, observation.with_notes([reminder], notes), carried)
        return None


def final_answer(messages: list[Message]) -> str | None:
    """The last answer that an assistant gave in tags, None if there is none."""
    answers = [
        found.strip()
        for message in messages
        if message["role"] == "assistant"
        for text in (message.get("reasoning_content"), message.get("content"))
        if isinstance(text, str)
        for found in _ANSWER.findall(text)
    ]
    return next((answer for answer in reversed(answers) if answer), None)


def _agent_texts(messages: list[Message]) -> list[str]:
    """Assistant text, reasoning and tool replies: where an answer may stand (K20)."""
    return [
        text
        for message in messages
        if message["role"] in ("assistant", "tool")
        for text in (message.get("content"), message.get("reasoning_content"))
        if isinstance(text, str)
    ]


def _streak(path: list[StepState], condition: Callable[[StepState], bool]) -> int:
    """How many steps at the end of the path fulfil the condition."""
    count = 0
    for step in reversed(path):
        if not condition(step):
            break
        count += 1
    return count


def _single(action: ActionState) -> Any:
    """The action parsed alone, with the arguments as they were decided."""
    call = {
        "id": action.call_id,
        "type": "function",
        "function": {"name": action.tool, "arguments": json.dumps(action.arguments)},
    }
    return parse_turn({"role": "assistant", "content": "", "tool_calls": [call]})


def _commands(action: ActionState) -> list[Command]:
    """The commands of an `execute_commands` action; empty when it has none."""
    return [Command(found.keystrokes, found.duration_s) for found in _single(action).commands]


def _picture(action: ActionState) -> str | None:
    """The path of a valid `image_read` action."""
    request = _single(action).image_read
    return str(request.file_path) if request is not None else None
