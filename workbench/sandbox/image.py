"""The sandbox image: named by its content, built by the command-line client of docker or podman."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from workbench.resources import shipped
from workbench.sandbox.base import SandboxError

NAME = "workbench-sandbox"
_SECRETS = {"pip_ca": ("PIP_CERT", "SSL_CERT_FILE"), "pip_conf": ("PIP_CONFIG_FILE",)}
"""Build secrets, and the variables that may name a file for each."""


def image_tag() -> str:
    """The name of the image that belongs to this version: it changes with every file in it."""
    digest = hashlib.sha256()
    folder = shipped("sandbox")
    for path in _files(folder):
        name = str(path.relative_to(folder)).encode()
        content = path.read_bytes()
        digest.update(b"%d:%b%d:%b" % (len(name), name, len(content), content))
    return f"{NAME}:{digest.hexdigest()[:12]}"


def build_image(on_line: Callable[[str], None], *, force: bool = False) -> str:
    """Build the image unless it is there; returns its name.

    Args:
        on_line: told each line that the builder prints.
        force: build it anew, without what earlier builds left.

    Raises:
        SandboxError: if there is no builder, or it fails.
    """
    tag = image_tag()
    builder = _builder()
    if not force and _exists(builder, tag):
        return tag
    command = [builder, "build", "--tag", tag, "--network", "host"]
    if force:
        command.append("--no-cache")
    command += [part for secret in _secrets() for part in ("--secret", secret)]
    code = _follow([*command, str(shipped("sandbox"))], on_line)
    if code != 0:
        raise SandboxError(
            f"The sandbox image was not built: `{Path(builder).name} build` ended with {code}; "
            "what it printed says why."
        )
    return tag


def _builder() -> str:
    """A program that can build with mounted secrets (BuildKit, or Buildah inside podman).

    Raises:
        SandboxError: if there is none.
    """
    found = list(_programs("docker"))
    for program in found:
        if _has_buildkit(program):
            return program
    if (podman := shutil.which("podman")) is not None:
        return podman
    if found:
        raise SandboxError(
            f"Building the image needs BuildKit: {found[0]} lacks its buildx plugin."
        )
    raise SandboxError("Building the image needs the program docker or podman.")


def _programs(name: str) -> Iterator[str]:
    """Every program of this name on the search path, best first."""
    for folder in os.get_exec_path():
        if path := shutil.which(name, path=folder):
            yield path


def _has_buildkit(docker: str) -> bool:
    """Whether a docker client has BuildKit: in itself up to version 22, in a plugin since."""
    said = subprocess.run([docker, "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"version (\d+)\.", said.stdout)
    if version is not None and int(version[1]) < 23:
        return True
    plugin = subprocess.run([docker, "buildx", "version"], capture_output=True, check=False)
    return plugin.returncode == 0


def _files(folder: Path) -> Iterator[Path]:
    """What the image is made of, in one order everywhere."""
    yield from sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    )


def _secrets() -> Iterator[str]:
    for name, variables in _SECRETS.items():
        files = (os.environ.get(variable, "") for variable in variables)
        if found := next((file for file in files if file and Path(file).is_file()), None):
            yield f"id={name},src={found}"


def _exists(builder: str, tag: str) -> bool:
    done = subprocess.run([builder, "image", "inspect", tag], capture_output=True, check=False)
    return done.returncode == 0


def _follow(command: list[str], on_line: Callable[[str], None]) -> int:
    """Run a builder and hand over its lines; returns its exit code."""
    environment = {**os.environ, "DOCKER_BUILDKIT": "1", "BUILDKIT_PROGRESS": "plain"}
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise SandboxError(f"The image builder does not start: {error}.") from error
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            on_line(line.rstrip("\n"))
    return process.returncode
