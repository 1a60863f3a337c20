"""The difference between a machine's clock and that of its Redis."""

from __future__ import annotations

import time
from collections.abc import Awaitable

__all__ = ["seconds_ahead"]


async def seconds_ahead(asked: Awaitable[tuple[int, int]]) -> float:
    """Returns the seconds by which this clock is ahead of a server's: below 0 if behind, 0 if the delay explains it.

    `asked` is the server's answer to TIME: seconds and microseconds since 1970. Raises what `asked` raises.
    """
    before = time.time()
    seconds, micros = await asked
    after = time.time()
    of_server = seconds + micros / 1e6
    if before <= of_server <= after:
        return 0.0
    return before - of_server if of_server < before else after - of_server
