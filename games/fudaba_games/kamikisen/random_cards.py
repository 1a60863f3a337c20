"""Drawing of some cards at random, without listing or counting the choices.

Every choice can come up, but not with equal probability: a card is more likely, the further away the next one is in the
deck. That is good enough for random play, and many times faster than a fair draw.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import (
    BIT_OF,
    CARD_MASKS,
    CARD_OF_BIT,
    CARDS,
    DECK_SIZE,
    FIRSTS,
    HALF_BITS,
    INNER,
    settled,
)

PLACE_BITS: Final = 9
"""The number of random bits that make a place in `UP_TO`."""
UP_TO: Final = tuple(sum(CARD_MASKS[: 1 + (place * CARDS >> PLACE_BITS)]) for place in range(1 << PLACE_BITS))
"""Cards from the first of the deck to a random one, as masks: each card ends almost the same number of masks.

In `cards & UP_TO[place] or cards` the highest card is the drawn one: the last card up to a random place, around the
deck. Its `bit_length`, one more than the bit, indexes tables of moves.
"""
FIRST_COPY: Final = (0, *[1 << BIT_OF[card] for card in CARD_OF_BIT])
"""The first copy of the card of each bit, as a mask, at the number of the bit plus one."""


def random_card(cards: int, chance: Chance) -> int:
    """Returns one of some cards, at least one, as a mask with a single bit."""
    return 1 << (cards & UP_TO[chance.getrandbits(PLACE_BITS)] or cards).bit_length() - 1


def random_set(card: int, others: int, chance: Chance) -> int:
    """Returns a card and one or more of the cards that go with it, as a settled mask."""
    return settled(card | (others & chance.getrandbits(DECK_SIZE) or random_card(others, chance)))


def doubled(hand: int) -> int:
    """Returns cards of which a hand has another of the same kind, at least one for each such kind."""
    return hand & INNER | hand & hand >> HALF_BITS & FIRSTS


def random_part(cards: int, count: int, chance: Chance) -> int:
    """Returns this many of some cards, as a settled mask. There must be enough cards."""
    left = cards
    for _ in range(count):
        some = left & UP_TO[chance.getrandbits(PLACE_BITS)] or left
        left ^= 1 << some.bit_length() - 1
    part = cards ^ left
    return settled(part) if part & INNER else part
