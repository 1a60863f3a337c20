"""The legal moves of Napoleon, in the rulebook's order.

There are few moves, and they are immutable: each is made once, and all matches share it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final, final

from fudaba_games.lazy import LazySequence
from fudaba_games.napoleon.cards import CARDS, HIGHEST_CALL, SUIT_MASKS, cards_of
from fudaba_games.napoleon.values import APPROVAL, BIDS, PLAYS, Bury, Name, NapoleonMove

NAMES: Final[tuple[NapoleonMove, ...]] = tuple(Name(card) for card in range(CARDS))
"""The namings: every card may be named (P6.1)."""

HIGHER_BIDS: Final[tuple[tuple[NapoleonMove, ...], ...]] = tuple(
    tuple([bid for bid in BIDS[call + 1 :] if bid is not None]) for call in range(HIGHEST_CALL + 1)
)
"""For each call, every bid that beats it, lowest first (P4.4)."""
CALLS: Final[tuple[tuple[NapoleonMove, ...], ...]] = tuple((APPROVAL, *bids) for bids in HIGHER_BIDS)
"""For each highest call, the calls that a seat may make if it need not bid."""

_PAIRS: Final = tuple(combinations(range(12), 2))
_plays_of_a_suit: Final[dict[int, tuple[NapoleonMove, ...]]] = {0: ()}
"""The plays of the cards of one suit, by their mask, cached on request."""


def plays_of(cards: int) -> tuple[NapoleonMove, ...]:
    """Returns the plays of a mask of cards, in deck order."""
    known = _plays_of_a_suit.get(cards)
    if known is not None:
        return known
    plays: tuple[NapoleonMove, ...] = ()
    for suit in SUIT_MASKS:
        of_suit = cards & suit
        if of_suit:
            part = _plays_of_a_suit.get(of_suit)
            if part is None:
                part = _plays_of_a_suit[of_suit] = tuple([PLAYS[card] for card in cards_of(of_suit)])
            plays += part
    return plays


@final
class Burials(LazySequence[NapoleonMove]):
    """Every two of the twelve cards of a hand, in deck order and compared as lists. The value is immutable."""

    __slots__ = ("_hand",)

    def __init__(self, hand: int) -> None:
        self._hand = hand

    def __len__(self) -> int:
        return len(_PAIRS)

    def _at(self, place: int) -> NapoleonMove:
        cards = cards_of(self._hand)
        a, b = _PAIRS[place]
        return Bury(1 << cards[a] | 1 << cards[b])
