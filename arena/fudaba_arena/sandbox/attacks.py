"""The attempts of a hostile program, as a program: it prints its gains as JSON, and an empty object if there are none.

The probe of a host runs it inside sandboxes, with nothing but Python's standard library. Each kind of attempt is a
function that yields its successes.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import platform
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)
_CALLS = {
    "x86_64": {"ptrace": 101, "mount": 165, "unshare": 272, "setns": 308, "bpf": 321, "perf_event_open": 298,
               "userfaultfd": 323, "io_uring_setup": 425, "keyctl": 250, "process_vm_readv": 310, "open_tree": 428,
               "fsopen": 430, "pidfd_getfd": 438, "chroot": 161, "pivot_root": 155, "clone": 56},
    "aarch64": {"ptrace": 117, "mount": 40, "unshare": 97, "setns": 268, "bpf": 280, "perf_event_open": 241,
                "userfaultfd": 282, "io_uring_setup": 425, "keyctl": 219, "process_vm_readv": 270, "open_tree": 428,
                "fsopen": 430, "pidfd_getfd": 438, "chroot": 51, "pivot_root": 41, "clone": 220},
}  # fmt: skip
_CLONE_NEWUSER_FLAG = 0x10000000
_CLONE_NEWNET_FLAG = 0x40000000
_MAX_CHARS_SHOWN = 4096
_PTRACE_SEIZE_CODE = 0x4206
"""Attaches without stopping the process: the first process must keep running, or nothing ends."""
_FAMILIES = (
    ("AF_VSOCK", 40, socket.SOCK_STREAM),
    ("AF_NETLINK", 16, socket.SOCK_RAW),
    ("AF_PACKET", 17, socket.SOCK_RAW),
    ("AF_ALG", 38, socket.SOCK_SEQPACKET),
)


def call(name: str, *arguments: Any) -> int:
    """Makes a system call by its number. Returns -1 if it is refused."""
    number = _CALLS[platform.machine()][name]
    return int(_LIBC.syscall(number, *arguments))


def files(given: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Tries to read the files of others."""
    for name in ("/etc/shadow", "/root", *given["secrets"]):
        path = Path(name)
        with contextlib.suppress(OSError):
            found = {entry.name for entry in path.iterdir()} if path.is_dir() else path.read_bytes()
            # Folders above of what is shown exist, and are empty but for it.
            if isinstance(found, bytes) or found - set(given["shown"]):
                yield name, str(found)[:_MAX_CHARS_SHOWN]


def environment(given: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Searches all visible processes for variables that are not its own."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found = (process / "environ").read_bytes().split(b"\0")
            names = {variable.partition(b"=")[0].decode(errors="replace") for variable in found if variable}
            if foreign := names - set(given["variables"]):
                yield process.name, sorted(foreign)


def network(given: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Tries to reach a listener on the host."""
    for family, address in (
        *((socket.AF_INET, (host, port)) for host, port in given.get("hosts", ())),
        (socket.AF_INET, ("127.0.0.1", given["port"])),
        (socket.AF_UNIX, given["abstract"]),
        (socket.AF_UNIX, given["neighbour"]),
    ):
        with contextlib.suppress(OSError), contextlib.closing(socket.socket(family)) as caller:
            caller.settimeout(2)
            caller.connect(address)
            yield f"{family.name} {address}", "connected"
    for name, number, kind in _FAMILIES:
        with contextlib.suppress(OSError):
            socket.socket(number, kind).close()
            yield name, "made"


def processes(given: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Tries to reach processes outside."""
    for pid in given["pids"]:
        for name, reach in (
            ("kill", lambda: os.kill(pid, 0)),  # noqa: B023  # called at once
            ("see", lambda: Path(f"/proc/{pid}/exe").readlink()),  # noqa: B023
        ):
            # A low number may be one of this sandbox's own processes.
            with contextlib.suppress(OSError):
                if int(pid) > 100:
                    reach()
                    yield f"{name} {pid}", "done"
    if call("ptrace", _PTRACE_SEIZE_CODE, 1, 0, 0) == 0:
        yield "ptrace", "attached to the first process"
    if (peers := [process.name for process in Path("/proc").glob("[0-9]*")]) and len(peers) > 8:
        yield "processes", peers


def kernel(_: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Tries system calls that no bot needs."""
    empty = ctypes.create_string_buffer(256)
    tried: dict[str, Callable[[], int]] = {
        "mount": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
        "unshare": lambda: call("unshare", _CLONE_NEWUSER_FLAG),
        "clone": lambda: _cloned(_CLONE_NEWUSER_FLAG | _CLONE_NEWNET_FLAG),
        "bpf": lambda: call("bpf", 0, empty, 72),
        "io_uring_setup": lambda: call("io_uring_setup", 4, empty),
        "perf_event_open": lambda: call("perf_event_open", empty, 0, -1, -1, 0),
        "userfaultfd": lambda: call("userfaultfd", 1),
        "keyctl": lambda: call("keyctl", 0, -3, 1),
        "open_tree": lambda: call("open_tree", -100, b"/", 1),
        "fsopen": lambda: call("fsopen", b"tmpfs", 0),
        "chroot": lambda: call("chroot", b"/tmp"),
        "setuid 0": lambda: _LIBC.setuid(0),
    }
    for name, attempt in tried.items():
        if attempt() >= 0:
            yield name, "allowed"
    if platform.machine() == "x86_64" and (answer := _called_as_32_bit()) is not None:
        yield "32-bit call", answer


def _cloned(flags: int) -> int:
    pid = call("clone", flags | signal.SIGCHLD, None, None, None, None)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        os.waitpid(pid, 0)
    return pid


def _called_as_32_bit() -> int | None:
    """Calls `getpid` through the 32-bit interface. Returns None if that ends the process."""
    pid = os.fork()
    if pid == 0:
        code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20; int 0x80; ret
        place = ctypes.addressof(ctypes.c_char.from_buffer(code))
        answer = ctypes.CFUNCTYPE(ctypes.c_int)(place)()
        os._exit(0 if answer > 0 else 1)
    status = os.waitpid(pid, 0)[1]
    return 1 if os.waitstatus_to_exitcode(status) == 0 else None


def writing(given: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Tries to write where it may not."""
    places = ["/", "/usr", "/etc", "/dev", "/proc", "/run", "/run/fudaba", "/dev/pts", *given["read_only"]]
    for place in places:
        with contextlib.suppress(OSError):
            (Path(place) / "written").write_text("x", encoding="ascii")
            yield place, "written"
    for name in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/self/uid_map"):
        with contextlib.suppress(OSError):
            Path(name).write_text("0 0 1", encoding="ascii")
            yield name, "written"
    # A program that is not the first to go when the host's memory is short has others go in its place.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("0", encoding="ascii")
        yield "/proc/self/oom_score_adj", "written"


ATTEMPTS: dict[str, Callable[[dict[str, Any]], Iterator[tuple[str, object]]]] = {
    "files": files,
    "environment": environment,
    "network": network,
    "processes": processes,
    "kernel": kernel,
    "writing": writing,
}


def main(given: dict[str, Any]) -> dict[str, dict[str, object]]:
    """Makes each kind of attempt, or only `kinds`. Returns the gains of each."""
    got = {kind: dict(ATTEMPTS[kind](given)) for kind in given.get("kinds", ATTEMPTS)}
    return {kind: findings for kind, findings in got.items() if findings}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))) + "\n")
