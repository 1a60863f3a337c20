"""Sets of different cards: bit `c` of a mask stands for card `c`. The module depends on no game."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fudaba_games.game import MalformedMove


def mask_of(cards: Iterable[int]) -> int:
    """Returns the mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_in(mask: int) -> list[int]:
    """Returns the cards of a mask, lowest first. Every bit counts, so the mask must not be negative."""
    cards: list[int] = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def parse_different(texts: Iterable[str], parse_card: Callable[[str], int]) -> int:
    """Returns the mask of some cards' texts, in any order. Raises `MalformedMove`, also for a repeated card."""
    mask = 0
    for text in texts:
        bit = 1 << parse_card(text)
        if mask & bit:
            raise MalformedMove(f"{text} is named twice; name each card once")
        mask |= bit
    return mask
