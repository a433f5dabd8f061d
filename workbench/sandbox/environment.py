"""What commands find in their environment: never what Workbench itself was started with."""

from __future__ import annotations

import os
from collections.abc import Mapping

from workbench.sandbox.base import BRIDGE_DIR, BRIDGE_SOCKET

HOME = "/tmp/home"
"""Home folder inside a sandbox: `pip install --user` lands where snapshots reach."""
SHIMS = "/opt/workbench/bin"
"""Where shims stand in a sandbox that has no image of its own."""
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
"""Variables of the host that the local sandbox passes on; a list of what to drop has holes."""


def agent_environment(home: str, tmp: str, path: str, extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a command.

    Args:
        home: the home folder.
        tmp: the folder for temporary files.
        path: where programs are searched, after those that the agent installs at home.
        extra: variables of the session; they win.
    """
    cache = f"{home}/.cache"
    return {
        "PATH": f"{home}/.local/bin:{path}",
        "HOME": home,
        "TMPDIR": tmp,
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "XDG_CACHE_HOME": cache,
        "HF_HOME": f"{cache}/huggingface",
        "MPLCONFIGDIR": f"{cache}/matplotlib",
        "NUMBA_CACHE_DIR": f"{cache}/numba",
        **extra,
    }


def walled_environment(path: str, extra: Mapping[str, str]) -> dict[str, str]:
    """The environment inside walls, where folders and the bridge have fixed names."""
    bridge = {"WORKBENCH_BRIDGE": f"{BRIDGE_DIR}/{BRIDGE_SOCKET}"}
    return agent_environment(HOME, "/tmp", path, {**bridge, **extra})


def kept_from_host() -> dict[str, str]:
    """Harmless variables of this process for commands that run on this machine."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ}
