"""The supervisor: runs the commands that the host sends in one bash, and ends them for certain."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import socket
import termios
import time
from typing import Any

from workbench.sandbox.inside import processes, wire
from workbench.sandbox.inside.bash import Bash, hide_from_agents, invite_oom_killer
from workbench.sandbox.inside.channel import Channel
from workbench.sandbox.inside.fence import forbid_user_namespaces
from workbench.sandbox.inside.jobs import Jobs
from workbench.sandbox.inside.usage import Usage, cpu_s

PIPE_BYTES = 1 << 20
BACKLOG_BYTES = 1 << 18
"""What background jobs print between commands is kept up to this much, the newest."""
GRACE_S = 0.02
"""A command that leaves processes behind may still print so long (`> >(tee log)`)."""
TICK_S = 0.01
"""How often a command that is being ended is looked at."""
INTERRUPT_AFTER_S = 0.3
KILL_SHELL_AFTER_S = 1.0
"""A shell that does not drop its command is interrupted, then killed, after so long."""
START_S = 10.0
"""How long a new shell may take to answer."""
UNRESPONSIVE_S = 0.5
"""A shell that has read everything and reports nothing for so long does not run commands."""


class Running:
    """The command under way."""

    def __init__(self, action: str, usage: Usage) -> None:
        self.action = action
        self.usage = usage
        self.began = time.monotonic()
        self.code: int | None = None
        self.shell: int | None = None
        """How the shell ended if the command ended it: its exit code, or minus a signal."""
        self.cpu_s: float | None = None
        self.settles_at: float | None = None
        """When it counts as over; None while it runs."""
        self.killed_at: float | None = None
        self.was_interrupted = False
        self.survivors = 0
        self.was_repaired = False
        self.silent_since: float | None = None


class Supervisor:
    """Serves one connection until it closes; then nothing that it started is left."""

    def __init__(self, channel: Channel, root: str, cwd: str) -> None:
        """Start the first shell.

        Args:
            channel: the host's end is connected.
            root: where a shell starts when its last folder is gone.
            cwd: where the first one starts.
        """
        self._channel = channel
        self._root = root
        self._cwd = cwd
        self._output, self._output_end = os.pipe()
        with contextlib.suppress(OSError):  # the kernel's default will do
            fcntl.fcntl(self._output, 1031, PIPE_BYTES)  # F_SETPIPE_SZ
        os.set_blocking(self._output, False)
        self._wake, wake_end = os.pipe()
        for descriptor in (self._wake, wake_end):
            os.set_blocking(descriptor, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: channel.close())
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        self._backlog = bytearray()
        self._lost_bytes = 0
        self._jobs = Jobs()
        self._running: Running | None = None
        self._idle_shell: int | None = None
        self._shell_cpu_s: float | None = None
        self._polled: tuple[int, bool, int | None] | None = None
        self._poll = select.poll()
        self._bash = self._start_bash()
        channel.post(wire.READY, json.dumps({"cwd": self._cwd}).encode())

    def serve(self) -> None:
        """Work until the host closes the connection."""
        while self._channel.is_open:
            ready = self._wait()
            before = self._running
            if self._channel.has_unsent:
                self._channel.flush()
            if self._channel.fileno() in ready:
                for kind, payload in self._channel.receive():
                    self._obey(kind, payload)
            if self._wake in ready:
                self._reap()
            if self._output in ready:
                self._take_output()
            if self._running is not None and self._running is before:
                self._watch(self._running)
        processes.end_all(self._jobs.family)

    # --- waiting ------------------------------------------------------------------------------

    def _wait(self) -> set[int]:
        wants = select.POLLIN | (select.POLLOUT if self._channel.has_unsent else 0)
        status_fd = None if self._running is None else self._bash.status_fd
        state = (wants, self._channel.is_full, status_fd)
        if state != self._polled:
            self._polled, self._poll = state, self._make_poll(*state)
        poll = self._poll
        return {descriptor for descriptor, _ in poll.poll(self._timeout_ms())}

    def _make_poll(self, wants: int, is_full: bool, status_fd: int | None) -> select.poll:
        poll = select.poll()
        poll.register(self._channel.fileno(), wants)
        poll.register(self._wake, select.POLLIN)
        if not is_full:
            poll.register(self._output, select.POLLIN)
        if status_fd is not None:
            poll.register(status_fd, select.POLLIN)
        return poll

    def _timeout_ms(self) -> int | None:
        running = self._running
        if running is None:
            return None
        if running.killed_at is not None or running.settles_at is not None:
            return int(TICK_S * 1000)
        return max(0, int((running.usage.next_sample - time.monotonic()) * 1000) + 1)

    # --- the host's wishes --------------------------------------------------------------------

    def _obey(self, kind: bytes, payload: bytes) -> None:
        if kind == wire.RUN and self._running is None:
            action = payload[: wire.ACTION_LENGTH].decode()
            self._run(action, payload[wire.ACTION_LENGTH :])
        elif kind == wire.KILL:
            self._kill(payload.decode())

    def _run(self, action: str, command: bytes) -> None:
        if self._backlog:
            self._channel.post(wire.OUTPUT, bytes(self._backlog))
            self._backlog.clear()
        self._jobs.begin(action)
        self._running = Running(action, Usage(self._bash.pid, self._jobs.mine, self._shell_cpu_s))
        self._bash.run(action, command)

    def _kill(self, action: str) -> None:
        """Stop the shell, end all that the command started, then make the shell drop the rest."""
        running = self._running
        if running is None or running.action != action or running.settles_at is not None:
            return
        processes.send(self._bash.pid, signal.SIGSTOP)
        running.survivors = processes.end_all(self._jobs.mine)
        running.killed_at = time.monotonic()
        self._bash.discard()

    # --- the command under way ----------------------------------------------------------------

    def _watch(self, running: Running) -> None:
        if running.settles_at is None:
            self._read_status(running)
        if running.settles_at is None:
            running.usage.sample()
            if running.killed_at is not None:
                self._insist(running, time.monotonic() - running.killed_at)
            else:
                self._check_response(running)
        if running.settles_at is not None and time.monotonic() >= running.settles_at:
            self._finish(running)

    def _read_status(self, running: Running) -> None:
        try:
            code = self._bash.read_status()
        except ValueError:
            running.was_repaired = True
            self._bash.repair()
            return
        if code is not None:
            running.code = None if running.was_repaired else code
            self._end(running)

    def _end(self, running: Running) -> None:
        """The command itself has ended: settle when its output is complete."""
        if running.shell is None:
            running.cpu_s = running.usage.cpu_s()
        running.settles_at = time.monotonic()
        if running.killed_at is not None:
            running.survivors = processes.end_all(self._jobs.mine)
        elif self._jobs.has_background() and self._jobs.mine():
            running.settles_at += GRACE_S

    def _insist(self, running: Running, age_s: float) -> None:
        """The shell has not dropped its command yet."""
        if self._jobs.mine():
            running.survivors = processes.end_all(self._jobs.mine)
        if age_s > KILL_SHELL_AFTER_S:
            processes.send(self._bash.pid, signal.SIGKILL)
        elif age_s > INTERRUPT_AFTER_S and not running.was_interrupted:
            running.was_interrupted = True
            processes.send(self._bash.pid, signal.SIGINT)

    def _check_response(self, running: Running) -> None:
        """Kill a shell that swallows what it is given, as after a botched `exec 249>&-`."""
        now = time.monotonic()
        if now - running.began < UNRESPONSIVE_S or not self._bash.is_waiting_for_input():
            running.silent_since = None
        elif running.silent_since is None:
            running.silent_since = now
        elif now - running.silent_since > UNRESPONSIVE_S:
            processes.send(self._bash.pid, signal.SIGKILL)

    def _finish(self, running: Running) -> None:
        unread = array.array("i", [0])
        fcntl.ioctl(self._output, termios.FIONREAD, unread)
        self._take_output(unread[0])
        self._cwd = self._bash.cwd() or self._cwd
        facts: dict[str, Any] = {
            "code": running.code,
            "cwd": self._cwd,
            "cpu_s": running.cpu_s,
            "peak_bytes": running.usage.peak_bytes,
            "killed": running.killed_at is not None,
            "shell": running.shell,
            "idle_shell": self._idle_shell,
            "survivors": running.survivors,
            "lost_bytes": self._lost_bytes,
            "repaired": running.was_repaired,
        }
        self._channel.post(wire.DONE, json.dumps(facts).encode("utf-8", "surrogatepass"))
        self._running = None
        self._idle_shell = None
        self._lost_bytes = 0
        self._jobs.end()
        self._shell_cpu_s = cpu_s(self._bash.pid)  # now, while nobody waits for it

    # --- the shell ----------------------------------------------------------------------------

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)
        options = os.WEXITED | os.WNOHANG
        while True:
            try:
                found = os.waitid(os.P_ALL, 0, options | os.WNOWAIT)
            except ChildProcessError:
                return
            if found is None:
                return
            if found.si_pid == self._bash.pid:
                exited = found.si_code == os.CLD_EXITED
                self._shell_ended(found.si_status if exited else -found.si_status)
            else:
                self._orphan_ended(found.si_pid)

    def _orphan_ended(self, pid: int) -> None:
        process = processes.read(pid)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG)
        if self._running is None or process is None or self._jobs.is_earlier(process):
            return
        self._running.usage.add_orphan(process.cpu_s)

    def _shell_ended(self, code: int) -> None:
        """Start another shell where the last one stood, as far as that is known."""
        running = self._running
        cpu_s = running.usage.cpu_s() if running is not None else None
        os.waitid(os.P_PID, self._bash.pid, os.WEXITED | os.WNOHANG)
        if running is not None and running.killed_at is not None:
            running.survivors = processes.end_all(self._jobs.mine)
        self._bash.close()
        self._bash = self._start_bash()
        if running is None or running.settles_at is not None:
            self._idle_shell = code
            return
        running.shell, running.cpu_s = code, cpu_s
        self._end(running)

    def _start_bash(self) -> Bash:
        for cwd in (self._cwd, self._root, "/"):
            if os.path.isdir(cwd) and os.access(cwd, os.X_OK):
                break
        bash = Bash(self._output_end, cwd)
        self._cwd = cwd
        poll = select.poll()
        poll.register(bash.status_fd, select.POLLIN)
        poll.poll(START_S * 1000)
        if bash.read_status() is None:
            raise RuntimeError("bash does not start")
        invite_oom_killer(bash.pid)
        self._jobs.shell = bash.pid
        self._shell_cpu_s = cpu_s(bash.pid)
        return bash

    # --- output -------------------------------------------------------------------------------

    def _take_output(self, limit: int = 1 << 18) -> None:
        """Pass on what was printed; between commands, keep the newest of it for the next."""
        if limit == 0:
            return
        try:
            chunk = os.read(self._output, limit)
        except BlockingIOError:
            return
        if self._running is not None:
            self._channel.post(wire.OUTPUT, chunk)
            return
        self._backlog += chunk
        excess = len(self._backlog) - BACKLOG_BYTES
        if excess > 0:
            self._lost_bytes += excess
            del self._backlog[:excess]


def limit(kind: int, value: int) -> None:
    """Lower a resource limit of this process and all that it starts."""
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def become(uid: int, gid: int) -> None:
    """Give up root for good: without it, and with no_new_privs, no capability comes back."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def main(connection: socket.socket, config: dict[str, Any]) -> None:
    """Serve the host at the other end of `connection`.

    `config` names the folders `root` and `cwd`, and where wanted the limits `processes`,
    `memory_bytes` and `cpus`, the user `uid` and `gid` to become, and `fence` (see `fence`).
    """
    try:
        prepare(config)
        channel = Channel(connection)
        Supervisor(channel, config["root"], config["cwd"]).serve()
    except (OSError, RuntimeError) as error:
        connection.setblocking(True)
        with contextlib.suppress(OSError):
            connection.sendall(wire.frame(wire.FAILED, str(error).encode()))


def prepare(config: dict[str, Any]) -> None:
    """Make this process what its shells shall inherit."""
    if config.get("uid") and os.geteuid() == 0:
        become(config["uid"], config["gid"])
    if config.get("fence"):
        forbid_user_namespaces()
    hide_from_agents("workbench-shell")
    if config.get("processes"):
        limit(resource.RLIMIT_NPROC, config["processes"])
    if config.get("memory_bytes"):
        limit(resource.RLIMIT_DATA, config["memory_bytes"])
    if config.get("cpus"):
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, usable[: max(1, config["cpus"])])
    limit(resource.RLIMIT_CORE, 0)
