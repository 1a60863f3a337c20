"""Sets of cards: their kinds, the orders in which they may be laid, and their effects (C4, C5).

A set is listed once for each base and effect that it can have, in one order: a run as a run; any other set with the
card that must be at the bottom first, the others in deck order, then the role card whose effect takes place, then the
card on top. Of two jokers, the first lies lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from fudaba_games.numbers_crush.cards import (
    ANY,
    BLACK,
    COLOUR_OF_SUIT,
    JACK,
    JOKER,
    NUMBER_OF,
    RED,
    SUIT_MASKS,
    SUIT_OF,
    TEN,
    as_ace,
)
from fudaba_games.numbers_crush.limits import ALL_SUITS_MASK, Limits
from fudaba_games.numbers_crush.values import Set

FIVE: Final = 5
NINE: Final = 9

ANY_ORDER: Final = 1
CARRIED: Final = 2
RUN: Final = 4
SUITED: Final = 8


@final
class Effect(NamedTuple):
    """The effect of a set's role card. The value is immutable."""

    number: int
    """The number: 5 to 9, 11 to 13; 0 for none."""
    times: int
    """How often it takes place: the number of cards of the set with that number."""
    colour: int
    """The colour of a topmost J: 1 black, 2 red; otherwise 0."""


def effect_of(cards: Sequence[int], faces: Sequence[int]) -> Effect:
    """Returns the effect of a set, from its cards and faces from the bottom to the top (C5.1). A declared joker has
    none.
    """
    number = effect_number(cards, faces)
    if not number:
        return _NOTHING
    with_it = [face for face in faces if NUMBER_OF[face] == number]
    return Effect(number, len(with_it), COLOUR_OF_SUIT[SUIT_OF[with_it[-1]]] if number == JACK else 0)


_NOTHING: Final = Effect(0, 0, 0)


def role_of(card: int, number: int) -> int:
    """Returns the number of a role card that counts as `number`; 0 for a plain card. A real 10 is always a role
    card.
    """
    if card < JOKER and NUMBER_OF[card] == TEN:
        return TEN
    return number if number >= FIVE else 0


def ways(  # noqa: C901, PLR0911 - the page's ways, one after the other
    limits: Limits, cards: Sequence[int], numbers: Sequence[int]
) -> tuple[int, int]:
    """Returns the way of C4 in which cards that count as some numbers may be set, in whatever order.

    The way is one of `ANY_ORDER`, `CARRIED`, `RUN` and `SUITED` (a single card by its suit), or 0 for none. It comes
    with the mask of the suits that a joker on top may have.
    """
    size = len(cards)
    if limits.only_joker:
        return (ANY_ORDER, ALL_SUITS_MASK) if size == 1 and cards[0] >= JOKER else _NO_WAY
    mask = 0
    for card in cards:
        if card < JOKER:
            mask |= 1 << card
    if mask & ~limits.cards:
        return _NO_WAY
    jokers = mask.bit_count() < size
    low, high = min(numbers), max(numbers)
    carries = limits.suit >= 0 and (jokers or mask & SUIT_MASKS[limits.suit] != 0)
    if (low == high and limits.groups >> low & 1) or (size == 1 and limits.any_single):
        return ANY_ORDER, ALL_SUITS_MASK
    if size == 1:
        return (SUITED, 1 << limits.suit) if carries else _NO_WAY
    if limits.target and sum(numbers) == limits.target:
        return ANY_ORDER, ALL_SUITS_MASK
    if low == high:
        return (CARRIED, ALL_SUITS_MASK) if carries else _NO_WAY
    if high - low != size - 1 or len(set(numbers)) != size:
        return _NO_WAY
    suits = 0
    for lane in limits.lanes:
        suits |= 0 if mask & ~lane else lane_suits(lane)
    return (RUN, suits) if suits else _NO_WAY


_NO_WAY: Final = (0, 0)


def lane_suits(lane: int) -> int:
    """Returns the suits, as a mask, that a joker in a run may have: the lane's, or any suit if the lane is a colour."""
    return 1 << SUIT_MASKS.index(lane) if lane in SUIT_MASKS else ALL_SUITS_MASK


def arrangements(
    limits: Limits, cards: Sequence[int], numbers: Sequence[int], way: int, suits: int, only: int = -1
) -> list[Set]:
    """Returns the sets of cards that count as some numbers: one for each base and effect that they can have.

    The cards are in deck order; jokers come last, by their numbers. `way` and `suits` are as in `ways`. With `only`,
    the card at that place is on top.
    """
    size = len(cards)
    if size == 1:
        return _laid(cards, numbers, _FIRST, 0, suits)
    low, high = min(numbers), max(numbers)
    in_row = high - low == size - 1 and len(set(numbers)) == size
    found: list[Set] = []
    for top in range(size) if only < 0 else (only,):
        if in_row and numbers[top] in {low, high}:
            order = sorted(range(size), key=numbers.__getitem__, reverse=numbers[top] == low)
            found += _laid(cards, numbers, order, 0, suits)
            continue
        if way == RUN or (cards[top] == JOKER + 1 and cards[top - 1] == JOKER and numbers[top - 1] == numbers[top]):
            continue  # neither end of a run; two jokers that stand for the same
        order = [index for index in range(size) if index != top]
        if way == CARRIED:
            carrier = _carrier(limits.suit, cards, top)
            if carrier < 0:
                continue
            order.remove(carrier)
            order.insert(0, carrier)
        for role, colour in _roles(cards, numbers, top):
            if role < 0:
                found += _laid(cards, numbers, [*order, top], 0, suits)
            else:
                found += _laid(cards, numbers, [*[index for index in order if index != role], role, top], colour, suits)
    return found


_FIRST: Final = [0]


def _carrier(suit: int, cards: Sequence[int], top: int) -> int:
    """Returns the card that goes to the bottom of carried cards: the card of the base's suit, or a joker; -1 for
    none.
    """
    for index, card in enumerate(cards):
        if index != top and (card >= JOKER or SUIT_OF[card] == suit):
            return index
    return -1


def _roles(cards: Sequence[int], numbers: Sequence[int], top: int) -> list[tuple[int, int]]:
    """Returns the role cards that may be the topmost under the card `top`, one for each effect. A joker as a J has a
    colour.

    Returns -1 if the card on top is itself one, and if no role card would have an effect.
    """
    if role_of(cards[top], numbers[top]):
        return _NONE
    found: list[tuple[int, int]] = []
    seen = 0
    for index, card in enumerate(cards):
        role = role_of(card, numbers[index]) if index != top else 0
        if not role or seen >> role & 1:
            continue
        if role == JACK and card >= JOKER:
            found += [(index, BLACK), (index, RED)]
        else:
            found.append((index, 0))
        seen |= 1 << role
    return _NONE if seen in {0, 1 << TEN} else found


_NONE: Final[list[tuple[int, int]]] = [(-1, 0)]


def _laid(cards: Sequence[int], numbers: Sequence[int], order: Sequence[int], colour: int, suits: int) -> list[Set]:
    """Returns the sets of an order from the bottom to the top: one for each suit of a joker on top, or of a 9's naming.

    `colour` is that of a joker as a J under the card on top; 0 if there is none.
    """
    laid = [cards[index] for index in order]
    faces = laid[:]
    if laid[-1] < JOKER and max(laid) < JOKER:
        for place, index in enumerate(order):
            if numbers[index] == 1 and NUMBER_OF[laid[place]] == TEN:
                faces[place] = laid[place] - 9
    else:
        _declare(laid, faces, [numbers[index] for index in order], colour)
    if effect_number(laid, faces) == NINE:
        low, high = tuple(laid), tuple(faces)
        return [Set(low, high, suit) for suit in range(4)]
    if laid[-1] < JOKER:
        return [Set(tuple(laid), tuple(faces))]
    below = tuple(faces[:-1])
    all_cards = tuple(laid)
    number = numbers[order[-1]]
    return [Set(all_cards, (*below, 13 * suit + number - 1)) for suit in range(4) if suits >> suit & 1]


def _declare(laid: list[int], faces: list[int], numbers: list[int], colour: int) -> None:
    """Fills in the faces of cards that include jokers. The first joker goes to the lower place."""
    jokers = sorted([card for card in laid if card >= JOKER])
    for place, card in enumerate(laid):
        number = numbers[place]
        if card < JOKER:
            if NUMBER_OF[card] != number:
                faces[place] = as_ace(card)
            continue
        laid[place] = jokers.pop(0)
        named = colour and number == JACK and place == len(laid) - 2
        faces[place] = 13 * (colour - 1) + JACK - 1 if named else ANY + number


def effect_number(cards: Sequence[int], faces: Sequence[int]) -> int:
    """Returns the number of `effect_of`."""
    for index in range(len(cards) - 1, -1, -1):
        card = cards[index]
        number = NUMBER_OF[faces[index]]
        if card < JOKER and NUMBER_OF[card] == TEN:
            return 0
        if number >= FIVE:
            return 0 if number == TEN else number
    return 0
