"""Ids of Play streams: a newer one is greater, so that of a bot's streams the newest stays."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from fudaba_service.store import keys
from fudaba_service.store.channels import Channels
from fudaba_service.store.play_streams import PlayStreams
from fudaba_service.store.shared_time import ClockReading, SharedTime
from tests.support.service.processes import RedisServer


@pytest.fixture
async def client(redis: RedisServer) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis.url) as opened:
        yield opened


def streams_at(client: Redis, time: SharedTime) -> PlayStreams:
    """Returns those of a replica to which this is the time."""
    channels = Channels(0)
    channels.belong_to("store")
    return PlayStreams(client, time, channels)


async def test_a_newer_stream_is_newer_also_where_a_store_took_over_that_knows_no_older_one_and_whose_clock_is_behind(
    client: Redis,
) -> None:
    time = SharedTime(wall=lambda: 4_000_000_000.0)  # far ahead of this Redis, as of one that took over
    streams = streams_at(client, time)
    older = await streams.open("bot/1", "aa", streams.opening())
    await client.delete(keys.STREAMS)
    newer = await streams_at(client, time).open("bot/1", "bb", streams.opening())
    assert older[:15] <= newer[:15] == f"{4_000_000_000_000:015}"
    assert await streams.newest("bot/1", newer) == newer


async def test_streams_of_one_moment_are_in_order(client: Redis) -> None:
    streams = streams_at(client, SharedTime(wall=lambda: 4_000_000_000.0))
    older = await streams.open("bot/1", "bb", streams.opening())
    newer = await streams.open("bot/1", "aa", streams.opening())
    assert older < newer
    assert await streams.open("bot/1", "aa", streams.opening()) == newer, "asked again, it is the same one"
    assert await streams.newest("bot/1", older) == newer


async def test_a_stream_whose_opening_was_long_on_its_way_is_older_than_one_that_was_opened_meanwhile(
    client: Redis,
) -> None:
    older, newer = (
        streams_at(client, SharedTime(wall=lambda: 100.0)),
        streams_at(client, SharedTime(wall=lambda: 103.0)),
    )
    newest = await newer.open("bot/1", "aa", newer.opening())
    assert await older.open("bot/1", "bb", older.opening()) == newest
    assert await newer.newest("bot/1", newest) == newest


async def test_a_stream_is_newer_whose_replica_does_not_know_the_time_well(client: Redis) -> None:
    vague, exact = SharedTime(lambda: 50.0), SharedTime(lambda: 50.0)
    exact.begin(ClockReading(50_000, 50_000, 100_000, 0, 0), 0, believed=True)
    vague.begin(ClockReading(47_000, 50_000, 98_500, 0, 0), 0, believed=True)
    assert exact.now_ms() - vague.now_ms() == 1_500
    knows, guesses = streams_at(client, exact), streams_at(client, vague)
    older = await knows.open("bot/1", "aa", knows.opening())
    assert await guesses.open("bot/1", "bb", guesses.opening()) > older


async def test_a_stream_whose_token_was_long_looked_up_is_as_old_as_its_call(client: Redis) -> None:
    clock = [100.0]
    streams = streams_at(client, SharedTime(wall=lambda: clock[0]))
    first = streams.opening()
    clock[0] += 3
    second = streams.opening()
    clock[0] += 3
    # The older one is heard of first, and is not taken for the newer one because it was slow.
    older = await streams.open("bot/1", "aa", first)
    newer = await streams.open("bot/1", "bb", second)
    assert older < newer
    assert await streams.open("bot/1", "cc", first) == newer


async def test_a_process_says_which_of_its_streams_is_the_newer_one_whatever_time_they_come(client: Redis) -> None:
    clock = [100.0]
    streams = streams_at(client, SharedTime(wall=lambda: clock[0]))
    second = await streams.open("bot/1", "aa", streams.opening()._replace(process="p", attempt=2))
    clock[0] += 3  # so long the replica stood still that had the first one's hello
    assert await streams.open("bot/1", "bb", streams.opening()._replace(process="p", attempt=1)) == second
    clock[0] -= 2
    third = await streams.open("bot/1", "cc", streams.opening()._replace(process="p", attempt=13))
    assert third > second
    other = await streams.open("bot/1", "dd", streams.opening()._replace(process="q", attempt=1))
    assert other > third, "another process is the newer one by its time"
