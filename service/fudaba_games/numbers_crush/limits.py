"""What may be set: the base, and the limits in force (rules page `docs/rules/numbers_crush.md`, C4 to C6)."""

from __future__ import annotations

from typing import Final, NamedTuple, final

from fudaba_games.numbers_crush.cards import COLOUR_MASKS, DECK, JACK, JOKERS, KING, QUEEN, SUIT_MASKS

ALL_SUITS: Final = 15
"""The mask of the four suits."""
ALL_NUMBERS: Final = 0x3FFE
"""The mask of the numbers 1 to 13."""
PICTURES: Final = 1 << JACK | 1 << QUEEN | 1 << KING


@final
class Limits(NamedTuple):
    """Which sets are legal: one of the ways below. An immutable value."""

    cards: int
    """The cards that may be used, jokers aside."""
    groups: int
    """A mask of numbers: one or more cards of such a number may be set in any order."""
    suit: int
    """A single card of this suit may be set, and carry others of its number; -1 for no suit."""
    lanes: tuple[int, ...]
    """Runs may be made within each of these masks of cards."""
    target: int
    """Two or more cards may be set that add up to this; 0 for no sum."""
    joker: bool
    """Whether a declared joker may be set."""
    any_single: bool
    """Whether any single card may be set."""
    only_joker: bool
    """Whether only a single joker may be set, as anything."""


def limits_of(number: int, suit: int, bind: int, pending: int, king: int, lock: bool, reset: bool) -> Limits:
    """The limits on a base of a number (0: a declared joker) and a suit (-1).

    `bind` is the colour allowed or 0; `pending` and `king` are penalties, 0 without. With `reset` all are ignored.
    """
    key = number * 5 + suit + 1 << 6 | bind << 4 | (8 if pending else 0) | (4 if king else 0) | lock << 1 | reset
    known = _made.get(key)
    if known is None:
        known = _made[key] = _limits(number, suit, bind, pending, king, lock, reset)
    return known


_made: Final[dict[int, Limits]] = {}
"""There are a few hundred of them."""


def _limits(number: int, suit: int, bind: int, pending: int, king: int, lock: bool, reset: bool) -> Limits:
    if not reset:
        if lock:
            return Limits(0, 0, -1, (), 0, joker=True, any_single=False, only_joker=True)
        cards = COLOUR_MASKS[bind]
        if king:
            return Limits(cards, PICTURES, -1, (), 0, joker=True, any_single=False, only_joker=False)
        if pending:
            return Limits(cards, 1 << QUEEN, -1, (), QUEEN, joker=False, any_single=False, only_joker=False)
        if bind:
            return Limits(cards, ALL_NUMBERS, -1, (cards,), number, joker=True, any_single=False, only_joker=False)
    cards = DECK & ~JOKERS
    if not number:
        return Limits(cards, ALL_NUMBERS, -1, SUIT_MASKS, 0, joker=True, any_single=False, only_joker=False)
    lanes = (SUIT_MASKS[suit],)
    return Limits(cards, 1 << number, suit, lanes, number, joker=True, any_single=reset, only_joker=False)
