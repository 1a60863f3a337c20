"""A lazy sequence is read like a list, and makes no more than is read."""

from __future__ import annotations

from typing import Final, final

import pytest

from fudaba_games.lazy import LazySequence

SLICES: Final = (
    slice(None), slice(2), slice(-2, None), slice(1, 4, 2), slice(None, None, -1), slice(4, 1, -2), slice(9, 20),
)  # fmt: skip


@final
class Squares(LazySequence[int]):
    """So many squares, and the places of those that were made."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.made: list[int] = []

    def __len__(self) -> int:
        return self._count

    def _at(self, place: int) -> int:
        self.made.append(place)
        return place * place


@pytest.mark.parametrize("count", [0, 1, 5])
def test_it_is_read_like_a_list(count: int) -> None:
    squares, same = Squares(count), [place * place for place in range(count)]
    assert list(squares) == same
    assert [squares[some] for some in SLICES] == [same[some] for some in SLICES]
    for index in range(-count, count):
        assert squares[index] == same[index]
    for index in (count, -count - 1):
        with pytest.raises(IndexError):
            squares[index]


def test_it_makes_no_more_than_is_read() -> None:
    squares = Squares(1 << 60)
    assert (squares[-1], squares[:2]) == (((1 << 60) - 1) ** 2, [0, 1])
    assert squares.made == [(1 << 60) - 1, 0, 1]
