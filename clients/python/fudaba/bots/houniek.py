"""A sensible way to play Houniek: get rid of many cards at a time, and of those that go with no others first.

It counts, and never samples: a decision takes about a millisecond, and the same view gives the same move.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from fudaba_games.houniek.circle import BEATERS, PLACE_MASKS, PLACES, WILD
from fudaba_games.houniek.values import HouniekMove, HouniekView, Lay, Pass
from fudaba_games.kamikisen.cards import without

__all__ = ["choose_sensible", "melds_needed"]

MOST_LOOKED_AT: Final = 300
"""Of more legal moves than that it looks at some, spread over all."""

MELD_COST: Final = 1.0
"""What each meld costs that is still needed to get rid of a hand."""
CARD_COST: Final = 0.25
"""What each card in hand costs besides."""
WILD_COST: Final = 0.25
"""What it costs to lay a none, which would fit anywhere later."""
PASS_COST: Final = 0.1
"""What it costs to let the others play on."""
WEAK_COST: Final = 0.05
"""What each kind costs that beats the foot of a meld."""


def choose_sensible(view: HouniekView, seat: int, legal_moves: Sequence[HouniekMove]) -> HouniekMove:  # noqa: ARG001 - the view is the seat's
    """The move that a sensible player makes: always the same one for the same view."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    step = -(-len(legal_moves) // MOST_LOOKED_AT)
    looked_at = legal_moves if step == 1 else [legal_moves[0], *legal_moves[1::step]]
    return min(looked_at, key=lambda move: cost(view.hand, move))


def cost(hand: int, move: HouniekMove) -> float:
    """What a move costs: the less, the better. A move that empties the hand costs least."""
    if isinstance(move, Pass):
        return _left(hand) + PASS_COST
    rest = without(hand, move.cards)
    if not rest:
        return -100.0
    wild = (move.cards & WILD).bit_count()
    return _left(rest) + WILD_COST * wild + WEAK_COST * _weakness(move)


def _left(hand: int) -> float:
    return MELD_COST * melds_needed(hand) + CARD_COST * hand.bit_count()


def _weakness(lay: Lay) -> int:
    """How many feet beat that of a meld."""
    return BEATERS[lay.foot].bit_count()


def melds_needed(hand: int) -> int:
    """About how many melds it takes to lay all cards of a hand: the largest first, a none saves one."""
    counts = tuple([(hand & mask).bit_count() for mask in PLACE_MASKS])
    return max(1, _groups(counts) - (hand & WILD).bit_count())


@lru_cache(maxsize=1 << 14)
def _groups(counts: tuple[int, ...]) -> int:
    """How many melds there are when the largest run or set is taken away again and again."""
    left = list(counts)
    groups = 0
    while any(left):
        foot, size = _longest_run(left)
        most = max(left)
        if size >= most:
            for place in range(foot, foot + size):
                left[place % PLACES] -= 1
        else:
            left[left.index(most)] = 0
        groups += 1
    return groups


def _longest_run(counts: list[int]) -> tuple[int, int]:
    """The foot and the size of the longest run; of two the earlier one."""
    best = (0, 0)
    for foot in range(PLACES):
        size = 0
        while size < PLACES and counts[(foot + size) % PLACES]:
            size += 1
        if size > best[1]:
            best = (foot, size)
    return best
