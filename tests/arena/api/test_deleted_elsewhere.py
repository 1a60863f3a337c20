"""A ladder that one arena deletes is forgotten by every other arena on the same store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import OPEN, WAITING, create, get, number_of, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, two_standing
from tests.support.folders import short_folder
from tests.support.service.processes import RedisServer


@pytest.fixture
def arenas(hosted: Service) -> Iterator[tuple[Arena, Arena]]:
    """Yields two arenas on one store."""
    with short_folder() as place, RedisServer(place) as redis:
        redis.start()
        with two_standing(hosted, redis.url) as (first_arena, other):
            yield first_arena, other


def id_of(arena: Arena, ladder: str) -> str:
    return str(get(arena, ladder).tournament.tournament_id)


@pytest.mark.exhaustive
def test_a_ladder_that_another_arena_deletes_is_forgotten_and_a_new_one_of_its_name_is_shown_and_played(
    arenas: tuple[Arena, Arena],
) -> None:
    first_arena, other = arenas
    season = arena_pb2.GetTournamentRequest(tournament="shared.1")
    waiting = WAITING.format(name="shared", narrow=25)
    first = create(first_arena, waiting).tournament.tournament_id
    assert id_of(other, "shared") == first
    assert first_arena.command("ladder", "delete", "shared", "--yes").stdout == "ladder shared is deleted\n"
    assert [arena.refusal("GetTournament", season).reason for arena in arenas] == 2 * ["TOURNAMENT_NOT_FOUND"]

    second = create(first_arena, waiting).tournament.tournament_id
    assert id_of(other, "shared") == second != first
    assert other.command("ladder", "delete", "shared", "--yes").stdout == "ladder shared is deleted\n"
    third = create(other, OPEN.format(name="shared", narrow=0)).tournament.tournament_id
    assert [id_of(arena, "shared") for arena in arenas] == [third, third]
    assert third not in {first, second}
    until(first_arena, lambda: number_of(first_arena, "shared") > 0 and number_of(other, "shared") > 0, "it is played")
