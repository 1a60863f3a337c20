"""Follows a stream of a standing arena, across failures of the connection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, TypeVar

from fudaba._backoff import delays
from fudaba.cli.output import say
from fudaba.errors import ServiceError

__all__ = ["follow"]

_Message = TypeVar("_Message")
_DELAYS: Final = partial(delays, first=0.2, longest=5.0)


def follow(ask: Callable[[], Iterable[_Message]], *, endless: bool = False) -> Iterator[_Message]:
    """Yields the messages of a stream. Asks for the stream again when it fails or, if it is `endless`, when it ends.

    `ask` begins after the last message that it yielded. Raises `ServiceError` if another try would not help.
    """
    pauses, said = _DELAYS(), False
    while True:
        try:
            for message in ask():
                pauses, said = _DELAYS(), False
                yield message
            if not endless:
                return
        except ServiceError as error:
            if not error.retryable:
                raise
            if not said:
                say(f"{error}; trying again", err=True)
            said = True
        time.sleep(next(pauses))
