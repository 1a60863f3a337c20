"""A seat's view as a row of numbers of fixed length, made from the contract's message of the view.

The message tells which values are cards, numbers or lists of them, so every game is treated alike. Only the view and
the seat's choices in this round are encoded. Fields become, in order:

- a flag: 1 number. A field that can be absent has one number before it that says whether it is present, and is all 0 if
  not;
- a whole number: 9 numbers, ±ln(1 + |n|) and then one for each value from 0 to 7, which is 1 for the value itself;
- an enum (a card, a phase): one number for each value, which is 1 for the value itself;
- a list that always has the same length, such as one with an entry for each seat: its entries one after the other, each
  as above;
- another list of enums (a hand, a trick): for each value, how often it is in the list, and its first and last place, as
  (1 + place) / 64. So sets of cards are exact, and so is the order of cards that occur at most twice;
- any other list: its entries, each with a number before it that says whether it is present. A list that is too long
  shows its newest entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import copysign, log1p
from typing import Any, Final, final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from fudaba.bridges.descriptors import is_repeated
from fudaba.bridges.exploring import positions
from fudaba.bridges.words import words_of
from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.registry import game

__all__ = ["MAX_FEATURE", "MIN_FEATURE", "Layout", "layout_of"]

MIN_FEATURE: Final = -64.0
MAX_FEATURE: Final = 64.0
"""The limit of a row's numbers in both directions."""
_MAX_SMALL_NUMBERS: Final = 8
"""The number of whole numbers from 0 on that are encoded individually."""
_NUMBER: Final = 1 + _MAX_SMALL_NUMBERS
_MAX_PLACES: Final = 64
_MIN_LIST_ROWS: Final = 4

_Row = list[float]
_Fill = Callable[[Any, _Row, int], None]
"""Writes a value into a row from an offset on."""
_Path = tuple[str, ...]
_Lengths = Mapping[_Path, set[int]]
_NUMBERS: Final = {
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
}


@final
class Layout:
    """The layout of the rows of a game with a number of seats.

    `parts` has the position of each part by its name: `seat` (whose row it is), `asked` (whether it is asked now),
    `chosen` (how often each action was taken in this round), then the view's fields by their names in the contract.
    """

    def __init__(self, game_id: str, seats: int) -> None:
        self._game_id = game_id
        self._codec = codec(game_id)
        self._seats = seats
        actions = len(words_of(game_id))
        self.parts: dict[str, slice] = {}
        self._part("seat", seats)
        self._part("asked", 1)
        self._part("chosen", actions)
        self._head = seats + 1
        lengths, descriptor = self._measured(game_id)
        self._fills: list[tuple[int, Callable[[Any, _Row, int], None]]] = []
        for field in descriptor.fields:
            size, fill = _field_filler(field, (field.name,), lengths)
            self._fills.append((self.size, fill))
            self._part(field.name, size)

    def __reduce__(self) -> tuple[Callable[[str, int], Layout], tuple[str, int]]:
        """Pickles without the layout, which another process makes again, since it is the same everywhere."""
        return layout_of, (self._game_id, self._seats)

    @property
    def size(self) -> int:
        """The length of a row."""
        return max((part.stop for part in self.parts.values()), default=0)

    def row(self, view: Any, seat: int | None, asked: bool, chosen: Iterable[int]) -> list[float]:
        """Returns the row of a view; `seat` is None for a spectator."""
        row = [0.0] * self._size
        if seat is not None:
            row[seat] = 1.0
        row[self._seats] = float(asked)
        for action in chosen:
            row[self._head + action] += 1.0
        message = self._to_message(view)
        for at, fill in self._fills:
            fill(message, row, at)
        return row

    def _part(self, name: str, size: int) -> None:
        at = self.size
        self.parts[name] = slice(at, at + size)
        self._size = at + size

    def _to_message(self, view: Any) -> Any:
        message = game_pb2.View()
        self._codec.view_to_proto(view, message)
        return getattr(message, str(message.WhichOneof("game")))

    def _measured(self, game_id: str) -> tuple[_Lengths, Descriptor]:
        """Returns the lengths of views' lists in random matches."""
        rules = game(game_id)
        lengths: dict[_Path, set[int]] = {}
        message = None
        for number, (state, seat, _) in enumerate(positions(rules, self._seats)):
            for viewer in range(self._seats) if seat < 0 else {seat, number % self._seats}:
                message = self._to_message(rules.view(state, viewer))
                _measure(message, (), lengths)
        if message is None:
            raise RuntimeError(f"a match of {game_id} had no position")
        return lengths, message.DESCRIPTOR


@lru_cache(maxsize=64)
def layout_of(game_id: str, seats: int) -> Layout:
    """Returns the layout of a game, the same for all options."""
    return Layout(game_id, seats)


def _measure(message: Any, path: _Path, lengths: dict[_Path, set[int]]) -> None:
    for field in message.DESCRIPTOR.fields:
        inner = (*path, field.name)
        if is_repeated(field):
            values = getattr(message, field.name)
            lengths.setdefault(inner, set()).add(len(values))
            if field.message_type is not None:
                for value in values:
                    _measure(value, inner, lengths)
        elif field.message_type is not None and message.HasField(field.name):
            _measure(getattr(message, field.name), inner, lengths)


def _field_filler(field: FieldDescriptor, path: _Path, lengths: _Lengths) -> tuple[int, _Fill]:
    """Returns how many numbers a field has, and the function that writes them from the message with the field."""
    name = field.name
    size, fill = _value_filler(field, path, lengths)
    if is_repeated(field):
        found = lengths.get(path, {0})
        if len(found) == 1 and max(found):
            room = max(found)
            return room * size, _listed(name, room, size, fill)
        if field.enum_type is not None:
            values = _values(field)
            return 3 * values, _bag(name, values)
        # A power of two leaves room for more than chance came to.
        room = max(_MIN_LIST_ROWS, 1 << (max(found) - 1).bit_length())
        return room * (1 + size), _listed(name, room, 1 + size, _marked(fill))
    if field.has_presence:
        return 1 + size, _present(name, fill)
    return size, lambda message, row, at: fill(getattr(message, name), row, at)


def _value_filler(field: FieldDescriptor, path: _Path, lengths: _Lengths) -> tuple[int, _Fill]:
    """Does the same for one value of a field, from that value."""
    if field.message_type is not None:
        return _message_filler(field.message_type, path, lengths)
    if field.enum_type is not None:
        return _values(field), _one_of_many
    if field.cpp_type in _NUMBERS:
        return _NUMBER, _number
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return 1, _flag
    raise TypeError(f"{field.full_name} is of a type that has no numbers; views are whole numbers, flags and enums")


def _message_filler(descriptor: Descriptor, path: _Path, lengths: _Lengths) -> tuple[int, _Fill]:
    fills: list[tuple[int, _Fill]] = []
    size = 0
    for field in descriptor.fields:
        count, fill = _field_filler(field, (*path, field.name), lengths)
        fills.append((size, fill))
        size += count

    def write(value: Any, row: _Row, at: int) -> None:
        for place, fill in fills:
            fill(value, row, at + place)

    return size, write


def _values(field: FieldDescriptor) -> int:
    if field.enum_type is None:
        raise TypeError(f"{field.full_name} is not an enum")
    return max(value.number for value in field.enum_type.values) + 1


def _number(value: int, row: _Row, at: int) -> None:
    row[at] = copysign(log1p(abs(value)), value)
    if 0 <= value < _MAX_SMALL_NUMBERS:
        row[at + 1 + value] = 1.0


def _flag(value: bool, row: _Row, at: int) -> None:
    row[at] = float(value)


def _one_of_many(value: int, row: _Row, at: int) -> None:
    row[at + value] = 1.0


def _present(name: str, fill: _Fill) -> _Fill:
    def write(message: Any, row: _Row, at: int) -> None:
        if message.HasField(name):
            row[at] = 1.0
            fill(getattr(message, name), row, at + 1)

    return write


def _listed(name: str, room: int, size: int, fill: _Fill) -> _Fill:
    def write(message: Any, row: _Row, at: int) -> None:
        values = getattr(message, name)
        for value in values[-room:] if len(values) > room else values:
            fill(value, row, at)
            at += size

    return write


def _marked(fill: _Fill) -> _Fill:
    def write(value: Any, row: _Row, at: int) -> None:
        row[at] = 1.0
        fill(value, row, at + 1)

    return write


def _bag(name: str, values: int) -> _Fill:
    def write(message: Any, row: _Row, at: int) -> None:
        first, last = at + values, at + 2 * values
        for place, value in enumerate(getattr(message, name), 1):
            row[at + value] += 1.0
            row[last + value] = where = min(1.0, place / _MAX_PLACES)
            if not row[first + value]:
                row[first + value] = where

    return write
