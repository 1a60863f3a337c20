"""Whoever calls a standing arena too often is told when to come back, and the organiser is not held up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2
from tests.arena.commands.tournaments import RANDOM, SENSIBLE, head
from tests.arena.running import Service
from tests.arena.standing import Arena, standing
from tests.patience import PATIENCE

STREAMS = 2


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    limits = ("--calls-per-second", "2", "--concurrent-calls", "20", "--streams-per-host", str(STREAMS))
    with standing(hosted, *limits) as running:
        running.create(head("watched") + SENSIBLE + RANDOM, paused=True)
        yield running


def test_a_host_has_so_many_streams_and_the_organiser_any_number(arena: Arena) -> None:
    request = arena_pb2.WatchTournamentRequest(tournament="watched")
    with arena.client("") as client, arena.client() as organiser:
        streams = [client.arena.WatchTournament(request, timeout=PATIENCE) for _ in range(STREAMS)]
        for stream in streams:
            next(iter(stream))
        with pytest.raises(ServiceError) as info:
            next(iter(client.arena.WatchTournament(request, timeout=PATIENCE)))
        assert (info.value.code, info.value.reason) == ("RESOURCE_EXHAUSTED", "TOO_FAST")
        assert info.value.retry_after
        assert "2 streams that follow tournaments are open from your host" in info.value.message
        for _ in range(STREAMS + 1):
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
