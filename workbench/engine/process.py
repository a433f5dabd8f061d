"""One engine process for each live session: the wiring.

This is the only place that picks a sandbox and a model.
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

from workbench.engine.commands import Commands
from workbench.engine.control import ControlServer
from workbench.engine.evidence import Evidence
from workbench.engine.gate import Gate
from workbench.engine.launch import Launch, read_launch
from workbench.engine.loop import Ending, Loop, final_answer
from workbench.engine.opening import record_opening, stage_inputs
from workbench.engine.recorder import Recorder
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
from workbench.sandbox.watch import Watcher
from workbench.session.lease import Lease
from workbench.session.store import SessionDir, Store


class Engine:
    """Runs one session from its log to its end."""

    def __init__(self, session: SessionDir, launch: Launch) -> None:
        self._session = session
        self._launch = launch
        self._recorder = Recorder(session)
        self._stopped_by: Ending | None = None
        self._work: asyncio.Task[Ending] | None = None

    async def run(self) -> None:
        """Bring everything up, run the loop, and take everything down again."""
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._recorder.close)
            ending = await self._run(stack)
            self._close(ending)

    async def _run(self, stack: contextlib.AsyncExitStack) -> Ending:
        try:
            loop = await self._bring_up(stack)
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

    async def _bring_up(self, stack: contextlib.AsyncExitStack) -> Loop:
        recorder, launch, session = self._recorder, self._launch, self._session
        is_new = recorder.state.created is None
        options = ModelOptions(
            temperature=launch.temperature, reasoning_effort=launch.reasoning_effort
        )
        model = make_model(launch.model, base_url=launch.base_url, options=options)
        stack.push_async_callback(model.close)
        if is_new:
            folder = Path(launch.task_folder)
            await asyncio.to_thread(stage_inputs, launch.task, folder, session.inputs)
        sandbox = make_sandbox(launch.sandbox, _sandbox_config(session, launch))
        if is_new:
            record_opening(recorder, launch, model, sandbox.info)
        watcher = Watcher(session.workspace, session.tmp)
        evidence = Evidence(recorder, sandbox, watcher)
        gate = Gate(recorder)
        tools = Tools(recorder, sandbox)
        loop = Loop(
            recorder,
            Turns(recorder, model),
            gate,
            tools,
            model.provider,
            evidence.settle,
            SnapshotKeeper(recorder).after_step,
        )
        await self._listen(stack, gate, loop, sandbox, model)
        transcriber = Transcriber(cache=session.blobs.folder.parent / "transcripts")
        stack.push_async_callback(transcriber.close)
        bridge = Bridge(session.bridge, sandbox.to_host, transcriber, evidence.on_heard)
        await bridge.start()
        stack.push_async_callback(bridge.close)
        stack.push_async_callback(sandbox.stop)
        await sandbox.start()
        self._record_start(sandbox, is_new)
        watcher.on_changes = evidence.on_changes
        await watcher.start()
        stack.push_async_callback(watcher.stop)
        return loop

    def _record_start(self, sandbox: Sandbox, is_new: bool) -> None:
        repaired = [] if is_new else _repairs(self._recorder)
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

    async def _listen(
        self,
        stack: contextlib.AsyncExitStack,
        gate: Gate,
        loop: Loop,
        sandbox: Sandbox,
        model: Model,
    ) -> None:
        commands = Commands(self._recorder, gate, loop, sandbox, model, self._stopper("stopped"))
        server = ControlServer(self._session.control, commands.handle)
        await server.start()
        stack.push_async_callback(server.close)
        running = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            running.add_signal_handler(number, self._stopper("interrupted"))
        running.add_signal_handler(signal.SIGHUP, lambda: None)

    def _stopper(self, reason: str) -> Callable[[], None]:
        def stop() -> None:
            self._stopped_by = Ending("stopped" if reason == "stopped" else "interrupted")
            if self._work is not None:
                self._work.cancel()

        return stop

    def _close(self, ending: Ending) -> None:
        answer = final_answer(self._recorder.state.conversation())
        self._recorder.record(Closed(exit_reason=ending.reason, answer=answer, error=ending.error))


def _repairs(recorder: Recorder) -> list[str]:
    """What an earlier engine left unfinished, as sentences."""
    state = recorder.state
    sentences = ["The session's engine was started again; the shell is new."]
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
        owner=f"{socket.gethostname()}:{os.getpid()}",
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
