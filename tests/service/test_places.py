"""Bots that play only so many matches at once, or none for now: others wait, unstarted, and cost nobody anything."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import bots_pb2, matches_pb2, record_pb2
from tests.support.patience import until
from tests.support.service.bots import Bot, Stream, bearer, first
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.organiser import HOUR_MS, PATIENT, Entrant, Organiser, StoreView, refused
from tests.support.service.presence import (
    begun,
    connected,
    presence,
    saying_hello,
    started_on,
    until_begun,
    until_counts,
    until_presence,
)
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.stores import emptied

HASTY = record_pb2.Clock(move_ms=HOUR_MS, start_ms=3_000)
"""A match is given up soon if somebody is missing."""


async def test_what_a_bot_has_no_room_for_waits_its_turn_and_nobodys_clock_runs(organiser: Organiser) -> None:
    busy, other = await organiser.entrant(), await organiser.entrant()
    async with connected(organiser, busy, capacity=2) as stream, connected(organiser, other, capacity=50):
        matches = [await organiser.match(busy, other, clock=HASTY) for _ in range(5)]
        assert await started_on(stream, 2) == matches[:2]
        found = await until_counts(organiser, busy, 2, 3)
        assert (found.connected, found.capacity, found.paused) == (True, 2, False)
        # Twice as long as they would have waited for bots that are not here.
        await asyncio.sleep(6.0)
        states = [(await organiser.get(match_id)).state for match_id in matches]
        assert states == [matches_pb2.MATCH_STATE_PLAYING] * 2 + [matches_pb2.MATCH_STATE_WAITING] * 3
        await stream.send(resign={"match_id": matches[1]})
        assert await started_on(stream, 1) == [matches[2]]
        await until_counts(organiser, busy, 2, 2)
        await until_counts(organiser, other, 2, 2)
        for match_id in (matches[0], matches[2]):
            await stream.send(resign={"match_id": match_id})
        assert await started_on(stream, 2) == matches[3:]
    for match_id in matches[:3]:
        assert (await organiser.record(match_id)).end.forfeited_seat == 0


@pytest.mark.exhaustive
async def test_many_offers_at_once_from_two_arenas_and_of_house_bots_keep_the_capacity(organiser: Organiser) -> None:
    busy, other = await organiser.entrant(), await organiser.entrant()
    arenas = [bearer((await organiser.token("arena")).token) for _ in range(2)]
    most = 0

    def request(number: int) -> matches_pb2.CreateMatchRequest:
        seats = [matches_pb2.Seat(bot=record_pb2.Player(bot=busy.name))]
        if number % 3:
            seats.append(matches_pb2.Seat(bot=record_pb2.Player(bot=other.name)))
        else:
            seats.append(matches_pb2.Seat(house_bot="house-random"))
        return matches_pb2.CreateMatchRequest(game="naga", seats=seats, clock=PATIENT)

    async def watch() -> None:
        nonlocal most
        while True:
            most = max(most, (await presence(organiser, busy)).playing_matches)
            await asyncio.sleep(0.01)

    async def play(entrant: Entrant, capacity: int) -> Bot:
        bot = Bot(organiser.address, entrant.token, first)
        bot.hello = {"capacity": capacity}
        return await bot.play(12 if entrant is busy else 8)

    playing = [asyncio.create_task(play(busy, 3)), asyncio.create_task(play(other, 2))]
    for entrant in (busy, other):
        await until_presence(organiser, entrant, lambda found: found.connected)
    watching = asyncio.create_task(watch())
    await asyncio.gather(*(
        organiser.matches.CreateMatch(request(number), metadata=arenas[number % 2]) for number in range(12)
    ))  # fmt: skip
    await asyncio.gather(*playing)
    watching.cancel()
    assert 1 <= most <= 3


async def test_a_match_waits_for_the_busy_bot_and_only_the_absent_one_is_blamed(organiser: Organiser) -> None:
    busy, away = await organiser.entrant(), await organiser.entrant()
    async with connected(organiser, busy, capacity=1) as stream:
        held = await organiser.match(busy, await organiser.entrant(), clock=PATIENT)
        missed = await organiser.match(busy, away, clock=HASTY)
        end = (await organiser.ended(missed)).end
        assert (end.abort_cause, list(end.absent_seats)) == (record_pb2.ABORT_CAUSE_NO_SHOW, [1])
        assert (await organiser.record(missed)).end == end
        assert not await begun(organiser, [held])
        await until_counts(organiser, busy, 0, 1)
        # Nobody else was here, so no place was taken, and a match with somebody who is here begins at once.
        here = await organiser.entrant()
        async with connected(organiser, here):
            begins = await organiser.match(busy, here)
            assert await started_on(stream, 1) == [begins]


async def test_a_match_that_was_asked_for_as_it_left_the_store_holds_up_nobody(
    organiser: Organiser, store: StoreView
) -> None:
    busy, other = await organiser.entrant(), await organiser.entrant()
    gone = await organiser.match(busy, other)
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=gone), metadata=organiser.metadata)
    await store.forgets(gone)
    store.client.zadd(f"{{fudaba:places}}:queue:{busy.name}/1", {gone: 1})
    async with connected(organiser, other), connected(organiser, busy, capacity=1) as stream:
        begins = await organiser.match(busy, other, clock=PATIENT)
        assert await started_on(stream, 1) == [begins]


async def test_a_bot_has_its_place_back_when_another_one_has_left_before_their_match_began(
    organiser: Organiser, store: StoreView
) -> None:
    busy, away, other = [await organiser.entrant() for _ in range(3)]
    # What a replica that is killed leaves behind for a while: a bot that seems to be here.
    for known, value in (("stream", "s"), ("replica", "killed"), ("since", "1"), ("capacity", "1")):
        store.client.hset(f"{{fudaba:places}}:there:{away.name}/1", known, value)
    store.client.set("{fudaba:places}:replica:killed", 1)
    taken = f"{{fudaba:places}}:taken:{busy.name}/1"
    async with connected(organiser, other), connected(organiser, busy, capacity=1) as stream:
        # Seconds enough for a busy machine to see the place taken before the match is given up.
        missed = await organiser.match(busy, away, clock=record_pb2.Clock(move_ms=HOUR_MS, start_ms=10_000))
        while store.client.smembers(taken) != {missed.encode()}:
            await presence(organiser, busy)
        store.client.delete("{fudaba:places}:replica:killed")
        waits = await organiser.match(busy, other, clock=PATIENT)
        end = (await organiser.ended(missed)).end
        assert (end.abort_cause, list(end.absent_seats)) == (record_pb2.ABORT_CAUSE_NO_SHOW, [1])
        assert await started_on(stream, 2) == [missed, waits]
        assert store.client.smembers(taken) == {waits.encode()}


async def test_a_bot_has_its_place_back_of_a_match_that_was_over_before_it_had_its_seat_there(
    organiser: Organiser, store: StoreView
) -> None:
    busy, other = await organiser.entrant(), await organiser.entrant()
    over = await organiser.match(busy, other)
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=over), metadata=organiser.metadata)
    await store.forgets(over)
    async with connected(organiser, other), connected(organiser, busy, capacity=1) as stream:
        await until_presence(organiser, busy, lambda found: found.connected)
        # The other one has asked for it, and the news of that were lost.
        store.client.sadd(f"{{fudaba:places}}:taken:{busy.name}/1", over)
        waits = await organiser.match(busy, other, clock=PATIENT)
        assert await started_on(stream, 1) == [waits]


async def test_a_bot_that_was_away_as_it_got_a_place_begins_that_match_though_an_older_one_waits(
    organiser: Organiser, store: StoreView
) -> None:
    busy, other, away = [await organiser.entrant() for _ in range(3)]
    async with connected(organiser, other):
        older = await organiser.match(busy, away, clock=PATIENT)
        younger = await organiser.match(busy, other, clock=PATIENT)
        # What another bot's asking leaves behind when this one goes at that moment.
        store.client.sadd(f"{{fudaba:places}}:taken:{busy.name}/1", younger)
        async with connected(organiser, busy, capacity=1) as stream:
            assert await started_on(stream, 1) == [younger]
            assert not await begun(organiser, [older])


@pytest.mark.exhaustive
async def test_bots_with_one_place_each_never_wait_for_each_other_in_a_circle(organiser: Organiser) -> None:
    three = [await organiser.entrant() for _ in range(3)]
    pairs = [(a, b) for a in three for b in three if a != b] * 3
    bots = []
    for entrant in three:
        bot = Bot(organiser.address, entrant.token, first)
        bot.hello = {"capacity": 1}
        bots.append(bot)
    playing = [asyncio.create_task(bot.play(12)) for bot in bots]
    await asyncio.gather(*(organiser.match(*pair) for pair in pairs))
    await asyncio.gather(*playing)


async def test_a_laptop_that_slept_has_its_matches_and_its_place_in_the_queue_when_it_is_back(
    organiser: Organiser,
) -> None:
    laptop, other = await organiser.entrant(), await organiser.entrant()
    async with connected(organiser, other):
        async with connected(organiser, laptop, capacity=1) as stream:
            matches = [await organiser.match(laptop, other, clock=PATIENT) for _ in range(3)]
            assert await started_on(stream, 1) == matches[:1]
            before = await until_counts(organiser, laptop, 1, 2)
        found = await until_presence(organiser, laptop, lambda found: not found.connected)
        assert found.change_time.ToMilliseconds() >= before.change_time.ToMilliseconds()
        assert (found.capacity, found.playing_matches, found.waiting_matches) == (1, 1, 2)
        async with connected(organiser, laptop, capacity=2) as stream:
            assert sorted(await started_on(stream, 2)) == sorted(matches[:2])
            assert await until_begun(organiser, matches, 2) == matches[:2]


@pytest.mark.parametrize("manner", ["over the stream", "by a call"])
async def test_a_bot_that_is_paused_begins_nothing_until_it_is_resumed_and_plays_on(
    organiser: Organiser, manner: str
) -> None:
    paused, other = await organiser.entrant(), await organiser.entrant()
    own = bearer(paused.token)

    async def change(stream: Stream, action: str) -> None:
        if manner == "over the stream":
            await stream.send(**{action: {}})
        else:
            request = getattr(bots_pb2, f"{action.title()}BotRequest")()
            await getattr(organiser.bots, f"{action.title()}Bot")(request, metadata=own)
        await until_presence(organiser, paused, lambda found: found.paused == (action == "pause"))

    async with connected(organiser, other, capacity=50):
        async with connected(organiser, paused) as stream:
            before = await organiser.match(paused, other)
            assert await started_on(stream, 1) == [before]
            await change(stream, "pause")
            waits = await organiser.match(paused, other, clock=HASTY)
            await until_counts(organiser, paused, 1, 1)
            assert await until_begun(organiser, [before]) == [before]
            await asyncio.sleep(4.0)
            assert await begun(organiser, [before, waits]) == [before]
            # One that waits as long as it takes to be here again on a busy machine.
            await organiser.matches.AbortMatch(
                matches_pb2.AbortMatchRequest(match_id=waits), metadata=organiser.metadata
            )
            waits = await organiser.match(paused, other, clock=PATIENT)
            await until_counts(organiser, paused, 1, 1)
        async with connected(organiser, paused) as stream:  # it is paused still
            assert await started_on(stream, 1) == [before]
            assert await begun(organiser, [waits]) == []
            await change(stream, "resume")
            assert await started_on(stream, 1) == [waits]


async def test_a_place_that_outlived_its_match_hides_no_match_that_waits_for_a_paused_bot(
    organiser: Organiser, store: StoreView
) -> None:
    paused, other = await organiser.entrant(), await organiser.entrant()
    over = await organiser.match(paused, other)
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=over), metadata=organiser.metadata)
    await store.forgets(over)
    async with connected(organiser, other), connected(organiser, paused) as stream:
        await stream.send(pause={})
        await until_presence(organiser, paused, lambda found: found.paused)
        waits = await organiser.match(paused, other, clock=PATIENT)
        await until_counts(organiser, paused, 0, 1)
        # What is left when it was paused between the end of its match and the moment in which that left the store.
        store.client.sadd(f"{{fudaba:places}}:taken:{paused.name}/1", over)
        found = await presence(organiser, paused)
        assert (found.playing_matches, found.waiting_matches) == (0, 1)
        await stream.send(resume={})
        assert await started_on(stream, 1) == [waits]


async def test_a_match_in_play_of_a_bot_that_is_just_being_paused_waits_for_nobody(
    organiser: Organiser, store: StoreView
) -> None:
    paused, other = await organiser.entrant(), await organiser.entrant()
    async with connected(organiser, other), connected(organiser, paused) as stream:
        plays = await organiser.match(paused, other, clock=PATIENT)
        assert await started_on(stream, 1) == [plays]
        assert await until_begun(organiser, [plays]) == [plays]
        # It is paused, and the news of it are on their way to the replica that has its stream.
        store.client.hset(f"{{fudaba:places}}:there:{paused.name}/1", "paused", "1")
        found = await presence(organiser, paused)
        assert (found.paused, found.playing_matches, found.waiting_matches) == (True, 1, 0)


async def test_who_sees_and_pauses_whom(organiser: Organiser) -> None:
    entrant, other = await organiser.entrant(), await organiser.entrant()
    request = bots_pb2.ListPresenceRequest(bots=[other.name])
    await refused(organiser.bots.ListPresence(request, metadata=bearer(entrant.token)), "NOT_YOURS")
    mine = await organiser.bots.ListPresence(bots_pb2.ListPresenceRequest(), metadata=bearer(entrant.token))
    assert [found.bot for found in mine.presences] == [entrant.name]
    pause = bots_pb2.PauseBotRequest(bot=other.name)
    await refused(organiser.bots.PauseBot(pause, metadata=bearer(entrant.token)), "NOT_YOURS")
    unknown = bots_pb2.ListPresenceRequest(bots=["no-such-bot"])
    await refused(organiser.bots.ListPresence(unknown, metadata=organiser.metadata), "BOT_NOT_FOUND")


async def test_a_bot_that_is_paused_while_it_is_looked_up_whether_it_is_stays_so(
    folder: Path, redis: RedisServer
) -> None:
    def looks_up(request: bytes) -> bool:
        return b"\r\nEXISTS\r\n" in request and b"{fudaba:places}:replica" in request

    async with Proxy(redis.port).run() as proxy:
        with Service(folder, "--redis", f"redis://{proxy.address}/0") as service:
            await asyncio.to_thread(service.start)
            async with Organiser(service.address, service.token) as organiser:
                paused, other, third = [await organiser.entrant() for _ in range(3)]
                async with connected(organiser, other, capacity=50), connected(organiser, third):
                    proxy.hold(looks_up)
                    async with saying_hello(organiser, paused) as stream:
                        await until(lambda: proxy.held > 0, "it is looked up what is known of the bot")
                        before = await organiser.match(paused, other, clock=PATIENT)
                        assert await started_on(stream, 1) == [before]
                        await stream.send(pause={})
                        with redis.client() as client:
                            known = f"{{fudaba:places}}:there:{paused.name}/1"
                            await until(lambda: client.hget(known, "paused") == b"1", "the pause is stored")
                        # the news of this one come after those of the pause
                        await until_begun(organiser, [await organiser.match(third, other, clock=PATIENT)])
                        proxy.release()
                        await until_presence(organiser, paused, lambda found: found.paused)
                        waits = await organiser.match(paused, other, clock=PATIENT)
                        await asyncio.sleep(2.0)  # what waits is looked at each second
                        assert await begun(organiser, [waits]) == []
                        await stream.send(resume={})
                        assert await started_on(stream, 1) == [waits]
            assert_no_fault(service)


@pytest.mark.exhaustive
async def test_replicas_keep_one_capacity_together_and_one_that_is_killed_keeps_no_bot(
    folder: Path, redis: RedisServer
) -> None:
    with (
        started(folder, redis, "one") as first_bot,
        Service(folder, "--redis", redis.url, name="two", data=first_bot.data) as two,
    ):
        await asyncio.to_thread(two.start)
        async with (
            Organiser(first_bot.address, first_bot.token) as here,
            Organiser(two.address, first_bot.token) as there,
        ):
            left, right = await here.entrant(), await here.entrant()
            matches: list[str] = []
            async with connected(here, left, capacity=1), connected(there, right, capacity=1):
                made = (organiser.match(left, right, clock=PATIENT) for organiser in (here, there) * 4)
                matches += await asyncio.gather(*made)
                for entrant in (left, right):
                    await until_counts(here, entrant, 1, 7)
                playing = await until_begun(here, matches)
                assert len(playing) == 1
                two.kill()
                async with connected(here, right, capacity=1) as stream:
                    assert await started_on(stream, 1) == playing
                    await stream.send(resign={"match_id": playing[0]})
                    [following] = await started_on(stream, 1)
                    assert await until_begun(here, matches) == [following]
        assert_no_fault(first_bot)


async def test_what_is_known_of_the_bots_of_a_replica_that_died_goes_by_itself(redis: RedisServer) -> None:
    def lasts(client: Any, *kinds: str) -> list[bool]:
        return [client.ttl(f"{{fudaba:places}}:{kind}:nap/1") > 0 for kind in kinds]

    async with emptied(redis) as store:
        places = store.places
        with redis.client() as client:
            await places.arrive("nap/1", "stream-1", 1)
            others = ["other/1"]
            assert await places.admit("nap/1", "m-1", 1, others, []) is not None
            await places.arrive("other/1", "stream-2", 1)
            await places.admit("nap/1", "m-1", 1, others, [])
            await places.admit("nap/1", "m-2", 2, others, [])
            assert lasts(client, "there", "taken", "queue") == [True, True, True]
            client.expire("{fudaba:places}:there:nap/1", 60)
            await places.keep(["nap/1", "nobody/1"])
            assert client.ttl("{fudaba:places}:there:nap/1") > 60
            assert client.exists("{fudaba:places}:there:nobody/1") == 0
            await places.pause("nap/1", paused=True)
            await places.keep(["nap/1"])
            assert client.ttl("{fudaba:places}:there:nap/1") == -1  # it stays paused, whatever becomes of its process
            await places.pause("nap/1", paused=False)
            assert lasts(client, "there") == [True]
