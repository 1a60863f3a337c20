"""How the bracket of a knockout is drawn."""

from __future__ import annotations

from fudaba.cli.bracket import bracket_text, drawn_bracket
from fudaba.v1 import arena_pb2

GROUP = arena_pb2.BracketGroup
SEAT = arena_pb2.BracketSeat
DRAWN = """\
naga, 2 of 2 rounds

               al (1) 1.25 ─┐
                            ├─ al
bea (2) 0.5 ┐               │
            ├─ bea (2) 0.75 ┘
cid (3) 0.5 ┘

round 1, bea - cid: decided by seed

rank  bot  seed  looks like
   1  al      1
   2  bea     2  beo
  3=  cid     3"""
LISTED = """\
round 1:
  group 1, 2 bots go on: seed 2, seed 3, seed 4
round 2:
  final: seed 1, place 1 of group 1, place 2 of group 1"""


def pairing(number: int, *seats: arena_pb2.BracketSeat, **more: int) -> arena_pb2.BracketGroup:
    return GROUP(round=number, advancing=1, seats=seats, **more)  # type: ignore[arg-type]


def test_a_bracket_that_is_played_grows_to_its_winner() -> None:
    bracket = arena_pb2.Bracket(
        game="naga",
        rounds=2,
        rounds_begun=2,
        groups=[
            pairing(
                1,
                SEAT(bot="bea", seed=2, points=0.5, place=1),
                SEAT(bot="cid", seed=3, points=0.5, place=2),
                section=arena_pb2.BRACKET_SECTION_MAIN,
                blocks=1,
                decided_by=arena_pb2.BRACKET_DECISION_SEED,
            ),
            pairing(
                2,
                SEAT(bot="al", seed=1, points=1.25, place=1),
                SEAT(bot="bea", seed=2, from_group=1, from_place=1, points=0.75, place=2),
                section=arena_pb2.BRACKET_SECTION_FINAL,
                blocks=2,
                decided_by=arena_pb2.BRACKET_DECISION_POINTS,
            ),
        ],
        places=[
            arena_pb2.BracketPlace(rank=1, bot="al", seed=1),
            arena_pb2.BracketPlace(rank=2, bot="bea", seed=2, looks_like="beo"),
            arena_pb2.BracketPlace(rank=3, bot="cid", seed=3, tied=True),
        ],
    )
    assert bracket_text(bracket) == DRAWN


def test_groups_of_more_seats_are_listed_by_round() -> None:
    groups = [
        GROUP(round=1, advancing=2, seats=[SEAT(seed=seed) for seed in (2, 3, 4)]),
        GROUP(
            round=2,
            advancing=1,
            seats=[SEAT(seed=1), SEAT(from_group=1, from_place=1), SEAT(from_group=1, from_place=2)],
        ),
    ]
    assert drawn_bracket(arena_pb2.Bracket(game="niekhi", rounds=2, groups=groups)) == LISTED
