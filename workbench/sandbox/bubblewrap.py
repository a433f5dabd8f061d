"""The bubblewrap sandbox: namespaces of its own, the system read-only, no daemon."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

from workbench.resources import shipped
from workbench.sandbox.base import BRIDGE_DIR, INPUTS, WORKSPACE, SandboxConfig, SandboxError
from workbench.sandbox.environment import HOME, SHIMS, SYSTEM_PATH, walled_environment
from workbench.sandbox.host_sandbox import HostSandbox
from workbench.sandbox.identity import Identity, agent_identity
from workbench.sandbox.launch import PYTHON, renamed_supervisor
from workbench.sandbox.paths import PathMap, mounted
from workbench.sandbox.supervised import walled
from workbench.task import in_bytes

PROBE_S = 10.0
_OLD_ROOTS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = (
    "ImageMagick-6",
    "ImageMagick-7",
    "alternatives",
    "fonts",
    "ld.so.cache",
    "localtime",
    "magic",
    "mime.types",
    "ssl/certs",
)
"""Settings of the machine that programs need and that tell nothing about anybody."""
_ETC_ONLINE = ("hosts", "nsswitch.conf", "resolv.conf")


class BubblewrapSandbox(HostSandbox):
    """Sees the machine's /usr, its own folders and nothing else."""

    def __init__(self, config: SandboxConfig) -> None:
        super().__init__(config, walled("bubblewrap", config))

    def path_map(self) -> PathMap:
        """The session's folders under the names that they have inside."""
        return mounted(self.config)

    def limits(self) -> dict[str, Any]:
        """Limits of each process, and as whom it runs: the supervisor gives up root itself."""
        config, identity = self.config, agent_identity()
        return {
            "processes": config.pids,
            "memory_bytes": None if config.memory is None else in_bytes(config.memory),
            "cpus": None if config.cpus is None else max(1, round(config.cpus)),
            "uid": identity.uid,
            "gid": identity.gid,
            "fence": True,
        }

    async def _launch(self) -> socket.socket:
        if (reason := await asyncio.to_thread(why_not)) is not None:
            raise SandboxError(f"The bubblewrap sandbox does not work here: {reason}.")
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                await self._start(theirs.fileno())
        except BaseException:
            ours.close()
            raise
        return ours

    async def _start(self, connection: int) -> None:
        """Start it; the options come through a file, so that `ps` inside shows no host path."""
        people, groups = accounts(agent_identity())
        with memory_file(people) as passwd, memory_file(groups) as group:
            files = {"/etc/passwd": passwd.fileno(), "/etc/group": group.fileno()}
            with memory_file("\0".join(self._options(files))) as options:
                said = str(options.fileno())
                await self._spawn(
                    ["bwrap", "--args", said, "--", *renamed_supervisor(str(connection))],
                    [connection, options.fileno(), *files.values()],
                    {"PATH": os.environ.get("PATH", SYSTEM_PATH)},
                )

    def _options(self, files: dict[str, int]) -> list[str]:
        config = self.config
        environment = walled_environment(f"{SHIMS}:{SYSTEM_PATH}", config.environment)
        return [
            *namespaces(agent_identity(), shares_network=config.network != "none"),
            *system(is_online=config.network != "none"),
            *("--bind", str(config.workspace.resolve()), WORKSPACE),
            *("--ro-bind", str(config.inputs.resolve()), INPUTS),
            *("--bind", str(config.tmp.resolve()), "/tmp"),
            *("--ro-bind", str(config.bridge.resolve()), BRIDGE_DIR),
            *("--dir", "/opt", "--dir", "/opt/workbench"),
            *("--ro-bind", str(shipped("sandbox") / "shims"), SHIMS),
            *(
                part
                for path, fd in files.items()
                for part in ("--perms", "0644", "--ro-bind-data", str(fd), path)
            ),
            *("--remount-ro", "/", "--chdir", WORKSPACE, "--clearenv"),
            *(part for item in environment.items() for part in ("--setenv", *item)),
        ]


def namespaces(identity: Identity, *, shares_network: bool) -> list[str]:
    """Options for what is separated.

    Root makes no user namespace: in one, files of the sandbox would belong to root outside. There
    the supervisor changes to `identity` itself, for which it keeps just the right to do so.
    """
    if os.geteuid() == 0:
        capabilities = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        apart = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
        if not shares_network:
            apart.append("--unshare-net")
    else:
        capabilities = ["--cap-drop", "ALL", "--uid", str(identity.uid), "--gid", str(identity.gid)]
        apart = ["--unshare-all", *(["--share-net"] if shares_network else [])]
    return [
        *apart,
        *capabilities,
        *("--die-with-parent", "--new-session", "--hostname", "workbench"),
    ]


def system(*, is_online: bool) -> list[str]:
    """The machine's programs, read-only, and an /etc with only what they need."""
    roots: list[str] = []
    for name in _OLD_ROOTS:
        path = Path("/", name)
        if path.is_symlink():
            roots += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            roots += ["--ro-bind", str(path), str(path)]
    settings = [f"/etc/{name}" for name in (*_ETC, *(_ETC_ONLINE if is_online else ()))]
    # Folders that bubblewrap makes by itself can be closed to all but root.
    opened = ("/etc", "/etc/ssl", "/run", "/var", "/var/cache")
    return [
        *("--ro-bind", "/usr", "/usr"),
        *roots,
        *(part for path in opened for part in ("--perms", "0755", "--dir", path)),
        *(part for path in settings for part in ("--ro-bind-try", path, path)),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--symlink", "/tmp", "/var/tmp"),
        *("--ro-bind-try", "/var/cache/fontconfig", "/var/cache/fontconfig"),
    ]


def accounts(identity: Identity) -> tuple[str, str]:
    """A passwd and a group file in which the agent has a name."""
    return (
        f"root:x:0:0:root:/:/usr/sbin/nologin\n"
        f"agent:x:{identity.uid}:{identity.gid}:agent:{HOME}:/bin/bash\n",
        f"root:x:0:\nagent:x:{identity.gid}:\n",
    )


def memory_file(content: str) -> Any:
    """An open file without a name, at its begin."""
    file = os.fdopen(os.memfd_create("workbench"), "w+")
    file.write(content)
    file.flush()
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    return file


def why_not() -> str | None:
    """Why bubblewrap does not work here, as the middle of a sentence; None if it does."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (the program bwrap)"
    if not PYTHON.exists():
        return f"{PYTHON} is not there, which runs inside"
    probe = [
        "bwrap",
        *namespaces(agent_identity(), shares_network=False),
        *system(is_online=False),
        *("--", "/usr/bin/env", "true"),
    ]
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start ({error})"
    if done.returncode == 0:
        return None
    said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
    return f"bubblewrap may not make namespaces ({said.removeprefix('bwrap: ')})"
