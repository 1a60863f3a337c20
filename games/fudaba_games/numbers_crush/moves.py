"""All sets that some cards allow, each once, in the rulebook's order (C11.3), and their number.

A *meaning* is a choice of cards, of those of their 10s that are aces, and of numbers for jokers. The module counts the
sets of a meaning (by the card on top, the role card whose effect takes place, and the suits to name), and makes them
only on request.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from heapq import merge
from itertools import accumulate
from typing import Final, NamedTuple, final

from fudaba_games.lazy import LazySequence
from fudaba_games.numbers_crush.addends import Addends, Sum, role_worth
from fudaba_games.numbers_crush.cards import (
    CARDS_AS,
    JOKER,
    JOKERS,
    NUMBER_MASKS,
    NUMBER_OF,
    SUIT_MASKS,
    TENS,
    cards_of,
)
from fudaba_games.numbers_crush.limits import ALL_SUITS_MASK, Limits
from fudaba_games.numbers_crush.sets import ANY_ORDER, CARRIED, NINE, RUN, SUITED, arrangements, lane_suits
from fudaba_games.numbers_crush.values import NumbersCrushMove, Set


@final
class Meaning(NamedTuple):
    """Cards, and what they stand for. The value is immutable."""

    cards: tuple[int, ...]
    """The cards in deck order. Of two jokers, the first stands for the lower number."""
    aces: int
    """The 10s among them that are declared aces, a mask."""
    jokers: tuple[int, ...]
    """The numbers that jokers stand for, in order; `DECLARED` for a declared joker."""
    sets: int
    """The number of its sets."""
    way: int
    """The way to set the cards, as in `ways`."""
    suits: int


DECLARED: Final = (0,)


@final
class Listing:
    """The sets that some cards (a mask) allow, in order by their cards in deck order, compared as lists.

    Sets of the same cards are ordered: first those of one number, then runs, then sums; within each by the numbers that
    the cards count as, and then as in `arrangements`.
    """

    def __init__(self, limits: Limits, cards: int) -> None:
        self._limits: Final = limits
        held = [card for card in (JOKER, JOKER + 1) if cards >> card & 1]
        found: list[Meaning] = []
        usable = cards & limits.cards
        self._addends: Addends | None = None
        if limits.only_joker:
            found += [Meaning((joker,), 0, (n,), 4, ANY_ORDER, ALL_SUITS_MASK) for joker in held for n in range(1, 14)]
        else:
            jokers = cards & JOKERS
            for number in range(1, 14):
                _add_of_number(found, limits, number, usable & CARDS_AS[number] | jokers)
            for lane in limits.lanes:
                _add_runs(found, limits, lane, usable & lane | jokers)
            fitting = cards_of(usable & limits.addends)
            if limits.target > 1 and len(fitting) + len(held) > 1:
                self._addends = Addends(fitting, held, limits.target)
        if limits.joker:
            found += [Meaning((joker,), 0, DECLARED, 1, 0, 0) for joker in held]
        found.sort(key=_cards_of_meaning)
        self._found: Final = found
        self.count: Final = sum([meaning.sets for meaning in found]) + (self._addends.count if self._addends else 0)
        """The number of sets."""

    def nth(self, index: int) -> Set:
        """Returns the set at an index, from 0 to below `count`."""
        found, sums = self._found, self._addends
        starts = list(accumulate([found_meaning.sets for found_meaning in found], initial=0))

        def start(place: int) -> int:
            """Returns the index of a meaning's first set."""
            return starts[place] + (sums.before(found[place].cards) if sums else 0)

        # The last meaning that begins at or before the index; it may be that sums come after it.
        place = bisect_right(range(len(found)), index, key=start)
        if place:
            meaning = found[place - 1]
            at = index - start(place - 1)
            if at < meaning.sets:
                return _sets_of(self._limits, meaning)[at]
        if sums is None:
            raise IndexError("there are not so many sets")
        added, at = sums.nth(index - starts[place])
        return _sets_of(self._limits, _meaning(added))[at]

    def __iter__(self) -> Iterator[Set]:
        sums = map(_meaning, self._addends) if self._addends else ()
        for meaning in merge(self._found, sums, key=_cards_of_meaning):
            yield from _sets_of(self._limits, meaning)


def _sets_of(limits: Limits, meaning: Meaning) -> list[Set]:
    """Returns the sets of a meaning."""
    cards = meaning.cards
    if meaning.jokers == DECLARED:
        return [Set(cards, cards)]
    aces = meaning.aces
    numbers = [1 if aces >> card & 1 else NUMBER_OF[card] for card in cards[: len(cards) - len(meaning.jokers)]]
    numbers += meaning.jokers
    return arrangements(limits, cards, numbers, meaning.way, meaning.suits)


def _cards_of_meaning(meaning: Meaning) -> tuple[int, ...]:
    return meaning.cards


def _meaning(added: Sum) -> Meaning:
    cards, aces, meant, sets = added
    return Meaning(cards, aces, meant, sets, ANY_ORDER, ALL_SUITS_MASK)


def legal_sets(limits: Limits, cards: int) -> list[Set]:
    """Returns all sets that some cards (a mask) allow, in order."""
    return list(Listing(limits, cards))


# ---- single cards, and cards of one number -------------------------------------------------------------------------


def _add_of_number(found: list[Meaning], limits: Limits, number: int, cards: int) -> None:
    """Adds the sets of one or more cards of a number. `cards` are those that may count as it, jokers included."""
    group, suit = limits.groups >> number & 1, limits.suit
    free = group or limits.any_single
    held, pool = cards_of(cards & JOKERS), cards_of(cards & ~JOKERS)
    suited = SUIT_MASKS[suit] if suit >= 0 else 0
    worth = role_worth(number)
    for card in pool:
        if free or suited >> card & 1:
            ace = 1 << card if NUMBER_OF[card] != number else 0
            found.append(Meaning((card,), ace, (), worth, ANY_ORDER, ALL_SUITS_MASK))
    if free:
        found += [Meaning((joker,), 0, (number,), 4, ANY_ORDER, ALL_SUITS_MASK) for joker in held]
    elif suited:
        found += [Meaning((joker,), 0, (number,), worth, SUITED, 1 << suit) for joker in held]
    if (group or suited) and len(pool) + len(held) > 1:
        jokers: list[tuple[int, ...]] = [(), *[(joker,) for joker in held], *([tuple(held)] if len(held) > 1 else [])]
        for places in (*_LISTS[len(pool)], ()):
            some = tuple([pool[place] for place in places])
            for more in jokers:
                size = len(some) + len(more)
                if size > 1 and size * number != limits.target:
                    _add_several(found, (*some, *more), number, -1 if group else suit)


def _lists(count: int) -> tuple[tuple[int, ...], ...]:
    """Returns the non-empty ascending lists of some of the places 0 to `count` - 1, in order."""
    found: list[tuple[int, ...]] = []
    for first in range(count):
        found.append((first,))
        found += [(first, *[first + 1 + place for place in rest]) for rest in _lists(count - first - 1)]
    return tuple(found)


_LISTS: Final = tuple(_lists(count) for count in range(9))


def _add_several(found: list[Meaning], cards: tuple[int, ...], number: int, suit: int) -> None:
    """Adds two or more cards of one number.

    With a suit they are carried, if a card of the suit, or a joker, is left to go under the card on top.
    """
    mask = aces = used = 0
    for card in cards:
        if card >= JOKER:
            used += 1
        else:
            mask |= 1 << card
            aces |= 1 << card if NUMBER_OF[card] != number else 0
    size, worth = len(cards) - used, role_worth(number)
    sets = size * worth + (4 if used else 0)
    if suit >= 0:
        own = (mask & SUIT_MASKS[suit]).bit_count()
        if not own + used:
            return
        if own + used == 1:
            sets = (size - own) * worth
    found.append(Meaning(cards, aces, (number,) * used, sets, CARRIED if suit >= 0 else ANY_ORDER, ALL_SUITS_MASK))


# ---- runs ----------------------------------------------------------------------------------------------------------


def _add_runs(found: list[Meaning], limits: Limits, lane: int, cards: int) -> None:
    """Adds cards of the lane whose numbers are consecutive, with jokers between, before and after them."""
    usable, held = cards & lane, cards_of(cards & JOKERS)
    if usable.bit_count() + len(held) < 2:
        return
    at: list[list[int]] = [cards_of(usable & NUMBER_MASKS[number]) for number in range(14)]
    at[1] += cards_of(usable & TENS)
    alone = 0
    if lane == limits.lanes[0]:
        for free_lane in limits.lanes:
            alone |= lane_suits(free_lane)
    runs = _Runs(found, at, held, limits.target, lane_suits(lane), alone)
    for start in range(1, 13):
        if held or (at[start] and at[start + 1]):
            runs.extend(start, start, (), 0, (), 0)


@final
class _Runs:
    """Runs of increasing length from one number on."""

    def __init__(
        self, found: list[Meaning], at: list[list[int]], held: list[int], target: int, suits: int, alone: int
    ) -> None:
        self._found: Final = found
        self._at: Final = at
        self._held: Final = held
        self._target: Final = target
        self._suits: Final = suits
        self._alone: Final = alone
        """The suits of runs that consist of jokers alone; 0 if they belong to another lane."""

    def extend(
        self, start: int, number: int, cards: tuple[int, ...], aces: int, meant: tuple[int, ...], total: int
    ) -> None:
        """Adds every run that begins with these cards and jokers and continues with `number`."""
        if number > 13:
            return
        for card in self._at[number]:
            if card not in cards:
                ace = 1 << card if NUMBER_OF[card] != number else 0
                self._longer(start, number, (*cards, card), aces | ace, meant, total)
        if len(meant) < len(self._held):
            self._longer(start, number, cards, aces, (*meant, number), total)

    def _longer(
        self, start: int, number: int, cards: tuple[int, ...], aces: int, meant: tuple[int, ...], total: int
    ) -> None:
        total += number
        if number > start and total != self._target and (cards or self._alone):
            suits = self._suits if cards else self._alone
            sets = 0
            for top in (start, number):
                sets += 4 if top == NINE else suits.bit_count() if top in meant else 1
            real = tuple(sorted(cards))
            if len(meant) == 1:
                for joker in self._held:
                    self._found.append(Meaning((*real, joker), aces, meant, sets, RUN, suits))
            else:
                self._found.append(Meaning((*real, *self._held) if meant else real, aces, meant, sets, RUN, suits))
        self.extend(start, number + 1, cards, aces, meant, total)


# ---- the moves -----------------------------------------------------------------------------------------------------


@final
class SetMoves(LazySequence[NumbersCrushMove]):
    """A move, then all sets, which are counted or made on request. The value is immutable."""

    __slots__ = ("_cards", "_first", "_limits", "_listing")

    def __init__(self, first: NumbersCrushMove, limits: Limits, cards: int) -> None:
        self._first = first
        self._limits = limits
        self._cards = cards
        self._listing: Listing | None = None

    def _all(self) -> Listing:
        if self._listing is None:
            self._listing = Listing(self._limits, self._cards)
        return self._listing

    def __len__(self) -> int:
        return 1 + self._all().count

    def __iter__(self) -> Iterator[NumbersCrushMove]:
        yield self._first
        yield from self._all()

    def _head(self) -> NumbersCrushMove:
        return self._first

    def _at(self, place: int) -> NumbersCrushMove:
        return self._all().nth(place - 1) if place else self._first

    def _part(self, places: range) -> list[NumbersCrushMove]:
        moves = list(self)
        return [moves[place] for place in places]
