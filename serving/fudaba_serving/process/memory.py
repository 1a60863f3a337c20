"""A loop that returns freed memory to the system.

The C library keeps freed memory that lies between pieces still in use. After many calls at once that is a lot.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Final, final

__all__ = ["give_back"]

_POLL_SECONDS: Final = 1.0
_WORTHWHILE_BYTES: Final = 8 * 1024 * 1024
"""The number of freed bytes that justifies the milliseconds that a return of memory takes."""
_SMALL_BYTES: Final = 1024 * 1024
"""The same after `_MAX_WORTHWHILE_POLLS` polls without a return: even a small amount is not kept for ever."""
_MAX_WORTHWHILE_POLLS: Final = 10
"""The number of polls after which `_SMALL_BYTES` is enough."""
_STATUS: Final = Path("/proc/self/statm")


class _Counts(ctypes.Structure):
    """The C library's counts: `struct mallinfo2` of <malloc.h>."""

    _fields_ = (
        ("before", ctypes.c_size_t * 4),
        ("hblkhd", ctypes.c_size_t),
        ("between", ctypes.c_size_t * 2),
        ("uordblks", ctypes.c_size_t),
        ("after", ctypes.c_size_t * 2),
    )


@final
class _Allocator:
    """The allocator of the C library: it says how much is in use, and returns what is free."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._count, self._trim = library.mallinfo2, library.malloc_trim
        self._count.restype = _Counts

    def in_use(self) -> int:
        """Returns the number of bytes that were allocated and are not freed."""
        counts = self._count()
        return int(counts.uordblks + counts.hblkhd)

    def trim(self) -> None:
        """Returns free memory to the system."""
        self._trim(0)


def _resident() -> int:
    """Returns the number of bytes of memory that this process uses."""
    return int(_STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def give_back() -> None:
    """Checks once a second whether much memory was freed, and returns it to the system. Never ends.

    Much was freed if much less is in use than at the peak since the last return, or if the process has grown: the
    checks do not see memory that was allocated and freed between two of them. Does nothing where `/proc/self/statm` or
    the C library's counts are missing.
    """
    try:
        allocator = _Allocator() if _STATUS.exists() else None
    except (OSError, AttributeError):  # the C library is another one
        allocator = None
    most, resident, looks = 0, 0, 0
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        if allocator is None:
            continue
        looks += 1
        # The counting and the trimming run in threads because each takes milliseconds.
        in_use = await asyncio.to_thread(allocator.in_use)
        most = max(most, in_use)
        worth = _WORTHWHILE_BYTES if looks < _MAX_WORTHWHILE_POLLS else _SMALL_BYTES
        with suppress(OSError):  # a process that may open no more files cannot look; it can a second later
            if most - in_use >= worth or _resident() - resident >= worth:
                await asyncio.to_thread(allocator.trim)
                most, resident, looks = in_use, _resident(), 0
            resident = min(resident, _resident())
