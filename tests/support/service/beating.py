"""Replicas that beat only when a test says so."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator
from typing import Any, final

from redis.asyncio import Redis

from fudaba_service.store.beats import Beats
from fudaba_service.store.keys import CLOCK, beat_channel, replica_channel
from fudaba_service.store.outages import Outage
from fudaba_service.store.shared_time import TOLERANCE_MS, SharedTime


@final
class Replicas:
    """Replicas on one Redis whose time goes on only when a test says so."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.seconds = 100.0
        self.wall_is_ahead = 1_700_000_000.0
        """What the wall clock of the machine says more than the monotonic one, in seconds."""
        self.beats: dict[str, Beats] = {}
        self.times: dict[str, SharedTime] = {}
        self.unanswered: dict[str, float] = {}
        """Since when the store owes a replica an answer to an append."""
        self._subscriptions: dict[str, Any] = {}
        self._began = time.monotonic()

    def alike(self, outages: list[Outage], *expected: Outage) -> bool:
        """Whether outages are these. The replicas' time is that of Redis, whose clock is a real one and goes on."""
        spare = TOLERANCE_MS + 1000 * (time.monotonic() - self._began)
        return [o.replica for o in outages] == [o.replica for o in expected] and all(
            abs(o.start - e.start) <= spare and abs(o.end - e.end) <= spare
            for o, e in zip(outages, expected, strict=True)
        )

    async def start(self, name: str) -> Beats:
        """A replica begins, and listens."""
        self.times[name] = SharedTime(lambda: self.seconds, lambda: self.seconds + self.wall_is_ahead)
        self.beats[name] = Beats(self.redis, name, self.times[name], lambda: self.unanswered.get(name))
        await self.beats[name].beat()
        subscription: Any = self.redis.pubsub()
        await subscription.subscribe(replica_channel(name), beat_channel(name))
        for _ in range(2):
            await subscription.get_message(timeout=5)
        self._subscriptions[name] = subscription
        self.beats[name].listening()
        await self.beat(name)
        return self.beats[name]

    async def beat(self, *names: str, after: float = 0.0, heard: bool = True) -> None:
        """Time goes on, and then replicas beat, and hear themselves."""
        self.seconds += after
        for name in names:
            await self.beats[name].beat()
            while heard and (message := await self._subscriptions[name].get_message(timeout=5)):
                self.beats[name].heard(int(message["data"]))
                if int(message["data"]) >= self.now(name):
                    break

    async def pass_by(self, seconds: float) -> None:
        """Time goes on, also on Redis's clock, for a replica that begins."""
        self.seconds += seconds
        await self.set_clock(seconds)

    async def set_clock(self, seconds: float) -> None:
        """Redis's clock is set forward, for a replica that begins."""
        await self.redis.set(CLOCK, int(await self.redis.get(CLOCK) or 0) + int(seconds * 1000))

    def now(self, name: str) -> int:
        return self.times[name].now_ms()

    async def die(self, name: str) -> None:
        """Redis sees it go."""
        await self._subscriptions.pop(name).aclose()

    async def close(self) -> None:
        for name in list(self._subscriptions):
            await self.die(name)


@contextlib.asynccontextmanager
async def replicas_on(url: str) -> AsyncIterator[Replicas]:
    """Replicas on the Redis of a URL."""
    async with Redis.from_url(url) as client, contextlib.AsyncExitStack() as stack:
        running = Replicas(client)
        stack.push_async_callback(running.close)
        yield running
