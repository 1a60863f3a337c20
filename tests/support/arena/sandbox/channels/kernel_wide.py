"""Channels through files below a process's number that show facts about the whole kernel, and through the numbers of
new objects.

No seal closes these: a program's own `/proc/self` cannot be taken from it, and runtimes need pipes and event counters.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
from abc import abstractmethod
from pathlib import Path

from tests.support.arena.sandbox.channels.channel import Channel, rare

_EXCLUSIVE_BIT = 56
"""The bit of a page's entry in `pagemap` that shows that nobody else has it mapped."""
_ENTRY_BYTES = 8
_EVENT_COUNT = 60
_NUMBERS_PER_BATCH = 1_024
"""The number of numbers that a core takes at once from those of the whole kernel."""
_SENT_COUNT = 10 * _NUMBERS_PER_BATCH


class Mapped(Channel):
    """A page of a file of `/usr`, which one maps and the other sees to be shared."""

    first_file = 0
    page: mmap.mmap | None = None

    def release(self) -> None:
        self.page = None

    def send(self, number: int, bit: bool) -> None:
        self.page = self._mapped(number) if bit else None

    def hear(self, number: int) -> float:
        page = self._mapped(number)
        return self.shared(ctypes.addressof(ctypes.c_char.from_buffer(page)))

    @abstractmethod
    def shared(self, address: int) -> float:
        """Returns a number that is higher where others have the page at an address."""

    def _mapped(self, number: int) -> mmap.mmap:
        file = os.open(rare(self.first_file + number), os.O_RDONLY)
        page = mmap.mmap(file, mmap.PAGESIZE, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
        os.close(file)
        page[0]  # it is mapped once it has been read
        return page


class MappedByPagemap(Mapped):
    first_file = 1_700

    def shared(self, address: int) -> float:
        with Path("/proc/self/pagemap").open("rb", buffering=0) as pages:
            pages.seek(address // mmap.PAGESIZE * _ENTRY_BYTES)
            (entry,) = struct.unpack("Q", pages.read(_ENTRY_BYTES))
        return float(not entry >> _EXCLUSIVE_BIT & 1)


class MappedBySmaps(Mapped):
    first_file = 2_400

    def shared(self, address: int) -> float:
        lines = iter(Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace").splitlines())
        next(line for line in lines if line.startswith(f"{address:x}-"))
        return -float(next(line for line in lines if line.startswith("Pss:")).split()[1])


class EventNumber(Channel):
    """The numbers of event counters, of which all programs' together are told apart."""

    held: tuple[int, ...] = ()

    def release(self) -> None:
        for file in self.held:
            os.close(file)
        self.held = ()

    def send(self, number: int, bit: bool) -> None:
        self.held = tuple(os.eventfd(0) for _ in range(_EVENT_COUNT if bit else 0))

    def hear(self, number: int) -> float:
        file = os.eventfd(0)
        try:
            details = Path(f"/proc/self/fdinfo/{file}").read_text(encoding="ascii")
        finally:
            os.close(file)
        return float(details.partition("eventfd-id:")[2].split()[0])


class NewNumber(Channel):
    """The number of a new object, which a core takes from those of the whole kernel."""

    before = 0

    @abstractmethod
    def made(self) -> int:
        """Makes an object, and returns its number."""

    def ready(self) -> None:
        self.before = self._highest()

    def send(self, number: int, bit: bool) -> None:
        for _ in range(_SENT_COUNT if bit else 0):
            self.made()

    def hear(self, number: int) -> float:
        return float(self._highest() - self.before)

    def _highest(self) -> int:
        """Returns the highest of as many numbers as reach into the next that the kernel hands out."""
        return max(self.made() for _ in range(_NUMBERS_PER_BATCH + 76))


class PipeNumber(NewNumber):
    def made(self) -> int:
        reading, writing = os.pipe()
        number = os.fstat(reading).st_ino
        os.close(reading)
        os.close(writing)
        return number


class MemoryFileNumber(NewNumber):
    def made(self) -> int:
        file = os.memfd_create("m")
        number = os.fstat(file).st_ino
        os.close(file)
        return number
