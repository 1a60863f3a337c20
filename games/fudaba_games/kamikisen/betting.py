"""The common part of games with a pot: the turn among the seats that are still in, and the shares of the pot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def next_in(seat: int, staying: int) -> int:
    """Returns the first seat clockwise after `seat` that is in `staying`, a bit mask. `seat` itself comes last.

    `staying` must not be empty.
    """
    later = staying >> seat + 1
    if later:
        return seat + (later & -later).bit_length()
    return (staying & -staying).bit_length() - 1


def seats_in(staying: int) -> tuple[int, ...]:
    """Returns the seats of a bit mask, lowest first."""
    return tuple([seat for seat in range(staying.bit_length()) if staying >> seat & 1])


def mask_of_seats(seats: Iterable[int]) -> int:
    """Returns the bit mask of some different seats."""
    return sum([1 << seat for seat in seats])


def shares(pot: int, winners: Sequence[int], dealer: int, seats: int) -> tuple[int, ...]:
    """Returns each seat's part of a pot that the winners split, one entry for each seat.

    Odd points go one each to the winners soonest after the dealer; the dealer comes last.
    """
    each, odd = divmod(pot, len(winners))
    by_place = sorted(winners, key=lambda seat: (seat - dealer - 1) % seats)
    got = [0] * seats
    for place, seat in enumerate(by_place):
        got[seat] = each + (place < odd)
    return tuple(got)
