"""Calls by which one program could tell another something, as a program: it prints what it was told for each, as JSON.

It runs inside of sandboxes, with Python's standard library alone. Its argument is the numbers of system calls by name.
What it prints is the name of an error for each call, or `done`.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import signal
import socket
import sys
from collections.abc import Iterator

_LIBC = ctypes.CDLL(None, use_errno=True)
_ROOM = ctypes.create_string_buffer(4096)
_LOCK = bytes(32)
"""A `struct flock`: a lock for reading of all of a file."""
_X32_BIT = 0x40000000
_FCNTLS = {"F_GETLK": 5, "F_SETLK": 6, "F_SETLKW": 7, "F_OFD_GETLK": 36, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


_Call = tuple[str, str, tuple[object, ...]]
"""The description of a trial, the call, and its arguments."""


def _of_files(file: int, written: int, leased: int, folder: int) -> Iterator[_Call]:
    vector = ctypes.byref(_Vector(ctypes.addressof(_ROOM), 8))
    yield "flock", "flock", (file, 1)
    yield "flock by x32", "x32 flock", (file, 1)
    for name, command in _FCNTLS.items():
        yield name, "fcntl", (file, command, _LOCK)
    yield "F_SETLEASE", "fcntl", (leased, 1024, 0)
    yield "F_GETLEASE", "fcntl", (leased, 1025, 0)
    yield "F_NOTIFY", "fcntl", (folder, 1026, 1)
    yield "F_GET_RW_HINT", "fcntl", (written, 1035, _ROOM)
    yield "preadv2 that does not wait", "preadv2", (file, vector, 1, 0, 0, 8)
    yield "pwritev2 that does not wait", "pwritev2", (written, vector, 1, 0, 0, 8)
    yield "cachestat", "cachestat", (file, (ctypes.c_uint64 * 2)(0, 4096), _ROOM, 0)
    yield "fadvise64", "fadvise64", (file, 0, 4096, 4)
    yield "readahead", "readahead", (file, 0, 4096)
    yield "openat2", "openat2", (-100, b"/usr", (ctypes.c_uint64 * 3)(0, 0, 0x20), 24)
    yield "flags of a file system", "ioctl", (folder, 0x80086601, _ROOM)
    yield "inotify_init1", "inotify_init1", (0,)
    yield "inotify_add_watch", "inotify_add_watch", (-1, b"/usr", 0x100)
    yield "inotify_rm_watch", "inotify_rm_watch", (-1, 1)


def _of_memory(page: int) -> Iterator[_Call]:
    yield "mincore", "mincore", (page, mmap.PAGESIZE, _ROOM)
    yield "sysinfo", "sysinfo", (_ROOM,)
    yield "PR_SET_MEMORY_MERGE", "prctl", (67, 1, 0, 0, 0)
    yield "PR_SCHED_CORE", "prctl", (62, 1, 0, 0, 0)
    yield "MADV_MERGEABLE", "madvise", (page, mmap.PAGESIZE, 12)
    yield "huge pages by memfd_create", "memfd_create", (b"huge", 4)
    yield "huge pages by mmap", "mmap", (0, 1 << 21, 0, 0x40022, -1, 0)
    yield "huge pages by shmget", "shmget", (0, 1 << 21, 0o4600)


def _of_processes(pair: int) -> Iterator[_Call]:
    size = ctypes.byref(ctypes.c_uint32(8))
    yield "pidfd_open", "pidfd_open", (os.getpid(), 0)
    yield "sched_setaffinity", "sched_setaffinity", (0, 128, b"\xff" * 128)
    yield "SO_COOKIE", "getsockopt", (pair, 1, 57, _ROOM, size)
    yield "SO_PEERPIDFD", "getsockopt", (pair, 1, 77, _ROOM, size)
    yield "SO_PASSPIDFD", "setsockopt", (pair, 1, 76, (ctypes.c_int * 1)(1), 4)
    yield "landlock_create_ruleset", "landlock_create_ruleset", (None, 0, 1)


def _made(number: int, arguments: tuple[object, ...]) -> str:
    whole = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    if _LIBC.syscall(ctypes.c_long(number), *whole) != -1:
        return "done"
    return errno.errorcode[ctypes.get_errno()]


def _cloned(number: int) -> str:
    """Returns what a child that comes with a descriptor of a process is told for its parent."""
    pid = _LIBC.syscall(ctypes.c_long(number), ctypes.c_long(0x1000 | 17), None, _ROOM, None, None)
    if pid == 0:
        os._exit(0)
    if pid == -1:
        return errno.errorcode[ctypes.get_errno()]
    os.waitpid(pid, 0)
    return "done"


def main(numbers: dict[str, int]) -> dict[str, str]:
    """Returns what the kernel answered to each."""
    numbers = numbers | {"x32 flock": numbers["flock"] | _X32_BIT}
    # Whoever watches a folder is sent this by whatever else the host does there.
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    written = os.open("/tmp/written", os.O_RDWR | os.O_CREAT)  # the sandbox's own
    leased = os.open("/tmp/leased", os.O_RDONLY | os.O_CREAT)
    file, folder = os.open("/usr/bin/env", os.O_RDONLY), os.open("/usr/bin", os.O_RDONLY)
    page = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    pair = socket.socketpair()
    outcomes = {}
    for name, call, arguments in (
        *_of_files(file, written, leased, folder),
        *_of_memory(address),
        *_of_processes(pair[0].fileno()),
    ):
        outcomes[name] = _made(numbers[call], arguments)
    outcomes["CLONE_PIDFD"] = _cloned(numbers["clone"])
    outcomes["io_uring_setup"] = _made(425, (4, _ROOM))
    return outcomes


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))) + "\n")
