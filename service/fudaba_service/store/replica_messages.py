"""The messages between replicas: heartbeats, news, and the id of the records' archive."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Final, final

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from fudaba_service.store import keys
from fudaba_service.store.beats import Beats
from fudaba_service.store.boot_clock import BootClock
from fudaba_service.store.channels import EARLIER, Channels, certain_of
from fudaba_service.store.commits import ANSWER_SECONDS, Committer
from fudaba_service.store.connection import StoreUnavailable, answer, fixed, unavailable
from fudaba_service.store.news import Appended, appended
from fudaba_service.store.outages import Outage
from fudaba_service.store.shared_time import SharedTime
from fudaba_service.store.silence import Silence

__all__ = ["Replicas"]

_SILENT_SECONDS: Final = 1.0
_MAX_SILENT_COUNT: Final = 4


@final
class Replicas:
    """The messages of one replica to the others. `listening` is a client for news only, without retries."""

    def __init__(
        self,
        redis: Redis,
        listening: Redis,
        replica: str,
        time: SharedTime,
        silence: Silence,
        commits: Committer,
        channels: Channels,
        same_store: Callable[[bytes | None], None] = lambda _: None,
    ) -> None:
        """`same_store` gets the store's id, read with each heartbeat, and raises if it is another one."""
        self._redis = redis
        self._listening = listening
        self.replica = replica
        """The name of this process among the replicas."""
        self._silence = silence
        self._commits = commits
        self._channels = channels
        self._beats = Beats(redis, replica, time, lambda: commits.unanswered_since, BootClock(), same_store)

    async def begin(self) -> None:
        """Learns the shared time."""
        with unavailable():
            await self._beats.begin()

    async def known_archive(self) -> str:
        """Returns the archive of this store's records; empty if none is known yet."""
        known = await answer(self._redis.get(keys.ARCHIVE))
        return "" if known is None else str(known.decode())

    async def archive(self, identity: str) -> str:
        """Returns the archive of this store's records: this one, unless another one is known."""
        return await fixed(self._redis, keys.ARCHIVE, identity)

    async def tell(self, *news: str) -> None:
        """Publishes to every replica, including this one."""
        with unavailable():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for notice in news:
                    for channel in self._channels.for_all_replicas:
                        pipeline.publish(channel, notice)
                await pipeline.execute()

    async def listen(self) -> AsyncGenerator[str | list[Appended], None]:
        """Yields news: a text for every replica, or entries that other replicas appended to followed matches.

        The first item, and the first after every lost connection, is "": anything may have been missed.
        """
        own = keys.replica_channel(self.replica), keys.beat_channel(self.replica)
        while True:
            try:
                async with self._listening.pubsub() as pubsub:
                    channels = self._channels.everybody, *own
                    await pubsub.subscribe(*channels)
                    for _ in channels:
                        if await pubsub.get_message(timeout=ANSWER_SECONDS) is None:
                            raise StoreUnavailable("the store does not confirm a subscription")
                    self._beats.listening()
                    yield ""
                    async for news in self._news(pubsub):
                        yield news
            except (RedisError, OSError, StoreUnavailable):
                await asyncio.sleep(0.2)

    async def _news(self, pubsub: PubSub) -> AsyncIterator[str | list[Appended]]:
        """Yields the news of one connection. Raises `StoreUnavailable` if not even this replica's heartbeats arrive.

        A server that may not be the master any more gets only one second to prove the contrary.
        """
        connection: Any = pubsub.connection
        everybody, beat, silent = self._channels.everybody.encode(), keys.beat_channel(self.replica).encode(), 0
        hears_earlier = False
        while True:
            if hears_earlier != self._beats.among_earlier:
                hears_earlier = self._beats.among_earlier
                await (pubsub.subscribe if hears_earlier else pubsub.unsubscribe)(EARLIER)
            try:
                # What redis-py does around this for each message takes as long as what the message tells.
                async with asyncio.timeout(_SILENT_SECONDS):
                    kind, channel, message = await connection.read_response(
                        disconnect_on_error=False, timeout=math.inf, push_request=True
                    )
            except TimeoutError:
                # A single silence may mean that this process stood still.
                silent += 1
                if silent == _MAX_SILENT_COUNT or connection.demoted:
                    raise StoreUnavailable("the store is silent") from None
                continue
            silent = 0
            if kind != b"message":
                yield ""  # messages before this subscription were not heard
            elif channel == beat:
                self._beats.heard(int(message))
            elif channel == everybody:
                yield message.decode()
            elif channel == EARLIER.encode():
                yield certain_of(message.decode())
            else:
                yield appended(message)

    async def beat(self) -> None:
        """Notes that this replica is alive, and which outages of the service are over; see `store.beats`."""
        with unavailable():
            await self._beats.beat()
        since = self._commits.unanswered_since
        if since is None:
            self._silence.heard()
        else:
            self._silence.heard_but(since)

    @property
    def stale(self) -> bool:
        """Whether the last heartbeat is so old that this replica may not know all outages."""
        return self._beats.stale

    async def leave(self) -> None:
        """Reports an orderly stop."""
        with unavailable():
            await self._beats.stop()

    async def close(self) -> None:
        """Returns the resources of heartbeats."""
        await self._beats.close()

    @property
    def outages(self) -> list[Outage]:
        """The newest outages of the service, including ongoing ones, as of the last heartbeat."""
        return self._beats.outages

    @property
    def lag_ms(self) -> int:
        """The lag with which the slowest of the other replicas hears news, in ms, as of the last heartbeat."""
        return self._beats.lag_ms

    @property
    def alone(self) -> bool:
        """Whether no other replica has been here lately, as of the last heartbeat."""
        return self._beats.alone
