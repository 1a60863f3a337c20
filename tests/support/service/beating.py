"""Replicas that beat only when a test says so."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from fudaba_service.store.beats import Beats
from fudaba_service.store.boot_clock import BootClock
from fudaba_service.store.keys import CLOCK, beat_channel, replica_channel
from fudaba_service.store.outages import Outage
from fudaba_service.store.shared_time import TOLERANCE_MS, ClockReading, SharedTime
from fudaba_serving.redis.connections import redis_client
from tests.support.patience import PATIENCE

_WALL_IS_AHEAD_SECONDS: Final = 1_700_000_000.0
_Read = Callable[[], Coroutine[Any, Any, tuple[ClockReading, Any]]]


@final
class Replicas:
    """Replicas on one Redis whose time goes on only when a test says so.

    With `redis_waits`, so does Redis's clock, as the replicas read it. Otherwise that is a real one, which goes on.
    """

    def __init__(self, redis: Redis, *, redis_waits: bool) -> None:
        self.redis = redis
        self.seconds = 100.0
        self._redis_waits = redis_waits
        self.wall_is_ahead = _WALL_IS_AHEAD_SECONDS
        """The lead of the machine's wall clock over the monotonic one, in seconds."""
        self.redis_is_ahead = 0.0
        """The number of seconds by which Redis's clock was set forward, where it waits."""
        self.beats: dict[str, Beats] = {}
        self.times: dict[str, SharedTime] = {}
        self.unanswered: dict[str, float] = {}
        """The time since which the store owes a replica an answer to an append."""
        self._subscriptions: dict[str, Any] = {}

    def alike(self, outages: list[Outage], *expected: Outage) -> bool:
        """Returns whether outages are these, but for what two clocks may differ by."""
        return [o.replica for o in outages] == [o.replica for o in expected] and all(
            abs(o.start - e.start) <= TOLERANCE_MS and abs(o.end - e.end) <= TOLERANCE_MS
            for o, e in zip(outages, expected, strict=True)
        )

    @property
    def redis_seconds(self) -> float:
        """The time of Redis's clock where it waits."""
        return self.seconds + _WALL_IS_AHEAD_SECONDS + self.redis_is_ahead

    def prepare(self, name: str, *, boot: int = 0) -> Beats:
        """Returns a replica that has not begun yet, on a machine with this boot number, if it has a boot clock."""
        clock = BootClock()
        clock.boot = boot
        clock.now_ms = lambda: self.seconds * 1000  # type: ignore[method-assign]  # no clock but a test's goes on here
        self.times[name] = SharedTime(lambda: self.seconds, lambda: self.seconds + self.wall_is_ahead)
        beats = self.beats[name] = Beats(
            self.redis, name, self.times[name], lambda: self.unanswered.get(name), clock if boot else None
        )
        if self._redis_waits:
            beats._read = self._waiting(beats._read)  # type: ignore[method-assign]  # Redis's own clock goes on
        return beats

    async def start(self, name: str, *, boot: int = 0) -> Beats:
        """Starts a replica, which then listens."""
        await self.prepare(name, boot=boot).beat()
        subscription: Any = self.redis.pubsub()
        await subscription.subscribe(replica_channel(name), beat_channel(name))
        for _ in range(2):
            await subscription.get_message(timeout=PATIENCE)
        self._subscriptions[name] = subscription
        self.beats[name].listening()
        await self.beat(name)
        return self.beats[name]

    async def beat(self, *names: str, after: float = 0.0, heard: bool = True) -> None:
        """Lets time pass, and then replicas beat, and hear themselves."""
        self.seconds += after
        for name in names:
            await self.beats[name].beat()
            while heard and (message := await self._subscriptions[name].get_message(timeout=PATIENCE)):
                self.beats[name].heard(int(message["data"]))
                if int(message["data"]) >= self.now(name):
                    break

    async def pass_by(self, seconds: float) -> None:
        """Lets time pass, also on Redis's clock, for a replica that begins."""
        self.seconds += seconds
        if not self._redis_waits:
            await self.set_clock(seconds)

    async def set_clock(self, seconds: float) -> None:
        """Sets Redis's clock forward, for a replica that begins."""
        await self.redis.set(CLOCK, int(await self.redis.get(CLOCK) or 0) + int(seconds * 1000))

    def _waiting(self, read: _Read) -> _Read:
        async def reading() -> tuple[ClockReading, Any]:
            found, others = await read()
            return found._replace(redis_ms=1000 * self.redis_seconds), others

        return reading

    def now(self, name: str) -> int:
        return self.times[name].now_ms()

    async def die(self, name: str) -> None:
        """Redis sees it go."""
        await self._subscriptions.pop(name).aclose()

    async def close(self) -> None:
        for name in list(self._subscriptions):
            await self.die(name)
        for beats in self.beats.values():
            await beats.close()


@contextlib.asynccontextmanager
async def replicas_on(url: str, *, redis_waits: bool = False) -> AsyncIterator[Replicas]:
    """Replicas on the Redis of a URL; see `Replicas`."""
    client = redis_client(
        url,
        connections=32,
        wait=PATIENCE,
        answer_seconds=PATIENCE,
        connect_seconds=PATIENCE,
        retry=Retry(NoBackoff(), 1),
    )
    async with client, contextlib.AsyncExitStack() as stack:
        running = Replicas(client, redis_waits=redis_waits)
        stack.push_async_callback(running.close)
        yield running
