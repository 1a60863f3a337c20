"""Who is alive: the heartbeats of all replicas, and the outages that missing ones tell of.

An outage is a span of the store's time in which no replica was alive, or in which one was not whose bots may have
waited for it. Clocks of seats that were not connected elsewhere stand still in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast, final

from redis.asyncio import Redis

from fudaba_service.store import keys

__all__ = ["FROZEN_MS", "Beats"]

FROZEN_MS: Final = 15_000
"""How long a replica that is frozen, or cut off, can keep its bots waiting: then their keepalives have found out."""
_DEAD_AFTER_MS: Final = 1_000
_KEPT_MS: Final = 60_000
_KEPT: Final = 100
_STOPPED: Final = b""
"""Stands in the hash for all replicas that were stopped in good order."""


@final
class Beats:
    """One replica's part in it."""

    def __init__(self, redis: Redis, replica: str) -> None:
        self._redis = redis
        self._replica = replica.encode()
        self._begun = False
        self._frozen: list[tuple[int, int]] = []

    async def beat(self, now: int) -> None:
        """Notes that this replica is alive at `now`, the store's time in ms; and which others are not."""
        found = cast("Mapping[bytes, bytes]", await self._redis.hgetall(keys.BEATS))
        beats = {name: int(at) for name, at in found.items()}
        mine = beats.pop(self._replica, None)
        ended: list[tuple[int, int]] = []
        newest = max([*beats.values(), mine or 0])
        # A replica that begins notes even a short gap: the bots of the one before it have to connect again.
        if newest and now - newest > (_DEAD_AFTER_MS if self._begun else 0):
            ended.append((newest, now))
        elif mine is not None and now - mine > _DEAD_AFTER_MS:
            ended.append((mine, min(now, mine + FROZEN_MS)))
        beats.pop(_STOPPED, None)
        silent = {name: at for name, at in beats.items() if now - at > _DEAD_AFTER_MS}
        dead = await self._dead(silent, now)
        ended += [(at, min(now, at + FROZEN_MS)) for name in dead if now - (at := silent[name]) < _KEPT_MS]
        self._frozen = [(at, min(now, at + FROZEN_MS)) for name, at in silent.items() if name not in dead]
        async with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hset(keys.BEATS, self._replica.decode(), now)
            if dead:
                pipeline.hdel(keys.BEATS, *[name.decode() for name in dead])
            self._note(pipeline, ended)
            await pipeline.execute()
        self._begun = True

    async def stop(self, now: int) -> None:
        """Takes leave in good order. Its bots get the time to connect to another replica."""
        async with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hdel(keys.BEATS, self._replica.decode())
            pipeline.hset(keys.BEATS, _STOPPED.decode(), now)
            self._note(pipeline, [(now, now)])
            await pipeline.execute()

    async def outages(self) -> list[tuple[int, int]]:
        """The newest outages, (from, to) in ms, and those of frozen replicas that still go on."""
        found = cast("list[bytes]", await self._redis.lrange(keys.OUTAGES, 0, -1))
        spans = [outage.decode().split("-") for outage in found]
        return [*((int(start), int(end)) for start, end in spans), *self._frozen]

    async def _dead(self, silent: Mapping[bytes, int], now: int) -> list[bytes]:
        """Which of the silent replicas are gone: a frozen one still has its subscription."""
        if not silent:
            return []
        names = list(silent)
        answers = await self._redis.pubsub_numsub(*[keys.replica_channel(name.decode()) for name in names])
        return [
            name
            for name, (_, listeners) in zip(names, answers, strict=True)
            if not listeners or now - silent[name] > _KEPT_MS
        ]

    @staticmethod
    def _note(pipeline: Redis, outages: list[tuple[int, int]]) -> None:
        if outages:
            pipeline.rpush(keys.OUTAGES, *[f"{start}-{end}" for start, end in outages])
            pipeline.ltrim(keys.OUTAGES, -_KEPT, -1)
