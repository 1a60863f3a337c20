"""The legal moves of Makhop, in the rulebook's order: opening, extending, joining, clearing.

The sums that roads ask for are sorted, so each choice of cards finds its roads at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import CARD_OF_BIT, DECK, places_of
from fudaba_games.kamikisen.choices import bits_of
from fudaba_games.lazy import LazySequence
from fudaba_games.makhop.state import MakhopState
from fudaba_games.makhop.sums import FREE, VALUE_OF_CARD, VALUED, sums_asked_for, totals_of
from fudaba_games.makhop.values import OPEN, Clear, Extend, Join, MakhopMove, Road

_OPENING: Final[tuple[MakhopMove, ...]] = (OPEN,)
UNVALUED: Final = DECK & ~VALUED
"""The mask of ships, kings and emperors."""
Targets = Sequence[int]
"""Numbers of roads, or of pairs of roads, `(first + 1) * PAIR_BASE_NUMBER + second`, in order."""
PAIR_BASE_NUMBER: Final = 64


CLEAR_OF: Final = {1 << place: Clear(CARD_OF_BIT[place]) for place in places_of(UNVALUED)}
"""For each ship, king and emperor, as a bit, the move that clears with it."""


# ---- what can be laid ------------------------------------------------------------------------------------------------


@final
class Lays(NamedTuple):
    """Every choice of one or more of some value cards, each once, with its sum.

    A choice is a mask of indices of `bits`. The choices come in deck order, compared as lists.
    """

    bits: tuple[int, ...]
    """The cards, lowest first, as single bits of a mask of cards."""
    repeats: int
    """The indices that repeat the card before. Such a card is chosen only together with the card before."""
    choices: tuple[int, ...]
    totals: tuple[int, ...]
    """For each place in `choices`, the sum."""

    def cards(self, choice: int) -> int:
        """Returns the cards of a choice, as a mask of the deck."""
        bits, cards = self.bits, 0
        while choice:
            low = choice & -choice
            cards |= bits[low.bit_length() - 1]
            choice ^= low
        return cards

    def ends(self, choice: int) -> list[int]:
        """Returns the different cards (0-23) of a choice, in deck order, each of which can be laid last."""
        rest, ends = choice & ~self.repeats, []
        while rest:
            low = rest & -rest
            ends.append(CARD_OF_BIT[self.bits[low.bit_length() - 1].bit_length() - 1])
            rest ^= low
        return ends


@lru_cache(maxsize=1 << 13)
def lays_of(valued: int) -> Lays:
    """Returns the choices that can be laid from some value cards, each with its sum."""
    bits, repeats = bits_of(valued)
    totals = [0]
    for bit in bits:
        value = VALUE_OF_CARD[CARD_OF_BIT[bit.bit_length() - 1]]
        totals += [total + value for total in totals]
    choices = _choices(len(bits), repeats)
    return Lays(bits, repeats, choices, tuple(map(totals.__getitem__, choices)))


@lru_cache(maxsize=1 << 10)
def _choices(size: int, repeats: int) -> tuple[int, ...]:
    """Returns the choices of one or more of `size` cards, in the order of lists: each is followed by those that begin
    with it.
    """
    found: list[int] = []

    def grow(choice: int, last: int) -> None:
        for index in range(last + 1, size):
            if not repeats >> index & 1 or (index and index - 1 == last):
                found.append(choice | 1 << index)
                grow(choice | 1 << index, index)

    grow(0, -1)
    return tuple(found)


# ---- on which roads --------------------------------------------------------------------------------------------------


Blocks = list[tuple[int, Targets]]
"""The ways to lay cards: choices of cards in the order of `Lays`, each with its roads or pairs of roads."""


def _extending(lays: Lays, roads: tuple[Road, ...]) -> Blocks:
    """Returns every choice of cards that can be laid on one road."""
    asked: dict[int, list[int]] = {}
    for number, road in enumerate(roads):
        asked.setdefault(VALUE_OF_CARD[road[-1]], []).append(number)
    free = asked.pop(FREE, None)
    if free is None:
        return _matching(lays, asked)
    found = zip(lays.choices, map(asked.get, lays.totals), strict=True)
    blocks: Blocks = []
    for choice, targets in found:
        if not choice & choice - 1:  # one card
            blocks.append((choice, sorted(targets + free) if targets else free))
        elif targets:
            blocks.append((choice, targets))
    return blocks


def _joining(lays: Lays, roads: tuple[Road, ...]) -> Blocks:
    """Returns every choice of cards that joins two roads."""
    asked: dict[int, list[int]] = {}
    values = [VALUE_OF_CARD[road[-1]] for road in roads]
    for first, value in enumerate(values):
        if value >= 0:
            pair = (first + 1) * PAIR_BASE_NUMBER
            for second in range(first + 1, len(values)):
                if values[second] >= 0:
                    asked.setdefault(value + values[second], []).append(pair + second)
    return _matching(lays, asked)


def _matching(lays: Lays, asked: dict[int, list[int]]) -> Blocks:
    """Returns the choices whose sum is asked for."""
    found = zip(lays.choices, map(asked.get, lays.totals), strict=True)
    return [(choice, targets) for choice, targets in found if targets]


def _size(lays: Lays, blocks: Blocks) -> int:
    """Returns the number of moves in some blocks."""
    once = ~lays.repeats
    return sum([(choice & once).bit_count() * len(targets) for choice, targets in blocks])


def _nth(lays: Lays, blocks: Blocks, place: int) -> MakhopMove:
    """Returns the move at a place: by block, then by road, then by the card that is laid last."""
    bits, once = lays.bits, ~lays.repeats
    for choice, targets in blocks:
        different = choice & once
        ends = different.bit_count()
        if place >= ends * len(targets):
            place -= ends * len(targets)
            continue
        for _ in range(place % ends):
            different &= different - 1
        end = CARD_OF_BIT[bits[(different & -different).bit_length() - 1].bit_length() - 1]
        return _lay(targets[place // ends], lays.cards(choice), end)
    raise AssertionError("the blocks have as many moves as were counted")


def _lay(target: int, cards: int, end: int) -> MakhopMove:
    """Returns the `Extend` of a road's number, or a pair's `Join`; pairs are numbers from `PAIR_BASE_NUMBER` on."""
    if target < PAIR_BASE_NUMBER:
        return Extend(target, cards, end)
    return Join(target // PAIR_BASE_NUMBER - 1, target % PAIR_BASE_NUMBER, cards, end)


@final
class Laying(LazySequence[MakhopMove]):
    """The moves of one kind that lay cards on roads, each made on request. The value is immutable."""

    __slots__ = ("_blocks", "_lays", "_size")

    def __init__(self, lays: Lays, blocks: Blocks) -> None:
        self._lays = lays
        self._blocks = blocks
        self._size = _size(lays, blocks)

    def __len__(self) -> int:
        return self._size

    def _at(self, place: int) -> MakhopMove:
        return _nth(self._lays, self._blocks, place)

    def _part(self, places: range) -> list[MakhopMove]:
        moves = list(self)
        return [moves[place] for place in places]

    def __iter__(self) -> Iterator[MakhopMove]:
        for choice, targets in self._blocks:
            cards, ends = self._lays.cards(choice), self._lays.ends(choice)
            for target in targets:
                for end in ends:
                    yield _lay(target, cards, end)


def extends(roads: tuple[Road, ...], hand: int) -> Laying:
    """Returns every way to lay cards of a hand on one road."""
    lays = lays_of(hand & VALUED)
    return Laying(lays, _extending(lays, roads))


def joins(roads: tuple[Road, ...], hand: int) -> Laying:
    """Returns every way to lay cards of a hand that joins two roads."""
    lays = lays_of(hand & VALUED)
    return Laying(lays, _joining(lays, roads))


@final
class Many(LazySequence[MakhopMove]):
    """All legal moves. The value is immutable."""

    __slots__ = ("_parts", "_size")

    def __init__(self, parts: tuple[Sequence[MakhopMove], ...]) -> None:
        self._parts = parts
        self._size = sum([len(part) for part in parts])

    def __len__(self) -> int:
        return self._size

    def _at(self, place: int) -> MakhopMove:
        for part in self._parts:
            if place < len(part):
                return part[place]
            place -= len(part)
        raise AssertionError("the parts have as many moves as were counted")

    def _part(self, places: range) -> list[MakhopMove]:
        moves = list(self)
        return [moves[place] for place in places]

    def __iter__(self) -> Iterator[MakhopMove]:
        for part in self._parts:
            yield from part


def legal_moves(state: MakhopState, seat: int) -> Sequence[MakhopMove]:
    """Returns opening, then extending and joining in deck order, then clearing."""
    hand, roads = state.hands[seat], state.roads
    extending, joining = possible(roads, hand)
    clears = tuple([CLEAR_OF[1 << place] for place in places_of(hand & UNVALUED)])
    if not extending and not joining:
        return _OPENING + clears
    parts: list[Sequence[MakhopMove]] = [_OPENING]
    if extending:
        parts.append(extends(roads, hand))
    if joining:
        parts.append(joins(roads, hand))
    parts.append(clears)
    return Many(tuple(parts))


def legal_kinds(state: MakhopState, seat: int) -> list[tuple[str, int]]:
    """Returns the kinds of the legal moves, with the number of each."""
    hand, roads = state.hands[seat], state.roads
    counts = (
        ("open", 1),
        ("extend", len(extends(roads, hand))),
        ("join", len(joins(roads, hand))),
        ("clear", (hand & UNVALUED).bit_count()),
    )
    return [count for count in counts if count[1]]


def possible(roads: tuple[Road, ...], hand: int) -> tuple[bool, bool]:
    """Returns whether a hand can extend a road, and whether it can join two. It makes no moves."""
    totals = totals_of(hand & VALUED)
    if not totals:
        return False, False
    values = [VALUE_OF_CARD[road[-1]] for road in roads]
    single, pairs = sums_asked_for(values)
    return FREE in values or totals & single != 0, totals & pairs != 0
