"""How long outages are remembered, and how many of them: by the store and by a replica alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.asyncio import Redis

from fudaba_service.sessions.time_spent import outage_ms
from fudaba_service.store.keys import OUTAGES
from fudaba_service.store.outages import KEPT_MS, MAX_OUTAGES, Outage, noting, remembered
from tests.support.service.processes import RedisServer

NOW_MS = 1_800_000_000_000
SECOND_MS = 1_000


@pytest.fixture
async def client(redis: RedisServer) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis.url) as opened:
        yield opened


async def add(redis: Any, outages: list[Outage]) -> None:
    await redis.execute_command(*noting(outages, NOW_MS, ""))


async def noted(client: Redis, outages: list[Outage]) -> list[Outage]:
    """Notes outages one after another, as the store and as a replica remembers them; they agree."""
    known: list[Outage] = []
    for outage in outages:
        await add(client, [outage])
        known = remembered([*known, outage], NOW_MS)
    assert await stored(client) == known
    return known


async def stored(client: Redis) -> list[Outage]:
    """Returns what the store remembers."""
    raw: Any = await client.lrange(OUTAGES, 0, -1)  # bytes, since the client decodes nothing
    return [Outage.unpack(outage) for outage in raw]


async def test_a_connection_that_comes_and_goes_makes_nobody_forget_an_outage_of_another_replica(
    client: Redis,
) -> None:
    other = Outage(NOW_MS - 600 * SECOND_MS, NOW_MS - 590 * SECOND_MS, "a-1-x")
    often = [Outage(NOW_MS - (500 - n) * SECOND_MS, NOW_MS - (498 - n) * SECOND_MS, "b-2-y") for n in range(150)]
    apart = [Outage(NOW_MS - (300 - 2 * n) * SECOND_MS, NOW_MS - (299 - 2 * n) * SECOND_MS, "") for n in range(149)]
    assert await noted(client, [other, *often, *apart]) == [
        other,
        Outage(often[0].start, often[-1].end, "b-2-y"),
        *apart,
    ]


async def test_outages_of_one_replica_that_overlap_or_touch_are_one_and_those_of_several_are_not(
    client: Redis,
) -> None:
    assert await noted(
        client,
        [
            Outage(NOW_MS - 5_000, NOW_MS - 4_000, "one"),
            Outage(NOW_MS - 5_000, NOW_MS - 4_000, "one"),
            Outage(NOW_MS - 4_000, NOW_MS - 3_000, "one"),
            Outage(NOW_MS - 6_000, NOW_MS - 4_500, "one"),
            Outage(NOW_MS - 2_999, NOW_MS - 2_500, "one"),
            Outage(NOW_MS - 5_500, NOW_MS - 3_500, "two-of-it"),
            Outage(NOW_MS - 5_500, NOW_MS - 3_400),
        ],
    ) == [
        Outage(NOW_MS - 5_500, NOW_MS - 3_500, "two-of-it"),
        Outage(NOW_MS - 5_500, NOW_MS - 3_400),
        Outage(NOW_MS - 6_000, NOW_MS - 3_000, "one"),
        Outage(NOW_MS - 2_999, NOW_MS - 2_500, "one"),
    ]


async def test_an_outage_is_forgotten_a_day_after_its_end_and_before_that_only_for_a_thousand_others(
    client: Redis,
) -> None:
    old = [Outage(0, NOW_MS - KEPT_MS - 1, "one"), Outage(0, NOW_MS - KEPT_MS, "two")]
    assert await noted(client, old) == old[1:]
    many = [
        Outage(NOW_MS - 9_000_000 + n * SECOND_MS, NOW_MS - 9_000_000 + n * SECOND_MS + 1, "one")
        for n in range(MAX_OUTAGES + 5)
    ]
    await add(client, many)
    assert await stored(client) == remembered([*old, *many], NOW_MS) == many[5:]


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20), st.sampled_from(["", "one", "two"])), max_size=30)


@given(spans, st.integers(0, 80))
def test_what_is_credited_is_the_same_whether_outages_are_joined_or_not(
    course: list[tuple[int, int, str]], since: int
) -> None:
    outages = [Outage(NOW_MS + start * 500, NOW_MS + (start + long) * 500, name) for start, long, name in course]
    since_ms, until_ms = NOW_MS + since * 500, NOW_MS + 60_000
    assert outage_ms(remembered(outages, NOW_MS), since_ms, until_ms) == outage_ms(outages, since_ms, until_ms)
