"""Which sandbox to use: the one that is asked for by name, or the best that works here."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.sandbox.base import Sandbox, SandboxConfig, SandboxError

KINDS = ("docker", "bubblewrap", "local")


@dataclass(frozen=True, slots=True)
class Choice:
    """A kind of sandbox, and a sentence that says why it was taken."""

    kind: str
    reason: str


def make_sandbox(kind: str, config: SandboxConfig) -> Sandbox:
    """A sandbox of this kind, not started yet.

    Raises:
        UsageError: if there is no such kind.
    """
    if kind == "docker":
        from workbench.sandbox.docker import DockerSandbox

        return DockerSandbox(config)
    if kind == "bubblewrap":
        from workbench.sandbox.bubblewrap import BubblewrapSandbox

        return BubblewrapSandbox(config)
    if kind == "local":
        from workbench.sandbox.local import LocalSandbox

        return LocalSandbox(config)
    raise UsageError(f"There is no sandbox {kind!r}: choose one of {', '.join(KINDS)}.")


def default_kind() -> Choice:
    """Docker where a daemon answers and has the image, else bubblewrap; never local.

    Raises:
        SandboxError: if neither works, with what to install.
    """
    from workbench.sandbox.bubblewrap import why_not as why_no_bubblewrap
    from workbench.sandbox.docker import why_not as why_no_docker

    docker = why_no_docker()
    if docker is None:
        return Choice("docker", "Sandbox: docker.")
    bubblewrap = why_no_bubblewrap()
    if bubblewrap is None:
        return Choice("bubblewrap", f"Sandbox: bubblewrap, because {docker}.")
    raise SandboxError(
        f"No sandbox works here: {docker}, and {bubblewrap}. Install docker or bubblewrap, or run "
        "without any protection with --sandbox local."
    )
