"""One stream from the service for all spectators of a match: a thousand spectators cost it as much as one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, final

from google.protobuf.json_format import MessageToJson
from grpc import aio

from fudaba.v1 import matches_pb2
from fudaba_web.errors import not_reading

__all__ = ["SharedMessage", "Spectators"]

log = logging.getLogger(__name__)

Key = tuple[str, str]
Begin = Callable[[matches_pb2.WatchMatchRequest], Any]

_MAX_WAITING_MESSAGES: Final = 1_000
"""The number of messages that may wait for one spectator. A spectator with more is cut off."""


@final
class SharedMessage:
    """A message for many receivers. It is encoded once for each encoding, not once for each receiver."""

    __slots__ = ("_binary", "_json", "message")

    def __init__(self, message: matches_pb2.WatchMatchResponse) -> None:
        self.message = message
        self._binary = self._json = b""

    def binary(self) -> bytes:
        """Writes it as protobuf."""
        self._binary = self._binary or self.message.SerializeToString()
        return self._binary

    def json(self) -> bytes:
        """Writes it as protobuf's JSON."""
        self._json = self._json or MessageToJson(self.message, indent=None).encode()
        return self._json


@final
class _Followed:
    """A match that is followed: its state, and its spectators."""

    def __init__(self) -> None:
        self.now = matches_pb2.WatchMatchResponse()
        """All messages so far as one."""
        self.known = asyncio.Event()
        """Set once there was a message, or there will be none."""
        self.over = False
        self.error: BaseException | None = None
        """The error that ended it, if any."""
        self.spectators = 0
        self.queues: set[asyncio.Queue[SharedMessage | None]] = set()

    def tell(self, message: matches_pb2.WatchMatchResponse) -> None:
        """Adds a message, and sends it to everybody."""
        now = self.now
        if message.HasField("match"):
            now.match.CopyFrom(message.match)
        now.ClearField("view")
        if message.HasField("view"):
            now.view.CopyFrom(message.view)
        del now.events[message.seen - len(message.events) :]  # fewer events than before: the match was rolled back
        now.events.extend(message.events)
        now.seen = message.seen
        news = SharedMessage(message)
        for queue in self.queues:
            queue.put_nowait(news)
        self.known.set()

    def end(self, error: BaseException | None) -> None:
        """Records that no more messages will come."""
        self.over, self.error = True, error
        for queue in self.queues:
            queue.put_nowait(None)
        self.known.set()

    def since(self, seen: int) -> SharedMessage:
        """Joins everything that a spectator has not seen into one message."""
        now = self.now
        message = matches_pb2.WatchMatchResponse(match=now.match, seen=now.seen, events=now.events[seen:])
        if now.HasField("view"):
            message.view.CopyFrom(now.view)
        return SharedMessage(message)


@final
class Spectators:
    """All streams of `WatchMatch` of a gateway."""

    def __init__(self) -> None:
        self._followed: dict[Key, tuple[_Followed, asyncio.Task[None]]] = {}

    async def watch(
        self, request: matches_pb2.WatchMatchRequest, authorization: str, begin: Begin
    ) -> AsyncIterator[SharedMessage]:
        """Yields the responses of `WatchMatch`. `begin` calls the service; it is not called if the match already has a
        spectator with the same `authorization`. Raises what the call raises, and `ConnectError` for a spectator that
        does not read.
        """
        key = request.match_id, authorization
        if key not in self._followed:
            made = _Followed()
            self._followed[key] = made, asyncio.create_task(self._follow(key, made, begin))
        followed, task = self._followed[key]
        followed.spectators += 1
        queue: asyncio.Queue[SharedMessage | None] = asyncio.Queue()
        try:
            await followed.known.wait()
            if followed.now.HasField("match"):
                first = followed.since(request.seen)
                followed.queues.add(queue)
                yield first
            while not (followed.over and queue.empty()):
                if queue.qsize() > _MAX_WAITING_MESSAGES:
                    raise not_reading()
                news = await queue.get()
                if news is not None:
                    yield news
            if followed.error is not None:
                raise followed.error
        finally:
            followed.queues.discard(queue)
            followed.spectators -= 1
            if not followed.spectators:
                task.cancel()
                if self._followed.get(key, (None,))[0] is followed:
                    del self._followed[key]

    async def _follow(self, key: Key, followed: _Followed, begin: Begin) -> None:
        call = begin(matches_pb2.WatchMatchRequest(match_id=key[0]))
        error: BaseException | None = None
        try:
            async for message in call:
                followed.tell(message)
                await asyncio.sleep(0)  # spectators that read get their turn, however much comes at once
        except aio.AioRpcError as failed:
            error = failed
        except Exception as fault:  # its spectators receive the end, and new ones ask again
            log.exception("unexpected error in the stream to the spectators of match %s", key[0])
            error = fault
        finally:
            call.cancel()
            if self._followed.get(key, (None,))[0] is followed:
                del self._followed[key]  # a new spectator asks anew
            followed.end(error)
