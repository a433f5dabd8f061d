"""What a sandbox really keeps in: tried out from inside it, not read from its configuration."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.sandbox.base import Sandbox

TIMEOUT_S = 15.0
HOLDS = "holds"


@dataclass(frozen=True, slots=True)
class Probe:
    """One attempt. `script` prints `holds` where it fails to break out, else what it could do."""

    name: str
    script: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a probe; `detail` says what the agent can do where it does not hold."""

    name: str
    ok: bool
    detail: str


_FIXED = (
    Probe("not root", '[ "$(id -u)" != 0 ] && echo holds || echo "commands run as root"'),
    Probe(
        "no privileges",
        "grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status && echo holds "
        '|| echo "commands have capabilities of the system"',
    ),
    Probe(
        "none to gain",
        "grep -q '^NoNewPrivs:[[:space:]]*1' /proc/self/status && echo holds "
        '|| echo "a set-user-id program gives more privileges"',
    ),
    Probe(
        "no network",
        "for to in 1.1.1.1/53 169.254.169.254/80; do "
        'timeout 2 bash -c "exec 3<>/dev/tcp/$to" 2>/dev/null && found="$found $to"; done; '
        '[ -z "$found" ] && echo holds || echo "reaches$found"',
    ),
    Probe(
        "inputs read-only",
        "touch inputs/.audit 2>/dev/null && { rm -f inputs/.audit; "
        'echo "inputs can be written"; } || echo holds',
    ),
    Probe(
        "system read-only",
        "touch /usr/.audit 2>/dev/null && { rm -f /usr/.audit; "
        'echo "/usr can be written"; } || echo holds',
    ),
    Probe(
        "no keys",
        "names=$(env | grep -Eo '^[A-Za-z_]*(KEY|TOKEN|SECRET|PASSWORD)[A-Za-z_]*=.' | tr -d '=.' "
        '| tr "\\n" " "); [ -z "$names" ] && echo holds || echo "the environment has $names"',
    ),
    Probe(
        "no container engine",
        "for one in /var/run/docker.sock /run/podman/podman.sock /run/containerd/containerd.sock; "
        'do [ -w $one ] && found=$one; done; [ -z "$found" ] && echo holds '
        '|| echo "can steer $found"',
    ),
    Probe(
        "passwords hidden",
        '[ -r /etc/shadow ] && [ -s /etc/shadow ] && echo "reads /etc/shadow" || echo holds',
    ),
)


async def audit(sandbox: Sandbox) -> list[Finding]:
    """Try everything in a sandbox that has been started.

    Raises:
        SandboxError: if the sandbox itself fails.
    """
    with _canaries() as probes:
        return [await _try(sandbox, probe) for probe in (*_FIXED, *probes)]


async def _try(sandbox: Sandbox, probe: Probe) -> Finding:
    output = bytearray()
    # A subshell: what one probe sets must not answer for the next.
    result = await sandbox.run(f"( {probe.script} )", TIMEOUT_S, output.extend)
    text = output.decode(errors="replace").strip()
    if result.timed_out or not text:
        return Finding(probe.name, False, "the probe did not answer")
    return Finding(probe.name, text == HOLDS, "" if text == HOLDS else text.splitlines()[-1])


@contextlib.contextmanager
def _canaries() -> Iterator[list[Probe]]:
    """A file and a process of this machine, which no command of the sandbox may find."""
    mark = secrets.token_hex(8)
    with tempfile.TemporaryDirectory(prefix="workbench-audit-", dir=Path.home()) as folder:
        file = Path(folder) / mark
        file.write_text(mark)
        waits = "import sys; sys.stdin.read()"
        process = subprocess.Popen(
            [sys.executable, "-c", waits, f"canary-{mark}"], stdin=subprocess.PIPE
        )
        try:
            yield [
                Probe(
                    "files hidden",
                    f"[ -r '{file}' ] && echo 'reads the files of your home folder' || echo holds",
                ),
                Probe(
                    "processes hidden",
                    f"cat /proc/[0-9]*/cmdline 2>/dev/null | grep -aq '[c]anary-{mark}' "
                    "&& echo 'sees the processes of this machine' || echo holds",
                ),
            ]
        finally:
            process.communicate()


async def audit_new(sandbox: Sandbox) -> list[Finding]:
    """Start a sandbox, try everything in it, and take it down again."""
    try:
        await sandbox.start()
        return await audit(sandbox)
    finally:
        await asyncio.shield(sandbox.stop())
