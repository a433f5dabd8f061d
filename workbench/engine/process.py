"""One engine process for each live session: the wiring.

This is the only place that picks a sandbox and a model. A session runs in rounds: a round has a
sandbox, a bridge, a watcher and a loop of its own; a rewind ends it and begins the next.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from workbench.engine.commands import Answer, Arguments, Commands
from workbench.engine.control import ControlServer
from workbench.engine.evidence import Evidence
from workbench.engine.gate import Gate
from workbench.engine.launch import Launch, read_launch
from workbench.engine.loop import Ending, Loop, final_answer
from workbench.engine.opening import record_opening, stage_inputs
from workbench.engine.recorder import Recorder
from workbench.engine.rewind import Rewind, RewindRequest, listed
from workbench.engine.shell_state import restore_shell
from workbench.engine.snapshots import SnapshotKeeper
from workbench.engine.tools import Tools
from workbench.engine.turns import Turns
from workbench.errors import WorkbenchError
from workbench.events import Closed, EngineStarted, Noted
from workbench.media.transcribe import Transcriber
from workbench.models.base import Model
from workbench.models.spec import ModelOptions, make_model
from workbench.sandbox.base import Sandbox, SandboxConfig
from workbench.sandbox.bridge import Bridge
from workbench.sandbox.choose import make_sandbox
from workbench.sandbox.owner import this_process
from workbench.sandbox.watch import Watcher
from workbench.session.lease import Lease
from workbench.session.store import SessionDir, Store

IDLE_S = 30.0
"""How long the engine of a closed session waits for a command that opens it again."""


class Engine:
    """Runs one session from its log to its end."""

    def __init__(self, session: SessionDir, launch: Launch) -> None:
        self._session = session
        self._launch = launch
        self._recorder = Recorder(session)
        self._stopped_by: Ending | None = None
        self._work: asyncio.Task[Ending] | None = None
        self._commands: Commands | None = None
        self._rewind: Rewind | None = None
        self._shell: bytes | None = None

    async def run(self) -> None:
        """Bring everything up, run the loop, and take everything down again."""
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._recorder.close)
            await self._listen(stack)
            if self._recorder.state.closed is not None and not await self._is_reopened():
                return
            ending = await self._rounds()
            answer = final_answer(self._recorder.state.conversation())
            self._recorder.record(
                Closed(exit_reason=ending.reason, answer=answer, error=ending.error)
            )

    async def _rounds(self) -> Ending:
        while True:
            if self._rewind is not None:
                try:
                    self._shell = await self._rewind.apply()
                except (OSError, WorkbenchError) as error:
                    return Ending("error", f"The files could not be put back: {error}")
            again, self._rewind = self._rewind, None
            ending = await self._round(again)
            if self._rewind is None:
                return ending

    async def _round(self, again: Rewind | None) -> Ending:
        """One sandbox and one loop, until the session ends or goes back."""
        try:
            async with contextlib.AsyncExitStack() as stack:
                loop = await self._bring_up(stack)
                if again is not None and again.pending is not None:
                    loop.propose_again(again.pending)
                self._work = asyncio.create_task(loop.run())
                if self._stopped_by is not None:
                    self._work.cancel()
                return await self._work
        except asyncio.CancelledError:
            return self._stopped_by or Ending("interrupted")
        except WorkbenchError as error:
            return Ending("error", str(error))
        except Exception as error:  # the engine's edge: logged, and shown on every screen
            traceback.print_exc()
            return Ending("error", f"{type(error).__name__}: {error} (see engine.log)")
        finally:
            self._work = self._commands = None

    async def _bring_up(self, stack: contextlib.AsyncExitStack) -> Loop:
        recorder, session = self._recorder, self._session
        is_new = recorder.state.created is None
        model = self._make_model()
        stack.push_async_callback(model.close)
        if is_new:
            folder = Path(self._launch.task_folder)
            await asyncio.to_thread(stage_inputs, self._launch.task, folder, session.inputs)
        sandbox = make_sandbox(self._launch.sandbox, _sandbox_config(session, self._launch))
        if is_new:
            record_opening(recorder, self._launch, model, sandbox.info)
        watcher = Watcher(session.workspace, session.tmp)
        evidence = Evidence(recorder, sandbox, watcher)
        gate = Gate(recorder)
        keeper = SnapshotKeeper(recorder, sandbox)
        loop = Loop(
            recorder,
            Turns(recorder, model),
            gate,
            Tools(recorder, sandbox),
            model.provider,
            evidence.settle,
            keeper.after_step,
        )
        stop = self._stopper(Ending("stopped"))
        self._commands = Commands(recorder, gate, loop, sandbox, model, stop, self._go_back)
        await self._open_bridge(stack, sandbox, evidence)
        stack.push_async_callback(sandbox.stop)
        await sandbox.start()
        await self._restore_shell(sandbox)
        self._record_start(sandbox, is_new)
        await keeper.at_start()
        watcher.on_changes = evidence.on_changes
        await watcher.start()
        stack.push_async_callback(watcher.stop)
        return loop

    def _make_model(self) -> Model:
        options = ModelOptions(
            temperature=self._launch.temperature, reasoning_effort=self._launch.reasoning_effort
        )
        return make_model(self._launch.model, base_url=self._launch.base_url, options=options)

    async def _open_bridge(
        self, stack: contextlib.AsyncExitStack, sandbox: Sandbox, evidence: Evidence
    ) -> None:
        transcriber = Transcriber(cache=self._session.blobs.folder.parent / "transcripts")
        stack.push_async_callback(transcriber.close)
        bridge = Bridge(self._session.bridge, sandbox.to_host, transcriber, evidence.on_heard)
        await bridge.start()
        stack.push_async_callback(bridge.close)

    async def _restore_shell(self, sandbox: Sandbox) -> None:
        """A new shell begins where the last snapshot of the path left the old one."""
        script, self._shell = self._shell, None
        snapshots = [step.snapshot for step in self._recorder.state.path() if step.snapshot]
        if script is None and snapshots and snapshots[-1].shell is not None:
            script = self._session.blobs.get(snapshots[-1].shell)
        if script is not None:
            await restore_shell(sandbox, script)

    def _record_start(self, sandbox: Sandbox, is_new: bool) -> None:
        engine = self._recorder.state.engine
        is_ours = is_new or (engine is not None and engine.pid == os.getpid())
        repaired = [] if is_ours else _repairs(self._recorder)
        self._recorder.record(
            EngineStarted(
                pid=os.getpid(),
                host=socket.gethostname(),
                sandbox=sandbox.info,
                repaired=repaired,
            )
        )
        for sentence in repaired:
            self._recorder.record(Noted(level="warning", text=sentence))
        if sandbox.info.warning:
            self._recorder.record(Noted(level="warning", text=sandbox.info.warning))

    # --- control ------------------------------------------------------------------------------

    async def _listen(self, stack: contextlib.AsyncExitStack) -> None:
        server = ControlServer(self._session.control, self._handle)
        await server.start()
        stack.push_async_callback(server.close)
        running = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            running.add_signal_handler(number, self._stopper(Ending("interrupted")))
        running.add_signal_handler(signal.SIGHUP, lambda: None)

    async def _handle(self, command: str, author: str, arguments: Arguments) -> Answer:
        if self._commands is not None:
            return await self._commands.handle(command, author, arguments)
        if command == "status":
            return {"seq": self._recorder.state.seq, "status": self._recorder.state.status}
        if command == "stop":
            self._stopper(Ending("stopped"))()
            return {"seq": self._recorder.state.seq}
        if command == "rewind" and self._recorder.state.closed is not None:
            step = arguments.get("step")
            request = RewindRequest(
                step if isinstance(step, int) else -1, bool(arguments.get("before")), author
            )
            return await self._go_back(request, bool(arguments.get("preview")))
        raise WorkbenchError(
            f"The session is {self._recorder.state.status}; try again in a moment."
        )

    def _stopper(self, ending: Ending) -> Callable[[], None]:
        def stop() -> None:
            self._stopped_by = ending
            if self._work is not None:
                self._work.cancel()

        return stop

    async def _go_back(self, request: RewindRequest, preview: bool) -> Answer:
        """Check a rewind; unless it is only shown, end the round, so that the next begins there."""
        rewind = Rewind(self._recorder, request)
        changes = await asyncio.to_thread(rewind.changes)
        seq = self._recorder.state.seq
        answer: Answer = {"seq": seq, "changes": listed(changes), "n_changes": len(changes)}
        if preview:
            return answer
        branches = len(self._recorder.state.branches)
        self._rewind = rewind
        if self._work is not None:
            self._work.cancel()
        await self._recorder.wait_until(lambda state: len(state.branches) > branches)
        return {**answer, "branch": self._recorder.state.branch, "seq": self._recorder.state.seq}

    async def _is_reopened(self) -> bool:
        """Wait for a command that opens a closed session again."""
        deadline = asyncio.get_running_loop().time() + IDLE_S
        while asyncio.get_running_loop().time() < deadline and self._stopped_by is None:
            if self._rewind is not None:
                return True
            await asyncio.sleep(0.02)
        return False


def _repairs(recorder: Recorder) -> list[str]:
    """What an earlier engine left unfinished, as sentences."""
    state = recorder.state
    sentences = ["The session's engine was started again; the shell is a new process."]
    if recorder.torn_bytes:
        sentences.append(f"A torn last line of {recorder.torn_bytes} bytes was dropped.")
    leaf = state.steps.get(state.leaf) if state.leaf is not None else None
    if leaf is not None and leaf.message is None:
        sentences.append(f"Step {leaf.n}: the model call had not ended; it is made again.")
    elif leaf is not None and leaf.phase != "done":
        running = [action for action in leaf.actions if action.phase == "running"]
        waiting = [action for action in leaf.actions if action.phase in ("proposed", "held")]
        if running:
            sentences.append(f"Step {leaf.n}: its command was cut off; the agent is told.")
        if waiting:
            sentences.append(f"Step {leaf.n}: what was proposed is proposed again.")
    return sentences


def _sandbox_config(session: SessionDir, launch: Launch) -> SandboxConfig:
    spec = launch.task.sandbox
    return SandboxConfig(
        session_id=session.id,
        owner=this_process(),
        workspace=session.workspace,
        tmp=session.tmp,
        inputs=session.inputs,
        bridge=session.bridge,
        network=spec.network,
        memory=spec.memory,
        cpus=spec.cpus,
        pids=spec.pids,
        image=spec.image,
    )


def main(folder: str) -> int:
    """Run the engine of the session in `folder` until the session ends."""
    path = Path(folder)
    session = SessionDir(path, Store(path.parent.parent).blobs)
    try:
        lease = Lease.acquire(session.lease)
        launch = read_launch(session)
        gc.freeze()
        asyncio.run(Engine(session, launch).run())
        lease.release()
    except WorkbenchError as error:
        print(error, file=sys.stderr)  # noqa: T201 - this process's stderr is engine.log
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
