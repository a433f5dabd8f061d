"""What lives in the shell and not in files: directory, variables, functions, options, aliases.

Saved after a step as a script that a fresh bash can run, so that a rewind or a fork brings the
shell back with the files.
"""

from __future__ import annotations

from workbench.sandbox.base import Sandbox

SAVE_TIMEOUT_S = 5.0
LIMIT_BYTES = 8 << 20

_SAVE = r"""
( builtin set +eux
  builtin printf 'builtin cd -- %q\n' "$PWD"
  builtin umask -p
  builtin alias -p
  builtin declare -f
  for _workbench_name in $(builtin compgen -v); do
    case $_workbench_name in
      BASH*|_|_workbench_*|WORKBENCH_*|FUNCNAME|PIPESTATUS|DIRSTACK|GROUPS) ;;
      SECONDS|RANDOM|SRANDOM) ;;
      LINENO|EPOCH*|PPID|UID|EUID|SHELLOPTS|SHLVL|PWD|OLDPWD|OPTIND|OPTERR|COLUMNS|LINES|HISTCMD) ;;
      COMP_*|READLINE_*|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE) ;;
      *) builtin declare -p "$_workbench_name" 2>/dev/null ;;
    esac
  done
) 2>/dev/null
builtin shopt -p
builtin set +o
"""


async def save_shell(sandbox: Sandbox) -> bytes | None:
    """The shell as a script; None where it is too large, or the shell is in trouble."""
    parts: list[bytes] = []
    result = await sandbox.run(_SAVE, SAVE_TIMEOUT_S, parts.append)
    script = b"".join(parts)
    if result.killed is not None or len(script) > LIMIT_BYTES:
        return None
    return script


async def restore_shell(sandbox: Sandbox, script: bytes) -> None:
    """Bring a fresh shell to where the script was saved; what cannot be set is left out."""
    text = script.decode(errors="surrogateescape")
    await sandbox.run(f"{{ {text}\n}} 2>/dev/null", SAVE_TIMEOUT_S, lambda _data: None)
