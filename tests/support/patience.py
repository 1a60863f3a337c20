"""The time that tests wait for an event that has to come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

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
