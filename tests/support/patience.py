"""The time that tests wait for an event that has to come."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, Final

from fudaba.errors import ServiceError

PATIENCE: Final = 300.0
"""Seconds after which what is waited for counts as what never comes, also where many others use the machine.

No test waits so long for something that does not come: of that it has another sign.
"""
_MIN_PAUSE_SECONDS: Final = 0.02
_MAX_PAUSE_SECONDS: Final = 0.2
Awaited = str | Callable[[], str]
"""The event that a test waits for, in words. A function where the words show something that changes meanwhile, such as
a process's output."""


def pause_seconds(waited_seconds: float) -> float:
    """Returns how long a test that has waited this long pauses before it looks again: a tenth of that, within bounds.

    A look may be a call that three processes work for, for 10 ms in all: tests that look all the time keep each other
    waiting.
    """
    return min(_MAX_PAUSE_SECONDS, max(_MIN_PAUSE_SECONDS, waited_seconds / 10))


def in_words(awaited: Awaited) -> str:
    """Returns the words, made now: to be called once the wait has failed, so that they show how things stand then."""
    return awaited if isinstance(awaited, str) else awaited()


def wait_until(condition: Callable[[], Any], awaited: Awaited = "it", seconds: float = PATIENCE) -> Any:
    """Waits for the condition's first true value, and returns it. A server that cannot answer now is asked again."""
    begun = time.monotonic()
    while True:
        found, refusal = None, ""
        try:
            found = condition()
        except ServiceError as error:
            refusal = _in_vain(error)
        if found:
            return found
        time.sleep(_pause_seconds_since(begun, awaited, refusal, seconds))


async def until(condition: Callable[[], Any], awaited: Awaited = "it") -> Any:
    """Waits as `wait_until` does, in an event loop. The condition may be a coroutine function."""
    begun = time.monotonic()
    while True:
        found, refusal = None, ""
        try:
            answer = condition()
            found = await answer if inspect.isawaitable(answer) else answer
        except ServiceError as error:
            refusal = _in_vain(error)
        if found:
            return found
        await asyncio.sleep(_pause_seconds_since(begun, awaited, refusal, PATIENCE))


def _in_vain(error: ServiceError) -> str:
    """Returns a refusal in words if the same call may succeed later. Raises any other."""
    if not error.retryable:
        raise error
    return f" ({error})"


def _pause_seconds_since(begun: float, awaited: Awaited, refusal: str, seconds: float) -> float:
    """Returns the seconds to pause before the next look. Fails once the patience is at its end."""
    waited = time.monotonic() - begun
    assert waited < seconds, f"{in_words(awaited)}: it never came true{refusal}"
    return pause_seconds(waited)
