"""A system call filter: no user namespaces, in which anybody is root towards the kernel."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

CLONE_NEWUSER = 0x10000000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, FAIL = 0x7FFF0000, 0x00050000
"""Answers of a filter; an error number is added to `FAIL`."""
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Offsets in `struct seccomp_data` (linux/seccomp.h); the argument's lower half, little-endian."""
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""Operations of classic BPF (linux/bpf_common.h)."""
CALLS = {
    "x86_64": (0xC000003E, 56, 272, 435),
    "aarch64": (0xC00000B7, 220, 97, 435),
}
"""By machine: its AUDIT_ARCH, then the numbers of clone, unshare and clone3."""
X32 = 0x40000000


def program(machine: str) -> bytes:
    """The filter for a machine, as an array of `struct sock_filter`; empty for unknown ones.

    Calls of another architecture fail, for their numbers mean something else; so does clone3,
    whose flags a filter cannot see (libraries then use clone).
    """
    if machine not in CALLS:
        return b""
    architecture, clone, unshare, clone3 = CALLS[machine]
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 0, 8, architecture),  # other -> EPERM
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 6, 0, X32),  # -> EPERM
        (EQUAL, 6, 0, clone3),  # -> ENOSYS
        (EQUAL, 1, 0, clone),  # -> flags
        (EQUAL, 0, 2, unshare),  # other -> ALLOW
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (ANY_BIT, 1, 0, CLONE_NEWUSER),  # -> EPERM
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, FAIL + errno.EPERM),
        (RETURN, 0, 0, FAIL + errno.ENOSYS),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def forbid_user_namespaces() -> None:
    """Put the filter on this process and all that it starts.

    Raises:
        OSError: if the kernel refuses it.
    """
    code = program(os.uname().machine)
    if not code:
        return
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    whole = Program(len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(whole)
    ):
        number = ctypes.get_errno()
        raise OSError(number, f"the system call filter is refused: {os.strerror(number)}")
