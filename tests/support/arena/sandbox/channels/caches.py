"""Channels through the parts of files that are in memory, and the times when files were touched."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
from pathlib import Path

from tests.support.arena.sandbox.channels.channel import Channel, rare

_FILE_COUNT = 700
"""The number of files, at least as many as a hunt has bits: each way to ask has files of its own."""
_READ_NUMBER = -100


class Cached(Channel):
    """A channel with a file for each bit: whether its pages are in memory."""

    first = 0

    def send(self, number: int, bit: bool) -> None:
        file = os.open(rare(self.first + number), os.O_RDONLY)
        with contextlib.suppress(OSError):
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        if bit:
            os.pread(file, mmap.PAGESIZE, 0)
        os.close(file)

    def hear(self, number: int) -> float:
        file = os.open(rare(self.first + number), os.O_RDONLY)
        try:
            return self.resident(file)
        finally:
            os.close(file)

    def resident(self, file: int) -> float:
        try:
            return float(os.preadv(file, [bytearray(8)], 0, os.RWF_NOWAIT) > 0)
        except BlockingIOError:
            return 0.0


class CachedByMincore(Cached):
    first = _FILE_COUNT

    def resident(self, file: int) -> float:
        page, answer = mmap.mmap(file, mmap.PAGESIZE, mmap.MAP_PRIVATE), ctypes.create_string_buffer(1)
        place = ctypes.c_char.from_buffer(page)
        self.call("mincore", ctypes.addressof(place), mmap.PAGESIZE, answer)
        return float(answer.raw[0] & 1)


class CachedByCachestat(Cached):
    first = 2 * _FILE_COUNT

    def resident(self, file: int) -> float:
        counts = (ctypes.c_uint64 * 5)()
        self.call("cachestat", file, (ctypes.c_uint64 * 2)(0, mmap.PAGESIZE), counts, 0)
        return float(counts[0])


class CachedName(Channel):
    """Whether somebody has looked up a name that there is not."""

    def name(self, number: int) -> str:
        return f"/usr/share/{self.key}-{number}"

    def send(self, number: int, bit: bool) -> None:
        if bit:
            Path(self.name(number)).exists()

    def hear(self, number: int) -> float:
        try:
            self.call("openat2", -100, self.name(number).encode(), (ctypes.c_uint64 * 3)(0, 0, 0x20), 24)
        except FileNotFoundError:
            return 1.0
        except BlockingIOError:
            return 0.0
        return 0.0


class TimesOfDevice(Channel):
    before = 0.0

    def ready(self) -> None:
        self.before = Path("/dev/full").stat().st_mtime_ns

    def send(self, number: int, bit: bool) -> None:
        before = Path("/dev/full").stat().st_mtime_ns
        # The kernel's clock for files ticks some hundred times a second.
        while bit and Path("/dev/full").stat().st_mtime_ns == before:
            os.utime("/dev/full")

    def hear(self, number: int) -> float:
        return float(Path("/dev/full").stat().st_mtime_ns != self.before)


class TimesOfFile(Channel):
    """A channel by the time when a file was read last. Where it is mounted read-only, the kernel keeps no such
    times."""

    before = 0.0

    def ready(self) -> None:
        if os.statvfs(rare(_READ_NUMBER)).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, rare(_READ_NUMBER))
        self.before = Path(rare(_READ_NUMBER)).stat().st_atime_ns

    def send(self, number: int, bit: bool) -> None:
        if bit:
            Path(rare(_READ_NUMBER)).read_bytes()

    def hear(self, number: int) -> float:
        return float(Path(rare(_READ_NUMBER)).stat().st_atime_ns != self.before)
