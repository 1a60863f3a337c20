"""Numbers that count for the whole host."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import threading
import time
import zlib
from pathlib import Path

from tests.support.arena.sandbox.channels.channel import Channel

PLACES = ("/tmp", "/dev/shm", "/run", "/var/tmp")
"""The places where a program may be able to write."""
_TERMINAL_COUNT = 16
_THREAD_COUNT = 100
_PIPE_COUNT = 200
_FILE_BYTES = 8_000_000
_WORK = bytes(4_000_000)


class Counter(Channel):
    """A number in a file of the host's, and by how much it rises: others count there, too."""

    path, field = "", 0
    before = 0.0

    def ready(self) -> None:
        self.before = self.count()

    def hear(self, number: int) -> float:
        return self.count() - self.before

    def count(self) -> float:
        words = Path(self.path).read_text(encoding="ascii").replace("/", " ").split()
        return float(words[self.field])


class Terminals(Counter):
    path = "/proc/sys/kernel/pty/nr"
    held: tuple[int, ...] = ()

    def release(self) -> None:
        for file in self.held:
            os.close(file)
        self.held = ()

    def send(self, number: int, bit: bool) -> None:
        self.held = tuple(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) for _ in range(_TERMINAL_COUNT if bit else 0))


class Files(Terminals):
    path = "/proc/sys/fs/file-nr"

    def send(self, number: int, bit: bool) -> None:
        self.held = tuple(file for _ in range(_PIPE_COUNT if bit else 0) for file in os.pipe())


class Inodes(Files):
    path, after = "/proc/sys/fs/inode-nr", 2


class Threads(Counter):
    path, field = "/proc/loadavg", 4
    over = threading.Event()
    held: tuple[int, ...] = ()

    def release(self) -> None:
        self.over.set()
        # A thread that was joined is counted for a moment still.
        while any(Path(f"/proc/self/task/{thread}").exists() for thread in self.held):
            time.sleep(0)
        self.held = ()

    def send(self, number: int, bit: bool) -> None:
        self.over = threading.Event()
        threads = [threading.Thread(target=self.over.wait, daemon=True) for _ in range(_THREAD_COUNT if bit else 0)]
        for thread in threads:
            thread.start()
        self.held = tuple(thread.native_id or 0 for thread in threads)


class ThreadsBySysinfo(Threads):
    after = 1

    def count(self) -> float:
        room = ctypes.create_string_buffer(256)
        self.call("sysinfo", room)
        return float(struct.unpack_from("10lH", room)[10])


class Memory(Counter):
    path = "/proc/vmstat"

    def release(self) -> None:
        self.file().write_bytes(b"")

    def send(self, number: int, bit: bool) -> None:
        self.file().write_bytes(bytes(_FILE_BYTES if bit else 0))

    def file(self) -> Path:
        return Path("/dev/shm", f"{self.key}-{type(self).__name__}")

    def count(self) -> float:
        lines = Path(self.path).read_text(encoding="ascii").splitlines()
        return float(dict(line.split() for line in lines)["nr_shmem"])


class Pressure(Counter):
    """A channel by the time that programs of the host have waited for a core."""

    path = "/proc/pressure/cpu"

    def send(self, number: int, bit: bool) -> None:
        if not bit:
            return
        cores = os.sched_getaffinity(0)
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(0, {min(cores)})
        threads = [threading.Thread(target=zlib.crc32, args=[_WORK]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with contextlib.suppress(PermissionError):
            os.sched_setaffinity(0, cores)

    def count(self) -> float:
        return float(Path(self.path).read_text(encoding="ascii").split()[4].partition("=")[2])


class Space(Memory):
    """Free space where both may have some."""

    after = 1

    def count(self) -> float:
        free = [os.statvfs(place) for place in ("/", "/usr", *PLACES) if Path(place).is_dir()]
        return -float(sum(place.f_bavail * place.f_frsize for place in free))
