"""An object by which two programs may tell each other bits, and what they need to reach it."""

from __future__ import annotations

import ctypes
import mmap
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)


class Channel(ABC):
    """An object: how a bit is put there, and what can be seen of it. Each may raise `OSError`: then it is refused."""

    after = 0
    """Objects of which one changes what is heard of the other have different numbers, and are tried in their order."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.key = str(given["key"])
        self.numbers: dict[str, int] = given["numbers"]

    @abstractmethod
    def send(self, number: int, bit: bool) -> None:
        """Puts the bit of this number there, in the place of the one before."""

    @abstractmethod
    def hear(self, number: int) -> float:
        """Reads what is seen, from whose differences the bits follow."""

    def release(self) -> None:  # noqa: B027  # most send one bit in the place of another
        """Takes back the bit before, ere anybody listens for the next one."""

    def ready(self) -> None:  # noqa: B027  # most have nothing to do before
        """Begins to listen, before the bit is sent."""

    def call(self, name: str, *arguments: object) -> int:
        """Makes a system call by its number."""
        whole = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
        got = int(_LIBC.syscall(ctypes.c_long(self.numbers[name]), *whole))
        if got == -1:
            raise OSError(ctypes.get_errno(), name)
        return got


def rare(number: int) -> str:
    """Returns a file of `/usr` that hardly anybody reads; another one for each number, as far as there are so many."""
    if not _RARE:
        for folder, folders, files in os.walk("/usr/share"):
            folders.sort()
            paths = (Path(folder, name) for name in sorted(files))
            _RARE.extend(str(path) for path in paths if path.is_file() and path.stat().st_size > mmap.PAGESIZE)
            if len(_RARE) > 3000:
                break
    return _RARE[number % len(_RARE)]


_RARE: list[str] = []
