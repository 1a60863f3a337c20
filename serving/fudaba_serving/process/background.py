"""Background tasks: after an unexpected error, neither a task nor the process ends silently."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final

from fudaba_serving.process.retry import doubling

__all__ = ["restarted"]

log = logging.getLogger(__name__)

_FIRST_PAUSE_SECONDS: Final = 1.0
_MAX_PAUSE_SECONDS: Final = 30.0
_SOUND_SECONDS: Final = 60.0
"""The time in seconds after which the next pause before a restart is short again."""


async def restarted(
    name: str, work: Callable[[], Coroutine[Any, Any, None]], failed: Callable[[], None] = lambda: None
) -> None:
    """Runs a task to its end. Logs an unexpected error and restarts the task: after a second, then less often.

    Calls `failed` for each error.
    """
    pauses = iter(doubling(_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS))
    while True:
        begun = time.monotonic()
        try:
            return await work()
        except Exception:
            if time.monotonic() - begun >= _SOUND_SECONDS:
                pauses = iter(doubling(_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS))
            pause = next(pauses)
            log.exception("unexpected error in the background task %r; restarting it in %g s", name, pause)
        failed()
        await asyncio.sleep(pause)
