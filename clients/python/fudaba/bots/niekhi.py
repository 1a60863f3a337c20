"""A sensible way to play Niekhi: count the lays that a hand still needs, and what it costs to keep the lead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from fudaba_games.kamikisen.cards import STRENGTH_COUNT, TOP
from fudaba_games.niekhi.cards import (
    COUNT_BITS,
    COUNT_MASK,
    DECK,
    HIGHEST_VALUE,
    LOWEST_VALUE,
    ONE,
    SHIPS,
    counts_of_strengths,
    size_of,
)
from fudaba_games.niekhi.melds import Meld, shortest
from fudaba_games.niekhi.values import Lay, Name, NiekhiMove, NiekhiView, Take

SHIP_WORTH_LAYS: Final = 0.9
"""The worth of a ship that stays in hand, in lays."""
STRENGTH_WORTH_LAYS: Final = 0.09
"""The worth of a step of strength, in lays."""
BOMB_WORTH_LAYS: Final = 0.5
"""The worth of a set of three or more in hand, which takes the lead."""
LEAD_WORTH_LAYS: Final = 0.8
"""The worth of leading next."""
MAX_CARDS_NEAR_WIN: Final = 4
"""The number of cards up to which a seat is about to win."""


def choose_sensible(view: NiekhiView, seat: int, legal_moves: Sequence[NiekhiMove]) -> NiekhiMove:
    """Returns a legal move of `seat`, whose view is given."""
    if view.generals:
        return max(legal_moves, key=lambda move: _worth_of_generals(view, seat, move))
    return max(legal_moves, key=lambda move: _worth(view, seat, move))


def lays_needed(cards: int) -> float:
    """Returns roughly the lays needed to get rid of some cards, minus the worth of strong ones among them."""
    ships = cards & SHIPS
    real = cards - ships
    if not real:
        return float(bool(ships))
    return max(_lays(real, 3) - SHIP_WORTH_LAYS * ships, 0.6)


@lru_cache(maxsize=1 << 16)
def _lays(cards: int, depth: int) -> float:
    """Returns the lays without ships: everything in singles and sets, or a run first and then the rest."""
    best = 0.0
    for strength in range(1, STRENGTH_COUNT):
        if count := cards >> COUNT_BITS * strength & COUNT_MASK:
            best += 1.0 - STRENGTH_WORTH_LAYS * (strength - 3) - (BOMB_WORTH_LAYS if count > 2 else 0.0)
    if depth:
        for run, strength in _runs(cards):
            best = min(best, 1.0 - STRENGTH_WORTH_LAYS * (strength - 7) / 2 + _lays(cards - run, depth - 1))
    return best


def _runs(cards: int) -> Iterator[tuple[int, int]]:
    """Yields runs of one to three cards of each value, with the strength of the highest."""
    counts = [cards >> COUNT_BITS * value & COUNT_MASK for value in range(STRENGTH_COUNT)]
    for width in (1, 2, 3):
        low = LOWEST_VALUE
        while low <= HIGHEST_VALUE:
            high, run = low, 0
            while high <= HIGHEST_VALUE and counts[high] >= width:
                run += width * ONE[high]
                high += 1
                if high - low >= shortest(width):
                    yield run, high - 1
            low += 1


def _unseen(view: NiekhiView) -> int:
    """Returns the cards that are in other hands or were never dealt."""
    return DECK - view.hand - view.pile - view.removed - sum([laid.cards for laid in view.table])


def _held(meld: Meld, unseen: int) -> float:
    """Estimates the probability that nobody beats a meld, from the stronger cards that are left."""
    if meld.size == 1 or meld.is_bomb:
        ships = unseen & SHIPS
        better = 0
        for strength in range(meld.strength + 1, TOP + 1):
            if (unseen >> COUNT_BITS * strength & COUNT_MASK) + ships >= meld.size:
                better += 1
        if meld.size == 1 and ships and meld.strength < TOP:
            better += 1
        return 1 / (1 + better)
    if meld.length == 1:
        pairs = sum(
            [
                (unseen >> COUNT_BITS * strength & COUNT_MASK) > 1
                for strength in range(meld.strength + 1, STRENGTH_COUNT)
            ]
        )
        return 1 / (1 + 0.6 * pairs)
    return 1 - 0.5 * (HIGHEST_VALUE - meld.strength) / (HIGHEST_VALUE - LOWEST_VALUE) / meld.length * 3


def _worth(view: NiekhiView, seat: int, move: NiekhiMove) -> float:
    """Scores the hand after a lay or a pass, in lays."""
    threat = min([size for other_seat, size in enumerate(view.hand_sizes) if other_seat != seat])
    if not isinstance(move, Lay):
        return -lays_needed(view.hand) - (1.0 if threat <= MAX_CARDS_NEAR_WIN else 0.0)
    rest = view.hand - move.cards
    if not rest:
        return 100.0
    held = _held(move.meld, _unseen(view))
    needed = lays_needed(rest)
    lead = LEAD_WORTH_LAYS * held * (2.5 if needed <= 1.2 or threat <= MAX_CARDS_NEAR_WIN else 1.0)
    return lead - needed - 0.02 * move.strength + (0.05 * size_of(move.cards) if threat <= MAX_CARDS_NEAR_WIN else 0.0)


def _worth_of_generals(view: NiekhiView, seat: int, move: NiekhiMove) -> float:
    """Returns the effect of generals, which improve this seat's hand and the others'."""
    if isinstance(move, Name):
        counts = counts_of_strengths(move.strengths)
        own = view.hand & counts
        rest = view.hand - own
        if not rest:
            return 100.0
        gone = size_of(_unseen(view) & counts)
        others = sum(view.hand_sizes) - view.hand_sizes[seat]
        share = gone / max(size_of(_unseen(view)), 1)
        danger = max(
            [share * size >= size - 1 for other_seat, size in enumerate(view.hand_sizes) if other_seat != seat]
        )
        return lays_needed(view.hand) - lays_needed(rest) - 0.35 * share * others / (len(view.scores) - 1) - 2 * danger
    if isinstance(move, Take):
        return lays_needed(view.hand) - lays_needed(view.hand + move.cards) - 0.1
    return 0.0
