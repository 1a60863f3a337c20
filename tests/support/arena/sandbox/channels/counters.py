"""Numbers that count for the whole host."""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from pathlib import Path

from tests.support.arena.sandbox.channels.channel import Channel

PLACES = ("/tmp", "/dev/shm", "/run", "/var/tmp")
"""Where a program may be able to write."""
_TERMINALS = 16
_THREADS = 20
_PIPES = 90
_BYTES = 16_000_000


class Counter(Channel):
    """A number in a file of the host's."""

    path, field = "", 0

    def hear(self, number: int) -> float:
        words = Path(self.path).read_text(encoding="ascii").replace("/", " ").split()
        return float(words[self.field])


class Terminals(Counter):
    path = "/proc/sys/kernel/pty/nr"
    held: tuple[int, ...] = ()

    def send(self, number: int, bit: bool) -> None:
        for file in self.held:
            os.close(file)
        self.held = tuple(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY) for _ in range(_TERMINALS if bit else 0))


class Files(Counter):
    path = "/proc/sys/fs/file-nr"
    held: tuple[int, ...] = ()

    def send(self, number: int, bit: bool) -> None:
        for file in self.held:
            os.close(file)
        self.held = tuple(file for _ in range(_PIPES if bit else 0) for file in os.pipe())


class Inodes(Files):
    path = "/proc/sys/fs/inode-nr"


class Threads(Counter):
    path, field = "/proc/loadavg", 4
    over = threading.Event()
    held: tuple[threading.Thread, ...] = ()

    def send(self, number: int, bit: bool) -> None:
        self.over.set()
        for thread in self.held:
            thread.join()
        self.over = threading.Event()
        self.held = tuple(threading.Thread(target=self.over.wait, daemon=True) for _ in range(_THREADS if bit else 0))
        for thread in self.held:
            thread.start()


class ThreadsBySysinfo(Threads):
    def hear(self, number: int) -> float:
        room = ctypes.create_string_buffer(256)
        self.call("sysinfo", room)
        return float(struct.unpack_from("10lH", room)[10])


class Memory(Counter):
    path = "/proc/vmstat"

    def send(self, number: int, bit: bool) -> None:
        Path("/dev/shm", self.key).write_bytes(bytes(_BYTES if bit else 0))

    def hear(self, number: int) -> float:
        lines = Path(self.path).read_text(encoding="ascii").splitlines()
        return float(dict(line.split() for line in lines)["nr_shmem"])


class Pressure(Memory):
    def hear(self, number: int) -> float:
        return float(Path("/proc/pressure/cpu").read_text(encoding="ascii").split()[4].partition("=")[2])


class Space(Memory):
    """Free space where both may have some."""

    def hear(self, number: int) -> float:
        free = [os.statvfs(place) for place in ("/", "/usr", *PLACES) if Path(place).is_dir()]
        return float(sum(one.f_bavail for one in free))
