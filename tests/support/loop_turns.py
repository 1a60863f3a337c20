"""Turns of the event loop that asyncio needs to finish what it has begun."""

from __future__ import annotations

import asyncio
from typing import Final

_TURN_COUNT: Final = 10
"""More than accepting a connection, or closing one, takes."""


async def closed() -> None:
    """Waits until connections that were aborted are closed.

    What is open when its loop closes is found by the garbage collector, in some later test.
    """
    for _ in range(_TURN_COUNT):
        await asyncio.sleep(0)


async def stop_accepting(server: asyncio.Server) -> None:
    """Closes a server. Whoever it has accepted has reached its handler when this returns.

    asyncio (3.11) forgets a connection that it has accepted when the server closes before the next turn.
    """
    for listener in server.sockets:
        asyncio.get_running_loop().remove_reader(listener.fileno())
    await closed()
    server.close()
