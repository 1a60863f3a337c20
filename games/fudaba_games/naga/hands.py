"""The value of a hand of Naga, by the rules page `docs/rules/naga.md`, N6 to N9.

A hand is a mask of four cards, or of five at Eltam: the seat's own and the place's. Its value is one whole number: the
hand with the greater value is better, and equal values tie. Values are comparable only between hands of the same size
at the same place. The category has the highest weight in a value, then the forming cards that are compared first, then
those that are compared second. A group of cards is a number with five bits for each rank of strength, so a comparison
of two groups compares the sorted cards one by one.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import combinations_with_replacement
from typing import Final, NamedTuple, final

from fudaba_games.naga.cards import CORSELTEL, DARK, DECK, ILBECK, LIGHT, MOONS, PLACES, TRUMPS, card, cards_of


@final
class Category(IntEnum):
    """The categories (手役) of both kinds of hand. The greater number is the better category."""

    NOTHING = 0
    """ノーペア"""
    ONE_PAIR = 1
    """ワンペア"""
    TWO_PAIR = 2
    """ツーペア"""
    THREE_OF_A_KIND = 3
    """スリーカード"""
    STRAIGHT = 4
    """ストレート"""
    FLUSH = 5
    """フラッシュ"""
    FULL_HOUSE = 6
    """フルハウス, five cards only"""
    FOUR_OF_A_KIND = 7
    """フォーカード"""
    STRAIGHT_FLUSH = 8
    """ストレートフラッシュ, five cards only"""
    FIVE_OF_A_KIND = 9
    """ファイブカード, five cards only"""

    @property
    def words(self) -> str:
        """The category for people, for example `three of a kind`."""
        return self.name.lower().replace("_", " ")


@final
class Hand(NamedTuple):
    """A judged hand."""

    category: Category
    value: int
    """The greater value is better, and equal values tie; see the module."""
    ilbeck: int
    """The card that Ilbeck stands for; -1 if it is not in the hand."""
    corseltel: int
    """The card that Corseltel stands for; -1 if it is not in the hand."""


def hand_of_four(cards: int, place: int) -> Hand:
    """Returns the hand of a mask of four cards at a place other than Eltam. Moons stand for the best cards (rules page,
    N6.1).
    """
    if cards.bit_count() != 4:
        raise ValueError(f"a hand of four has four cards, not {cards.bit_count()}")
    return _judge(cards, place)


def hand_of_five(cards: int, place: int) -> Hand:
    """Returns the hand of a mask of five cards, as at Eltam. Moons stand for the best cards (rules page, N6.2)."""
    if cards.bit_count() != 5:
        raise ValueError(f"a hand of five has five cards, not {cards.bit_count()}")
    return _judge(cards, place)


def better_hand(first: int, second: int, place: int) -> int:
    """Returns which of two hands (masks of the same size) is better at a place: 0 for the first, 1 for the second, -1
    for a tie.
    """
    first_value, other = hand_value(first, place), hand_value(second, place)
    return -1 if first_value == other else int(first_value < other)


def strength(card: int, place: int) -> int:
    """Returns the strength at a place of a card that is not a moon. The greater number is stronger (rules page,
    N7.1).
    """
    attribute = card // 7
    return 7 * (2 if attribute == TRUMPS[place] else int(attribute in (DARK, LIGHT))) + card % 7


# ---- tables --------------------------------------------------------------------------------------------------------
#
# The code of a card has three bits for each number, two for the moons, a spare one, and three for each attribute.
# The sum of the codes of a hand's cards counts them all at once.

_FIELD_BITS: Final = 5  # bits for each rank of strength: up to five equal real cards (3 bits), Ilbeck, Corseltel
_ILBECK_BIT: Final = 8
_CORSELTEL_BIT: Final = 16
_GROUP_BITS: Final = 21 * _FIELD_BITS
_NUMBERS_MASK: Final = (1 << 23) - 1
_ATTRIBUTES_SHIFT_BITS: Final = 24
_MOON_BIT: Final = 1 << 21


def _code(card: int) -> int:
    return _MOON_BIT if card >= ILBECK else 1 << 3 * (card % 7) | 1 << _ATTRIBUTES_SHIFT_BITS + 3 * (card // 7)


def _numbers_mask(number: int) -> int:
    """Returns the mask of the cards of a number (0-6 here)."""
    return sum(1 << 7 * attribute + number for attribute in range(7))


_CODES: Final[dict[int, int]] = {1 << card_index: _code(card_index) for card_index in range(51)}
"""The code of each card, by its mask."""
_OF_NUMBER: Final = [_numbers_mask(number) for number in range(7)]
_OF_ATTRIBUTE: Final = [127 << 7 * attribute for attribute in range(7)]
_HEAVEN: Final = _OF_ATTRIBUTE[DARK] | _OF_ATTRIBUTE[LIGHT]
_REAL: Final = DECK & ~MOONS
_TRUMP_CARDS: Final = [_OF_ATTRIBUTE[trump] if trump >= 0 else 0 for trump in TRUMPS]
_WEIGHTS: Final = [
    {1 << card_index: 1 << _FIELD_BITS * strength(card_index, place) for card_index in range(49)} if place else {}
    for place in (0, *PLACES)
]
"""For each place and card mask, the card's part in a group."""
_FLUSHES: Final = {count << 3 * attribute: attribute for attribute in range(7) for count in (2, 3, 4, 5)}
"""For each sum of codes in which only one attribute occurs, that attribute."""


def _sums_of_a_number(weights: dict[int, int]) -> dict[int, int]:
    """Returns the group of every set of cards of one number, by its mask."""
    sums: dict[int, int] = {0: 0}
    for number in range(7):
        known = {0: 0}
        for attribute in range(7):
            bit = 1 << 7 * attribute + number
            known |= {mask | bit: total + weights[bit] for mask, total in known.items()}
        sums |= known
    return sums


_SUMS: Final = [_sums_of_a_number(weights) if weights else {} for weights in _WEIGHTS]


_Shape = tuple[int, int, int]
"""The shape of the numbers of a hand: the category; the mask of the cards that are compared first (for NOTHING, those
of the highest number); the mask of the cards that are compared second.
"""
_Form = tuple[int, int, int, int, int]
"""The form of the numbers of a hand: its shape, and the higher and the lower number (0-6) that moons stand for, or
-1.
"""


def _shape(numbers: tuple[int, ...]) -> _Shape:
    """Returns the shape of the numbers of a whole hand, including those that moons stand for."""
    counts = sorted(((numbers.count(number), number) for number in set(numbers)), reverse=True)
    count, most = counts[0]
    rest = counts[1][1] if len(counts) > 1 and counts[1][0] > 1 else -1
    if count >= 3 and rest < 0:
        of_a_kind = {3: Category.THREE_OF_A_KIND, 4: Category.FOUR_OF_A_KIND, 5: Category.FIVE_OF_A_KIND}
        return (int(of_a_kind[count]), _OF_NUMBER[most], 0)
    if rest >= 0:
        category = Category.FULL_HOUSE if count == 3 else Category.TWO_PAIR
        return (int(category), _OF_NUMBER[most], _OF_NUMBER[rest])
    if count == 2:
        return (int(Category.ONE_PAIR), _OF_NUMBER[most], 0)
    if max(numbers) - min(numbers) == len(numbers) - 1:
        return (int(Category.STRAIGHT), _REAL, 0)
    return (int(Category.NOTHING), _OF_NUMBER[max(numbers)], 0)


def _number_code(numbers: tuple[int, ...]) -> int:
    """Returns the part of a code that counts numbers."""
    return sum(1 << 3 * number for number in numbers)


def _forms() -> dict[int, _Form]:
    """Returns the best form of every multiset of numbers with up to two moons, by the sum of their codes.

    If numbers make the category, a moon stands for the trump of its number, and is then stronger than every other card
    of that number. So within the best category the highest numbers for the moons make the best hand.
    """
    # The shape of each multiset is found once, although many hands with moons can become the same multiset: every
    # process that plays Naga makes this table as it starts.
    shapes = {
        _number_code(numbers): _shape(numbers)
        for size in (4, 5)
        for numbers in combinations_with_replacement(range(7), size)
    }
    forms: dict[int, _Form] = {code: (*shape, -1, -1) for code, shape in shapes.items()}
    for moons in (1, 2):
        meanings = [
            (max(meant), min(meant) if moons == 2 else -1, _number_code(meant))
            for meant in combinations_with_replacement(range(7), moons)
        ]
        for size in (4, 5):
            for numbers in combinations_with_replacement(range(7), size - moons):
                code = _number_code(numbers)
                _, high, low, whole = max(
                    (shapes[code + meant][0], high, low, code + meant) for high, low, meant in meanings
                )
                forms[code + moons * _MOON_BIT] = (*shapes[whole], high, low)
    return forms


_FORMS: Final = _forms()


# ---- judging -------------------------------------------------------------------------------------------------------


def _sum(weights: dict[int, int], cards: int) -> int:
    """Returns the group of some cards that are not moons."""
    total = 0
    while cards:
        low = cards & -cards
        total += weights[low]
        cards ^= low
    return total


def _moon_sum(cards: int, place: int, attribute: int, high: int, low: int) -> int:
    """Returns the moons' part in a group: they are cards of an attribute, and Corseltel has the higher number."""
    tier = 14 if attribute == TRUMPS[place] else 7 if attribute in (DARK, LIGHT) else 0
    moons = cards & MOONS
    if moons == MOONS:
        return (_CORSELTEL_BIT << _FIELD_BITS * (tier + high)) + (_ILBECK_BIT << _FIELD_BITS * (tier + low))
    return (_CORSELTEL_BIT if moons == 1 << CORSELTEL else _ILBECK_BIT) << _FIELD_BITS * (tier + high)


def hand_value(cards: int, place: int) -> int:
    """Returns the value of a hand: a mask of four or five cards. Moons stand for the best cards (rules page, N6 to
    N9).
    """
    return _value(cards, _code_of(cards), place)


def better_commitment(first: int, second: int, prize: int, place: int) -> int:
    """Returns which of two commitments makes the better hand with the place's cards: 0 for the first, 1 for the second,
    -1 for a tie.

    The result is that of `better_hand` for the whole hands, but faster: the categories decide most battles.
    """
    code = _CODES.get(prize) or _known_code(prize)
    first_code = code + (_KNOWN_CODES.get(first) or _known_code(first))
    other = code + (_KNOWN_CODES.get(second) or _known_code(second))
    value: int = _FORMS[first_code & _NUMBERS_MASK][0]
    other_value: int = _FORMS[other & _NUMBERS_MASK][0]
    if (
        value == other_value
        or first_code >> _ATTRIBUTES_SHIFT_BITS in _FLUSHES
        or other >> _ATTRIBUTES_SHIFT_BITS in _FLUSHES
    ):
        value, other_value = _value(first | prize, first_code, place), _value(second | prize, other, place)
    return -1 if value == other_value else int(value < other_value)


def _code_of(cards: int) -> int:
    code = 0
    while cards:
        low = cards & -cards
        code += _CODES[low]
        cards ^= low
    return code


_KNOWN_CODES: Final[dict[int, int]] = {}
"""The codes of the committed cards and prizes compared so far: at most 22,151."""


def _known_code(cards: int) -> int:
    code = _KNOWN_CODES.get(cards) or _code_of(cards)
    _KNOWN_CODES[cards] = code
    return code


def _value(cards: int, code: int, place: int) -> int:
    category, first, second, moon, other_moon = _FORMS[code & _NUMBERS_MASK]
    attribute = code >> _ATTRIBUTES_SHIFT_BITS
    if attribute in _FLUSHES:
        return _flush_value(cards, place, _FLUSHES[attribute], category, moon, other_moon)
    if category == 0:
        return _nothing_value(cards, first, place)
    sums = _SUMS[place]
    group = _sum(_WEIGHTS[place], cards & _REAL) if first == _REAL else sums[cards & first]
    if moon >= 0:
        group += _moon_sum(cards, place, TRUMPS[place], moon, other_moon)
    value = (category << _GROUP_BITS | group) << _GROUP_BITS
    return value + sums[cards & second] if second else value


def _nothing_value(cards: int, highest: int, place: int) -> int:
    """Returns the value of a hand in which only the strongest card counts. `highest` is the mask of the highest number
    in the hand.
    """
    best = cards & _TRUMP_CARDS[place]
    if not best:
        best = cards & _HEAVEN
        if best:
            # The numbers are all different here, so the highest of both attributes of heaven is one card.
            dark, light = best & 127, best >> 7
            best = dark if dark > light else light << 7
        else:
            best = cards & highest
    return _WEIGHTS[place][1 << best.bit_length() - 1] << _GROUP_BITS


def _flush_value(cards: int, place: int, attribute: int, category: int, high: int, low: int) -> int:
    """Returns the value of a hand whose cards, except moons, have one attribute: a flush, or with five in a row a
    straight flush.
    """
    if category == Category.STRAIGHT and cards.bit_count() == 5:
        category = Category.STRAIGHT_FLUSH
    else:
        category = Category.FLUSH
        high = low = 6  # a moon may stand for the 7 also where the hand has it
    group = _sum(_WEIGHTS[place], cards & _REAL)
    if cards & MOONS:
        group += _moon_sum(cards, place, attribute, high, low)
    return (category << _GROUP_BITS | group) << _GROUP_BITS


def _judge(cards: int, place: int) -> Hand:
    """Returns the hand of four or five cards, with the cards that its moons stand for."""
    value = hand_value(cards, place)
    category = Category(value >> 2 * _GROUP_BITS)
    code = sum(_CODES[1 << card_index] for card_index in cards_of(cards))
    high, low = _FORMS[code & _NUMBERS_MASK][3:]
    attribute = TRUMPS[place]
    if category in (Category.FLUSH, Category.STRAIGHT_FLUSH):
        attribute = _FLUSHES[code >> _ATTRIBUTES_SHIFT_BITS]
    if category == Category.FLUSH:
        high = low = 6
    if cards & MOONS == MOONS:
        return Hand(category, value, card(attribute, low + 1), card(attribute, high + 1))
    meant = card(attribute, high + 1)
    return Hand(category, value, meant if cards >> ILBECK & 1 else -1, meant if cards >> CORSELTEL & 1 else -1)
