"""What a worker does itself with what a stranger sent is waited for within a time. The thread that does it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from fudaba_arena.errors import ArenaError

__all__ = ["HOST_STEP_SECONDS", "host_step"]

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
HOST_STEP_SECONDS: Final = 300.0
"""How long unpacking, packing or reading may take: a gigabyte on a slow disk is far below it."""


async def host_step(
    doing: str, function: Callable[_Given, _Found], *args: _Given.args, **named: _Given.kwargs
) -> _Found:
    """What a function brings, run in a thread. Raises `ArenaError` when that takes too long: a fault of the host's."""
    try:
        async with asyncio.timeout(HOST_STEP_SECONDS) as limit:
            return await asyncio.to_thread(function, *args, **named)
    except TimeoutError:
        if not limit.expired():
            raise
        raise ArenaError(f"{doing} takes this host more than {HOST_STEP_SECONDS:.0f} s") from None
