"""What games with a pot share: turns among those who are still in, and the split of a pot."""

from __future__ import annotations

import pytest

from fudaba_games.kamikisen.betting import mask_of_seats, next_in, seats_in, shares


@pytest.mark.rule("MA4.3", "MA4.4", "NT3.1", "NT3.3")
def test_the_next_seat_is_one_that_is_still_in() -> None:
    staying = mask_of_seats((0, 2, 5))
    assert [next_in(seat, staying) for seat in range(6)] == [2, 2, 5, 5, 5, 0]
    assert next_in(3, mask_of_seats((3,))) == 3
    assert seats_in(staying) == (0, 2, 5)


@pytest.mark.rule("MA6.3", "NT6.7")
@pytest.mark.parametrize(("pot", "winners", "dealer", "got"), [
    (9, (1,), 0, (0, 9, 0)),
    (9, (0, 1), 0, (4, 5, 0)),
    (9, (0, 1), 1, (5, 4, 0)),
    (9, (0, 2), 1, (4, 0, 5)),
    (11, (0, 1, 2), 1, (4, 3, 4)),
    (10, (0, 1, 2), 0, (3, 4, 3)),
])  # fmt: skip
def test_odd_points_go_to_the_winners_soonest_after_the_dealer(
    pot: int, winners: tuple[int, ...], dealer: int, got: tuple[int, ...]
) -> None:
    assert shares(pot, winners, dealer, 3) == got
