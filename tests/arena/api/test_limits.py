"""Whoever calls a standing arena too often is told when to come back, and nobody else is held up."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, submissions_pb2
from fudaba_serving.grpc.origins import forwarded
from tests.support.arena.api.ladders import author
from tests.support.arena.commands.tournaments import RANDOM, STEADY, head
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE, wait_until

MAX_STREAMS = 2


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    limits = ("--calls-per-second", "2", "--concurrent-calls", "20", "--streams-per-host", str(MAX_STREAMS))
    with standing(hosted, *limits) as running:
        running.create(head("watched") + STEADY + RANDOM, paused=True)
        yield running


def test_a_host_has_so_many_streams_and_the_organiser_any_number(arena: Arena) -> None:
    request = arena_pb2.WatchTournamentRequest(tournament="watched")
    with arena.client("") as client, arena.client() as organiser:
        streams: list[Any] = []

        def follows() -> bool:
            """Returns whether there is room for one more: the streams of another test end a moment after their
            client."""
            stream = client.arena.WatchTournament(request, timeout=PATIENCE)
            with contextlib.suppress(ServiceError):
                next(iter(stream))
                streams.append(stream)
                return True
            return False

        for _ in range(MAX_STREAMS):
            wait_until(follows, "room for a stream")
        with pytest.raises(ServiceError) as info:
            next(iter(client.arena.WatchTournament(request, timeout=PATIENCE)))
        assert (info.value.code, info.value.reason) == ("RESOURCE_EXHAUSTED", "TOO_FAST")
        assert info.value.retry_after
        assert "2 streams that follow tournaments are open from your host" in info.value.message
        for _ in range(MAX_STREAMS + 1):
            stream = organiser.arena.WatchTournament(request, timeout=PATIENCE)
            next(iter(stream))
            streams.append(stream)


def test_calls_of_a_host_beyond_the_limit_are_refused_and_told_when_to_come_back(arena: Arena) -> None:
    request = arena_pb2.GetTournamentRequest(tournament="watched")
    with arena.client("") as client, arena.client() as organiser:
        refused: ServiceError | None = None
        while refused is None:
            try:
                # Each costs ten seconds of what is allowed.
                client.arena.GetRatingHistory(arena_pb2.GetRatingHistoryRequest(tournament="watched"), timeout=PATIENCE)
            except ServiceError as error:
                refused = error
        assert (refused.code, refused.reason) == ("RESOURCE_EXHAUSTED", "TOO_FAST")
        assert refused.retry_after
        assert "2 a second are allowed" in refused.message
        for _ in range(30):
            organiser.arena.GetTournament(request, timeout=PATIENCE)


def used_up(client: Client) -> ServiceError:
    """Returns how a client is refused that calls until it is."""
    while True:
        try:
            # Each costs ten seconds of what is allowed.
            client.arena.GetRatingHistory(arena_pb2.GetRatingHistoryRequest(tournament="watched"), timeout=PATIENCE)
        except ServiceError as error:
            return error


def test_an_account_pays_for_itself_whoever_else_calls_from_its_host(hosted: Service, arena: Arena) -> None:
    tokens = [author(hosted, name) for name in ("ben", "cleo")]
    request = submissions_pb2.ListSubmissionsRequest()  # it costs as much
    with arena.client("") as stranger, arena.client(tokens[0]) as ben, arena.client(tokens[1]) as cleo:
        for client in (ben, cleo):
            client.arena.WatchTournament(arena_pb2.WatchTournamentRequest(tournament="watched"), timeout=PATIENCE)
        assert used_up(stranger).reason == "TOO_FAST"
        ben.arena.ListSubmissions(request, timeout=PATIENCE)
        assert used_up(ben).reason == "TOO_FAST"
        cleo.arena.ListSubmissions(request, timeout=PATIENCE)


def test_of_a_gateway_each_of_its_clients_pays_and_follows_by_its_own_address(hosted: Service, arena: Arena) -> None:
    with hosted.client() as organiser:
        scope = accounts_pb2.TOKEN_SCOPE_GATEWAY
        made = organiser.accounts.CreateAccountToken(accounts_pb2.CreateAccountTokenRequest(scope=scope))
    request = arena_pb2.WatchTournamentRequest(tournament="watched")

    def follow(client: Client, address: str) -> arena_pb2.WatchTournamentResponse:
        stream = client.arena.WatchTournament(request, timeout=PATIENCE, metadata=(("fudaba-client-address", address),))
        streams.append(stream)
        first: arena_pb2.WatchTournamentResponse = next(iter(stream))
        return first

    streams: list[object] = []
    with arena.client(made.token) as gateway, arena.client("") as liar:
        for address in ("192.0.2.1", "192.0.2.2"):
            for _ in range(MAX_STREAMS):
                assert follow(gateway, address).HasField("tournament")
            with pytest.raises(ServiceError) as info:
                follow(gateway, address)
            assert (info.value.reason, bool(info.value.retry_after)) == ("TOO_FAST", True)
        # Whoever is no gateway is not believed.
        believed = 0
        with contextlib.suppress(ServiceError):
            for last in range(MAX_STREAMS + 1):
                follow(liar, f"198.51.100.{last}")
                believed += 1
        assert believed <= MAX_STREAMS


def test_who_shows_a_token_at_a_gateway_follows_by_their_own_address_too(hosted: Service, arena: Arena) -> None:
    with hosted.client() as organiser:
        scope = accounts_pb2.TOKEN_SCOPE_GATEWAY
        gateway = organiser.accounts.CreateAccountToken(accounts_pb2.CreateAccountTokenRequest(scope=scope)).token
    request, streams = arena_pb2.WatchTournamentRequest(tournament="watched"), []
    with contextlib.ExitStack() as stack:
        for name, address in (("dora", "192.0.2.11"), ("emil", "192.0.2.12")):
            client = stack.enter_context(arena.client(author(hosted, name)))
            for _ in range(MAX_STREAMS):
                metadata = forwarded(gateway, address)
                streams.append(client.arena.WatchTournament(request, timeout=PATIENCE, metadata=metadata))
                assert next(iter(streams[-1])).HasField("tournament")
