"""Heartbeats: which outages the replicas learn of, how soon, and for how long."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from fudaba_service.store import beats
from fudaba_service.store.beats import FROZEN_MS
from fudaba_service.store.keys import BEATS, OUTAGES
from fudaba_service.store.outages import Outage, noting
from tests.support.service.beating import Replicas, replicas_on
from tests.support.service.processes import RedisServer


@pytest.fixture
async def replicas(redis: RedisServer) -> AsyncIterator[Replicas]:
    async with replicas_on(redis.url, redis_waits=True) as running:
        yield running


async def test_a_time_without_a_heartbeat_of_anybody_is_an_outage_and_a_short_one_is_none(replicas: Replicas) -> None:
    first = await replicas.start("one")
    await replicas.beat("one", after=0.9)
    assert first.outages == []
    last = replicas.now("one")
    await replicas.beat("one", after=7.0)
    assert replicas.alike(first.outages, Outage(last, replicas.now("one")))


async def test_a_replica_that_redis_has_lost_is_an_outage_at_once_and_for_as_long_as_it_may_only_be_cut_off(
    replicas: Replicas,
) -> None:
    first, _ = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("two")
    await replicas.die("two")
    await replicas.beat("one", after=0.1)
    assert replicas.alike(first.outages, Outage(last, replicas.now("one"), "two"))
    for _ in range(6):
        await replicas.beat("one", after=0.9)
    assert replicas.alike(first.outages, Outage(last, replicas.now("one"), "two"))
    for _ in range(40):
        await replicas.beat("one", after=0.9)
    assert replicas.alike(first.outages, Outage(last, last + FROZEN_MS, "two"))
    assert set(await replicas.redis.hkeys(BEATS)) == {b"one"}


async def test_a_replica_that_freezes_is_an_outage_after_a_second_and_notes_it_when_it_goes_on(
    replicas: Replicas,
) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("two")
    await replicas.beat("one", after=0.9)
    assert first.outages == []
    for _ in range(4):
        await replicas.beat("one", after=0.9)
    assert replicas.alike(first.outages, Outage(last, replicas.now("one"), "two"))
    await replicas.beat("two", "one")
    assert first.outages == two.outages
    assert replicas.alike(first.outages, Outage(last, replicas.now("one"), "two"))


async def test_an_outage_of_all_does_not_hide_that_a_replica_was_an_outage_before(replicas: Replicas) -> None:
    first, _ = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("one")
    for _ in range(4):
        await replicas.beat("two", after=0.9)
    last_of_all = replicas.now("two")
    await replicas.beat("one", after=3.0)
    now = replicas.now("one")
    found = sorted(first.outages, key=lambda outage: (outage.start, outage.replica))
    assert replicas.alike(found, Outage(last, now, "one"), Outage(last_of_all, now), Outage(last_of_all, now, "two"))


async def test_a_replica_that_stays_away_after_an_outage_of_all_is_one_for_as_long_as_it_may_only_be_cut_off(
    replicas: Replicas,
) -> None:
    first, _ = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("two")
    await replicas.beat("one", after=3.0)
    for _ in range(4):
        await replicas.beat("one", after=0.9)
    assert replicas.alike(
        [outage for outage in first.outages if outage.replica == "two"], Outage(last, replicas.now("one"), "two")
    )
    for _ in range(20):
        await replicas.beat("one", after=0.9)
    assert replicas.alike(
        [outage for outage in first.outages if outage.replica == "two"], Outage(last, last + FROZEN_MS, "two")
    )


async def test_a_replica_that_reaches_the_store_and_hears_nothing_is_an_outage_for_all_until_it_hears_again(
    replicas: Replicas,
) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    heard = replicas.now("two")
    for _ in range(6):
        await replicas.beat("two", after=0.5, heard=False)
        await replicas.beat("one")
    assert replicas.alike(first.outages, Outage(heard, replicas.now("one"), "two"))
    assert replicas.alike(two.outages, Outage(heard, replicas.now("two"), "two"))
    await replicas.beat("two")
    await replicas.beat("two", "one", after=0.1)
    assert first.outages == two.outages
    assert replicas.alike(first.outages, Outage(heard, replicas.now("one"), "two"))


async def test_a_replica_whose_appends_have_no_answer_is_an_outage_for_all_since_the_first_and_until_they_have(
    replicas: Replicas,
) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    appended = replicas.now("two")
    replicas.unanswered["two"] = replicas.seconds
    await replicas.beat("two", "one", after=0.5)
    assert first.outages == two.outages == []
    await replicas.beat("two", "one", after=0.4)
    for _ in range(6):
        await replicas.beat("two", "one", after=0.25)
        assert replicas.alike(first.outages, Outage(appended, replicas.now("one"), "two"))
        assert replicas.alike(two.outages, Outage(appended, replicas.now("two"), "two"))
    del replicas.unanswered["two"]
    await replicas.beat("two", "one", after=0.25)
    noted = first.outages
    assert replicas.alike(noted, Outage(appended, replicas.now("one"), "two"))
    await replicas.beat("two", "one", after=0.25)
    assert first.outages == two.outages == noted


async def test_a_replica_that_dies_before_its_appends_have_an_answer_is_an_outage_since_the_first(
    replicas: Replicas,
) -> None:
    first, _ = await replicas.start("one"), await replicas.start("two")
    appended = replicas.now("two")
    replicas.unanswered["two"] = replicas.seconds
    await replicas.beat("two", after=0.6)
    await replicas.die("two")
    await replicas.beat("one", after=0.1)
    assert replicas.alike(first.outages, Outage(appended, replicas.now("one"), "two"))


async def test_a_replica_that_leaves_notes_what_it_still_suffered_from(replicas: Replicas) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    appended = replicas.now("two")
    replicas.unanswered["two"] = replicas.seconds
    for _ in range(2):
        await replicas.beat("two", "one", after=0.75)
    await two.stop()
    await replicas.beat("one")
    assert replicas.alike(first.outages, Outage(appended, replicas.now("one"), "two"))


async def test_an_outage_of_a_replica_that_heard_nothing_is_noted_though_the_first_try_to_note_it_failed(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await replicas.start("one")
    for _ in range(4):
        await replicas.beat("one", after=0.5, heard=False)
    heard = first.outages[-1].start
    first.heard(replicas.now("one"))
    with monkeypatch.context() as patch:
        patch.setattr(beats, "noting", fails)
        with pytest.raises(ConnectionError):
            await replicas.beat("one", after=0.1)
    await replicas.beat("one", after=0.1)
    assert [(outage.start, outage.replica) for outage in first.outages] == [(heard, "one")]


def fails(*_: object) -> None:
    raise ConnectionError


@pytest.mark.parametrize("others", [["one"], []])
async def test_a_replica_that_leaves_as_soon_as_it_is_back_notes_for_how_long_it_was_away(
    replicas: Replicas, others: list[str]
) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    away = replicas.now("two")
    for _ in range(12):
        await replicas.beat(*others, after=0.5)
    back = replicas.now("two")
    await two.stop()
    await replicas.beat("one", after=0.1)
    assert any(outage.start <= away and back <= outage.end for outage in first.outages)


async def test_how_late_the_slowest_other_replica_hears_is_known(replicas: Replicas) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    await replicas.beat("two", heard=False)
    published = replicas.now("two")
    replicas.seconds += 0.7
    two.heard(published)
    await replicas.beat("two", "one", heard=False)
    assert first.lag_ms == 700
    assert two.lag_ms == 0


async def test_a_replica_that_begins_notes_even_a_short_gap_and_one_that_leaves_notes_that(replicas: Replicas) -> None:
    first = await replicas.start("one")
    await first.stop()
    await replicas.die("one")
    left = replicas.now("one")
    await replicas.pass_by(0.3)
    two = await replicas.start("two")
    assert two.outages[0] == Outage(left, left, "one")
    assert [outage.start for outage in two.outages] == [left, left]
    assert 250 < two.outages[1].end - left < 1_000


async def test_a_service_that_was_killed_is_an_outage_until_the_next_one_begins_and_no_longer(
    replicas: Replicas,
) -> None:
    await replicas.start("one")
    last = replicas.now("one")
    await replicas.die("one")
    await replicas.pass_by(4)
    two = await replicas.start("two")
    begun = replicas.now("two")
    await replicas.beat("two", after=0.5)
    assert [outage.start for outage in two.outages] == [last]
    assert 4_000 <= two.outages[0].end - last <= begun - last


async def test_what_the_store_has_forgotten_of_outages_is_still_known(replicas: Replicas) -> None:
    first = await replicas.start("one")
    await replicas.beat("one", after=7.0)
    known = first.outages
    await replicas.redis.flushall()
    await replicas.beat("one", after=0.25)
    assert first.outages == known != []


async def test_what_the_store_has_forgotten_of_outages_is_learnt_by_replicas_that_begin_later(
    replicas: Replicas,
) -> None:
    first = await replicas.start("one")
    await replicas.beat("one", after=10.0)
    [outage] = first.outages
    await replicas.redis.delete(OUTAGES)
    await replicas.beat("one", "one", after=0.2)
    two = await replicas.start("two")
    assert two.outages == [outage]


async def test_an_outage_of_a_replica_is_one_however_many_saw_parts_of_it(replicas: Replicas) -> None:
    first, two = await replicas.start("one"), await replicas.start("two")
    now = replicas.now("one")
    for start in (now - 9_000, now - 8_000):
        redis: Any = replicas.redis
        await redis.execute_command(*noting([Outage(start, start + 2_000, "three")], now, ""))
    await replicas.beat("one", "two", after=0.25)
    assert first.outages == two.outages == [Outage(now - 9_000, now - 6_000, "three")]


async def test_heartbeats_and_outages_of_the_release_before_are_read(replicas: Replicas) -> None:
    last = int(1000 * replicas.redis_seconds) - 20_000
    await replicas.redis.hset(BEATS, mapping={"old": last, "": last - 100})
    await replicas.redis.rpush(OUTAGES, f"{last - 7_000}-{last - 5_000}")
    first = await replicas.start("one")
    assert Outage(last - 7_000, last - 5_000) in first.outages
