"""Heartbeats: which outages the replicas learn of, how soon, and for how long."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, final

import pytest
from redis.asyncio import Redis

from fudaba_service.store import beats
from fudaba_service.store.beats import FROZEN_MS, Beats
from fudaba_service.store.boot_clock import BootClock
from fudaba_service.store.keys import BEATS, CLOCK, OUTAGES, beat_channel, replica_channel
from fudaba_service.store.outages import Outage, note
from fudaba_service.store.shared_time import TOLERANCE_MS, SharedTime
from tests.service.processes import RedisServer


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


def alike(outages: list[Outage], *expected: Outage) -> bool:
    """Whether outages are these. The replicas' time is exact only to some milliseconds: Redis's clock is a real one."""
    return [o.replica for o in outages] == [o.replica for o in expected] and all(
        abs(o.start - e.start) <= TOLERANCE_MS and abs(o.end - e.end) <= TOLERANCE_MS
        for o, e in zip(outages, expected, strict=True)
    )


@pytest.fixture
async def replicas(redis: RedisServer) -> AsyncIterator[Replicas]:
    async with Redis.from_url(redis.url) as client, contextlib.AsyncExitStack() as stack:
        running = Replicas(client)
        stack.push_async_callback(running.close)
        yield running


async def test_a_time_without_a_heartbeat_of_anybody_is_an_outage_and_a_short_one_is_none(replicas: Replicas) -> None:
    one = await replicas.start("one")
    await replicas.beat("one", after=0.9)
    assert one.outages == []
    last = replicas.now("one")
    await replicas.beat("one", after=7.0)
    assert alike(one.outages, Outage(last, replicas.now("one")))


async def test_a_replica_that_redis_has_lost_is_an_outage_at_once_and_for_as_long_as_it_may_only_be_cut_off(
    replicas: Replicas,
) -> None:
    one, _ = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("two")
    await replicas.die("two")
    await replicas.beat("one", after=0.1)
    assert alike(one.outages, Outage(last, replicas.now("one"), "two"))
    for _ in range(6):
        await replicas.beat("one", after=0.9)
    assert alike(one.outages, Outage(last, replicas.now("one"), "two"))
    for _ in range(40):
        await replicas.beat("one", after=0.9)
    assert alike(one.outages, Outage(last, last + FROZEN_MS, "two"))
    assert set(await replicas.redis.hkeys(BEATS)) == {b"one"}


async def test_a_replica_that_freezes_is_an_outage_after_a_second_and_notes_it_when_it_goes_on(
    replicas: Replicas,
) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("two")
    await replicas.beat("one", after=0.9)
    assert one.outages == []
    for _ in range(4):
        await replicas.beat("one", after=0.9)
    assert alike(one.outages, Outage(last, replicas.now("one"), "two"))
    await replicas.beat("two", "one")
    assert one.outages == two.outages
    assert alike(one.outages, Outage(last, replicas.now("one"), "two"))


async def test_an_outage_of_all_does_not_hide_that_a_replica_was_an_outage_before(replicas: Replicas) -> None:
    one, _ = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("one")
    for _ in range(4):
        await replicas.beat("two", after=0.9)
    last_of_all = replicas.now("two")
    await replicas.beat("one", after=3.0)
    now = replicas.now("one")
    found = sorted(one.outages, key=lambda outage: (outage.start, outage.replica))
    assert alike(found, Outage(last, now, "one"), Outage(last_of_all, now), Outage(last_of_all, now, "two"))


async def test_a_replica_that_stays_away_after_an_outage_of_all_is_one_for_as_long_as_it_may_only_be_cut_off(
    replicas: Replicas,
) -> None:
    one, _ = await replicas.start("one"), await replicas.start("two")
    last = replicas.now("two")
    await replicas.beat("one", after=3.0)
    for _ in range(4):
        await replicas.beat("one", after=0.9)
    assert alike(
        [outage for outage in one.outages if outage.replica == "two"], Outage(last, replicas.now("one"), "two")
    )
    for _ in range(20):
        await replicas.beat("one", after=0.9)
    assert alike([outage for outage in one.outages if outage.replica == "two"], Outage(last, last + FROZEN_MS, "two"))


async def test_a_replica_that_reaches_the_store_and_hears_nothing_is_an_outage_for_all_until_it_hears_again(
    replicas: Replicas,
) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    heard = replicas.now("two")
    for _ in range(6):
        await replicas.beat("two", after=0.5, heard=False)
        await replicas.beat("one")
    assert alike(one.outages, Outage(heard, replicas.now("one"), "two"))
    assert alike(two.outages, Outage(heard, replicas.now("two"), "two"))
    await replicas.beat("two")
    await replicas.beat("two", "one", after=0.1)
    assert one.outages == two.outages
    assert alike(one.outages, Outage(heard, replicas.now("one"), "two"))


async def test_a_replica_whose_appends_have_no_answer_is_an_outage_for_all_since_the_first_and_until_they_have(
    replicas: Replicas,
) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    appended = replicas.now("two")
    replicas.unanswered["two"] = replicas.seconds
    await replicas.beat("two", "one", after=0.5)
    assert one.outages == two.outages == []
    await replicas.beat("two", "one", after=0.4)
    for _ in range(6):
        await replicas.beat("two", "one", after=0.25)
        assert alike(one.outages, Outage(appended, replicas.now("one"), "two"))
        assert alike(two.outages, Outage(appended, replicas.now("two"), "two"))
    del replicas.unanswered["two"]
    await replicas.beat("two", "one", after=0.25)
    noted = one.outages
    assert alike(noted, Outage(appended, replicas.now("one"), "two"))
    await replicas.beat("two", "one", after=0.25)
    assert one.outages == two.outages == noted


async def test_a_replica_that_dies_before_its_appends_have_an_answer_is_an_outage_since_the_first(
    replicas: Replicas,
) -> None:
    one, _ = await replicas.start("one"), await replicas.start("two")
    appended = replicas.now("two")
    replicas.unanswered["two"] = replicas.seconds
    await replicas.beat("two", after=0.6)
    await replicas.die("two")
    await replicas.beat("one", after=0.1)
    assert alike(one.outages, Outage(appended, replicas.now("one"), "two"))


async def test_a_replica_that_leaves_notes_what_it_still_suffered_from(replicas: Replicas) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    appended = replicas.now("two")
    replicas.unanswered["two"] = replicas.seconds
    for _ in range(2):
        await replicas.beat("two", "one", after=0.75)
    await two.stop()
    await replicas.beat("one")
    assert alike(one.outages, Outage(appended, replicas.now("one"), "two"))


async def test_an_outage_of_a_replica_that_heard_nothing_is_noted_though_the_first_try_to_note_it_failed(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await replicas.start("one")
    for _ in range(4):
        await replicas.beat("one", after=0.5, heard=False)
    heard = one.outages[-1].start
    one.heard(replicas.now("one"))
    with monkeypatch.context() as patch:
        patch.setattr(beats, "note", fails)
        with pytest.raises(ConnectionError):
            await replicas.beat("one", after=0.1)
    await replicas.beat("one", after=0.1)
    assert [(outage.start, outage.replica) for outage in one.outages] == [(heard, "one")]


def fails(*_: object) -> None:
    raise ConnectionError


@pytest.mark.parametrize("others", [["one"], []])
async def test_a_replica_that_leaves_as_soon_as_it_is_back_notes_for_how_long_it_was_away(
    replicas: Replicas, others: list[str]
) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    away = replicas.now("two")
    for _ in range(12):
        await replicas.beat(*others, after=0.5)
    back = replicas.now("two")
    await two.stop()
    await replicas.beat("one", after=0.1)
    assert any(outage.start <= away and back <= outage.end for outage in one.outages)


async def test_how_late_the_slowest_other_replica_hears_is_known(replicas: Replicas) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    await replicas.beat("two", heard=False)
    published = replicas.now("two")
    replicas.seconds += 0.7
    two.heard(published)
    await replicas.beat("two", "one", heard=False)
    assert one.lag_ms == 700
    assert two.lag_ms == 0


async def test_a_replica_that_begins_notes_even_a_short_gap_and_one_that_leaves_notes_that(replicas: Replicas) -> None:
    one = await replicas.start("one")
    await one.stop()
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


async def test_the_first_replica_of_all_has_the_time_of_redis_clock(replicas: Replicas) -> None:
    seconds, _ = await replicas.redis.time()
    await replicas.start("machine-1-a")
    assert 0 <= replicas.now("machine-1-a") - seconds * 1000 <= 10_000


@pytest.mark.parametrize("jump", [-120.0, 120.0])
async def test_the_machines_clock_is_witness_when_redis_clock_was_set_while_nobody_was_there(
    replicas: Replicas, jump: float
) -> None:
    await replicas.start("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    await replicas.pass_by(4)
    await replicas.set_clock(jump)
    await replicas.start("machine-2-b")
    assert last + 4_000 - TOLERANCE_MS <= replicas.now("machine-2-b") <= last + 4_000 + 500


async def test_the_machines_clock_is_witness_of_the_moment_at_which_redis_clock_was_read(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    await replicas.start("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    await replicas.set_clock(-120)
    time = SharedTime(lambda: replicas.seconds, lambda: replicas.seconds + replicas.wall_is_ahead)
    new = Beats(replicas.redis, "machine-2-b", time)
    listeners = new._listeners

    async def slow(others: Sequence[str]) -> int:
        replicas.seconds += 3
        return await listeners(others)

    monkeypatch.setattr(new, "_listeners", slow)
    await new.begin()
    assert abs(time.now_ms() - last - 3_000) <= TOLERANCE_MS


@pytest.mark.parametrize(("redis_jump", "wall_jump"), [(-50.0, 120.0), (2.5, -2.5), (120.0, -50.0), (0.0, 0.0)])
@pytest.mark.parametrize("stopped", [False, True])
async def test_on_one_machine_the_time_goes_on_whatever_clocks_were_set_to_while_nobody_was_there(
    replicas: Replicas, redis_jump: float, wall_jump: float, stopped: bool
) -> None:
    clock = BootClock()
    if not clock.boot:
        pytest.skip("this machine has no clock that cannot be set")
    old, new = SharedTime(), SharedTime(wall=lambda: time.time() + wall_jump)
    one = Beats(replicas.redis, "machine-1-a", old, boot_clock=clock)
    await one.beat()
    if stopped:
        await one.stop()
    await replicas.set_clock(redis_jump)
    two = Beats(replicas.redis, "machine-2-b", new, boot_clock=clock)
    for _ in range(2):
        await two.beat()
        assert abs(new.ahead_of(old.now_ms)) <= TOLERANCE_MS


@pytest.mark.parametrize("jump", [-120.0, 120.0])
async def test_a_machines_clock_that_was_set_while_nobody_was_there_is_no_witness(
    replicas: Replicas, jump: float
) -> None:
    await replicas.start("machine-1-a")
    last = replicas.now("machine-1-a")
    await replicas.die("machine-1-a")
    await replicas.pass_by(4)
    replicas.wall_is_ahead += jump
    await replicas.start("machine-2-b")
    assert last + 4_000 - TOLERANCE_MS <= replicas.now("machine-2-b") <= last + 4_000 + 500


@pytest.mark.parametrize(
    ("jump", "subscribed"), [(1.5, True), (5.0, True), (14.0, True), (120.0, True), (120.0, False)]
)
async def test_a_replica_that_begins_as_redis_clock_is_set_has_the_time_of_the_others_all_the_same(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch, jump: float, subscribed: bool
) -> None:
    monkeypatch.setattr(beats, "_LOOKS", 1_000)
    old, new = SharedTime(), SharedTime()
    one, two = Beats(replicas.redis, "here-1-a", old), Beats(replicas.redis, "there-2-b", new)
    await one.begin()
    has_read = asyncio.Event()

    def ahead(read: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
        async def reading() -> Any:
            found, others = await read()
            has_read.set()
            return found._replace(redis_ms=found.redis_ms + jump * 1000), others

        return reading

    async with replicas.redis.pubsub() as listening:
        if subscribed:  # else it is on its way back to a Redis that was restarted
            await listening.subscribe(replica_channel("here-1-a"))
            await listening.get_message(timeout=5)
        await one.beat()
        for each in (one, two):
            monkeypatch.setattr(each, "_read", ahead(each._read))
        beginning = asyncio.create_task(two.begin())
        await has_read.wait()
        while not beginning.done():
            await one.beat()
            await asyncio.sleep(0.01)
        await beginning
    assert abs(new.now_ms() - old.now_ms()) < 1_000


async def test_a_heartbeat_of_the_others_that_was_long_on_its_way_sets_no_time_back(
    replicas: Replicas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beats, "_LOOKS", 3)
    await replicas.start("here-1-a")
    last = replicas.now("here-1-a")
    replicas.wall_is_ahead -= 60  # of another machine: it is not a witness
    await replicas.pass_by(4)
    new = SharedTime()
    two = Beats(replicas.redis, "there-2-b", new)
    read = two._read

    async def then_beaten() -> Any:
        found = await read()
        await replicas.redis.hset(BEATS, "here-1-a", f"{last + 500} {last + 500} 0 0")
        return found

    monkeypatch.setattr(two, "_read", then_beaten)
    await two.begin()
    assert new.now_ms() >= last + 4_000 - TOLERANCE_MS


async def test_a_replica_that_begins_while_the_others_are_frozen_has_the_time_of_redis_clock(
    replicas: Replicas,
) -> None:
    await replicas.start("here-1-a")
    last = replicas.now("here-1-a")
    replicas.wall_is_ahead -= 60  # of another machine: it is not a witness
    await replicas.pass_by(4)
    await replicas.start("there-2-b")
    assert last + 4_000 - TOLERANCE_MS <= replicas.now("there-2-b") <= last + 14_000


async def test_what_the_store_has_forgotten_of_outages_is_still_known(replicas: Replicas) -> None:
    one = await replicas.start("one")
    await replicas.beat("one", after=7.0)
    known = one.outages
    await replicas.redis.flushall()
    await replicas.beat("one", after=0.25)
    assert one.outages == known != []


async def test_an_outage_of_a_replica_is_one_however_many_saw_parts_of_it(replicas: Replicas) -> None:
    one, two = await replicas.start("one"), await replicas.start("two")
    now = replicas.now("one")
    for start in (now - 9_000, now - 8_000):
        await note(replicas.redis, [Outage(start, start + 2_000, "three")], now)
    await replicas.beat("one", "two", after=0.25)
    assert one.outages == two.outages == [Outage(now - 9_000, now - 6_000, "three")]


async def test_heartbeats_and_outages_of_the_release_before_are_read(replicas: Replicas) -> None:
    seconds, _ = await replicas.redis.time()
    last = seconds * 1000 - 20_000
    await replicas.redis.hset(BEATS, mapping={"old": last, "": last - 100})
    await replicas.redis.rpush(OUTAGES, f"{last - 7_000}-{last - 5_000}")
    one = await replicas.start("one")
    assert Outage(last - 7_000, last - 5_000) in one.outages
