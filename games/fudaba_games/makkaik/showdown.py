"""Decides which hand wins the pot of Makkaik (rules page `docs/rules/makkaik.md`, MA6)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import (
    BIT_OF,
    CARD_OF_BIT,
    HALF,
    HALF_BITS,
    RED_SHIP,
    SHIPS,
    STRENGTH_MASKS,
    STRENGTH_OF_BIT,
    TOP,
    joined,
    mask_of,
    places_of,
)
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE

_LONG_MELD_CARDS: Final = 3
"""The number of cards in the sets and runs that rank above a set of two."""


@final
class Category(IntEnum):
    """The category of a meld, which counts before its strength: a higher number wins."""

    SINGLE = 1
    SET_OF_TWO = 2
    RUN_OF_THREE = 3
    SET_OF_THREE = 4


_TWO: Final = int(Category.SET_OF_TWO)
_FORMS: Final = (0, SINGLE, SET, RUN, SET)
"""The form of each category."""


@final
class BestMeld(NamedTuple):
    """The best meld of a hand with the public cards. The greater of two, compared as pairs, is better."""

    category: int
    strength: int
    """The strength of a run's highest card."""
    cards: int

    @property
    def form(self) -> int:
        """`SINGLE`, `SET` or `RUN`."""
        return _FORMS[self.category]


_RUN_BITS: Final = tuple(
    sum([1 << BIT_OF[strength - down] for down in range(_LONG_MELD_CARDS)]) if strength >= _LONG_MELD_CARDS else 0
    for strength in range(TOP)
)
"""The first copies of a run, in red, by the strength of its highest card."""


def best_meld(hand: int, public: int) -> BestMeld:
    """Returns the best meld of hand and public cards (masks) that holds at least one card of the hand.

    A ship stands for whatever makes the best meld next to a card that is not a ship, and alone for king or emperor. If
    several choices of cards make the same meld, it returns one of them.
    """
    together = joined(hand, public)
    wild = (together & SHIPS).bit_count()
    ship = hand & SHIPS
    pair = 0
    for strength in range(TOP, 0, -1):
        of_strength = STRENGTH_MASKS[strength]
        count = (together & of_strength).bit_count()
        if count and count + wild > 1 and (ship or hand & of_strength):
            if count + wild >= _LONG_MELD_CARDS:
                return BestMeld(int(Category.SET_OF_THREE), strength, _set_of(_LONG_MELD_CARDS, strength, hand, public))
            pair = pair or strength
    run, cards = _best_run(hand, together)
    if run:
        return BestMeld(int(Category.RUN_OF_THREE), run, cards)
    if pair:
        return BestMeld(_TWO, pair, _set_of(2, pair, hand, public))
    best = max(places_of(hand), key=lambda place: STRENGTH_OF_BIT[place] or TOP)
    return BestMeld(int(Category.SINGLE), STRENGTH_OF_BIT[best] or TOP, 1 << BIT_OF[CARD_OF_BIT[best]])


def _best_run(hand: int, together: int) -> tuple[int, int]:
    """Returns the strength and the cards of the best run of three with a card of the hand; 0 for none."""
    best = best_cards = 0
    for shift in (0, HALF_BITS):
        half, own = together >> shift & HALF, hand >> shift & HALF
        least = _LONG_MELD_CARDS - (half & RED_SHIP)
        for strength in range(TOP - 1, max(best, _LONG_MELD_CARDS - 1), -1):
            bits = _RUN_BITS[strength]
            there = half & bits
            if there.bit_count() >= least and own & (bits | RED_SHIP):
                if there == bits and not own & bits:
                    there ^= there & -there  # all of it is public: the hand's ship takes the place of a card
                best, best_cards = strength, (there if there == bits else there | RED_SHIP) << shift
                break
    return best, best_cards


def _set_of(size: int, strength: int, hand: int, public: int) -> int:
    """Returns the cards of a set that the hand makes, at least one card of the hand among them, with no more ships than
    needed.
    """
    own, common = places_of(hand & STRENGTH_MASKS[strength]), places_of(public & STRENGTH_MASKS[strength])
    ships, wild = places_of(hand & SHIPS), places_of(public & SHIPS)
    need = 0 if own else 1
    chosen = [*own, *ships[:need], *common, *ships[need:], *wild][:size]
    return mask_of([CARD_OF_BIT[place] for place in chosen])


def showdown_key(hand: int, public: int) -> tuple[int, ...]:
    """Returns the key by which hands are compared: category and strength of the best meld, then the strengths of the
    cards, strongest first.

    Among the cards, a ship counts as itself, the weakest. The greatest key wins; equal keys share the pot.
    """
    category, strength, _ = best_meld(hand, public)
    return (category, strength, *sorted([STRENGTH_OF_BIT[place] for place in places_of(hand)], reverse=True))


def winners_of(hands: Mapping[int, int], public: int) -> tuple[int, ...]:
    """Returns the seats whose hands win, lowest first. `hands` are the hands to compare, by seat."""
    keys = {seat: showdown_key(hand, public) for seat, hand in hands.items()}
    best = max(keys.values())
    return tuple([seat for seat in sorted(keys) if keys[seat] == best])
