"""Memory that comes down again: what was freed goes back to the system.

The C library keeps what is freed between pieces that are still used. After many calls at once that is a lot.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

__all__ = ["give_back"]

_LOOK: Final = 1.0
_WORTH: Final = 8 * 1024 * 1024
"""So many bytes more than after the last time are worth the milliseconds that it takes."""
_STATUS: Final = Path("/proc/self/statm")


def _trim() -> Callable[[int], int] | None:
    """What gives memory back; None where the C library has no such thing."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None


def _resident() -> int:
    """How many bytes of memory this process uses."""
    return int(_STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def give_back() -> None:
    """Looks once a second whether the process has grown, and gives back what is free then. For ever."""
    trim = _trim()
    least = 0
    while True:
        await asyncio.sleep(_LOOK)
        if trim is None or not _STATUS.exists():
            continue
        if _resident() > least + _WORTH:
            # In a thread: it takes milliseconds.
            await asyncio.to_thread(trim, 0)
            least = _resident()
        least = min(least, _resident())
