"""Drawing some of one's cards at random, without listing or counting what there is to choose from.

Every choice can come; they are not all equally likely: a card comes the more often, the further the one before it is
away in the deck. That is good enough for play by chance, and many times quicker than a fair draw.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import BIT_OF, CARDS, DECK

PLACE_BITS: Final = 9
"""So many random bits are a place in `FROM`."""
FROM: Final = tuple(
    DECK >> BIT_OF[place * CARDS >> PLACE_BITS] << BIT_OF[place * CARDS >> PLACE_BITS]
    for place in range(1 << PLACE_BITS)
)
"""Cards from a random one on, to the end of the deck, as masks: each card begins almost equally many of them.

`some = cards & FROM[place] or cards` and then `some & -some` is a card of a settled mask, as the bit of its first copy:
the next one from a random place on, around the deck.
"""


def random_card(cards: int, chance: Chance) -> int:
    """One of some cards (a settled mask, not empty), as the bit of its first copy."""
    some = cards & FROM[chance.getrandbits(PLACE_BITS)] or cards
    return some & -some


def random_part(cards: int, count: int, chance: Chance) -> int:
    """So many of some cards (a settled mask), as a settled mask. There must be as many.

    Of equal cards the copy with the lowest bit comes first, so that what is drawn is settled.
    """
    left = cards
    for _ in range(count):
        some = left & FROM[chance.getrandbits(PLACE_BITS)] or left
        left ^= some & -some
    return cards ^ left
