"""`workbench sandbox`: the image that the docker sandbox runs, and what a sandbox keeps in."""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import tempfile
from dataclasses import asdict
from pathlib import Path

from workbench.commands.streams import say, write_json, write_line


def build(args: argparse.Namespace) -> None:
    """Build the image, with the build's lines on stderr, and print its tag."""
    from workbench.sandbox.image import build_image

    write_line(build_image(say, force=args.force))


def audit(args: argparse.Namespace) -> int:
    """Try to break out of a sandbox of this kind and print what held; 1 where something did not.

    Raises:
        SandboxError: if the sandbox does not start.
    """
    from workbench.sandbox.audit import audit_new
    from workbench.sandbox.base import SandboxConfig
    from workbench.sandbox.choose import default_kind, make_sandbox

    kind = args.sandbox or default_kind().kind
    with tempfile.TemporaryDirectory(prefix="workbench-audit-") as root:
        names = ("workspace", "tmp", "inputs", "bridge")
        workspace, tmp, inputs, bridge = folders = [Path(root) / name for name in names]
        for folder in folders:
            folder.mkdir()
        config = SandboxConfig(
            session_id=f"audit-{os.getpid()}",
            owner=f"{socket.gethostname()}:{os.getpid()}",
            workspace=workspace,
            tmp=tmp,
            inputs=inputs,
            bridge=bridge,
        )
        findings = asyncio.run(audit_new(make_sandbox(kind, config)))
    is_tight = all(finding.ok for finding in findings)
    if args.json:
        write_json({"sandbox": kind, "ok": is_tight, "findings": [asdict(one) for one in findings]})
    else:
        for one in findings:
            write_line(f"{'✓' if one.ok else '✗'} {one.name:<20} {one.detail}".rstrip())
    return 0 if is_tight else 1
