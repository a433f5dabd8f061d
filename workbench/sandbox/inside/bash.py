"""One bash that is fed commands and reports their exit codes on a channel of its own.

The shell is interactive without a terminal: then a failed expansion (`set -u`) or an interrupt
throws it back to its top level with variables and functions kept, where a script's shell would end.
What it runs comes from a memory file through `eval`, so unterminated quotes and heredocs end with
the command. Commands never hold the descriptors of this protocol.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

from workbench.sandbox.inside import processes

STATUS, COMMAND, OUTPUT, DRIVER = 249, 250, 251, 252
"""Descriptors of the shell: exit codes, the command's text, its output, and what evaluates it."""
DISCARD = signal.SIGRTMIN + 11
"""Makes the shell drop the rest of a command: trapped, so it acts before the next one starts."""
_CLOSED = f"{STATUS}>&- {COMMAND}<&- {OUTPUT}>&- {DRIVER}<&-"
_DRIVER = '\\builtin eval "$(%s)" </dev/null >&' + f"{OUTPUT} 2>&1 {_CLOSED}\n"
_REPORT = f'\\builtin echo "$?" >&{STATUS}\n'
"""Typed after each command."""
_SET_UP = (
    "set +o history +H +m; shopt -s expand_aliases; PS1= PS2=\n"
    f"trap '\\builtin trap - INT; \\builtin kill -INT $$' RTMIN+{DISCARD - signal.SIGRTMIN}\n"
    f"export {processes.MARK}=\n"
)
_READ = {"x86_64": b"0", "aarch64": b"63", "riscv64": b"63"}
"""Number of the system call `read`, by machine."""
_REPAIR = (
    "POSIXLY_CORRECT=1\n\\unset -f builtin\n\\unset POSIXLY_CORRECT\n"
    f"\\builtin shopt -s expand_aliases\n{_REPORT}"
)
"""In POSIX mode `unset` is found before any function: gets back a `builtin` that was redefined."""


class Bash:
    """A running bash. Its output goes to a pipe that outlives it."""

    def __init__(self, output: int, cwd: str) -> None:
        """Start it in `cwd`; `read_status` gives 0 when it is ready.

        Args:
            output: the write end of the pipe for what commands print.
            cwd: must exist.
        """
        self._command = os.memfd_create("command")
        self._driver = os.memfd_create("driver")
        script, self._script = os.pipe()
        self.status_fd, status = os.pipe()
        os.set_blocking(self.status_fd, False)
        self.pid = _spawn(
            cwd,
            {
                0: script,
                STATUS: status,
                COMMAND: self._command,
                OUTPUT: output,
                DRIVER: self._driver,
            },
        )
        os.close(script)
        os.close(status)
        self.exit_code = 0
        """Exit code of the last command: what `$?` must be when the next one starts."""
        self._reports = b""
        self._type(_SET_UP + _REPORT)

    def close(self) -> None:
        """Forget a shell that has ended."""
        for descriptor in (self._command, self._driver, self._script, self.status_fd):
            os.close(descriptor)

    def run(self, action: str, command: bytes) -> None:
        """Start a command; its exit code comes through `read_status`."""
        source = f"</dev/fd/{COMMAND}"
        if self.exit_code:
            source = f'\\builtin printf %s "$({source})"; \\builtin exit {self.exit_code}'
        _fill(self._command, command)
        _fill(self._driver, (f"{processes.MARK}={action}\n" + _DRIVER % source).encode())
        self._type(f"\\builtin . /dev/fd/{DRIVER}\n{_REPORT}")

    def repair(self) -> None:
        """Undo a function named `builtin`, without which the shell cannot be driven."""
        self._reports = b""
        self._type(_REPAIR)

    def read_status(self) -> int | None:
        """The exit code of the command, once it has ended.

        Raises:
            ValueError: if the shell reported something else.
        """
        with contextlib.suppress(BlockingIOError):
            self._reports += os.read(self.status_fd, 4096)
        if not self._reports.endswith(b"\n"):
            return None
        report, self._reports = self._reports, b""
        if not report[:-1].isdigit() or int(report) > 255:
            raise ValueError("not an exit code")
        self.exit_code = int(report)
        return self.exit_code

    def is_waiting_for_input(self) -> bool:
        """Whether the shell has taken in all that was typed and wants more: nothing of it runs.

        A command cannot look so, for its own descriptor 0 never blocks. False where the kernel does
        not tell.
        """
        try:
            number, descriptor, *_ = processes.small_file(f"/proc/{self.pid}/syscall").split()
        except (OSError, ValueError):  # not allowed, or "running"
            return False
        return number == _READ.get(os.uname().machine) and descriptor == b"0x0"

    def cwd(self) -> str | None:
        """The folder it stands in, None when it has ended."""
        try:
            path = os.readlink(f"/proc/{self.pid}/cwd")
        except OSError:
            return None
        suffix = " (deleted)"
        return path[: -len(suffix)] if path.endswith(suffix) and not os.path.exists(path) else path

    def discard(self) -> None:
        """Make it drop what is left of its command, as soon as nothing of it runs any more."""
        processes.send(self.pid, DISCARD)
        processes.send(self.pid, signal.SIGCONT)

    def _type(self, text: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # it is dying: the supervisor will see
            os.write(self._script, text.encode())


def _fill(descriptor: int, content: bytes) -> None:
    os.ftruncate(descriptor, 0)
    view = memoryview(content)
    offset = 0
    while offset < len(view):
        offset += os.pwrite(descriptor, view[offset:], offset)


def _spawn(cwd: str, descriptors: dict[int, int]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        os.chdir(cwd)
        null = os.open("/dev/null", os.O_WRONLY)
        for target, source in {1: null, 2: null, **descriptors}.items():
            os.dup2(source, target)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.execvp("bash", ["bash", "--noprofile", "--norc", "--noediting", "-i"])
    finally:
        os._exit(127)


def invite_oom_killer(pid: int) -> None:
    """When memory runs out, let the kernel take the agent's processes and not the supervisor."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "w") as file:
        file.write("500")


def hide_from_agents(name: str) -> None:
    """Name this process, close it to debuggers, and make it the parent of all orphans.

    So `pkill python3` of an agent does not mean it, and a daemon cannot slip away.
    """
    pr_set_dumpable, pr_set_name, pr_set_child_subreaper = 4, 15, 36
    libc = ctypes.CDLL(None)
    libc.prctl(pr_set_name, name.encode(), 0, 0, 0)
    libc.prctl(pr_set_dumpable, 0, 0, 0, 0)
    libc.prctl(pr_set_child_subreaper, 1, 0, 0, 0)
