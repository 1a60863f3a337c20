"""The sensible way to play Numbers Crush (rules page `docs/rules/numbers_crush.md`).

It gets rid of cards and weighs how effects help with that, keeps jokers and effect cards while others will do, and
draws only when it cannot answer a penalty. It declares a zero-out when the others are unlikely to be able to counter
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final, final

from fudaba_games.numbers_crush import (
    COLOUR_MASKS,
    JOKERS,
    NUMBER_MASKS,
    NUMBER_OF,
    SUIT_MASKS,
    SUIT_OF,
    Discard,
    Draw,
    Give,
    NumbersCrushMove,
    NumbersCrushView,
    Pass,
    Phase,
    Set,
    Skip,
    can_set,
    can_zero_out,
    effect_of,
    limits_of,
    mask_of,
)

__all__ = ["choose_sensible", "uncountered"]

MAX_MOVES_COMPARED: Final = 3000
"""The number of legal moves that it considers. A very large hand has more."""


def choose_sensible(view: NumbersCrushView, seat: int, legal_moves: Sequence[NumbersCrushMove]) -> NumbersCrushMove:
    """Returns a sensible move, always the same one for the same view."""
    if len(legal_moves) == 1 or view.phase == Phase.DRAW:
        return _draw(view) if view.phase == Phase.DRAW else legal_moves[0]
    if view.phase in {Phase.ZERO_OUT, Phase.COUNTER}:
        alone = view.phase == Phase.COUNTER or uncountered(view, seat, view.number) > MIN_FAIR_SHARES / len(
            view.hand_sizes
        )
        return legal_moves[1] if alone else legal_moves[0]
    if view.phase in {Phase.GIVE, Phase.MUST_DISCARD, Phase.MAY_DISCARD}:
        return min(legal_moves, key=lambda move: _loss(view, move))
    estimate = _Estimate(view, seat)
    return max(islice(legal_moves, MAX_MOVES_COMPARED), key=estimate.value)


MIN_FAIR_SHARES: Final = 1.1
"""The number of fair shares of the deals that a zero-out must promise."""


def _draw(view: NumbersCrushView) -> NumbersCrushMove:
    """Draws only if it cannot answer a limit, since nothing else is worth an extra card."""
    limits = limits_of(view.number, view.suit, view.bind, view.pending, view.king_penalty, view.joker_lock, False)
    due = view.king_penalty or view.pending or view.bind
    return Draw() if due and not can_set(limits, view.hand) else Skip()


def _loss(view: NumbersCrushView, move: NumbersCrushMove) -> float:
    """Returns the cost of a gift or a discard. Gifts go to the seat that is furthest from winning."""
    if isinstance(move, Give):
        return _worth(move.card) - 0.1 * view.hand_sizes[move.to]
    return _worth(move.card) if isinstance(move, Discard) else 50.0


def _worth(card: int) -> float:
    """Returns the worth of a card in hand, beyond the card that is gone once it is set."""
    return WORTH[NUMBER_OF[card]]


WORTH: Final = (1.5, 0.15, 0.1, 0.1, 0.1, 0.2, 0.1, 0.4, 0.6, 0.3, 0.2, 0.25, 0.4, 0.35)
"""The worth of cards by number, 0 for a joker."""


def uncountered(view: NumbersCrushView, seat: int, number: int) -> float:
    """Returns the probability that no other seat can counter a zero-out on a base of this number."""
    likely = 1.0
    for other_seat, size in enumerate(view.hand_sizes):
        if other_seat != seat:
            known = view.known[other_seat] | view.known_alone[other_seat]
            if known & (NUMBER_MASKS[number] | JOKERS):
                return 0.0
            likely *= CANNOT[min(size - known.bit_count(), len(CANNOT) - 1)]
    return likely


CANNOT: Final = (1.0, 0.88, 0.7, 0.5, 0.3, 0.17, 0.08, 0.03, 0.01)
"""For each number of cards, the probability that they cannot add up to a given number."""


@final
class _Estimate:
    """Scores a set for its seat."""

    def __init__(self, view: NumbersCrushView, seat: int) -> None:
        self.view = view
        self.seat = seat
        self.seats = len(view.hand_sizes)
        self.next = (seat + (-1 if view.reversed else 1)) % self.seats

    def value(self, move: NumbersCrushMove) -> float:
        """Returns how many cards the move is worth to the seat."""
        if isinstance(move, Set):
            return self._set(move)
        if isinstance(move, Pass):
            view = self.view
            return -float(view.king_penalty or view.pending or (3 if view.bind else 0))
        return 0.0

    def _set(self, move: Set) -> float:
        rest = self.view.hand & ~mask_of(move.cards)
        if not rest:
            return 1000.0
        value = len(move.cards) - sum([_worth(card) for card in move.cards])
        face = move.faces[-1]
        number, suit = NUMBER_OF[face], move.suit if move.suit >= 0 else SUIT_OF[face]
        value += self._effect(move, rest)
        if number:
            if can_zero_out(rest, number):
                value += ZERO_OUT_WORTH_CARDS * uncountered(self.view, self.seat, number)
            fitting = rest & (SUIT_MASKS[suit] if suit >= 0 else 0) | rest & NUMBER_MASKS[number]
            value += FITTING_WORTH_CARDS * min(3, fitting.bit_count())
        if rest.bit_count() < 3 and rest & JOKERS:
            value += 0.5
        return value

    def _effect(self, move: Set, rest: int) -> float:
        view = self.view
        if not NUMBER_OF[move.faces[-1]]:
            return 0.0 if view.king_penalty else 0.9 if self.seats == 2 else 0.4
        number, times, colour = effect_of(move.cards, move.faces)
        left = rest.bit_count()
        few = 1.5 if view.hand_sizes[self.next] < 3 else 1.0
        if number > 10:
            return self._limit(number, colour, rest, few)
        if number == 5:
            again = (times + 1) % self.seats == 0
            return 1000.0 if times >= 4 else 1.2 if again else 0.4 * few
        if number == 6:
            return 0.0 if times < 2 else min(times, left) + 0.8 * times + 0.8
        if number == 9:
            return 0.2 + (1.5 if view.bind else 0.0)
        return OTHER.get(number, 0.0) * min(times, left)

    def _limit(self, number: int, colour: int, rest: int, few: float) -> float:
        """Returns the worth of a J, Q or K: the next seat may have to pass, and this seat can go on."""
        if number == 11:
            return 0.4 * few + (0.3 if rest & COLOUR_MASKS[colour ^ 3] else -0.2)
        if number == 12:
            return 1.2 * few
        if self.view.king_penalty:
            return 0.0
        pictures = NUMBER_MASKS[11] | NUMBER_MASKS[12] | NUMBER_MASKS[13] | JOKERS
        return 0.6 * few + 0.3 * min((rest & pictures).bit_count(), 2)


OTHER: Final = {7: 0.95, 8: 0.9}
"""The worth of each card given away, and of each reset."""
ZERO_OUT_WORTH_CARDS: Final = 4.0
"""The worth of a zero-out that nobody can counter, in cards."""
FITTING_WORTH_CARDS: Final = 0.12
"""The worth of each card that fits the new base."""
