"""The limits on sets: the base, and the limits in force (rules page `docs/rules/numbers_crush.md`, C4 to C6)."""

from __future__ import annotations

from typing import Final, final

from fudaba_games.cards import mask_of
from fudaba_games.numbers_crush.cards import CARDS_AS, COLOUR_MASKS, DECK, JACK, JOKERS, KING, QUEEN, SUIT_MASKS
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.values import PHASE_EXTRA, PHASE_PENALTY, PHASE_RESET

ALL_SUITS_MASK: Final = 15
"""The mask of the four suits."""
ALL_NUMBERS_MASK: Final = 0x3FFE
"""The mask of the numbers 1 to 13."""
PICTURES: Final = 1 << JACK | 1 << QUEEN | 1 << KING


@final
class Limits:
    """The limits on sets. A set is legal if it meets one of them. The value is immutable."""

    def __init__(
        self,
        cards: int,
        groups: int,
        suit: int,
        lanes: tuple[int, ...],
        target: int,
        *,
        joker: bool,
        any_single: bool = False,
        only_joker: bool = False,
    ) -> None:
        self.cards: Final = cards
        """The cards that may be used, except jokers."""
        self.groups: Final = groups
        """A mask of numbers. One or more cards of such a number may be set in any order."""
        self.suit: Final = suit
        """The suit of which a single card may be set, and carry others of its number; -1 for no suit."""
        self.lanes: Final = lanes
        """Runs may be made within each of these masks of cards."""
        self.target: Final = target
        """The number to which two or more cards that may be set add up; 0 for no sum."""
        self.joker: Final = joker
        """Whether a declared joker may be set."""
        self.any_single: Final = any_single
        """Whether any single card may be set."""
        self.only_joker: Final = only_joker
        """Whether only a single joker may be set, as anything."""
        any_number = any_single or only_joker or suit >= 0
        self.joker_numbers: Final = tuple([n for n in range(1, 14) if any_number or groups >> n & 1])
        """The numbers that a single joker may stand for."""
        fitting = DECK if any_single else SUIT_MASKS[suit] if suit >= 0 else 0
        below = 0
        for number in range(1, 14):
            fitting |= CARDS_AS[number] if groups >> number & 1 else 0
            below |= CARDS_AS[number] if number < target else 0
        self.singles: Final = fitting & cards | JOKERS
        """The cards that may be set alone. Every set that is not a sum has one of them."""
        self.addends: Final = below & cards | JOKERS if target > 1 else 0
        """The cards that may be in a sum."""


def limits_of(number: int, suit: int, bind: int, pending: int, king: int, joker_lock: bool, reset: bool) -> Limits:
    """Returns the limits on a base of a number (0: a declared joker) and a suit (-1).

    `bind` is the allowed colour or 0; `pending` and `king` are penalties or 0. With `reset` all are ignored.
    """
    key = number * 5 + suit + 1 << 6 | bind << 4 | (8 if pending else 0) | (4 if king else 0) | joker_lock << 1 | reset
    known = _made.get(key)
    if known is None:
        known = _made[key] = _limits(number, suit, bind, pending, king, joker_lock, reset)
    return known


_made: Final[dict[int, Limits]] = {}
"""Returns the same from a cache, which has a few hundred limits."""


def _limits(number: int, suit: int, bind: int, pending: int, king: int, joker_lock: bool, reset: bool) -> Limits:
    if not reset:
        if joker_lock:
            return Limits(0, 0, -1, (), 0, joker=True, only_joker=True)
        cards = COLOUR_MASKS[bind]
        if king:
            return Limits(cards, PICTURES, -1, (), 0, joker=True)
        if pending:
            return Limits(cards, 1 << QUEEN, -1, (), QUEEN, joker=False)
        if bind:
            return Limits(cards, ALL_NUMBERS_MASK, -1, (cards,), number, joker=True)
    cards = DECK & ~JOKERS
    if not number:
        return Limits(cards, ALL_NUMBERS_MASK, -1, SUIT_MASKS, 0, joker=True)
    return Limits(cards, 1 << number, suit, (SUIT_MASKS[suit],), number, joker=True, any_single=reset)


def limits_now(state: NumbersCrushState) -> Limits:
    """Returns the limits for the seat that may set now."""
    if state.phase == PHASE_EXTRA:
        # Of the limits only a bind can be older than this turn: a set that meets another one ends it, or ends the turn.
        return limits_of(
            state.number, state.suit, 0 if state.new_bind else state.bind, 0, 0, joker_lock=False, reset=False
        )
    return limits_of(
        state.number,
        state.suit,
        state.bind,
        state.pending,
        state.king_penalty,
        state.joker_lock,
        state.phase == PHASE_RESET,
    )


def cards_now(state: NumbersCrushState) -> int:
    """Returns the cards that the seat that may set now may use: its hand, or the penalty cards drawn so far."""
    return mask_of(state.penalty_cards) if state.phase == PHASE_PENALTY else state.hands[state.turn]
