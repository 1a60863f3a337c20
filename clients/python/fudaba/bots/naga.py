"""A sensible way to play Naga: estimates from samples of the hidden cards, judged by the rules' public functions.

For each choice it estimates how often it would win this battle against the best hand of an opponent with random unseen
cards, how often the two cards that it keeps would win the next battle, and how often they would win Eltam if they were
kept for it. A decision takes a few milliseconds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from fudaba_games.naga.cards import DECK, ELTAM, PLACES, cards_of
from fudaba_games.naga.hands import hand_value
from fudaba_games.naga.values import Commit, NagaMove, NagaView

__all__ = ["choose_sensible"]

OPPONENT_COUNT: Final = 32
"""The number of opponent's hands that are tried in this battle."""
REFILL_COUNT: Final = 16
"""The number of samples of the next battle and of Eltam's."""
ELTAM_PRIZE_RATIO: Final = 3.0
"""The worth of Eltam relative to a place with a single card."""
KEPT_PROBABILITY: Final = 0.7
"""The probability that cards kept now are kept again in a later battle: the discount on Eltam."""


def choose_sensible(view: NagaView, seat: int, legal_moves: Sequence[NagaMove]) -> NagaMove:  # noqa: ARG001 - see below
    """Returns a sensible move, always the same one for the same view.

    `seat` is not needed in this game; every game's strategy takes the same arguments.
    """
    # The samples are drawn from the view alone, so that a match with this bot can be repeated.
    chance = random.Random(f"{view.hand} {view.discarded} {view.table} {view.place}")  # noqa: S311 - a game
    unseen = cards_of(DECK & ~(view.hand | view.discarded | view.won[0] | view.won[1] | sum(view.table)))
    if view.place:
        return _commitment(view, legal_moves, unseen, chance)
    return _designation(view, legal_moves, unseen, chance)


def _designation(view: NagaView, legal_moves: Sequence[NagaMove], unseen: list[int], chance: random.Random) -> NagaMove:
    """Returns the place where the best hand wins most often; the first among equals."""
    opponents = [chance.sample(unseen, 5) for _ in range(OPPONENT_COUNT)]
    own = cards_of(view.hand)

    def wins(move: NagaMove) -> int:
        place = 0 if isinstance(move, Commit) else move.place
        prize = view.table[place]
        best = _best(own, 3, prize, place)
        return sum([_sign(best - _best(cards, 3, prize, place)) for cards in opponents])

    return max(legal_moves, key=wins)


def _commitment(view: NagaView, legal_moves: Sequence[NagaMove], unseen: list[int], chance: random.Random) -> NagaMove:
    """Returns the cards that do best in this battle and leave the most for the next."""
    place, prize = view.place, view.table[view.place]
    size, held = (2, 3) if place == ELTAM else (3, 5)
    against = [_best(chance.sample(unseen, held), size, prize, place) for _ in range(OPPONENT_COUNT)]
    coming = [] if place == ELTAM else _coming_battles(view, unseen, chance)

    def worth(move: NagaMove) -> float:
        cards = move.cards if isinstance(move, Commit) else 0
        value = hand_value(cards | prize, place)
        now = sum([_sign(value - other) for other in against]) / OPPONENT_COUNT
        kept = cards_of(view.hand & ~cards)
        return now + sum([battle.worth(kept) for battle in coming]) / REFILL_COUNT

    return max(legal_moves, key=worth)


class _Battle:
    """A sample of a later battle: its place, this seat's refill, the opponent's best hand."""

    __slots__ = ("_against", "_place", "_prize", "_refill", "_size", "_weight")

    def __init__(self, place: int, prize: int, weight: float, unseen: list[int], chance: random.Random) -> None:
        drawn, held, self._size = (1, 3, 2) if place == ELTAM else (3, 5, 3)
        self._weight = weight
        cards = chance.sample(unseen, drawn + held)
        self._place, self._prize, self._refill = place, prize, cards[:drawn]
        self._against = _best(cards[drawn:], self._size, prize, place)

    def worth(self, kept: list[int]) -> float:
        """Scores the kept cards: their weight if they win the battle, minus their weight if they lose it, 0 on a
        tie.
        """
        best = _best(kept + self._refill, self._size, self._prize, self._place)
        return self._weight * _sign(best - self._against)


def _coming_battles(view: NagaView, unseen: list[int], chance: random.Random) -> list[_Battle]:
    """Returns samples of the next battle and of Eltam's."""

    def battle(place: int, weight: float) -> _Battle:
        return _Battle(place, view.table[place], weight, unseen, chance)

    eltam = ELTAM_PRIZE_RATIO * KEPT_PROBABILITY ** (5 - view.battle)
    coming = [battle(ELTAM, eltam) for _ in range(REFILL_COUNT)]
    places = [place for place in PLACES if view.table[place] and place not in (view.place, ELTAM)]
    if places:
        coming += [battle(places[chance.randrange(len(places))], 1.0) for _ in range(REFILL_COUNT)]
    return coming


def _best(cards: Sequence[int], size: int, prize: int, place: int) -> int:
    """Returns the value of the best hand that `size` of some cards make with the place's cards."""
    masks = [1 << card for card in cards]
    return max([hand_value(sum(chosen) | prize, place) for chosen in combinations(masks, size)])


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)
