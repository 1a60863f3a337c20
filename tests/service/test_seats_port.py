"""A port of the service for seats alone, as bots in pods reach: whatever a call shows, it is that of one seat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.message_factory import GetMessageClass
from grpc import aio

from fudaba.v1 import accounts_pb2, catalog_pb2, matches_pb2, play_pb2
from fudaba_service.api.seat_connections import METHODS
from fudaba_serving.grpc.policy import contract
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.bots import Bot, bearer, by_chance, reason_of
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import PATIENT, Entrant, Organiser, refused
from tests.support.service.processes import Service, free_port

pytestmark = pytest.mark.asyncio(loop_scope="module")

SERVED = ("AccountService", "BotService", "CatalogService", "MatchService", "PlayService")


@pytest.fixture(scope="module")
def port() -> str:
    return f"127.0.0.1:{free_port()}"


@pytest.fixture(scope="module", params=["1", pytest.param("2", marks=pytest.mark.exhaustive)])
def service(port: str, request: pytest.FixtureRequest) -> Iterator[Service]:
    """Yields a service that lets guests play, in one process and in two."""
    options = ("--seats-listen", port, "--guests", "--registration", "open", "--processes", request.param)
    with short_folder() as place, Service(place, *options) as running:
        running.start()
        yield running
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(organiser: Organiser) -> tuple[Entrant, Entrant]:
    return await organiser.entrant(), await organiser.entrant()


@pytest_asyncio.fixture(loop_scope="module")
async def seats(service: Service, port: str) -> AsyncIterator[Organiser]:
    """Calls the port, with the organiser's token."""
    async with Organiser(port, service.token) as client:
        yield client


async def test_a_bot_plays_its_match_there(organiser: Organiser, port: str, pair: tuple[Entrant, Entrant]) -> None:
    match_id = await organiser.match(*pair)
    bots = [Bot(port, await organiser.match_token(match_id, seat), by_chance) for seat in (0, 1)]
    await asyncio.gather(*[bot.play() for bot in bots])
    await organiser.record(match_id)


async def test_of_all_methods_those_that_a_seat_needs_are_served_to_its_token_and_none_to_any_other(
    organiser: Organiser, seats: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    match_id = await organiser.match(*pair, clock=PATIENT)
    token = await organiser.match_token(match_id, 0)

    async def reason(path: str, request: Any, answer: Any, kind: str, metadata: Any) -> str:
        call = getattr(seats.channel, kind)(path, type(request).SerializeToString, answer.FromString)
        # gRPC may say INTERNAL of a call that is refused while a message is on its way.
        sent = iter(()) if kind.startswith("stream") else request
        try:
            got = call(sent, metadata=metadata, timeout=PATIENCE)
            await (got.read() if kind.endswith("stream") else got)
        except aio.AioRpcError as error:
            return reason_of(error) or error.code().name
        return ""

    for service in contract():
        for method in service.methods if service.name in SERVED else ():
            path = f"/{service.full_name}/{method.name}"
            asks, answer = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            request = asks(match_id=match_id) if "match_id" in asks.DESCRIPTOR.fields_by_name else asks()
            kind = f"{'stream' if method.client_streaming else 'unary'}_"
            kind += "stream" if method.server_streaming else "unary"
            found = [
                await reason(path, request, answer, kind, metadata)
                for metadata in (bearer(token), (), seats.metadata, bearer(pair[0].token))
            ]
            if path in METHODS:
                assert found[0] not in {"WRONG_SCOPE", "TOKEN_MISSING"}, path
                assert found[1:] == ["TOKEN_MISSING", "WRONG_SCOPE", "WRONG_SCOPE"], path
            else:
                assert set(found) <= {"WRONG_SCOPE", "TOKEN_MISSING", "ORGANISER_ONLY", "BOT_ONLY"}, (path, found)


async def test_of_matches_it_serves_the_seats_own(
    organiser: Organiser, seats: Organiser, pair: tuple[Entrant, Entrant]
) -> None:
    mine, other = [await organiser.match(*pair, clock=PATIENT) for _ in range(2)]
    own = bearer(await organiser.match_token(mine, 0))
    got = await seats.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=mine), metadata=own)
    assert got.match.header.match_id == mine
    await refused(seats.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=other), metadata=own), "NOT_YOUR_MATCH")
    games = await seats.catalog.ListGames(catalog_pb2.ListGamesRequest(), metadata=own)
    assert games.games
    # Elsewhere the same token reads what everybody may.
    await organiser.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=other), metadata=own)


async def test_who_names_another_token_as_its_connections_gets_no_more_by_that(
    seats: Organiser, service: Service
) -> None:
    for name in ("fudaba-seat", "authorization"):
        call = seats.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=((name, f"Bearer {service.token}"),))
        await refused(call, "WRONG_SCOPE", "this port is for the tokens of seats alone")


async def test_health_is_told_there_and_nothing_of_the_contract(seats: Organiser) -> None:
    health: Any = seats.channel.unary_unary("/grpc.health.v1.Health/Check", None, None)
    assert await health(b"", timeout=PATIENCE)
    path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    reflection: Any = seats.channel.stream_stream(path, None, None)
    with pytest.raises(grpc.RpcError) as refusal:
        await reflection(timeout=PATIENCE).read()  # the client has another error for a message to a call that has ended
    assert reason_of(refusal.value) == "WRONG_SCOPE"


async def test_a_guest_is_made_at_the_other_port_alone(organiser: Organiser, seats: Organiser) -> None:
    await refused(seats.accounts.CreateGuest(accounts_pb2.CreateGuestRequest()), "WRONG_SCOPE")
    watch = play_pb2.WatchSeatRequest(match_id="m-nothing")
    await refused(seats.play.WatchSeat(watch).read(), "TOKEN_MISSING")
    async with Organiser(organiser.address, "") as nobody:
        guest = await nobody.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())
    await refused(seats.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(guest.token)), "WRONG_SCOPE")
