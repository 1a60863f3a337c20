"""Counting the sets that are sums, without making them (C4.6).

For every card, from the last one to the first, a table has what can be added from there on, by the rest of the target
and by the role cards among the cards. So the number of sets is known at once. Walking along the cards, in the order in
which they are listed, finds any set by its place, and the place of any cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, final

from fudaba_games.numbers_crush.cards import JACK, JOKER, NUMBER_OF
from fudaba_games.numbers_crush.sets import FIVE, NINE
from fudaba_games.numbers_crush.sums import values_of

Sum = tuple[tuple[int, ...], int, tuple[int, ...], int]
"""The cards in deck order, a mask of the 10s among them that are aces, the numbers of the jokers, and the number of
sets.
"""

_Ways = dict[int, tuple[int, int, int, int]]
"""By the effects of role cards (see `_with_role`): the number of ways; and, summed over them, the number of sets with a
role card on top, the number of plain cards, and the number of plain numbers of jokers.
"""


def _with_role(effects: int, number: int) -> int:
    """Returns effects, as a mask of numbers of role cards, with that of one more card; a plain card adds none."""
    return effects | 1 << number if number >= FIVE else effects


def _with_joker(effects: int, number: int) -> int:
    """Returns the same as `_with_role` for a joker, which as a J may be of either colour."""
    if number < FIVE:
        return effects
    return effects | (_ANY_JACK_MASK if number == JACK else 1 << number)


_ANY_JACK_MASK: Final = 3 << 13
"""Two effects, one for each colour; a K is in no sum of several cards."""


def _classes(effects: int) -> int:
    """Returns the number of different effects under a plain card; one if there is no role card."""
    return _CLASSES[effects >> FIVE]


def _outcomes(effects: int) -> int:
    """Returns the number of sets with one plain card on top. A 9 names one of four suits."""
    return _OUTCOMES[effects >> FIVE]


_CLASSES: Final = tuple(max(1, effects.bit_count()) for effects in range(1 << 10))
_OUTCOMES: Final = tuple(
    max(1, effects.bit_count()) + (3 if effects >> NINE - FIVE & 1 else 0) for effects in range(1 << 10)
)


def role_worth(number: int) -> int:
    """Returns the number of sets with a role card of this number on top and the same other cards."""
    return 4 if number == NINE else 1


@final
class _Node(NamedTuple):
    """Cards with which sums begin, in deck order. The value is immutable."""

    at: int
    """The place of the next card."""
    cards: tuple[int, ...]
    lefts: tuple[tuple[int, int], ...]
    """The rest of the target and the mask of the 10s that are aces: one pair for each way to count the cards."""
    worth: int
    plain: int
    effects: int

    @property
    def sets(self) -> int:
        """The number of sets of these cards alone, counted in one way."""
        return self.worth + self.plain * _outcomes(self.effects)


@final
class Addends:
    """The sums of two or more cards. `cards` are those without jokers, in deck order; `held` are the jokers.

    Sums are ordered by their cards, compared as lists in deck order.
    """

    def __init__(self, cards: list[int], held: list[int], target: int) -> None:
        self._cards: Final = cards
        self._target: Final = target
        self._held: Final = held
        tables = [_joker_table(held, target)]
        for card in reversed(cards):
            tables.append(_with_card(tables[-1], card, target))
        tables.reverse()
        self._tables: Final = tables
        self._root: Final = _Node(0, (), ((target, 0),), 0, 0, 0)
        self.count: Final = self._inside(self._root)

    def _child(self, node: _Node, place: int) -> _Node:
        """Returns the same cards and the card at a later place."""
        card = self._cards[place]
        number = NUMBER_OF[card]
        lefts = tuple([
            (left - value, aces if value == number else aces | 1 << card)
            for left, aces in node.lefts
            for value in values_of(card)
            if value <= left and value < self._target
        ])  # fmt: skip
        role_points = role_worth(number) if number >= FIVE else 0
        return _Node(
            place + 1,
            (*node.cards, card),
            lefts,
            node.worth + role_points,
            node.plain if role_points else node.plain + 1,
            _with_role(node.effects, number),
        )

    def _inside(self, node: _Node) -> int:
        """Returns the number of sets of the sums that begin with these cards."""
        table = self._tables[node.at]
        return sum([_total(table[left], node.worth, node.plain, node.effects) for left, _ in node.lefts])

    def _complete(self, node: _Node) -> list[Sum]:
        """Returns the sums of these cards alone."""
        return [(node.cards, aces, (), node.sets) for left, aces in node.lefts if not left]

    def _with_jokers(self, node: _Node) -> list[Sum]:
        """Returns the sums of these cards and jokers: with the first, both, or the second. One joker is never the whole
        target.
        """
        found: list[Sum] = []
        for number, joker in enumerate(self._held):
            choices: list[tuple[tuple[int, ...], tuple[int, ...], int]] = [
                ((joker,), (left,), aces) for left, aces in node.lefts if 0 < left < self._target
            ]
            if not number and len(self._held) > 1:
                both = tuple(self._held)
                choices += [
                    (both, (low, left - low), aces) for left, aces in node.lefts for low in range(1, left // 2 + 1)
                ]
            for jokers, meant, aces in choices:
                sets = _sets_with_jokers(meant, node.worth, node.plain, node.effects)
                found.append(((*node.cards, *jokers), aces, meant, sets))
        return found

    def nth(self, index: int) -> tuple[Sum, int]:
        """Returns the sum of the set at an index, and the set's index within that sum."""
        node: _Node | None = self._root
        while node is not None:
            for way in self._complete(node):
                if index < way[3]:
                    return way, index
                index -= way[3]
            here, node = node, None
            for place in range(here.at, len(self._cards)):
                child = self._child(here, place)
                inside = self._inside(child)
                if index < inside:
                    node = child
                    break
                index -= inside
            else:
                for way in self._with_jokers(here):
                    if index < way[3]:
                        return way, index
                    index -= way[3]
        raise IndexError("there are not so many sums")

    def before(self, cards: tuple[int, ...]) -> int:
        """Returns the number of sets of the sums whose cards come before some other cards in deck order."""
        node, count = self._root, 0
        for card in cards:
            count += sum([complete_way[3] for complete_way in self._complete(node)])
            place = node.at
            while place < len(self._cards) and self._cards[place] < card:
                count += self._inside(self._child(node, place))
                place += 1
            if card >= JOKER:
                return count + sum([joker_way[3] for joker_way in self._with_jokers(node) if joker_way[0] < cards])
            if place == len(self._cards) or self._cards[place] != card:
                return count
            node = self._child(node, place)
        return count

    def __iter__(self) -> Iterator[Sum]:
        return self._within(self._root)

    def _within(self, node: _Node) -> Iterator[Sum]:
        yield from self._complete(node)
        for place in range(node.at, len(self._cards)):
            child = self._child(node, place)
            if self._inside(child):
                yield from self._within(child)
        yield from self._with_jokers(node)


def _sets_with_jokers(meant: tuple[int, ...], worth: int, plain: int, effects: int) -> int:
    """Returns the number of sets of some cards and jokers."""
    for number in meant:
        effects = _with_joker(effects, number)
    on_top = 4 * _classes(effects)
    sets = worth + plain * _outcomes(effects) + (4 if meant[0] >= FIVE else on_top)
    if meant[-1] != meant[0]:
        sets += 4 if meant[-1] >= FIVE else on_top
    return sets


def _joker_table(held: list[int], target: int) -> list[_Ways]:
    """Returns what jokers alone can add, by the rest of the target."""
    table: list[_Ways] = [{0: (1, 0, 0, 0)}]
    for left in range(1, target + 1):
        ways: _Ways = {}
        meanings: list[tuple[int, ...]] = [(left,) for _ in held if left < target]
        if len(held) > 1:
            meanings += [(low, left - low) for low in range(1, left // 2 + 1)]
        for meant in meanings:
            effects, worth, plain = 0, 0, 0
            for number in set(meant):
                effects = _with_joker(effects, number)
                if number >= FIVE:
                    worth += 4
                else:
                    plain += 1
            _add(ways, effects, 1, worth, 0, plain)
        table.append(ways)
    return table


def _with_card(table: list[_Ways], card: int, target: int) -> list[_Ways]:
    """Returns what can be added with one more card."""
    more = table[:]
    role = NUMBER_OF[card]
    bit = 1 << role if role >= FIVE else 0
    role_points = role_worth(role)
    for value in [addend for addend in values_of(card) if addend < target]:
        for left in range(value, target + 1):
            source = table[left - value]
            if not source:
                continue
            ways = dict(more[left])
            for effects, (count, worth, plain, jokers) in source.items():
                if bit:
                    _add(ways, effects | bit, count, worth + role_points * count, plain, jokers)
                else:
                    _add(ways, effects, count, worth, plain + count, jokers)
            more[left] = ways
    return more


def _add(ways: _Ways, effects: int, count: int, worth: int, plain: int, jokers: int) -> None:
    known = ways.get(effects)
    if known is not None:
        count += known[0]
        worth += known[1]
        plain += known[2]
        jokers += known[3]
    ways[effects] = (count, worth, plain, jokers)


def _total(ways: _Ways, worth: int, plain: int, effects: int) -> int:
    """Returns the number of sets of some cards and what can be added to them."""
    total: int = 0
    for more, (count, inner, inner_plain, jokers) in ways.items():
        both = effects | more
        total += count * worth + inner + (count * plain + inner_plain) * _outcomes(both) + 4 * jokers * _classes(both)
    return total
