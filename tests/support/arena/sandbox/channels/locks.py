"""Locks, leases and watches of files that both see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import sys
from pathlib import Path
from typing import Any

from tests.support.arena.sandbox.channels.channel import Channel, rare

_LOCK = struct.Struct("hhqqi4x")
_LEASED, _WATCHED = -200, -300


class Flock(Channel):
    path = "/usr/bin/env"

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.file = os.open(self.path, os.O_RDONLY)

    def send(self, number: int, bit: bool) -> None:
        fcntl.flock(self.file, fcntl.LOCK_SH if bit else fcntl.LOCK_UN)

    def hear(self, number: int) -> float:
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return 1.0
        fcntl.flock(self.file, fcntl.LOCK_UN)
        return 0.0


class FlockOfRuntime(Flock):
    path = os.path.realpath(sys.executable)


class FlockOfDevice(Flock):
    path = "/dev/null"


class RecordLock(Channel):
    set_lock, get_lock, start = fcntl.F_SETLK, fcntl.F_GETLK, 0

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__(given)
        self.file = os.open("/usr/bin/env", os.O_RDONLY)

    def send(self, number: int, bit: bool) -> None:
        fcntl.fcntl(self.file, self.set_lock, _LOCK.pack(fcntl.F_RDLCK if bit else fcntl.F_UNLCK, 0, self.start, 8, 0))

    def hear(self, number: int) -> float:
        lock = fcntl.fcntl(self.file, self.get_lock, _LOCK.pack(fcntl.F_WRLCK, 0, self.start, 8, 0))
        return float(_LOCK.unpack(lock)[0] != fcntl.F_UNLCK)


class OpenFileLock(RecordLock):
    set_lock, get_lock, start = 37, 36, 100


class Lease(Channel):
    """Whether somebody else has a file open: then its owner gets no lease to write it."""

    held: int | None = None

    def send(self, number: int, bit: bool) -> None:
        if self.held is not None:
            os.close(self.held)
        self.held = os.open(rare(_LEASED), os.O_RDONLY) if bit else None

    def hear(self, number: int) -> float:
        file = os.open(rare(_LEASED), os.O_RDONLY)
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except BlockingIOError:
            return 1.0
        finally:
            os.close(file)
        return 0.0


class Inotify(Channel):
    watch = -1

    def ready(self) -> None:
        if self.watch == -1:
            self.watch = self.call("inotify_init1", os.O_NONBLOCK)
            self.call("inotify_add_watch", self.watch, rare(_WATCHED).encode(), 0x20)
        with contextlib.suppress(BlockingIOError):
            os.read(self.watch, 65_536)

    def send(self, number: int, bit: bool) -> None:
        if bit:
            os.close(os.open(rare(_WATCHED), os.O_RDONLY))

    def hear(self, number: int) -> float:
        return float(bool(select.select([self.watch], [], [], 0)[0]))


class Dnotify(Channel):
    folder, seen = -1, 0

    def ready(self) -> None:
        if self.folder == -1:
            signal.signal(signal.SIGIO, self._see)
            self.folder = os.open(Path(rare(-1)).parent, os.O_RDONLY)
            fcntl.fcntl(self.folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
        self.seen = 0

    def _see(self, *_: object) -> None:
        self.seen += 1

    def send(self, number: int, bit: bool) -> None:
        if bit:
            Path(rare(-1)).read_bytes()

    def hear(self, number: int) -> float:
        return float(self.seen > 0)
