"""Sequences that make an element on request: lists of legal moves are long, and most elements are never read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """An immutable sequence. A subclass defines its length and the element at a place.

    A subclass may also override `_head`, if counting takes long, and `__iter__` and `_part`, if many elements are
    faster to make together than one by one.
    """

    __slots__ = ()

    @abstractmethod
    def _at(self, place: int) -> T:
        """Returns the element at a place from 0 to below the length. Callers have checked the index."""

    def _head(self) -> T:
        """Returns the first element. Raises `IndexError` if there is none."""
        return self._at(range(len(self))[0])

    def _part(self, places: range) -> list[T]:
        """Returns the elements at some places, all from 0 to below the length, for a slice."""
        return [self._at(place) for place in places]

    def __iter__(self) -> Iterator[T]:
        for place in range(len(self)):
            yield self._at(place)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return self._part(range(len(self))[index])
        return self._at(range(len(self))[index]) if index else self._head()
