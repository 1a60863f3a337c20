"""The places of blocks in the sequence of closed blocks: a million of them in a few bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Set
from typing import Any, Final, final

import numpy as np

from fudaba_arena.store.sealed.derived_values import Ints

__all__ = ["BlockPlaces"]

_MAX_LATE_BLOCKS: Final = 10_000
"""The number of later blocks in a separate table before everything is sorted again."""


@final
class BlockPlaces(Set[int]):
    """The numbers of the closed blocks, as a set, in the order of closing."""

    def __init__(self) -> None:
        self._numbers: array[int] = array("q")
        self._sorted: Ints = np.empty(0, np.int64)
        """The numbers of the first blocks."""
        self._order: Ints = np.empty(0, np.int64)
        """The places of these numbers."""
        self._late: dict[int, int] = {}
        """The places of the later blocks."""

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[int]:
        return iter(self._numbers)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.get(number) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockPlaces) and self._numbers == other._numbers

    __hash__ = None  # type: ignore[assignment]  # the array grows

    @classmethod
    def _from_iterable(cls, it: Any) -> set[Any]:  # the type that set operations return
        return set(it)

    def add(self, numbers: Ints) -> None:
        """Adds the next blocks."""
        begin = len(self)
        self._numbers.frombytes(np.ascontiguousarray(numbers, np.int64).tobytes())
        if len(self._late) + len(numbers) <= _MAX_LATE_BLOCKS:
            self._late.update((number, begin + place) for place, number in enumerate(numbers.tolist()))
            return
        everything = np.array(self._numbers, dtype=np.int64)
        self._order = np.argsort(everything, kind="stable")
        self._sorted = everything[self._order]
        self._late.clear()

    def get(self, number: int) -> int | None:
        """Returns the place of a block, from 0; None if it is not closed."""
        late = self._late.get(number)
        if late is not None:
            return late
        at = int(np.searchsorted(self._sorted, number))
        return int(self._order[at]) if at < len(self._sorted) and self._sorted[at] == number else None

    def number(self, place: int) -> int:
        """Returns the block at a place."""
        return self._numbers[place]

    def numbers(self) -> Ints:
        """Returns a copy of all numbers, in order. Another thread may add blocks meanwhile."""
        return np.array(self._numbers[:], dtype=np.int64)
