"""A sensible way to play Makkaik: exchange for the hand that wins most often, and pay as long as that is worth it.

It deals the unseen cards to the others many times and counts how often its hand would win. A decision takes a few
milliseconds; the same view gives the same move.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, final

from fudaba_games.kamikisen.betting import seats_in
from fudaba_games.kamikisen.cards import BIT_OF, DECK, joined, without
from fudaba_games.kamikisen.dealing import deal_at_random
from fudaba_games.makkaik.moves import keeps
from fudaba_games.makkaik.showdown import showdown_key
from fudaba_games.makkaik.turns import CARDS_PER_DRAW, HAND_CARDS
from fudaba_games.makkaik.values import DRAW, FOLD, STAYS, Keep, MakkaikMove, MakkaikView, Phase, Swap

__all__ = ["choose_sensible"]

WORLD_COUNT: Final = 60
"""The number of times that the unseen cards are dealt."""
MAX_SWAPS_TRIED: Final = 5
"""The number of swaps that it examines closely: those with the best hands."""
DRAW_COUNT: Final = 12
"""The number of trial draws."""
WORLDS_PER_DRAW: Final = 10

MIN_STRONG_SHARE: Final = 1.2
"""The multiple of a fair share of the pot above which it names the highest base."""
MIN_FAIR_SHARE: Final = 0.9
"""The multiple above which it names a middle one."""
MIDDLE_STAY_INDEX: Final = 3
MIN_WIN_PROBABILITY: Final = 0.05
"""Below this probability of winning, the dealer folds."""


def choose_sensible(view: MakkaikView, seat: int, legal_moves: Sequence[MakkaikMove]) -> MakkaikMove:
    """Returns a sensible move, always the same one for the same view."""
    estimate = _Estimate(view, seat)
    if view.phase == Phase.BETTING:
        return _bet(view, estimate)
    if view.phase == Phase.KEEPING:
        return estimate.best_keep(view.drawn, estimate.worlds)[0]
    swaps = [move for move in legal_moves if isinstance(move, Swap)]
    best, chance = max(
        [(move, estimate.after_swap(move)) for move in estimate.promising(swaps)], key=lambda pair: pair[1]
    )
    return DRAW if estimate.after_draw() > chance else best


def _bet(view: MakkaikView, estimate: _Estimate) -> MakkaikMove:
    """Returns the move in the betting, by comparing the worth of the pot with the cost of staying."""
    chance = estimate.chance(view.hand, view.public_cards, estimate.worlds)
    if view.base:
        return STAYS[0] if chance * (view.pot + view.base) >= view.base else FOLD
    share = chance * view.staying.bit_count()
    if chance < MIN_WIN_PROBABILITY:
        return FOLD
    return STAYS[-1] if share >= MIN_STRONG_SHARE else STAYS[MIDDLE_STAY_INDEX] if share >= MIN_FAIR_SHARE else STAYS[1]


@final
class _Estimate:
    """The facts that a seat can derive from its view."""

    def __init__(self, view: MakkaikView, seat: int) -> None:
        self.view = view
        self.dice = random.Random(str(view))  # noqa: S311 - a game; from the view alone, so that a match can be repeated
        others = [other_seat for other_seat in seats_in(view.staying) if other_seat != seat]
        self.taken = [view.taken[other_seat] for other_seat in others]
        seen = joined(joined(view.hand, view.public_cards), view.drawn)
        for cards in self.taken:
            seen = joined(seen, cards)
        self.unseen = without(DECK, seen)
        self.worlds = self._deal(self.unseen, WORLD_COUNT)

    def _deal(self, unseen: int, times: int) -> list[list[int]]:
        """Deals the hands of the others who are still in, this many times."""
        sizes = [HAND_CARDS - cards.bit_count() for cards in self.taken]
        dealt = [deal_at_random(unseen, sizes, self.dice)[:-1] for _ in range(times)]
        return [[joined(cards, known) for cards, known in zip(hands, self.taken, strict=True)] for hands in dealt]

    def chance(self, hand: int, public: int, worlds: Sequence[Sequence[int]]) -> float:
        """Returns the share of the worlds in which a hand wins the pot; a split pot counts in part."""
        own = showdown_key(hand, public)
        won = 0.0
        for hands in worlds:
            equal = 1
            for other in hands:
                key = showdown_key(other, public)
                if key > own:
                    break
                equal += key == own
            else:
                won += 1 / equal
        return won / len(worlds)

    def promising(self, swaps: Sequence[Swap]) -> list[Swap]:
        """Returns the swaps that make the best hands."""
        return sorted(swaps, key=lambda move: showdown_key(*self._swapped(move)), reverse=True)[:MAX_SWAPS_TRIED]

    def after_swap(self, move: Swap) -> float:
        """Returns the probability that the hand wins after a swap."""
        return self.chance(*self._swapped(move), self.worlds)

    def _swapped(self, move: Swap) -> tuple[int, int]:
        given, taken = 1 << BIT_OF[move.given], 1 << BIT_OF[move.taken]
        hand, public = self.view.hand, self.view.public_cards
        return joined(without(hand, given), taken), joined(without(public, taken), given)

    def after_draw(self) -> float:
        """Returns the probability that the hand wins after drawing."""
        total = 0.0
        for _ in range(DRAW_COUNT):
            drawn, rest = deal_at_random(self.unseen, [CARDS_PER_DRAW], self.dice)
            total += self.best_keep(drawn, self._deal(rest, WORLDS_PER_DRAW))[1]
        return total / DRAW_COUNT

    def best_keep(self, drawn: int, worlds: Sequence[Sequence[int]]) -> tuple[MakkaikMove, float]:
        """Returns which of two drawn cards to keep, and the probability of winning with it."""
        hand = self.view.hand
        ways = keeps(hand, drawn)
        after = [_kept(move, hand, drawn, self.view.public_cards) for move in ways]
        best = max(range(len(ways)), key=lambda way: showdown_key(*after[way]))
        return ways[best], self.chance(*after[best], worlds)


def _kept(move: Keep, hand: int, drawn: int, public: int) -> tuple[int, int]:
    """Returns the hand and the public cards after keeping a drawn card."""
    kept, given = 1 << BIT_OF[move.kept], 1 << BIT_OF[move.given]
    out = joined(without(drawn, kept), given)
    return joined(without(hand, given), kept), joined(public, out)
