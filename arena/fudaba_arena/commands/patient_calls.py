"""Calls to an arena that may be away for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from fudaba.cli.output import say
from fudaba.errors import ServiceError

__all__ = ["TIMEOUT_SECONDS", "until_answered"]

Answer = TypeVar("Answer")

TIMEOUT_SECONDS: Final = 60.0
"""The time that an arena may take for an answer."""
_PATIENCE_SECONDS: Final = 120.0
"""The time for which a call is repeated while the arena is away."""
_FIRST_PAUSE_SECONDS: Final = 0.5
_MAX_PAUSE_SECONDS: Final = 10.0


def until_answered(call: Callable[[], Answer]) -> Answer:
    """Repeats a call until it is answered. Raises `ServiceError` if trying again does not help."""
    pause, until = _FIRST_PAUSE_SECONDS, time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return call()
        except ServiceError as error:
            if not error.retryable or error.reason == "QUOTA_EXCEEDED" or time.monotonic() > until:
                raise
            if pause == _FIRST_PAUSE_SECONDS:
                say(f"{error}; trying again for up to {_PATIENCE_SECONDS:g} s", err=True)
            time.sleep(max(pause, error.retry_after or 0.0))
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)
