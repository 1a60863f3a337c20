"""Offers of matches: none stays of a match that never came to be, and none is lost of one that did."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

import pytest
import redis as redis_py

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.accounts.house_bots import players as house_players
from fudaba_service.sessions.offers import SeatOffers, players_of
from fudaba_service.store import Store, StoredMatch, StoreUnavailable, keys, match_keys
from tests.support.patience import until
from tests.support.service.bots import Stream
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.proxy import Proxy
from tests.support.service.stores import HOUR_MS, opened

SEAT: Final = matches_pb2.Seat
HOUSE: Final = house_players()[0]


def offered(client: redis_py.Redis, player: str) -> set[str]:
    """Returns the ids of the matches that a bot version is offered."""
    found: Any = client.smembers(keys.bot_matches(player))
    return {match_id.decode() for match_id in found}


def request_for(player: str, match_id: str = "") -> matches_pb2.CreateMatchRequest:
    """Asks for a match of a bot version against a house bot."""
    bot, _, version = player.partition("/")
    seats = [SEAT(bot=record_pb2.Player(bot=bot, version=version)), SEAT(house_bot=HOUSE.partition("/")[0])]
    return matches_pb2.CreateMatchRequest(game="naga", match_id=match_id, seats=seats)


@pytest.mark.parametrize("why", ["the store refuses", "the id is taken"])
async def test_a_match_that_cannot_be_created_is_offered_to_nobody(folder: Path, redis: RedisServer, why: str) -> None:
    with started(folder, redis) as service, redis.client() as client:
        async with Organiser(service.address, service.token) as organiser:
            player = f"{(await organiser.entrant()).name}/1"
            if why == "the id is taken":
                client.set(match_keys("taken").gone, b"by a match that has left the store")
                call = organiser.matches.CreateMatch(request_for(player, "taken"), metadata=organiser.metadata)
                await refused(call, "MATCH_NOT_FOUND")
            else:
                client.acl_setuser("default", enabled=True, commands=["-evalsha"])
                call = organiser.matches.CreateMatch(request_for(player), metadata=organiser.metadata)
                await refused(call, "STORE_UNAVAILABLE", "evalsha")
            await until(lambda: not offered(client, player) and not offered(client, HOUSE), "the end of the offers")


async def test_an_offer_of_a_match_that_never_came_to_be_is_withdrawn_when_its_bot_comes(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service, redis.client() as client:
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id, player = await organiser.match(entrant, other), f"{entrant.name}/1"
            client.sadd(keys.bot_matches(player), "m-never")
            async with Stream(service.address, entrant.token) as stream:
                await stream.hello()
                await until(lambda: offered(client, player) == {match_id}, "the end of the offer")


async def test_an_offer_to_a_house_bot_of_a_match_that_never_came_to_be_is_withdrawn_when_a_replica_looks(
    folder: Path, redis: RedisServer
) -> None:
    with redis.client() as client:
        client.sadd(keys.bot_matches(HOUSE), "m-never")
        with started(folder, redis):
            await until(lambda: not offered(client, HOUSE), "the end of the offer, at the start")
            client.sadd(keys.bot_matches(HOUSE), "m-never-either")
            client.client_kill_filter(_type="pubsub")
            await until(lambda: not offered(client, HOUSE), "the end of the offer, after lost news")


async def test_offers_that_are_withdrawn_while_their_match_is_created_are_made_again(
    folder: Path, redis: RedisServer
) -> None:
    async with Proxy(redis.port).run() as proxy:
        with (
            Service(folder, "--redis", f"redis://{proxy.address}/0") as service,
            redis.client() as client,
        ):
            await asyncio.to_thread(service.start)
            async with Organiser(service.address, service.token) as organiser:
                entrant, other = await organiser.entrant(), await organiser.entrant()
                player = f"{entrant.name}/1"
                proxy.hold(lambda data: b"EVALSHA" in data and player.partition("/")[0].encode() in data)
                creating = asyncio.ensure_future(organiser.match(entrant, other))
                await until(lambda: proxy.held, "the creation")
                assert client.srem(keys.bot_matches(player), *offered(client, player)) == 1
                proxy.release()
                match_id = await creating
                assert offered(client, player) == {match_id}


def header_of(match_id: str, *players: str) -> record_pb2.MatchHeader:
    named = [player.split("/") for player in players]
    return record_pb2.MatchHeader(
        match_id=match_id, players=[record_pb2.Player(bot=bot, version=version) for bot, version in named]
    )


async def create(store: Store, header: record_pb2.MatchHeader) -> None:
    """Creates the match, with its offers."""
    stored, now_ms = StoredMatch(header.SerializeToString(), b"seed", b"salt", []), store.now_ms()
    players = players_of(header)
    assert await store.matches.create(header.match_id, now_ms, now_ms + HOUR_MS, stored, players=players)


async def test_only_offers_of_seats_that_are_not_there_are_withdrawn(redis: RedisServer) -> None:
    async with opened(redis.url) as store:
        offers = SeatOffers(store)
        await create(store, header_of("m1", "x/1", "y/1"))
        await store.index.offer("m1", ["z/1"])
        await store.index.offer("m2", ["x/1", "z/1"])
        await offers.withdraw("m1", ["y/1", "z/1"])
        await offers.withdraw("m2", ["x/1", "z/1"])
        assert [await store.index.matches_of(player) for player in ("x/1", "y/1", "z/1")] == [["m1"], ["m1"], []]


async def test_an_offer_stays_whose_withdrawal_begins_before_its_match_is_there_and_is_cut_off_after_that(
    redis: RedisServer,
) -> None:
    async with (
        Proxy(redis.port).run() as proxy,
        opened(redis.url) as store,
        opened(f"redis://{proxy.address}/0", "two") as far,
    ):
        header = header_of("m1", "x/1", "y/1")
        await SeatOffers(store).make(header)
        proxy.hold(lambda data: b"SREM" in data)
        withdrawing = asyncio.ensure_future(SeatOffers(far).withdraw("m1", ["x/1"]))
        await until(lambda: proxy.held, "the withdrawal")
        await create(store, header)
        proxy.cut_answer_to(lambda data: b"SREM" in data, refuse=True)
        proxy.release()
        with pytest.raises(StoreUnavailable):
            await withdrawing
        proxy.accept()
        assert not await SeatOffers(far).withdraw("m1", ["x/1"]), "the match is there, and has a seat for it"
        assert await store.index.matches_of("x/1") == ["m1"]
