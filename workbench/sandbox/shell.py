"""One persistent bash behind a link: one command at a time, each with a clock and a certain end."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable

from workbench.sandbox.base import CommandResult
from workbench.sandbox.clock import CommandClock
from workbench.sandbox.inside import wire
from workbench.sandbox.link import Ended, Link
from workbench.sandbox.names import printable
from workbench.sandbox.notes import notes

UNANSWERED_S = 15.0
"""A supervisor that has not ended a command so long after it was told to is given up."""


class Shell:
    """Runs commands over `link` and can end the one that runs.

    Cancelling `run` ends the command first; an `on_output` that raises does the same.
    """

    def __init__(self, link: Link, thaw: Callable[[], Awaitable[None]]) -> None:
        """Take over a link.

        Args:
            link: its shell is up.
            thaw: called before a command is killed: what is frozen cannot die.
        """
        self._link = link
        self._thaw = thaw
        self._turn = asyncio.Lock()
        self._clock: CommandClock | None = None
        self._is_clock_held = False
        self._action: str | None = None
        self._reason: str | None = None
        self._killer: asyncio.Task[None] | None = None
        self.cwd = link.cwd
        """Where the shell stands, as the kernel names it."""

    def hold_clock(self) -> None:
        """Stop the clock of the running command, and of any that starts before `release_clock`."""
        self._is_clock_held = True
        if self._clock is not None:
            self._clock.stop()

    def release_clock(self) -> None:
        """Let the clock go on."""
        self._is_clock_held = False
        if self._clock is not None:
            self._clock.go()

    async def run(
        self, command: str, timeout_s: float, on_output: Callable[[bytes], None]
    ) -> CommandResult:
        """Run one command; see `Sandbox.run`.

        Raises:
            LinkLost: if the supervisor dies meanwhile; nothing of the sandbox runs then.
        """
        async with self._turn:
            self._action = secrets.token_hex(wire.ACTION_LENGTH // 2)
            self._reason = None
            clock = self._clock = CommandClock(timeout_s, lambda: self.kill("timeout"))
            sink = _Sink(on_output, lambda: self.kill("output refused"))
            work = asyncio.create_task(self._link.run(self._action, command, sink.feed))
            if not self._is_clock_held:
                clock.go()
            try:
                ended = await self._outcome(work)
            finally:
                clock.stop()
                self._action = self._clock = None
                if self._killer is not None:
                    self._killer.cancel()
                    self._killer = None
            self.cwd = ended.cwd
            if sink.error is not None:
                raise sink.error
            return self._result(ended, clock.elapsed_s)

    def kill(self, reason: str) -> bool:
        """End the running command for this reason; returns whether there was one."""
        if self._action is None:
            return False
        if self._reason is None:
            self._reason = reason
            self._killer = asyncio.create_task(self._kill(self._action))
        return True

    def close(self) -> None:
        """Hang up; the supervisor ends everything."""
        self._link.close()

    async def _kill(self, action: str) -> None:
        await self._thaw()
        self._link.kill(action)
        await asyncio.sleep(UNANSWERED_S)
        self._link.close()  # it was stopped, or is not itself any more

    async def _outcome(self, work: asyncio.Task[Ended]) -> Ended:
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self.kill("cancelled")
            await _finish(work)
            raise

    def _result(self, ended: Ended, duration_s: float) -> CommandResult:
        was_killed = ended.killed and self._reason is not None
        killed = self._reason if was_killed else "shell died" if ended.shell is not None else None
        code = ended.shell if ended.shell is not None and ended.shell >= 0 else ended.code
        return CommandResult(
            exit_code=None if was_killed else code,
            duration_s=duration_s,
            cwd=printable(ended.cwd),
            timed_out=killed == "timeout",
            killed=killed,
            cpu_s=ended.cpu_s,
            peak_memory_bytes=ended.peak_bytes,
            notes=notes(ended, killed),
        )


class _Sink:
    """Hands output over until that fails once."""

    def __init__(self, on_output: Callable[[bytes], None], on_failure: Callable[[], object]):
        self._on_output = on_output
        self._on_failure = on_failure
        self.error: Exception | None = None

    def feed(self, chunk: bytes) -> None:
        if self.error is not None:
            return
        try:
            self._on_output(chunk)
        except Exception as error:  # raised again by `Shell.run` once the command is dead
            self.error = error
            self._on_failure()


async def _finish(work: asyncio.Task[Ended]) -> None:
    """Wait for a command that is being killed, whatever else is asked of us meanwhile."""
    while not work.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({work})
