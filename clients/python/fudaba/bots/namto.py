"""A sensible way to play Namto: pay the share of the pot that the hand is worth, and more when it is likely to win.

It deals the unseen cards to the others and to the table many times and counts how often its hand wins. A decision takes
a few milliseconds; the same view gives the same move.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from fudaba_games.kamikisen.betting import seats_in
from fudaba_games.kamikisen.cards import DECK, joined, without
from fudaba_games.kamikisen.dealing import deal_at_random
from fudaba_games.namto.melds import worth_of
from fudaba_games.namto.turns import HAND_CARDS
from fudaba_games.namto.values import BETS, CALL, FOLD, NamtoMove, NamtoView, Phase

__all__ = ["choose_sensible"]

WORLD_COUNT: Final = 40
"""The number of times that the unseen cards are dealt."""

MIN_GOOD_SHARE: Final = 1.3
"""The multiple of a fair share of the pot above which it bets half of the pot."""
MIN_STRONG_SHARE: Final = 1.8
"""The multiple above which it bets the whole pot."""


def choose_sensible(view: NamtoView, seat: int, legal_moves: Sequence[NamtoMove]) -> NamtoMove:
    """Returns a sensible move, always the same one for the same view."""
    chance = _chance(view)
    calling = view.phase == Phase.CALLING
    cost = view.min_bet - (view.bets[seat] if calling else 0)
    if chance * (view.pot + cost) < cost:
        return FOLD
    if calling:
        return CALL
    share = chance * view.staying.bit_count()
    wanted = view.pot if share >= MIN_STRONG_SHARE else view.pot // 2 if share >= MIN_GOOD_SHARE else 0
    move = BETS[min(max(wanted, view.min_bet), view.max_bet)]
    return move if move in legal_moves else FOLD


def _chance(view: NamtoView) -> float:
    """Returns the probability that the hand wins against any cards of those who are in; a split pot counts in part."""
    dice = random.Random(str(view))  # noqa: S311 - a game; from the view alone, so that a match can be repeated
    others = len(seats_in(view.staying)) - 1
    unseen = without(DECK, joined(view.hand, view.shared_cards))
    to_come = view.rounds - 1 - view.round
    won = 0.0
    for _ in range(WORLD_COUNT):
        opened, *hands, _ = deal_at_random(unseen, [to_come, *[HAND_CARDS] * others], dice)
        shared = joined(view.shared_cards, opened)
        own = worth_of(view.hand, shared)
        equal = 1
        for hand in hands:
            worth = worth_of(hand, shared)
            if worth > own:
                break
            equal += worth == own
        else:
            won += 1 / equal
    return won / WORLD_COUNT
