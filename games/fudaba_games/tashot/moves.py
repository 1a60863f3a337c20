"""The legal moves of Tashot, in the rulebook's order, and the seats that can take a discarded card.

Moves that depend on few cards are cached: the sets for which a card can be called, by the cards of its strength; the
runs, by the cards next to it; the discards, by the different cards of a colour.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from fudaba_games.kamikisen.cards import (
    BIT_OF,
    BLACK,
    CARD_OF_BIT,
    CARDS,
    DECK,
    FIRSTS,
    HALF_BITS,
    KIND_COUNT,
    KIND_OF,
    KING,
    RED,
    SHIP,
    SHIPS,
    STRENGTH_COUNT,
    STRENGTH_MASKS,
    STRENGTH_OF_KIND,
    places_of,
    without,
)
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.kamikisen.melds import melds_of, sets_in
from fudaba_games.tashot.shapes import CALL_SIZES, FIRST_BIT, Shape, few_strengths, mask_of_card, shape_of, with_card
from fudaba_games.tashot.values import DECLINE, DISCARDS, WIN, Call, Discard, Four, OpenMeld, TashotMove

DECLINING: Final[tuple[TashotMove, ...]] = (DECLINE,)
WINNING: Final[tuple[TashotMove, ...]] = (WIN,)

_RED_FIRSTS: Final = FIRSTS & RED
_BLACK_FIRSTS: Final = FIRSTS & BLACK


# ---- own turn ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 13)
def _discards(firsts: int) -> tuple[Discard, ...]:
    """Returns a discard for each card of a colour."""
    return tuple([DISCARDS[CARD_OF_BIT[bit]] for bit in places_of(firsts)])


def discards_of(hand: int, drawn: int) -> list[Discard]:
    """Returns the discards of a hand: the card just drawn first, if there is one, then the others in deck order."""
    found = [*_discards(hand & _RED_FIRSTS), *_discards(hand & _BLACK_FIRSTS)]
    if drawn >= 0:
        found.remove(DISCARDS[drawn])
        found.insert(0, DISCARDS[drawn])
    return found


def count_discards(hand: int) -> int:
    """Returns the number of different cards in a hand."""
    return (hand & FIRSTS).bit_count()


def random_discard(hand: int, drawn: float) -> Discard:
    """Returns the discard of one of the different cards of a hand, by a number drawn from 0 up to, but not including,
    1.
    """
    cards = hand & FIRSTS
    for _ in range(int(drawn * cards.bit_count())):
        cards &= cards - 1
    return DISCARDS[CARD_OF_BIT[(cards & -cards).bit_length() - 1]]


def fours_of(hand: int, meld: OpenMeld | None) -> tuple[Four, ...]:
    """Returns every set of four that a seat can lay open after a draw."""
    return _fours(hand) if meld is None and few_strengths(hand) else ()


@lru_cache(maxsize=1 << 12)
def _fours(hand: int) -> tuple[Four, ...]:
    found = [
        cards for strength in range(1, STRENGTH_COUNT) for cards in sets_in(hand, strength) if cards.bit_count() == 4
    ]
    return tuple([Four(cards) for cards in sorted(found, key=places_of)])


# ---- taking a discarded card ---------------------------------------------------------------------------------------


def _near(card: int) -> int:
    """Returns the cards with which a card can make a run: the ship of its colour, and the first copies of the values
    next to it.
    """
    kind, colour = KIND_OF[card], card // KIND_COUNT * HALF_BITS
    if kind >= KING:
        return 0
    near = range(1, KING) if kind == SHIP else range(max(1, kind - 2), min(KING, kind + 3))
    firsts = sum([1 << BIT_OF[number] for number in near if number != kind])
    return (firsts if kind == SHIP else firsts | 1) << colour


_NEAR: Final = tuple(_near(card) for card in range(CARDS))
_SAME: Final = tuple(STRENGTH_MASKS[STRENGTH_OF_KIND[KIND_OF[card]]] | SHIPS for card in range(CARDS))
"""For each card, the cards of its strength, and the ships."""
_PARTNERS: Final = tuple(DECK if KIND_OF[card] == SHIP else _SAME[card] | _NEAR[card] for card in range(CARDS))
"""For each card, the cards of which a hand needs at least one to make use of it."""
_SHIP_CARDS: Final = tuple(KIND_OF[card] == SHIP for card in range(CARDS))


@lru_cache(maxsize=1 << 14)
def _calls_of(cards: int, card: int) -> tuple[Call, ...]:
    """Returns every meld for which a card can be called with some of a few cards, in order."""
    found: list[Call] = []
    for part in parts_of(cards):
        if part.bit_count() in {2, 3}:
            meld = with_card(part, card)
            found += [
                Call(meld, reading.strength) for reading in melds_of(meld) if reading.size in CALL_SIZES[reading.form]
            ]
    return _sorted(found)


def _sorted(calls: list[Call]) -> tuple[Call, ...]:
    return tuple(sorted(calls, key=lambda call: (places_of(call.cards), call.strength)))


def calls_of(hand: int, card: int) -> tuple[Call, ...]:
    """Returns every call of a card, in deck order of the melds, compared as lists, with a ship's readings from the
    weakest on.

    At least one card of the hand is left.
    """
    size = hand.bit_count()
    if size < 3:
        return ()
    if _SHIP_CARDS[card]:
        found = _calls_of(hand, card)  # it goes with anything
    else:
        same, near = hand & _SAME[card], hand & _NEAR[card]
        found = _calls_of(same, card) if same.bit_count() > 1 else ()
        if near.bit_count() > 1:
            runs = _calls_of(near, card)
            found = _sorted([*found, *runs]) if found and runs else found or runs
    return found if size > 3 else tuple([call for call in found if call.cards.bit_count() <= size])


def wins_with(hand: int, meld: OpenMeld | None, card: int) -> Shape | None:
    """Returns the shape with which a hand wins by a discarded card; None if it does not win."""
    return shape_of(with_card(hand, card), meld)


def can_take(hand: int, meld: OpenMeld | None, card: int) -> bool:
    """Returns whether a seat can call a card or win with it; only such a seat is asked. It agrees with `takes_of`, but
    is faster.
    """
    if _SHIP_CARDS[card]:
        return bool(calls_of(hand, card)) or shape_of(with_card(hand, card), meld) is not None
    same, near = hand & _SAME[card], hand & _NEAR[card]
    if not same and not near & near - 1:
        return False  # one card next to it makes no run, and nothing makes a set
    if meld is not None:  # no call is possible any more
        return shape_of(with_card(hand, card), meld) is not None
    if same & same - 1 or (near & near - 1 and _calls_of(near, card)):
        return True  # a set or a run of three
    # What is left is a win with the card in a set of two, and then there are only sets.
    return bool(same) and few_strengths(hand | FIRST_BIT[card]) and shape_of(with_card(hand, card), None) is not None


def takers(hands: list[int], melds: list[OpenMeld | None], source: int, card: int) -> int:
    """Returns the seats that can take a card that `source` has discarded, as bits."""
    taking, partners = 0, _PARTNERS[card]
    for seat, hand in enumerate(hands):
        if hand & partners and seat != source and can_take(hand, melds[seat], card):
            taking |= 1 << seat
    return taking


def takes_of(hand: int, meld: OpenMeld | None, card: int) -> tuple[TashotMove, ...]:
    """Returns the moves of a seat that is asked."""
    winning = WINNING if wins_with(hand, meld, card) is not None else ()
    return (*DECLINING, *winning, *calls_of(hand, card))


def after_call(hand: int, call: Call, card: int) -> int:
    """Returns the cards that are left of a hand after a call of a card."""
    return without(hand, without(call.cards, mask_of_card(card)))
