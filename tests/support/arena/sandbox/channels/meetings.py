"""Things with a name under which two programs can meet."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import socket
from pathlib import Path

from tests.support.arena.sandbox.channels.channel import Channel
from tests.support.arena.sandbox.channels.counters import PLACES

_SET_NAME_CODE = 15


class SharedMemory(Channel):
    def paths(self) -> list[Path]:
        return [Path(place, f"{self.key}-file") for place in PLACES]

    def send(self, number: int, bit: bool) -> None:
        for path in self.paths():
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
                if bit:
                    path.touch()

    def hear(self, number: int) -> float:
        return float(sum(path.exists() for path in self.paths()))


class NamedSocket(SharedMemory):
    def paths(self) -> list[Path]:
        return [Path(place, f"{self.key}-socket") for place in PLACES]

    def send(self, number: int, bit: bool) -> None:
        super().send(number, False)
        for path in self.paths() if bit else ():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(path))


class AbstractSocket(Channel):
    held: socket.socket | None = None

    def send(self, number: int, bit: bool) -> None:
        if self.held is not None:
            self.held.close()
        self.held = socket.socket(socket.AF_UNIX) if bit else None
        if self.held is not None:
            self.held.bind(f"\0{self.key}-{number}")
            self.held.listen()

    def hear(self, number: int) -> float:
        with socket.socket(socket.AF_UNIX) as caller:
            return float(caller.connect_ex(f"\0{self.key}-{number}") == 0)


class Port(Channel):
    held: socket.socket | None = None

    def place(self, number: int) -> tuple[str, int]:
        # Of all addresses of loopback: nobody else listens there.
        host = f"127.{int(self.key[:2], 16)}.{int(self.key[2:4], 16)}.{1 + number % 250}"
        return host, 20_000 + int(self.key[4:7], 16)

    def send(self, number: int, bit: bool) -> None:
        if self.held is not None:
            self.held.close()
        self.held = socket.create_server(self.place(number)) if bit else None

    def hear(self, number: int) -> float:
        with socket.socket(socket.AF_INET) as caller:
            caller.settimeout(60)
            return float(caller.connect_ex(self.place(number)) == 0)


class SystemV(Channel):
    """Shared memory by a number of the whole host."""

    get, control = "shmget", "shmctl"
    remove: tuple[int, int | None] = (0, None)
    size: tuple[int, ...] = (4096,)

    def number(self) -> int:
        return 1 + int(self.key[:7], 16)

    def send(self, number: int, bit: bool) -> None:
        with contextlib.suppress(FileNotFoundError):
            self.call(self.control, self.call(self.get, self.number(), *self.size, 0), *self.remove)
        if bit:
            self.call(self.get, self.number(), *self.size, 0o1666)

    def hear(self, number: int) -> float:
        try:
            self.call(self.get, self.number(), *self.size, 0)
        except FileNotFoundError:
            return 0.0
        return 1.0


class Semaphores(SystemV):
    get, control = "semget", "semctl"
    remove = (0, 0)
    size = (1,)


class Processes(Channel):
    """Whether a process can be seen."""

    child = 0

    def send(self, number: int, bit: bool) -> None:
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        self.child = 0
        if not bit:
            return
        self.child = os.fork()
        if not self.child:
            try:
                self.call("prctl", _SET_NAME_CODE, self.key[:8].encode(), 0, 0, 0)
                signal.pause()
            finally:
                os._exit(0)
        while Path(f"/proc/{self.child}/comm").read_text(encoding="ascii").strip() != self.key[:8]:
            pass

    def hear(self, number: int) -> float:
        found = 0
        for place in Path("/proc").glob("[0-9]*/comm"):
            with contextlib.suppress(OSError):
                found += place.read_text(encoding="ascii", errors="replace").strip() == self.key[:8]
        return float(found)


class Keyring(Channel):
    """A key of the user's, found by its name."""

    def send(self, number: int, bit: bool) -> None:
        if bit:
            self.call("add_key", b"user", f"{self.key}-{number}".encode(), b"x", 1, -4)

    def hear(self, number: int) -> float:
        try:
            return float(self.call("request_key", b"user", f"{self.key}-{number}".encode(), None, 0) >= 0)
        except OSError as error:
            if error.errno == errno.ENOKEY:
                return 0.0
            raise
