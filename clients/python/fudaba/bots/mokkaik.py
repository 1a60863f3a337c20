"""A sensible way to play Mokkaik: keep the lead with melds that nobody can beat, and save a last one that wins.

It deals the unseen cards to the others a few times, and so estimates how likely each of its melds is to hold. From this
it works out in which order to lay its hand. A decision takes about a millisecond; the same view gives the
same move.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, final

from fudaba_games.kamikisen.cards import (
    DECK,
    KIND_OF,
    RED,
    SHIP,
    STRENGTH_MASKS,
    STRENGTH_OF_KIND,
    cards_of,
    joined,
    mask_of,
    without,
)
from fudaba_games.kamikisen.dealing import deal_at_random
from fudaba_games.mokkaik.moves import lays_to_follow, lays_to_lead
from fudaba_games.mokkaik.values import Discard, Lay, MokkaikMove, MokkaikView

__all__ = ["choose_sensible"]

WORLD_COUNT: Final = 16
"""The number of times that the unseen cards are dealt."""
FOLLOWER_FAIR_SHARE: Final = 0.8
"""The probability that a seat without the lead still wins the deal, as a fraction of a fair share."""
PUBLIC_CARD_WORTH_DEALS: Final = 0.02
"""The worth of a public card, relative to the deal."""
SHIP_WORTH_STRENGTHS: Final = 20.0
MATE_WORTH_STRENGTHS: Final = 4.0
"""The extra worth of a card, in strengths, for each other card of its strength in the hand; for a ship, its own."""


def choose_sensible(view: MokkaikView, seat: int, legal_moves: Sequence[MokkaikMove]) -> MokkaikMove:
    """Returns a sensible move, always the same one for the same view."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    estimate = _Estimate(view, seat)
    if not view.size:
        lays, _ = estimate.plan(view.hand)
        return lays[0]
    best: MokkaikMove = Discard(_worst(view.hand, view.size))
    best_worth = estimate.following
    for move in legal_moves:
        if isinstance(move, Discard):
            break  # lays come first
        worth = estimate.worth(move, view.hand)
        if worth > best_worth:
            best, best_worth = move, worth
    return best


@final
class _Estimate:
    """The facts that a seat can derive from its view."""

    def __init__(self, view: MokkaikView, seat: int) -> None:
        self.view = view
        seats = len(view.hand_sizes)
        self.following = FOLLOWER_FAIR_SHARE / seats
        # Those who can still beat a meld that is laid now: everyone, or the seats that have not yet played this round.
        step = (seat - view.leader) % seats
        after = [(seat + offset) % seats for offset in range(1, seats - step)]
        chance = random.Random(str(view))  # noqa: S311 - a game; from the view alone, so that a match can be repeated
        others = [other_seat for other_seat in range(seats) if other_seat != seat]
        sizes = [view.hand_sizes[other_seat] for other_seat in others]
        unseen = without(DECK, _seen(view))
        self.worlds: list[list[int]] = []
        """The hands of everyone else."""
        self.now: list[list[int]] = []
        """The hands of those who have yet to play in this round."""
        for _ in range(WORLD_COUNT):
            hands = deal_at_random(unseen, sizes, chance)[:-1]
            self.worlds.append(hands)
            self.now.append([hands[others.index(later_seat)] for later_seat in after])
        self._holds: dict[Lay, float] = {}
        self._plans: dict[int, tuple[list[Lay], float]] = {}
        self._lays = _strongest([lay for lays in lays_to_lead(view.hand) for lay in lays])

    def worth(self, lay: Lay, hand: int) -> float:
        """Returns the probability of winning the deal after laying a meld now."""
        holds = _holds(lay, self.now)
        rest = without(hand, lay.cards)
        after = self.plan(rest)[1] if rest else 1.0
        lost = self.following if rest else 0.0
        return holds * (after + PUBLIC_CARD_WORTH_DEALS * lay.cards.bit_count()) + (1 - holds) * lost

    def plan(self, hand: int) -> tuple[list[Lay], float]:
        """Returns the order in which to lead the melds of a hand, and the probability of winning the deal that way."""
        if not hand:
            return [], 1.0
        known = self._plans.get(hand)
        if known is not None:
            return known
        best: list[Lay] = []
        best_worth = -1.0
        for lay in self._lays:
            if lay.cards & ~hand:
                continue
            holds = self._holds.get(lay)
            if holds is None:
                holds = self._holds[lay] = _holds(lay, self.worlds)
            rest = without(hand, lay.cards)
            lost = self.following if rest else 0.0
            gained = PUBLIC_CARD_WORTH_DEALS * lay.cards.bit_count()
            if holds * (1.0 + gained) + (1 - holds) * lost <= best_worth:
                continue
            lays, after = self.plan(rest)
            worth = holds * (after + gained) + (1 - holds) * lost
            if worth > best_worth:
                best, best_worth = [lay, *lays], worth
        self._plans[hand] = best, best_worth
        return best, best_worth


def _seen(view: MokkaikView) -> int:
    """Returns the cards that the seat knows not to be in another hand, another's discards or the stock."""
    seen = view.hand
    for cards in (view.discarded, view.beaten, *view.public_cards, *view.laid):
        seen = joined(seen, cards)
    return seen


def _strongest(lays: Sequence[Lay]) -> list[Lay]:
    """Returns the strongest reading of every meld, which is the last one."""
    return list({lay.cards: lay for lay in lays}.values())


def _holds(lay: Lay, worlds: Sequence[Sequence[int]]) -> float:
    """Returns the share of the worlds in which nobody can beat a meld."""
    size, reds = lay.cards.bit_count(), (lay.cards & RED).bit_count()
    held = 0
    for hands in worlds:
        for hand in hands:
            if lays_to_follow(hand, lay.form, size, reds, lay.strength):
                break
        else:
            held += 1
    return held / len(worlds)


def _worst(hand: int, count: int) -> int:
    """Returns the most dispensable cards: weak ones outside any set."""
    chosen: list[int] = []
    cards = cards_of(hand)
    for _ in range(count):
        left = without(hand, mask_of(chosen))
        worst = min([card for card in cards if (mask_of([card]) & left)], key=lambda card: _kept(card, left))
        chosen.append(worst)
    return mask_of(chosen)


def _kept(card: int, hand: int) -> float:
    """Returns the worth of a card to its hand."""
    kind = KIND_OF[card]
    if kind == SHIP:
        return SHIP_WORTH_STRENGTHS
    strength = STRENGTH_OF_KIND[kind]
    same = (hand & STRENGTH_MASKS[strength]).bit_count()
    return strength + MATE_WORTH_STRENGTHS * (same - 1)
