"""What watchers are told and have not taken yet: bounded by its bytes, for all watchers of one caller together.

Whoever reads takes what comes at once. When a caller's watchers hold too much, those that hold most are cut: what waits
for them is given back at once, and they are told why as soon as they read on.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, NamedTuple, final

from fudaba.v1 import errors_pb2
from fudaba_service.refusals import Refused

__all__ = ["Backlog", "Told", "Unread"]

_EACH: Final = 200
"""What a message takes besides its bytes."""


@final
class Told(NamedTuple):
    """A message for a watcher."""

    raw: bytes
    """As it goes over the wire."""
    decision_id: str = ""
    """The decision that it puts, if it does."""
    last: bool = False
    """Whether nothing comes after it, unless the match goes on after all."""


@final
class Unread:
    """What the watchers of one caller hold."""

    def __init__(self, most: int) -> None:
        """`most`: how many bytes they may hold together."""
        self.bytes = 0
        self._most = most
        self._backlogs: set[Backlog] = set()

    def add(self, backlog: Backlog) -> None:
        """Counts in a watcher."""
        self._backlogs.add(backlog)

    def remove(self, backlog: Backlog) -> None:
        """Counts in a watcher no more."""
        self._backlogs.discard(backlog)

    def make_room(self) -> None:
        """Cuts those that hold most, until the others do not hold too much."""
        while self.bytes > self._most and self._backlogs:
            most = max(self._backlogs, key=lambda one: one.bytes)
            self._backlogs.remove(most)
            most.cut()


@final
class Backlog:
    """What one watcher was told and has not taken, in order. What was taken last counts until more is asked for."""

    def __init__(self, unread: Unread) -> None:
        self.bytes = 0
        self._unread = unread
        self._waiting: deque[Told] = deque()
        self._taken = 0
        self._news = asyncio.Event()
        self._cut = False
        self._unread.add(self)

    def put(self, told: Told) -> None:
        """Adds a message, unless the watcher was cut."""
        if self._cut:
            return
        self._waiting.append(told)
        self._count(len(told.raw) + _EACH)
        self._news.set()
        self._unread.make_room()

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    async def take(self) -> Told:
        """The next message, as soon as there is one. Refuses who was cut."""
        self._count(-self._taken)
        self._taken = 0
        while not self._waiting and not self._cut:
            self._news.clear()
            await self._news.wait()
        if self._cut:
            raise Refused(
                errors_pb2.REASON_NOT_READING,
                "the streams of this caller do not read what they are told, and this one held most of it; read, or "
                "follow fewer matches, and watch again from `seen`",
                retry_seconds=1.0,
            )
        told = self._waiting.popleft()
        self._taken = len(told.raw) + _EACH
        return told

    def cut(self) -> None:
        """Gives back what waits; whoever takes next is refused."""
        self._cut = True
        self._waiting.clear()
        self._count(self._taken - self.bytes)
        self._news.set()

    def close(self) -> None:
        """The watcher is gone."""
        self._cut = True
        self._waiting.clear()
        self._count(-self.bytes)
        self._unread.remove(self)

    def _count(self, more: int) -> None:
        self.bytes += more
        self._unread.bytes += more
