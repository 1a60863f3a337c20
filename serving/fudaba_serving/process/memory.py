"""Memory that comes down again: what was freed goes back to the system.

The C library keeps what is freed between pieces that are still used. After many calls at once that is a lot.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from pathlib import Path
from typing import Final, final

__all__ = ["give_back"]

_LOOK: Final = 1.0
_WORTH: Final = 8 * 1024 * 1024
"""So many bytes are worth the milliseconds that it takes to give memory back."""
_LITTLE: Final = 1024 * 1024
"""So many are once memory was not given back for a while: what was freed just after that is not kept for ever."""
_WHILE: Final = 10
"""That many looks."""
_STATUS: Final = Path("/proc/self/statm")


class _Counts(ctypes.Structure):
    """What the C library counts: `struct mallinfo2` of <malloc.h>."""

    _fields_ = (
        ("before", ctypes.c_size_t * 4),
        ("hblkhd", ctypes.c_size_t),
        ("between", ctypes.c_size_t * 2),
        ("uordblks", ctypes.c_size_t),
        ("after", ctypes.c_size_t * 2),
    )


@final
class _Allocator:
    """The C library's: how much it holds, and how it gives back what is free."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._count, self._trim = library.mallinfo2, library.malloc_trim
        self._count.restype = _Counts

    def in_use(self) -> int:
        """Bytes that were asked for and are not freed."""
        counts = self._count()
        return int(counts.uordblks + counts.hblkhd)

    def trim(self) -> None:
        """Gives back what is free."""
        self._trim(0)


def _resident() -> int:
    """How many bytes of memory this process uses."""
    return int(_STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def give_back() -> None:
    """Looks once a second whether much was freed since memory was last given back, and gives it back. For ever.

    Much was freed when much less is in use than there was at most, or when the process has grown: what grew and was
    freed between two looks was never seen in use.
    """
    try:
        allocator = _Allocator() if _STATUS.exists() else None
    except (OSError, AttributeError):  # another C library
        allocator = None
    most, resident, looks = 0, 0, 0
    while True:
        await asyncio.sleep(_LOOK)
        if allocator is None:
            continue
        looks += 1
        # In threads: it takes milliseconds.
        in_use = await asyncio.to_thread(allocator.in_use)
        most = max(most, in_use)
        worth = _WORTH if looks < _WHILE else _LITTLE
        if most - in_use >= worth or _resident() - resident >= worth:
            await asyncio.to_thread(allocator.trim)
            most, resident, looks = in_use, _resident(), 0
        resident = min(resident, _resident())
