"""The legal moves of Makkaik, in the rulebook's order (rules page `docs/rules/makkaik.md`, MA8)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import CARD_OF_BIT, FIRSTS
from fudaba_games.makkaik.values import DRAW, FOLD, KEEPS, STAYS, SWAPS, Keep, MakkaikMove

NAMING: Final[tuple[MakkaikMove, ...]] = (FOLD, *STAYS[1:])
"""The dealer's choices."""
PAYING: Final[tuple[MakkaikMove, ...]] = (FOLD, STAYS[0])
"""The other seats' choices."""


def different(cards: int) -> list[int]:
    """Returns the different cards (0-23) of a mask, in deck order."""
    rest = cards & FIRSTS
    found: list[int] = []
    while rest:
        low = rest & -rest
        found.append(CARD_OF_BIT[low.bit_length() - 1])
        rest ^= low
    return found


def exchanges(hand: int, public: int) -> list[MakkaikMove]:
    """Returns every swap, then drawing."""
    taken = different(public)
    moves: list[MakkaikMove] = [SWAPS[given][card] for given in different(hand) for card in taken]
    moves.append(DRAW)
    return moves


def keeps(hand: int, drawn: int) -> list[Keep]:
    """Returns every way to keep one of the drawn cards."""
    given = different(hand)
    return [KEEPS[kept][card] for kept in different(drawn) for card in given]


def random_exchange(hand: int, public: int, chance: Chance) -> MakkaikMove:
    """Returns drawing or a swap, each with probability one half. Every swap is equally likely."""
    draws = chance.random() >= 0.5
    drawn = chance.random()
    if draws:
        return DRAW
    place = int(drawn * ((hand & FIRSTS).bit_count() * (public & FIRSTS).bit_count()))
    taken = different(public)
    return SWAPS[different(hand)[place // len(taken)]][taken[place % len(taken)]]
