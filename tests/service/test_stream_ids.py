"""Ids of Play streams: a newer one is greater, so that of a bot's streams the newest stays."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.shared_time import Reading, SharedTime
from fudaba_service.store.streams import Streams
from tests.service.processes import RedisServer


@pytest.fixture
async def client(redis: RedisServer) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis.url) as one:
        yield one


async def test_a_newer_stream_is_newer_also_where_a_store_took_over_that_knows_no_older_one_and_whose_clock_is_behind(
    client: Redis,
) -> None:
    time = SharedTime(wall=lambda: 4_000_000_000.0)  # far ahead of this Redis, as of one that took over
    streams = Streams(client, time)
    older = await streams.open("bot/1", "aa")
    await client.delete(keys.STREAMS)
    newer = await Streams(client, time).open("bot/1", "bb")
    assert older[:15] <= newer[:15] == f"{4_000_000_000_000:015}"
    assert await streams.newest("bot/1", newer) == newer


async def test_streams_of_one_moment_are_in_order(client: Redis) -> None:
    streams = Streams(client, SharedTime(wall=lambda: 4_000_000_000.0))
    older = await streams.open("bot/1", "bb")
    newer = await streams.open("bot/1", "aa")
    assert older < newer
    assert await streams.open("bot/1", "aa") == newer, "asked again, it is the same one"
    assert await streams.newest("bot/1", older) == newer


async def test_a_stream_whose_opening_was_long_on_its_way_is_older_than_one_that_was_opened_meanwhile(
    client: Redis,
) -> None:
    older, newer = Streams(client, SharedTime(wall=lambda: 100.0)), Streams(client, SharedTime(wall=lambda: 103.0))
    newest = await newer.open("bot/1", "aa")
    assert await older.open("bot/1", "bb") == newest
    assert await newer.newest("bot/1", newest) == newest


async def test_a_stream_is_newer_whose_replica_does_not_know_the_time_well(client: Redis) -> None:
    vague, exact = SharedTime(lambda: 50.0), SharedTime(lambda: 50.0)
    exact.begin(Reading(50_000, 50_000, 100_000, 0, 0), 0, believed=True)
    vague.begin(Reading(47_000, 50_000, 98_500, 0, 0), 0, believed=True)
    assert exact.now_ms() - vague.now_ms() == 1_500
    older = await Streams(client, exact).open("bot/1", "aa")
    assert await Streams(client, vague).open("bot/1", "bb") > older
