"""A sensible way to play Tashot: keep the hand that most unseen cards complete, now or after another exchange.

A hand is worth the payment of each winning card, times the number of unseen copies, plus a part of its possible worth
after the next draw. A call pays if it leaves a better hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, final

from fudaba_games.kamikisen.cards import CARDS, DECK, SHIP, SHIPS, STRENGTH_MASKS, cards_of, count_of, joined, without
from fudaba_games.kamikisen.melds import melds_of
from fudaba_games.tashot.moves import after_call
from fudaba_games.tashot.shapes import (
    all_cards,
    few_strengths,
    hopeless,
    mask_of_card,
    points_of,
    shape_of,
    with_card,
    without_card,
)
from fudaba_games.tashot.values import Call, Decline, Discard, Four, OpenMeld, Phase, TashotMove, TashotView, Win

__all__ = ["choose_sensible"]

READY_WORTH_RATIO: Final = 3.0
"""The worth of a hand that waits for one card, relative to one that could be ready with the next card."""
MIN_CALL_RATIO: Final = 1.15
"""The relative improvement of a hand that justifies a call."""
PAIR_WORTH: Final = 0.01
"""The worth of two cards of one strength by themselves, used to break ties between hands."""


def choose_sensible(view: TashotView, seat: int, legal_moves: Sequence[TashotMove]) -> TashotMove:
    """Returns a sensible move, always the same one for the same view."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    for move in legal_moves:
        if isinstance(move, Win):
            return move
    estimate = _Estimate(view, seat)
    if view.phase == Phase.WINDOW:
        return estimate.take(legal_moves)
    fours = [move for move in legal_moves if isinstance(move, Four)]
    if fours:
        # It is paid at once, by everyone. Real cards are worth no more in it than ships are outside.
        return min(fours, key=lambda four: (four.cards & SHIPS).bit_count())
    discards = [move for move in legal_moves if isinstance(move, Discard)]
    return max(discards, key=lambda move: estimate.worth(without_card(view.hand, move.card), estimate.meld))


@final
class _Estimate:
    """The facts that a seat can derive from its view."""

    def __init__(self, view: TashotView, seat: int) -> None:
        self._view = view
        self._others = len(view.scores) - 1
        melds = {meld.seat: meld for meld in view.melds}
        self.meld = melds.get(seat)
        seen = view.hand
        for cards in (*view.discards, *[meld.cards for meld in view.melds], *map(mask_of_card, view.lights)):
            seen = joined(seen, cards)
        unseen = without(DECK, seen)
        self._unseen: Final = [(card, count) for card in range(CARDS) if (count := count_of(unseen, card))]
        self._ready: dict[tuple[int, OpenMeld | None], float] = {}

    def take(self, legal_moves: Sequence[TashotMove]) -> TashotMove:
        """Returns a call that improves the hand, or declining."""
        view = self._view
        best: TashotMove = Decline()
        least = MIN_CALL_RATIO * self.worth(view.hand, self.meld)
        for move in legal_moves:
            if isinstance(move, Call):
                meld = OpenMeld(view.turn, move.cards, melds_of(move.cards)[0].form, move.strength)
                hand = after_call(view.hand, move, view.offered)
                worth = max([self.worth(without_card(hand, card), meld) for card in set(cards_of(hand))])
                if worth > least or (len(cards_of(move.cards)) == 4 and self._others > 1):
                    best, least = move, worth
        return best

    def worth(self, hand: int, meld: OpenMeld | None) -> float:
        """Returns the worth of a hand between two turns."""
        worth = READY_WORTH_RATIO * self._waits(hand, meld)
        for card, count in self._unseen:
            worth += count * self._best_after(with_card(hand, card), meld) / 40
        pairs = [(hand & mask).bit_count() for mask in STRENGTH_MASKS]
        return worth + PAIR_WORTH * sum([count * count for count in pairs]) + PAIR_WORTH * 4 * pairs[SHIP]

    def _best_after(self, hand: int, meld: OpenMeld | None) -> float:
        """Returns the worth of a hand after a draw and the best discard."""
        return max([self._waits(without_card(hand, card), meld) for card in set(cards_of(hand))])

    def _waits(self, hand: int, meld: OpenMeld | None) -> float:
        """Returns the sum over completing cards of their payment times the number of unseen copies."""
        if meld is None and not may_be_ready(hand):
            return 0.0
        key = hand, meld
        known = self._ready.get(key)
        if known is None:
            known = self._ready[key] = sum([count * self._pays(hand, meld, card) for card, count in self._unseen])
        return known

    def _pays(self, hand: int, meld: OpenMeld | None, card: int) -> float:
        """Returns the worth of winning with a card; 0 if it does not win."""
        six = with_card(hand, card)
        shape = shape_of(six, meld)
        if shape is None:
            return 0.0
        points = points_of(shape, all_cards(six, meld), self._view.lights, first_round=False)
        return points.finish + points.bonus + self._others * points.four


@lru_cache(maxsize=1 << 14)
def may_be_ready(hand: int) -> bool:
    """Returns whether one card could complete five: they have at most three strengths, or already a meld of three."""
    if few_strengths(hand) or not hopeless(hand):
        return True
    ships = (hand & SHIPS).bit_count()
    return any((hand & mask).bit_count() + ships > 2 for mask in STRENGTH_MASKS[1:])
