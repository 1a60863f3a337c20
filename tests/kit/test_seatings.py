"""Who sits where in a match: every bot in each seat, and each other bot in each other seat, equally often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from fudaba.seatings import MAX_SEATS, seating_count, seatings

SEATS = range(2, MAX_SEATS + 1)


def bots(seats: int) -> list[str]:
    return [f"bot{number}" for number in range(seats)]


@pytest.mark.parametrize("seats", SEATS)
def test_every_two_bots_sit_in_every_two_seats_equally_often(seats: int) -> None:
    sat = Counter(
        (name, other, seat, beside)
        for seating in seatings(bots(seats))
        for (seat, name), (beside, other) in permutations(enumerate(seating), 2)
    )
    assert len(sat) == (seats * (seats - 1)) ** 2
    assert set(sat.values()) == {seating_count(seats) // (seats * (seats - 1))}


@pytest.mark.parametrize("seats", SEATS)
def test_every_bot_sits_in_each_seat_and_after_each_other_bot_equally_often(seats: int) -> None:
    number = seating_count(seats)
    alone = Counter((bot, seat) for seating in seatings(bots(seats)) for seat, bot in enumerate(seating))
    assert set(alone.values()) == {number // seats}
    after = Counter(
        (seating[seat], seating[(seat + 1) % seats]) for seating in seatings(bots(seats)) for seat in range(seats)
    )
    assert set(after.values()) == {number // (seats - 1)}


@pytest.mark.parametrize(("seats", "number"), [(2, 2), (3, 6), (4, 12), (5, 20), (6, 60)])
def test_no_seating_comes_twice_and_there_are_as_few_as_the_documentation_says(seats: int, number: int) -> None:
    made = seatings(bots(seats))
    assert len(set(made)) == len(made) == seating_count(seats) == number
    assert made[0] == tuple(bots(seats))


def test_five_seats_are_the_maps_i_to_a_i_plus_b() -> None:
    names = bots(5)
    maps = {tuple(names[(a * i + b) % 5] for i in range(5)) for a in range(1, 5) for b in range(5)}
    assert set(seatings(names)) == maps


def test_two_seats_are_played_both_ways() -> None:
    assert seatings(["a", "b"]) == (("a", "b"), ("b", "a"))


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_other_numbers_of_seats_are_refused(seats: int) -> None:
    with pytest.raises(ValueError, match=f"no seatings for {seats} seats, only for 2 to 6"):
        seatings(bots(seats))
