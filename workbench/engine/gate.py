"""The gate: what stands between a proposal and its execution.

One state machine with one owner. Whether it holds is decided from the fold's `control`; what a
person decides arrives through `decide`. What runs is exactly what was approved: a decision may name
the digest of the action that the person saw, and a stale one is refused.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from workbench.engine import breakpoints, risk
from workbench.engine.recorder import Recorder
from workbench.errors import WorkbenchError
from workbench.events import (
    Decided,
    Decision,
    Held,
    Mode,
    ModeChanged,
    Noted,
    Paused,
    Resumed,
    Risk,
)
from workbench.session.steps import ActionState, StepState

POLICY = "policy"
"""Author of a decision that no person took."""


class GateError(WorkbenchError):
    """A decision that does not fit what is held; the sentence says why."""


def digest(tool: str, arguments: dict[str, Any]) -> str:
    """16 hex digits that name exactly this call."""
    canonical = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a person, or the policy, decided."""

    decision: Decision
    author: str = POLICY
    arguments: dict[str, Any] | None = None
    tool: str | None = None
    note: str | None = None


class Gate:
    """Holds proposals for a person and lets the others pass."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._pending: tuple[ActionState, asyncio.Future[Verdict]] | None = None
        self._steps_left: int | None = None
        self._hold_next: str | None = None

    # --- the loop's side ----------------------------------------------------------------------

    async def before_step(self) -> None:
        """Return when the next model call may begin."""
        control = self._recorder.state.control
        if control.paused is None and self._must_stop():
            self._recorder.record(Paused(scope="after_step", author=POLICY))
        await self._recorder.wait_until(lambda state: state.control.paused is None)

    def _must_stop(self) -> bool:
        if self._steps_left is None:
            return self._recorder.state.control.mode == "step"
        return self._steps_left <= 0

    def after_step(self) -> None:
        """A step ended: count it against a bounded resume."""
        if self._steps_left is not None:
            self._steps_left -= 1

    async def judge(self, step: StepState, action: ActionState) -> Verdict:
        """The decision about `action`, recorded; waits for a person where something holds it."""
        await self._recorder.wait_until(
            lambda state: state.control.paused not in ("freeze", "interrupt")
        )
        reasons, risks = self._reasons(step, action)
        if reasons:
            verdict = await self._hold(step, action, reasons, risks)
        else:
            verdict = Verdict("approve")
        self._record(step, action, verdict)
        return verdict

    def _record(self, step: StepState, action: ActionState, verdict: Verdict) -> None:
        arguments = action.arguments if verdict.arguments is None else verdict.arguments
        tool = verdict.tool or action.tool
        changed = arguments != action.arguments or tool != action.tool
        self._recorder.record(
            Decided(
                step=step.id,
                action=action.id,
                decision=verdict.decision,
                author=verdict.author,
                digest=digest(tool, arguments),
                arguments=arguments,
                original=action.arguments if changed else None,
                tool=verdict.tool,
                note=verdict.note,
            )
        )

    async def _hold(
        self, step: StepState, action: ActionState, reasons: list[str], risks: list[Risk]
    ) -> Verdict:
        future: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._pending = (action, future)
        self._recorder.record(Held(step=step.id, action=action.id, reasons=reasons, risks=risks))
        try:
            return await future
        finally:
            self._pending = None

    def _reasons(self, step: StepState, action: ActionState) -> tuple[list[str], list[Risk]]:
        """Why a person must see the action first, as sentences; and its risks."""
        risks = risk.judge(action.tool, action.arguments)
        if action.author != "model":
            return [], risks
        control = self._recorder.state.control
        forced, self._hold_next = self._hold_next, None
        reasons = [forced] if forced else []
        reasons += [
            f"Breakpoint: {rule.expression}"
            for rule in map(breakpoints.parse, control.breakpoints)
            if not rule.is_about_result and rule.matches(self._facts(step, action))
        ]
        if control.mode == "risky":
            reasons += [found.reason for found in risks if found.level != "low"]
        elif control.mode in ("review", "step"):
            reasons.append(f"Mode {control.mode}: every action waits for you.")
        return reasons, risks

    def _facts(self, step: StepState, action: ActionState) -> dict[str, Any]:
        totals = self._recorder.state.totals()
        return {
            "tool": action.tool,
            "command": action.arguments.get("keystrokes"),
            "path": action.arguments.get("file_path"),
            "step": step.n,
            "tokens": totals.prompt_tokens + totals.completion_tokens,
            "cost": totals.cost_usd,
        }

    def hold_next(self, reason: str) -> None:
        """Hold the next action whatever the mode."""
        self._hold_next = reason

    def check_result(self, step: StepState, action: ActionState, output: str) -> None:
        """Pause after this step where a breakpoint is about what the command gave."""
        facts = {"output": output, "exit": action.exit_code}
        for rule in map(breakpoints.parse, self._recorder.state.control.breakpoints):
            if rule.is_about_result and rule.matches(facts):
                text = f"Breakpoint after step {step.n}: {rule.expression}"
                self._recorder.record(Noted(step=step.id, level="info", text=text))
                self._recorder.record(Paused(scope="after_step", author=POLICY))
                return

    # --- the person's side --------------------------------------------------------------------

    def resume(self, author: str, steps: int | None) -> None:
        """Go on, for `steps` steps; in mode `step` for one where none are named."""
        mode = self._recorder.state.control.mode
        self._steps_left = 1 if steps is None and mode == "step" else steps
        self._recorder.record(Resumed(author=author, steps=self._steps_left))

    def set_mode(self, mode: Mode, author: str) -> None:
        """Change when the gate holds; what is held already stays held."""
        self._steps_left = None
        self._recorder.record(ModeChanged(mode=mode, author=author))

    @property
    def pending(self) -> ActionState | None:
        """The action that waits for a decision."""
        return self._pending[0] if self._pending else None

    def decide(self, verdict: Verdict, action: str | None, seen_digest: str | None) -> None:
        """Decide about the held action.

        Args:
            verdict: the decision; `arguments` are those that will run for edit and replace.
            action: the action that the person means, None for the one that is held.
            seen_digest: digest of what the person saw, None not to check.

        Raises:
            GateError: if nothing is held, or something else than the person saw.
        """
        if self._pending is None or self._pending[1].done():
            raise GateError(f"Nothing is held: the session is {self._recorder.state.status}.")
        held, future = self._pending
        if action is not None and action != held.id:
            raise GateError(f"Action {action} was decided already; {held.id} is held now.")
        if seen_digest is not None and seen_digest != held.digest:
            raise GateError("What is held is not what you saw; look at it again, then decide.")
        future.set_result(verdict)
