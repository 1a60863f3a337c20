"""Streams that follow matches: a message is made when its stream has room for it.

For a watcher that does not read, only the last message is held, and the next one says what happened meanwhile. So
nothing waits for watchers, and their cost is bounded, however much happens in a match.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple, final

from fudaba.v1 import errors_pb2
from fudaba_service.refusals import Refused
from fudaba_serving.grpc.credit import Pace

__all__ = ["Watch", "WatchMessage", "WatcherShare"]

_MESSAGE_OVERHEAD_BYTES: Final = 200
"""The memory of a message besides its bytes."""
_PATIENCE_SECONDS: Final = 10.0
"""The time for which a watcher waits for others of its caller to read."""


@final
class WatchMessage(NamedTuple):
    """A message for a watcher."""

    raw: bytes
    """The serialised message."""
    decision_id: str = ""
    """The decision in it, if there is one."""
    last: bool = False
    """Whether nothing comes after it, unless the match goes on after all."""


@final
class WatcherShare:
    """The share of all watchers of one caller: their rate of messages, and the room for unread ones."""

    def __init__(self, most: int, pace: Pace, patience: float = _PATIENCE_SECONDS) -> None:
        """`most` is the number of bytes that they may hold before another one gets anything."""
        self.bytes = 0
        self._most = most
        self._pace = pace
        self._patience = patience
        self._room = asyncio.Event()

    async def turn(self) -> None:
        """Waits until one of them may get news. Refuses if the others have not read for a long time."""
        if seconds := self._pace.turn():
            await asyncio.sleep(seconds)
        await self.room()

    async def room(self) -> None:
        """Waits while they leave too much unread. Refuses if that takes long."""
        if self.bytes < self._most:
            return
        try:
            async with asyncio.timeout(self._patience):
                while self.bytes >= self._most:
                    self._room.clear()
                    await self._room.wait()
        except TimeoutError as error:
            unread = f"the streams of this caller have left {self.bytes:,} bytes unread for {self._patience:g} s"
            advice = "read them, or end those that nobody reads, and watch again from `seen`"
            raise Refused(errors_pb2.REASON_NOT_READING, f"{unread}; {advice}", retry_seconds=1.0) from error

    def count(self, more: int) -> None:
        """Notes a change of the bytes that they hold."""
        self.bytes += more
        if self.bytes < self._most:
            self._room.set()


@final
class Watch:
    """A watcher's messages. The newest one counts as unread until the watcher asks for more."""

    def __init__(self, share: WatcherShare) -> None:
        self._share = share
        self._in_hand = 0
        self._news = asyncio.Event()
        self._refused: Refused | None = None

    def wake(self) -> None:
        """Notes that there is news."""
        self._news.set()

    def end(self, refused: Refused) -> None:
        """Sends nothing more; the next request is refused."""
        self._refused = refused
        self._news.set()

    async def next_message(self, make: Callable[[], WatchMessage | None]) -> WatchMessage:
        """Returns the next message, as soon as there is news and `make` makes a message of it."""
        self.close()
        while True:
            await self._news.wait()
            await self._share.turn()
            if self._refused is not None:
                raise self._refused
            self._news.clear()
            message = make()
            if message is not None:
                self._take(len(message.raw))
                return message

    async def pass_on(self, raw: bytes) -> bytes:
        """Returns an earlier message when there is room for it."""
        self.close()
        await self._share.room()
        self._take(len(raw))
        return raw

    def close(self) -> None:
        """Notes that the last message was taken, or will never be."""
        self._share.count(-self._in_hand)
        self._in_hand = 0

    def _take(self, size: int) -> None:
        self._in_hand = size + _MESSAGE_OVERHEAD_BYTES
        self._share.count(self._in_hand)
