"""A set by chance, each legal one as likely as the others, without listing them: what random play needs (C4).

Sets are counted by parts, which are few enough to be kept: those of one number by the cards of that number, runs by the
cards of their suit or colour, sums by how many cards there are of each number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb
from typing import Final, NamedTuple, final

from fudaba_games.game import Chance
from fudaba_games.numbers_crush.addends import LOWEST_ROLE, outcomes, role_worth, sets_with_jokers, with_role
from fudaba_games.numbers_crush.cards import JOKERS, NUMBER_MASKS, SUIT_MASKS, TEN, TENS, cards_of
from fudaba_games.numbers_crush.limits import ALL_SUITS, Limits
from fudaba_games.numbers_crush.listing import Listing, Meaning, add_of_number, add_runs, sets_of, ways_of_number
from fudaba_games.numbers_crush.sets import ANY_ORDER
from fudaba_games.numbers_crush.values import Set

_KEPT: Final = 1 << 14


@final
class _Part(NamedTuple):
    """Some meanings, and how many sets there are of each and of those before it. An immutable value."""

    meanings: tuple[Meaning, ...]
    ends: tuple[int, ...]
    total: int


def _part(meanings: Sequence[Meaning]) -> _Part:
    ends = tuple(accumulate([one.sets for one in meanings]))
    return _Part(tuple(meanings), ends, ends[-1] if ends else 0)


_NOTHING: Final = _part(())


@lru_cache(maxsize=_KEPT)
def _of_number(number: int, cards: int, way: tuple[int, int, int]) -> _Part:
    """The sets of one or more cards of a number; `cards` are those that may count as it, jokers included."""
    found: list[Meaning] = []
    add_of_number(found, number, cards, way)
    return _part(found)


@lru_cache(maxsize=_KEPT)
def _in_row(limits: Limits, lane: int, cards: int) -> _Part:
    """The runs of a lane; `cards` are those that may be in one, jokers included."""
    found: list[Meaning] = []
    add_runs(found, limits, lane, cards)
    return _part(found)


@final
class _Addition(NamedTuple):
    """Sums with as many cards of each number. An immutable value."""

    numbers: tuple[tuple[int, int], ...]
    """Numbers but 10, each with how many cards have it."""
    tens: int
    aces: int
    """How many 10s count as 10, and how many as 1."""
    jokers: tuple[int, ...]
    """What jokers stand for."""
    sets: int
    """How many sets there are of some cards with these numbers."""


@final
class _Additions(NamedTuple):
    """All sums of a hand, by the numbers of their cards. An immutable value."""

    kinds: tuple[_Addition, ...]
    ends: tuple[int, ...]
    total: int


@lru_cache(maxsize=_KEPT)
def _additions(target: int, counts: tuple[int, ...], jokers: int) -> _Additions:
    """The sums of hands with so many cards of each number below the target, of 10s (place 0), and jokers."""
    found = _Counted(target, counts, jokers)
    found.extend(target - 1, _Chosen((), target, 0, 0, 0, 1))
    ends = tuple(accumulate(found.ways))
    return _Additions(tuple(found.kinds), ends, ends[-1] if ends else 0)


@final
class _Chosen(NamedTuple):
    """What a sum begins with: its highest numbers, 10s and jokers left out. An immutable value."""

    numbers: tuple[tuple[int, int], ...]
    left: int
    plain: int
    worth: int
    effects: int
    ways: int
    """In how many ways cards of the hand have these numbers."""


@final
class _Counted:
    """Finds the sums of a hand, by the numbers of their cards."""

    def __init__(self, target: int, counts: tuple[int, ...], jokers: int) -> None:
        self._target: Final = target
        self._counts: Final = counts
        self._jokers: Final = jokers
        self.kinds: Final[list[_Addition]] = []
        self.ways: Final[list[int]] = []

    def extend(self, number: int, chosen: _Chosen) -> None:
        """Goes on with some cards of a number, or of lower ones."""
        counts, (numbers, left, plain, worth, effects, ways) = self._counts, chosen
        number = min(number, left)
        while number and (not counts[number] or number == TEN):
            number -= 1
        if not number:
            if not left or counts[0] or self._jokers:
                self._finish(chosen)
            return
        self.extend(number - 1, chosen)
        more = with_role(effects, number)
        for count in range(1, min(counts[number], left // number) + 1):
            kind = (plain, worth + role_worth(number) * count) if number >= LOWEST_ROLE else (plain + count, worth)
            some = (*numbers, (number, count))
            self.extend(
                number - 1, _Chosen(some, left - count * number, *kind, more, ways * comb(counts[number], count))
            )

    def _finish(self, chosen: _Chosen) -> None:
        """Adds what 10s and jokers make of what is left."""
        left, tens = chosen.left, self._counts[0]
        self._add(chosen, 0, 0, left)
        for aces in range(min(tens, left) + 1):
            if aces:
                self._add(chosen, 0, aces, left - aces)
            if tens > aces and left - aces >= TEN < self._target:
                self._add(chosen, 1, aces, left - aces - TEN)

    def _add(self, chosen: _Chosen, tens: int, aces: int, left: int) -> None:
        """Adds the sums with so many 10s as 10 and as 1, and jokers for what is left."""
        numbers, _, plain, worth, effects, ways = chosen
        if tens + aces:
            ways *= comb(self._counts[0], aces) * comb(self._counts[0] - aces, tens)
            worth += tens + aces
            effects = with_role(effects, TEN)
        if not left:
            self.kinds.append(_Addition(numbers, tens, aces, (), worth + plain * outcomes(effects)))
            self.ways.append(ways * self.kinds[-1].sets)
            return
        meanings: list[tuple[tuple[int, ...], int]] = []
        if self._jokers and left < self._target:
            meanings.append(((left,), self._jokers))
        if self._jokers > 1:
            meanings += [((low, left - low), 1) for low in range(1, left // 2 + 1)]
        for meant, choices in meanings:
            sets = sets_with_jokers(meant, worth, plain, effects)
            self.kinds.append(_Addition(numbers, tens, aces, meant, sets))
            self.ways.append(ways * choices * sets)


def random_set(limits: Limits, cards: int, chance: Chance) -> Set:
    """One of the sets that some cards (a mask) allow, of which there is at least one."""
    if limits.only_joker:
        listing = Listing(limits, cards)
        return listing.nth(int(chance.random() * listing.count))
    usable, held = cards & limits.cards, cards & JOKERS
    parts = _parts(limits, usable, held)
    total = sum([part.total for part in parts])
    target = limits.target
    sums: _Additions | None = None
    if target > 1:
        counts = [(usable & TENS).bit_count()]
        counts += [(usable & mask).bit_count() for mask in NUMBER_MASKS[1:target]]
        sums = _additions(target, tuple(counts), held.bit_count())
        total += sums.total
    declared = held.bit_count() if limits.joker else 0
    index = int(chance.random() * (total + declared))
    for part in parts:
        if index < part.total:
            place = bisect_right(part.ends, index)
            return sets_of(limits, part.meanings[place])[index - (part.ends[place - 1] if place else 0)]
        index -= part.total
    if sums is not None:
        if index < sums.total:
            return _sum_of(limits, sums.kinds[bisect_right(sums.ends, index)], usable, held, chance)
        index -= sums.total
    joker = cards_of(held)[index]
    return Set((joker,), (joker,))


def _parts(limits: Limits, usable: int, held: int) -> list[_Part]:
    """All sets but sums and declared jokers."""
    parts: list[_Part] = []
    if limits.any_single:
        suited, groups = usable, -1
    else:
        suited, groups = usable & SUIT_MASKS[limits.suit] if limits.suit >= 0 else 0, limits.groups
    ones = usable & (NUMBER_MASKS[1] | TENS)
    for number in range(1, 14):
        own = usable & NUMBER_MASKS[number] if number > 1 else ones
        if held or (own and (own & suited or groups >> number & 1)):
            parts.append(_of_number(number, own | held, ways_of_number(limits, number)))
    for lane in limits.lanes:
        row = usable & lane
        if held or row & row - 1:
            parts.append(_in_row(limits, lane, row | held))
    return parts


def _sum_of(limits: Limits, kind: _Addition, usable: int, held: int, chance: Chance) -> Set:
    """A set of some sum with these numbers."""
    chosen: list[int] = []
    for number, count in kind.numbers:
        chosen += _some(cards_of(usable & NUMBER_MASKS[number]), count, chance)
    aces = 0
    if kind.tens + kind.aces:
        tens = _some(cards_of(usable & TENS), kind.tens + kind.aces, chance)
        chosen += tens
        for card in tens[: kind.aces]:
            aces |= 1 << card
    chosen.sort()
    chosen += sorted(_some(cards_of(held), len(kind.jokers), chance))
    one = Meaning(tuple(chosen), aces, kind.jokers, kind.sets, ANY_ORDER, ALL_SUITS)
    return sets_of(limits, one)[int(chance.random() * kind.sets)]


def _some(cards: list[int], count: int, chance: Chance) -> list[int]:
    """So many of the cards."""
    return [cards.pop(int(chance.random() * len(cards))) for _ in range(count)]
