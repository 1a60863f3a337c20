"""The onlookers: a follower of the ladder over the contract, and a reader of the stored sequence."""

from __future__ import annotations

import asyncio
from typing import Any, Final, final

import grpc
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from fudaba.client import AsyncClient
from fudaba.v1 import arena_pb2
from fudaba_arena.store.answers import key
from soak.season.checker import Told
from soak.season.entrants import LADDER

__all__ = ["SEASON", "Follower", "Reader"]

SEASON: Final = f"{LADDER}.1"
_RETRY_SECONDS: Final = 0.5
_POLL_SECONDS: Final = 1.0
_SILENCE_SECONDS: Final = 30.0
"""The seconds without a message after which a new stream is opened, since a frozen arena does not end a stream."""


@final
class Follower:
    """Follows the ladder with WatchLadder, and resumes at its position whenever the stream ends."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.notices: list[Told] = []
        self.wrong: list[str] = []
        """The messages that cannot be right."""
        self.state = arena_pb2.LADDER_STATE_UNSPECIFIED
        self._seen = 0
        self._begun = False

    async def follow(self) -> None:
        """Follows it until cancelled."""
        async with AsyncClient(self._address) as client:
            while True:
                request = arena_pb2.WatchLadderRequest(ladder=LADDER, season=1, seen=self._seen)
                try:
                    stream = client.arena.WatchLadder(request)
                    while True:
                        async with asyncio.timeout(_SILENCE_SECONDS):
                            message = await stream.read()
                        if not isinstance(message, arena_pb2.WatchLadderResponse):
                            break
                        self._note(message)
                except (grpc.RpcError, TimeoutError):
                    pass  # whatever was struck: it is asked again
                await asyncio.sleep(_RETRY_SECONDS)

    def _note(self, message: arena_pb2.WatchLadderResponse) -> None:
        if message.season != 1:
            return
        if message.seen != self._seen + len(message.changes):
            self.wrong.append(f"change {message.seen} was told after {self._seen} and {len(message.changes)} more")
        self._seen = message.seen
        self.state = message.ladder.state
        for change in message.changes:
            if change.WhichOneof("change") == "block" and change.block.state != arena_pb2.BLOCK_STATE_ANNULLED:
                self.notices.append(Told(change.block.number, change.block.state == arena_pb2.BLOCK_STATE_COUNTED))


@final
class Reader:
    """Reads the lines of the sequence as they appear."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.lines: list[bytes] = []
        self.counted = 0

    async def read(self) -> None:
        """Reads until cancelled."""
        while True:
            await self.catch_up()
            await asyncio.sleep(_POLL_SECONDS)

    async def catch_up(self) -> None:
        """Reads the new lines, if Redis answers."""
        redis = Redis(port=self._port, socket_timeout=3, socket_connect_timeout=3, retry=Retry(NoBackoff(), 0))
        async with redis:
            try:
                new: list[Any] = await redis.lrange(key(SEASON, "closed"), len(self.lines), -1)
            except (RedisError, OSError):
                return
        self.lines += new
        self.counted += sum(line.startswith(b"counted") for line in new)
