"""A submitted version in a knockout that its ladder seeds: a worker runs it there as it did on the ladder."""

from __future__ import annotations

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import call, create, get, rows, until
from tests.support.arena.programs.entered import ONE, Submit, enter
from tests.support.arena.programs.uploads import GOOD, folder
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

CUP = """\
name = "cup"
format = "single-elimination"
game = "naga"

[from_ladder]
ladder = "seeding"
top = 2
"""


def test_a_submitted_version_plays_the_cup_that_its_ladder_seeds(
    hosted: Service, arena: Arena, alice: str, submit: Submit
) -> None:
    create(arena, ONE.format(name="seeding", narrow=0))
    version = submit(folder({"bot.py": GOOD}), "ada").version
    enter(arena, alice, "seeding", "ada")
    until(arena, lambda: all(row.rank for row in rows(arena, "seeding").values()), "both have ranks")
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="seeding"))
    until(arena, lambda: get(arena, "seeding").state == arena_pb2.LADDER_STATE_CLOSED, "its season is over")
    entrants = {entrant.bot: entrant for entrant in arena.create(CUP).definition.entrants}
    assert (entrants["ada"].version, entrants["ada"].kind) == (version, arena_pb2.ENTRANT_KIND_SUBMITTED)
    assert entrants["ada"].author == "alice"
    arena.wait_for("cup", arena_pb2.TOURNAMENT_STATE_CLOSED)
    assert {use.sandbox for match in arena.matches("cup") for use in match.seat_uses} == {"bubblewrap"}
