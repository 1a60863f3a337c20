"""The gauntlet: challengers meet everybody else, and nobody else meets."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_arena.schedule.blocks import Entrant
from fudaba_arena.schedule.gauntlet import gauntlet
from fudaba_arena.schedule.round_robin import FixedSchedule, RoundRobin
from fudaba_arena.schedule.schedule import BadSchedule
from fudaba_games.registry import GAMES


def strangers(*names: str) -> dict[str, str]:
    return {name: name for name in names}


@st.composite
def fields(draw: st.DrawFn) -> tuple[int, list[str], dict[str, str]]:
    """Seats, challengers, and the owners of all bots: enough of them for a group of each challenger."""
    seats = draw(st.integers(2, 6))
    challengers = [f"c{number}" for number in range(draw(st.integers(1, 3)))]
    others = [f"f{number}" for number in range(draw(st.integers(seats - 1, seats + 5)))]
    owners = strangers(*challengers, *others)
    for name in [*challengers, *others][: draw(st.integers(0, 3))] + others[seats - 1 :]:
        owners[name] = draw(st.sampled_from([name, "ann", "ben"]))
    return seats, challengers, owners


@given(fields())
def test_every_challenger_meets_everybody_in_the_field_whom_it_may_meet(
    field: tuple[int, list[str], dict[str, str]],
) -> None:
    seats, challengers, owners = field
    groups = [group for round_ in gauntlet(seats, challengers, owners) for group in round_]
    for challenger in challengers:
        allowed = {name for name in owners if name not in challengers and owners[name] != owners[challenger]}
        met = {name for group in groups if challenger in group for name in group} - {challenger}
        enough = len({owners[name] for name in allowed}) >= seats - 1
        assert met == (allowed if enough else set())


@given(fields())
def test_a_group_has_one_challenger_and_no_two_bots_of_one_owner(field: tuple[int, list[str], dict[str, str]]) -> None:
    seats, challengers, owners = field
    for round_ in gauntlet(seats, challengers, owners):
        playing = [name for group in round_ for name in group]
        assert len(set(playing)) == len(playing), "nobody plays twice in a round"
        for group in round_:
            assert len(group) == seats == len({owners[name] for name in group})
            assert sum(name in challengers for name in group) == 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("others", [5, 6, 7, 10])
def test_where_nobody_has_several_bots_a_challenger_meets_all_others_equally_often(seats: int, others: int) -> None:
    names = [f"f{number}" for number in range(others)]
    rounds = gauntlet(seats, ["c"], strangers("c", *names))
    met = Counter(name for round_ in rounds for group in round_ for name in group)
    assert met.pop("c") == len(rounds) <= others
    assert len(set(met.values())) == 1
    assert met.keys() == set(names)


def test_an_author_with_as_many_bots_as_there_are_groups_has_one_in_each() -> None:
    owners = strangers("c", "x", "y") | {"a1": "ann", "a2": "ann"}
    assert gauntlet(3, ["c"], owners) == ((("a1", "c", "x"),), (("a2", "c", "y"),))


def test_two_challengers_of_two_seats_meet_the_field_in_as_many_rounds_as_it_has_bots() -> None:
    """By hand: c begins with x and d with y, and both go on to the next."""
    assert gauntlet(2, ["c", "d"], strangers("c", "d", "x", "y", "z")) == (
        (("c", "x"), ("d", "y")),
        (("c", "y"), ("d", "z")),
        (("c", "z"), ("d", "x")),
    )


def test_five_seats_and_six_others_take_three_groups() -> None:
    """By hand: each time the four whom c has met least, by name; after three groups everybody was met twice."""
    (first,), (second,), (third,) = gauntlet(5, ["c"], strangers("c", "p", "q", "r", "s", "t", "u"))
    assert first == ("c", "p", "q", "r", "s")
    assert second == ("c", "p", "q", "t", "u")
    assert third == ("c", "r", "s", "t", "u")


@pytest.mark.parametrize(
    ("game", "seats"),
    [(game.id, seats) for game in GAMES.values() for seats in range(game.min_seats, min(game.max_seats, 6) + 1)],
)
def test_in_every_game_a_block_seats_a_challenger_everywhere_equally_often(game: str, seats: int) -> None:
    entrants = (Entrant("c"), *(Entrant(f"f{number}", stateless=True) for number in range(seats)))
    schedule = FixedSchedule(RoundRobin("t", entrants, seats=seats, game=game, challengers=("c",)))
    for block in schedule:
        assert {len(match.bots) for match in block.matches} == {seats}
        places = Counter(match.bots.index("c") for match in block.matches)
        assert len(places) == seats
        assert len(set(places.values())) == 1
    assert schedule.part(game).matches == schedule.matches == sum(len(block.matches) for block in schedule)


def test_a_bot_that_can_remember_meets_each_deal_once_and_shares_it_with_another_group() -> None:
    entrants = tuple(Entrant(name) for name in ("c", "d", "x", "y"))
    schedule = FixedSchedule(RoundRobin("t", entrants, game="naga", challengers=("c", "d")))
    for block in schedule:
        assert len(block.bots) == 4, "both pairings of a round play the same deals"
        for match, other in combinations(block.matches, 2):
            assert match.deal != other.deal or not set(match.bots) & set(other.bots)


@pytest.mark.parametrize(
    ("owners", "seats", "text"),
    [
        ({"c": "ann", "x": "ann"}, 2, "challenger c needs somebody of another author in the field"),
        ({"c": "", "x": "ann", "y": "ann"}, 3, "challenger c needs 2 others, each of another author in the field"),
    ],
)
def test_a_challenger_whose_groups_cannot_be_filled_is_named(owners: dict[str, str], seats: int, text: str) -> None:
    entrants = tuple(Entrant(name, author) for name, author in owners.items())
    with pytest.raises(BadSchedule, match=text):
        FixedSchedule(RoundRobin("t", entrants, seats=seats, challengers=("c",)))
    both = FixedSchedule(RoundRobin("t", entrants, seats=seats, challengers=("c",), same_author=True))
    assert len(both) == 1


def test_a_gauntlet_without_a_challenger_is_refused() -> None:
    with pytest.raises(BadSchedule, match="no challenger plays"):
        FixedSchedule(RoundRobin("t", (Entrant("x"), Entrant("y")), challengers=("c",)))
