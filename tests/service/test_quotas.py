"""How many matches bots may create: as many as may stand, however many requests come at once, and to which replica."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from grpc import aio

from fudaba.v1 import bots_pb2, matches_pb2
from fudaba_service.api import quota
from fudaba_service.sessions.open_matches import MAX_OPEN_MATCHES
from fudaba_service.store import keys
from tests.support.service.bots import bearer, reason_of
from tests.support.service.in_progress import started
from tests.support.service.joining import INVITED, ME, OPEN, SEAT, create
from tests.support.service.organiser import Entrant, Organiser, refused
from tests.support.service.processes import RedisServer

HOUSE: Final = SEAT(house_bot="house-first")


@pytest.fixture
async def callers(folder: Path, redis: RedisServer) -> AsyncIterator[tuple[Organiser, Organiser]]:
    """Yields the organiser at each of two replicas."""
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as here, Organiser(two.address, first.token) as there:
            yield here, there


async def made_at_once(
    callers: tuple[Organiser, Organiser], count: int, *seats: matches_pb2.Seat, by: list[Entrant | None]
) -> int:
    """Asks for this many matches at the same time, of both replicas. Returns how many were made. The others are too
    many."""
    calls = [create(callers[n % 2], *seats, by=by[n % len(by)]) for n in range(count)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            assert isinstance(answer, aio.AioRpcError)
            assert reason_of(answer) == "TOO_MANY_MATCHES", answer
    return sum(not isinstance(answer, BaseException) for answer in answers)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "other", [OPEN, pytest.param(INVITED, marks=pytest.mark.exhaustive)], ids=["open", "invitation"]
)
async def test_of_many_requests_at_once_a_bot_gets_as_many_matches_as_may_stand(
    callers: tuple[Organiser, Organiser], other: matches_pb2.Seat
) -> None:
    maker = await callers[0].entrant()
    assert await made_at_once(callers, 200, ME, other, by=[maker]) == quota.MAX_CREATED_MATCHES


@pytest.mark.exhaustive
async def test_all_bots_together_get_as_many_seats_of_house_bots_as_there_are(
    callers: tuple[Organiser, Organiser], redis: RedisServer
) -> None:
    makers: list[Entrant | None] = [await callers[0].entrant() for _ in range(4)]
    left = 7
    with redis.client() as client:
        later = time.time() * 1000 + 3_600_000
        held = quota.MAX_HOUSE_SEATS - left
        client.zadd(keys.HOUSE_SEATS, {f"held {number}": later for number in range(1, held + 1)})
        assert await made_at_once(callers, 60, ME, HOUSE, by=makers) <= left
        # Seats that are given away while they are counted are counted twice; one after another nobody is refused.
        playing = client.scard(keys.bot_matches("house-first/1"))
    await refused_beyond(callers[0], makers[0], left - int(playing))


async def refused_beyond(caller: Organiser, maker: Entrant | None, left: int) -> None:
    """This many more can be made, and none after that."""
    for _ in range(left):
        await create(caller, ME, HOUSE, by=maker)
    await refused(create(caller, ME, HOUSE, by=maker), "TOO_MANY_MATCHES", "house bots")


async def test_house_seats_of_a_match_that_waits_to_be_joined_are_taken_until_it_is_given_up(
    callers: tuple[Organiser, Organiser], redis: RedisServer
) -> None:
    caller, other = callers
    maker = await caller.entrant()
    with redis.client() as client:
        made = await create(caller, ME, OPEN, HOUSE, by=maker, game="mokkaik")
        assert client.zcard(keys.HOUSE_SEATS) == 1
        request = matches_pb2.AbortMatchRequest(match_id=made.match.header.match_id)
        await other.matches.AbortMatch(request, metadata=bearer(maker.token))
        assert client.zcard(keys.HOUSE_SEATS) == 0


@pytest.mark.exhaustive
async def test_only_so_many_matches_wait_to_be_joined_whoever_asks(
    callers: tuple[Organiser, Organiser], redis: RedisServer
) -> None:
    left = 5
    made = await create(callers[0], OPEN, OPEN)
    with redis.client() as client:
        view: Any = client
        raw = view.hget(keys.OPEN, made.match.header.match_id)
        view.hset(keys.OPEN, mapping={f"another-{number}": raw for number in range(MAX_OPEN_MATCHES - 1 - left)})
        assert await made_at_once(callers, 60, OPEN, OPEN, by=[None]) == left
        assert view.hlen(keys.OPEN) == MAX_OPEN_MATCHES


async def test_a_match_that_could_not_be_made_takes_nobodys_place(
    callers: tuple[Organiser, Organiser], redis: RedisServer
) -> None:
    maker = await callers[0].entrant()
    made = await create(callers[0], OPEN, OPEN)
    with redis.client() as client:
        view: Any = client
        raw = view.hget(keys.OPEN, made.match.header.match_id)
        others = {f"another-{number}": raw for number in range(MAX_OPEN_MATCHES)}
        view.hset(keys.OPEN, mapping=others)
        await refused(create(callers[0], ME, OPEN, by=maker), "TOO_MANY_MATCHES", "wait for seats")
        view.hdel(keys.OPEN, *others)
        taken = f"{maker.name}.taken"
        await create(callers[0], OPEN, OPEN, match_id=taken)
        await refused(create(callers[0], ME, OPEN, by=maker, match_id=taken), "MATCH_EXISTS")
        assert not view.exists(keys.bot_made(f"{maker.name}/1"))


@pytest.mark.exhaustive
async def test_a_place_whose_taker_died_before_its_match_was_made_is_free_after_a_minute(
    callers: tuple[Organiser, Organiser], redis: RedisServer
) -> None:
    maker = await callers[0].entrant()
    key = keys.bot_made(f"{maker.name}/1")
    with redis.client() as client:
        now = time.time() * 1000
        dead = {f"dead-{number}": now - quota.LAPSES_MS - 1 for number in range(quota.MAX_CREATED_MATCHES - 1)}
        client.zadd(key, dead | {"about-to-be": now + 3_600_000})
        assert await made_at_once(callers, 50, ME, OPEN, by=[maker]) == quota.MAX_CREATED_MATCHES - 1


@pytest.mark.exhaustive
async def test_matches_that_an_earlier_release_noted_count_if_they_are_unfinished(
    callers: tuple[Organiser, Organiser], redis: RedisServer
) -> None:
    maker = await callers[0].entrant()
    key = keys.bot_made(f"{maker.name}/1")
    unfinished = (await create(callers[0], OPEN, OPEN)).match.header.match_id
    with redis.client() as client:
        client.sadd(key, unfinished, *[f"ended-{number}" for number in range(30)])
        assert await made_at_once(callers, 50, ME, OPEN, by=[maker]) == quota.MAX_CREATED_MATCHES - 1


async def test_the_name_of_an_author_is_shown_as_it_is_or_refused(callers: tuple[Organiser, Organiser]) -> None:
    organiser = callers[0]
    name = (await organiser.entrant()).name
    for author, problem in {"Ma\u00adry": "character 3 is U+00AD (SOFT HYPHEN)", "M\u200b": "U+200B"}.items():
        request = bots_pb2.CreateBotRequest(name=f"{name}-x", author=author)
        await refused(organiser.bots.CreateBot(request, metadata=organiser.metadata), "MALFORMED", "author", problem)
    abort = matches_pb2.AbortMatchRequest(match_id="any", message="because\u2028of")
    await refused(organiser.matches.AbortMatch(abort, metadata=organiser.metadata), "MALFORMED", "message", "U+2028")
    request = bots_pb2.CreateBotRequest(name=f"{name}-y", author="Žofie 札場")
    assert (await organiser.bots.CreateBot(request, metadata=organiser.metadata)).bot.author == "Žofie 札場"
