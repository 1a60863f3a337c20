"""The winner of a trick of Napoleon, and the cards that may be played to it (rules page `docs/rules/napoleon.md`, P7
and P8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.napoleon.cards import (
    CARDS,
    MIGHTY,
    NO_TRUMP,
    SUIT_MASKS,
    SUIT_OF,
    TWO,
    YOROMEKI,
    left_jack,
    right_jack,
)

_TRUMP_RANK: Final = 20
_LEFT_JACK_RANK: Final = 40
_RIGHT_JACK_RANK: Final = 41
_MIGHTY_RANK: Final = 42


def _strength(card: int, trump: int, led: int) -> int:
    if card == MIGHTY:
        return _MIGHTY_RANK
    if card == right_jack(trump):
        return _RIGHT_JACK_RANK
    if card == left_jack(trump):
        return _LEFT_JACK_RANK
    suit, rank = divmod(card, 13)
    high = rank or 13
    if suit == trump:
        return _TRUMP_RANK + high
    return high if suit == led else 0


STRENGTHS: Final = tuple(
    tuple(tuple(_strength(card, trump, led) for card in range(CARDS)) for led in range(4))
    for trump in range(NO_TRUMP + 1)
)
"""For each trump, suit led and card, the strength of the card by itself, without Yoromeki and Same two. A card of
strength 0 cannot win.
"""


def trick_winner(cards: Sequence[int], trump: int, first: bool) -> int:
    """Returns the card of a trick that wins, as its index in the order of play (rules page, P8).

    `cards` are the one to five cards played so far; with fewer than five, the result is the card that is winning so
    far, without Same two. `trump` is a suit 0-4, and `first` says whether it is the first trick of the deal.
    """
    return winner_of(list(cards), trump, first)


def winner_of(trick: list[int], trump: int, first: bool) -> int:
    """Returns the same as `trick_winner`, for the list that the state holds."""
    led = SUIT_OF[trick[0]]
    row = STRENGTHS[trump][led]
    best, strongest = -1, 0
    for card in trick:
        strength = row[card]
        if strength > best:
            best, strongest = strength, card
    if best == _MIGHTY_RANK:
        if YOROMEKI in trick:
            strongest = YOROMEKI
    elif not first and best < _LEFT_JACK_RANK and 13 * led + TWO in trick and len(trick) == 5 and is_same_two(trick):
        strongest = 13 * led + TWO
    return trick.index(strongest)


def is_same_two(cards: Sequence[int]) -> bool:
    """Returns whether five cards are of one suit with its 2 among them (セイム2; rules page, P8.6)."""
    suit = SUIT_OF[cards[0]]
    if 13 * suit + TWO not in cards:
        return False
    mask = SUIT_MASKS[suit]
    return all(mask >> card & 1 for card in cards)


def playable(hand: int, led: int) -> int:
    """Returns the cards of a hand (a mask) that may be played when suit `led` (-1: none yet) was led (rules page,
    P7.3).
    """
    return (hand & SUIT_MASKS[led] or hand) if led >= 0 else hand
