"""An author who reads a ladder of an arena every 80 ms, and measures how long each answer takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final, Self, final

from grpc import aio

from fudaba.v1 import arena_pb2, arena_pb2_grpc
from soak.flooding.good_bot import Waits
from tests.support.service.bots import CHANNEL, bearer

__all__ = ["GoodReader"]

_PAUSE_SECONDS: Final = 0.08


@final
class GoodReader:
    """Reads, one answer after another."""

    def __init__(self, arena: str, ladder: str, token: str) -> None:
        self._address = arena
        self._request = arena_pb2.GetLadderRequest(ladder=ladder)
        self._metadata = bearer(token)
        self._channel = aio.insecure_channel(arena, options=CHANNEL)
        self._stub: Any = arena_pb2_grpc.ArenaServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        await self._stub.GetLadder(self._request, metadata=self._metadata)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._channel.close()

    async def waits(self, seconds: float, look: Callable[[], None] = lambda: None) -> Waits:
        """Reads for that long. Returns how long the answers took. A refused call counts as the whole time."""
        took, until = [], time.monotonic() + seconds
        while (began := time.monotonic()) < until:
            try:
                await self._stub.GetLadder(self._request, metadata=self._metadata, timeout=seconds)
            except aio.AioRpcError:
                took.append(seconds * 1000)
            else:
                took.append((time.monotonic() - began) * 1000)
            look()
            await asyncio.sleep(_PAUSE_SECONDS)
        return Waits.of_times(took)

    async def connects(self, token: str) -> float:
        """Returns the seconds until a reader with a new token gets an answer over its own connection."""
        began = time.monotonic()
        async with aio.insecure_channel(self._address, options=CHANNEL) as channel:
            stub: Any = arena_pb2_grpc.ArenaServiceStub(channel)
            await stub.GetLadder(self._request, metadata=bearer(token))
        return time.monotonic() - began
