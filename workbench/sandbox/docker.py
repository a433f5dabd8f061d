"""The docker sandbox: a container without rights, reached over a socket in its bridge folder.

`docker exec` costs tens of milliseconds, so it is never used: the supervisor is the container's
program and connects to the host once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import msgspec
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.types import Mount, Ulimit

from workbench.sandbox.address import listen
from workbench.sandbox.base import BRIDGE_DIR, INPUTS, WORKSPACE, SandboxConfig, SandboxError
from workbench.sandbox.environment import SYSTEM_PATH, walled_environment
from workbench.sandbox.identity import agent_identity
from workbench.sandbox.image import NAME, image_tag
from workbench.sandbox.launch import renamed_supervisor
from workbench.sandbox.link import START_S
from workbench.sandbox.owner import is_gone
from workbench.sandbox.paths import PathMap, mounted
from workbench.sandbox.supervised import SupervisedSandbox, walled
from workbench.task import in_bytes

SESSION_LABEL = "workbench.session"
OWNER_LABEL = "workbench.owner"
SHELL_SOCKET = "shell.sock"
"""In the bridge folder while the container starts; gone before the agent's first command."""
ANSWER_S = 5
"""A daemon that does not answer for so long counts as absent."""
WORK_S = 60
REMOVE_S = 10.0
SHM_BYTES = 256 << 20
PLENTY = 16_384


class DockerSandbox(SupervisedSandbox):
    """One container for the session's whole life; it is removed at the end."""

    def __init__(self, config: SandboxConfig) -> None:
        super().__init__(config, walled("docker", config, config.image or image_tag()))
        self._client: docker.DockerClient | None = None
        self._container: Container | None = None

    def path_map(self) -> PathMap:
        """The session's folders under the names that they have inside."""
        return mounted(self.config)

    def limits(self) -> dict[str, Any]:
        """The container limits the rest; Podman's own filter lets user namespaces through."""
        return {"fence": True}

    async def _launch(self) -> socket.socket:
        try:
            with _listening(self.config.bridge) as listener:
                await asyncio.to_thread(self._start_container)
                return await self._accept(listener)
        except BaseException:
            await self._end()
            raise

    async def _accept(self, listener: socket.socket) -> socket.socket:
        """The connection of the container's supervisor."""
        accepted = asyncio.get_running_loop().sock_accept(listener)
        try:
            connection, _ = await asyncio.wait_for(accepted, START_S)
        except TimeoutError:
            said = await asyncio.to_thread(self._last_words)
            raise SandboxError(f"The container's shell does not start: {said}.") from None
        return connection

    async def stop(self) -> None:
        """As in the protocol; the connections to the daemon are given back too."""
        await super().stop()
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _start_container(self) -> None:
        if self._client is None:
            self._client = connect()
            reap(self._client)
        client = self._client
        image = self._info.image or ""
        try:
            digest = client.images.get(image).id
            self._container = client.containers.create(image, **self._settings(client))
            self._container.start()
        except ImageNotFound as error:
            raise SandboxError(_how_to_get(image)) from error
        except DockerException as error:
            raise SandboxError(f"The container does not start: {explained(error)}.") from error
        self._info = msgspec.structs.replace(self._info, image_digest=digest)

    def _settings(self, client: docker.DockerClient) -> dict[str, Any]:
        """What the container may and has, as the SDK's `containers.create` takes it."""
        config, identity = self.config, agent_identity()
        memory = None if config.memory is None else in_bytes(config.memory)
        program = renamed_supervisor(f"{BRIDGE_DIR}/{SHELL_SOCKET}")
        return {
            "entrypoint": program[:1],
            "command": program[1:],
            "name": f"workbench-{config.session_id}-{os.urandom(3).hex()}",
            "hostname": "workbench",
            "labels": {SESSION_LABEL: config.session_id, OWNER_LABEL: config.owner},
            "user": f"{identity.uid}:{identity.gid}",
            "userns_mode": "keep-id" if _is_rootless_podman(client) else None,
            "init": True,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
            "read_only": True,
            "network_mode": "none" if config.network == "none" else "bridge",
            "mem_limit": memory,
            "memswap_limit": memory,
            "nano_cpus": None if config.cpus is None else int(config.cpus * 1e9),
            "pids_limit": config.pids,
            "shm_size": SHM_BYTES,
            "ulimits": _ulimits(),
            "working_dir": WORKSPACE,
            "environment": walled_environment(SYSTEM_PATH, config.environment),
            "mounts": self._mounts(),
            "log_config": {"type": "json-file", "config": {"max-size": "64k"}},
            "detach": True,
        }

    def _mounts(self) -> list[Mount]:
        config = self.config
        return [
            _folder(WORKSPACE, config.workspace),
            _folder(INPUTS, config.inputs, read_only=True),
            _folder("/tmp", config.tmp),
            _folder(BRIDGE_DIR, config.bridge, read_only=True),
        ]

    def _last_words(self) -> str:
        if self._container is None:
            return "it is gone"
        with contextlib.suppress(DockerException):
            said = self._container.logs(tail=1).decode(errors="replace").strip()
            if said:
                return said
        return "it needs bash and python3 (3.8 or newer)"

    async def _freeze(self) -> None:
        if self._container is not None:
            await _in_thread(self._container.pause)

    async def _thaw(self) -> None:
        if self._container is not None:
            await _in_thread(self._container.unpause)

    async def _end(self) -> None:
        container, self._container = self._container, None
        if container is not None:
            await asyncio.to_thread(remove, container)


def connect() -> docker.DockerClient:
    """A client of the daemon that DOCKER_HOST names, of docker's own, or of Podman's socket.

    Raises:
        SandboxError: if none answers, with the reason.
    """
    reasons: list[str] = []
    for address in _addresses():
        try:
            client = docker.DockerClient(base_url=address, timeout=ANSWER_S)
            client.ping()
        except DockerException as error:
            reasons.append(explained(error))
            continue
        client.api.timeout = WORK_S
        return client
    raise SandboxError(f"No docker daemon answers: {reasons[0]}.")


def _addresses() -> Iterator[str]:
    """Where a daemon may listen, best first."""
    if named := os.environ.get("DOCKER_HOST"):
        yield named
        return
    yield "unix:///var/run/docker.sock"
    runtime = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
    for path in (f"{runtime}/docker.sock", f"{runtime}/podman/podman.sock"):
        if Path(path).exists():
            yield f"unix://{path}"
    if os.access("/run/podman/podman.sock", os.W_OK):
        yield "unix:///run/podman/podman.sock"


def why_not() -> str | None:
    """Why docker cannot be used now, as the middle of a sentence; None if it can."""
    try:
        client = connect()
    except SandboxError:
        return "no docker daemon answers"
    try:
        client.images.get(image_tag())
    except ImageNotFound:
        return "its image is not built (`workbench sandbox build` does it)"
    except DockerException as error:
        return f"docker fails ({explained(error)})"
    finally:
        client.close()
    return None


def reap(client: docker.DockerClient) -> list[str]:
    """Remove the containers whose engines are gone; returns the sessions that they belonged to."""
    reaped = []
    with contextlib.suppress(DockerException):
        for container in client.containers.list(all=True, filters={"label": OWNER_LABEL}):
            if is_gone(container.labels.get(OWNER_LABEL, "")):
                remove(container)
                reaped.append(container.labels.get(SESSION_LABEL, ""))
    return reaped


def remove(container: Container) -> None:
    """Remove a container in whatever state it is, with all that runs in it."""
    with contextlib.suppress(APIError):  # it is not paused
        container.unpause()
    deadline = time.monotonic() + REMOVE_S
    while True:
        try:
            container.remove(force=True)
        except NotFound:
            return
        except DockerException as error:
            if time.monotonic() > deadline:
                raise SandboxError(f"The container is not removed: {explained(error)}.") from error
            time.sleep(0.1)  # Podman refuses while the container is about to end by itself
        else:
            return


def explained(error: Exception) -> str:
    """The daemon's or the socket's own words, without a stop at the end."""
    if isinstance(error, APIError) and error.explanation:
        return str(error.explanation).strip().rstrip(".")
    cause: BaseException = error
    while cause.__context__ is not None:
        cause = cause.__context__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _ulimits() -> list[Ulimit]:
    """How many files and processes a user may have: plenty, yet no more than we may ourselves.

    The daemons' own idea of it, up to a billion, fails where they may not raise limits. What really
    limits processes is `pids_limit`.
    """
    found = []
    for name, kind in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        _, hard = resource.getrlimit(kind)
        most = PLENTY if hard == resource.RLIM_INFINITY else min(hard, PLENTY)
        found.append(Ulimit(name=name, soft=most, hard=most))
    return found


def _folder(target: str, source: Path, *, read_only: bool = False) -> Mount:
    return Mount(target, str(source.resolve()), type="bind", read_only=read_only)


def _is_rootless_podman(client: docker.DockerClient) -> bool:
    """Podman without root maps users; it has to be told to keep ours."""
    names = [part.get("Name", "") for part in client.version().get("Components") or ()]
    if not any(name.startswith("Podman") for name in names):
        return False
    return any("rootless" in option for option in client.info().get("SecurityOptions") or ())


def _how_to_get(image: str) -> str:
    if image.startswith(f"{NAME}:"):
        return "The sandbox image is not built yet: run `workbench sandbox build`."
    return f"There is no image {image} here: pull or build it, or leave out `sandbox.image`."


async def _in_thread(action: Any) -> None:
    try:
        await asyncio.to_thread(action)
    except NotFound:
        return
    except DockerException as error:
        raise SandboxError(f"The container does not obey: {explained(error)}.") from error


@contextlib.contextmanager
def _listening(folder: Path) -> Iterator[socket.socket]:
    """A socket in the bridge folder that the container's user may connect to."""
    listener = listen(folder, SHELL_SOCKET, backlog=1)
    try:
        listener.setblocking(False)
        yield listener
    finally:
        listener.close()
        (folder / SHELL_SOCKET).unlink(missing_ok=True)
