"""A sensible way to play Napoleon: it values a hand in the auction, and a card in a trick.

It counts and never samples: a decision takes a fraction of a millisecond, and the same view gives the same move.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, final

from fudaba_games.napoleon.cards import (
    ACE,
    CARDS,
    DECK,
    HONOURS,
    JACK,
    MIGHTY,
    NO_TRUMP,
    SEAT_COUNT,
    SUIT_MASKS,
    SUIT_OF,
    YOROMEKI,
    cards_of,
    left_jack,
    right_jack,
)
from fudaba_games.napoleon.tricks import STRENGTHS, trick_winner
from fudaba_games.napoleon.values import Bid, Bury, Name, NapoleonMove, NapoleonView, Phase, Play

__all__ = ["choose_sensible", "expected_honours"]

MAX_MISSING_HONOURS: Final = 0.5
"""The number of honours that it bids beyond its expectation, so that it makes its bid about every second time."""


def choose_sensible(view: NapoleonView, seat: int, legal_moves: Sequence[NapoleonMove]) -> NapoleonMove:
    """Returns a sensible move, always the same one for the same view."""
    if len(legal_moves) == 1:
        return legal_moves[0]
    if view.phase == Phase.AUCTION:
        return _call(view.hand, legal_moves)
    if view.phase == Phase.EXCHANGE:
        return max(legal_moves, key=lambda move: _left(view.hand, move, view.trump))
    if view.phase == Phase.NAMING:
        return Name(_partner(view.hand | view.buried, view.trump))
    estimate = _Estimate(view, seat)
    return max(legal_moves, key=lambda move: estimate.worth(move.card) if isinstance(move, Play) else 0.0)


# ---- the auction ---------------------------------------------------------------------------------------------------


def expected_honours(hand: int, suit: int) -> float:
    """Returns how many honours Napoleon with a hand of ten takes on average, with an adjutant and a suit (0-4) as
    trump.
    """
    return sum([weight * count for weight, count in zip(WEIGHTS[suit == NO_TRUMP], features(hand, suit), strict=True)])


WEIGHTS: Final = (
    (7.3, 1.0, 0.7, 1.3, 0.1, 0.6, 0.5, 0.3, 0.0, 0.2),
    (9.0, 0.7, 0.0, 0.0, 0.4, 0.0, 0.0, 1.0, 0.5, 0.2),
)
"""The weights with and without trump, in the order of `features`: fitted to deals that this bot played against
itself."""


def features(hand: int, suit: int) -> tuple[int, ...]:
    """Returns the features that `expected_honours` weighs: one, the special cards, Yoromeki, trumps, their honours,
    aces, kings, voids.
    """
    special = 1 << MIGHTY
    right, left = right_jack(suit), left_jack(suit)
    trumps = 0 if suit == NO_TRUMP else hand & SUIT_MASKS[suit]
    side = hand & ~trumps & ~special
    return (
        1,
        hand >> MIGHTY & 1,
        hand >> right & 1 if right >= 0 else 0,
        hand >> left & 1 if left >= 0 else 0,
        hand >> YOROMEKI & 1,
        trumps.bit_count(),
        (trumps & HONOURS).bit_count(),
        (side & _RANKS[ACE]).bit_count(),
        (side & _RANKS[12]).bit_count(),
        sum([not hand & mask for other_suit, mask in enumerate(SUIT_MASKS) if other_suit != suit]),
    )


_RANKS: Final = tuple(sum(1 << 13 * suit + rank for suit in range(4)) for rank in range(13))
"""For each rank (0 the ace, 12 the king), the mask of its four cards."""


def _call(hand: int, legal_moves: Sequence[NapoleonMove]) -> NapoleonMove:
    """Returns the bid with the most to spare; approves if none leaves enough.

    A seat that must bid takes the best one.
    """
    expected = [expected_honours(hand, suit) for suit in range(NO_TRUMP + 1)]

    def spare(bid: Bid) -> float:
        return expected[bid.suit] - bid.number

    best = max([move for move in legal_moves if isinstance(move, Bid)], key=spare)
    return best if spare(best) >= -MAX_MISSING_HONOURS or isinstance(legal_moves[0], Bid) else legal_moves[0]


# ---- the exchange and the adjutant ---------------------------------------------------------------------------------


def _left(hand: int, move: NapoleonMove, trump: int) -> float:
    """Scores a hand after burying two cards: strong cards, and suits to ruff."""
    kept = hand & ~(move.cards if isinstance(move, Bury) else 0)
    worth = sum([_power(card, trump) for card in cards_of(kept)])
    if trump != NO_TRUMP:
        for suit, mask in enumerate(SUIT_MASKS):
            if suit != trump:
                worth += (0.8, 0.3, 0.0)[min((kept & mask).bit_count(), 2)]
    return worth


def _power(card: int, trump: int) -> float:
    """Scores a card for later tricks, before anything is known."""
    suit, rank = divmod(card, 13)
    if card == MIGHTY:
        return 2.5
    if card == right_jack(trump):
        return 2.2
    if card == left_jack(trump):
        return 1.8
    high = rank or 13
    if suit == trump:
        return 0.8 + 0.06 * high
    if rank == ACE:
        return 1.0
    return 0.5 if rank == 12 else 0.3 if card == YOROMEKI else 0.01 * high + 0.12 * (HONOURS >> card & 1)


def _partner(own: int, trump: int) -> int:
    """Returns the strongest card that Napoleon lacks."""
    wanted = [MIGHTY, right_jack(trump), left_jack(trump)]
    suits = sorted(range(4), key=lambda suit: (suit != trump, -(own & SUIT_MASKS[suit]).bit_count()))
    wanted += [13 * suits[0] + rank for rank in (ACE, 12, 11)]
    wanted += [13 * suit + rank for rank in (ACE, 12, 11, JACK) for suit in suits]
    return next(card for card in wanted if card >= 0 and not own >> card & 1)


# ---- playing -------------------------------------------------------------------------------------------------------


@cache
def _beaters(best: int, trump: int, led: int) -> int:
    """Returns the mask of the cards that beat a card, ignoring Same two."""
    if best == MIGHTY:
        return 1 << YOROMEKI
    row = STRENGTHS[trump][led]
    return sum([1 << card for card in range(CARDS) if row[card] > row[best]])


@final
class _Estimate:
    """The facts that a seat can derive from its view in the middle of a trick."""

    def __init__(self, view: NapoleonView, seat: int) -> None:
        self.view = view
        self.trump = view.trump
        self.first = not view.winners
        played = 0
        for card in (*view.tricks, *view.trick):
            played |= 1 << card
        self.unseen = DECK & ~(played | view.hand | view.buried)
        self.open = _suits_left(view)
        self.side = _sides(view, seat)
        """For each seat, 1 for a friend, -1 for an enemy, in between while it is not known."""
        here = len(view.trick)
        self.after = [(seat + step) % SEAT_COUNT for step in range(1, SEAT_COUNT - here)]
        self.left = 10 - len(view.winners)
        """The number of cards that are held by those who have yet to play to this trick."""
        self.honours = [HONOURS >> card & 1 for card in view.trick].count(1)
        self.density = (self.unseen & HONOURS).bit_count() / max(1, self.unseen.bit_count())

    def worth(self, card: int) -> float:
        """Returns the honours that a play brings to this seat's side, minus the card's later worth."""
        cards = (*self.view.trick, card)
        winner = trick_winner(cards, self.trump, self.first)
        holder, best, led = (self.view.leader + winner) % SEAT_COUNT, cards[winner], SUIT_OF[cards[0]]
        honours = self.honours + (HONOURS >> card & 1) + self.density * LATER_HONOURS_SHARE * len(self.after)
        if YOROMEKI in cards and MIGHTY in cards:
            return honours * self.side[holder] - self.cost(card)
        beaters = _beaters(best, self.trump, led) & self.unseen
        value, holds = 0.0, 1.0
        for seat in self.after:
            # A friend of the one who has the trick so far leaves it to him, as a rule.
            against = (1 - self.side[seat] * self.side[holder]) / 2
            takes = self.chance(seat, beaters, led) * (0.25 + 0.6 * against)
            value += holds * takes * honours * self.side[seat]
            holds *= 1 - takes
        return value + holds * honours * self.side[holder] - self.cost(card)

    def chance(self, seat: int, beaters: int, led: int) -> float:
        """Returns the probability that a seat can play one of some cards."""
        possible = self.unseen & self.open[seat]
        if not possible & beaters:
            return 0.0
        missing = 1 - min(1.0, self.left / possible.bit_count())
        suit = SUIT_MASKS[led]
        follows = 1 - missing ** (possible & beaters & suit).bit_count()
        ruffs = 1 - missing ** (possible & beaters & ~suit).bit_count()
        return float(follows + (1 - follows) * missing ** (possible & suit).bit_count() * ruffs)

    def cost(self, card: int) -> float:
        """Scores a card for what it could still do in later tricks."""
        power = _power(card, self.trump)
        suit = SUIT_OF[card]
        if card not in {MIGHTY, YOROMEKI} and not _beaters(card, NO_TRUMP, suit) & SUIT_MASKS[suit] & self.unseen:
            power += 0.3  # the highest of its suit by now
        return POWER_COST_RATIO * power * min(1.0, (self.left - 1) / 4)


LATER_HONOURS_SHARE: Final = 0.4
"""The share of the expected honours that the remaining seats will play."""
POWER_COST_RATIO: Final = 1.3


def _suits_left(view: NapoleonView) -> list[int]:
    """Returns for each seat the cards of the suits that it may still have, from how it has followed suit."""
    left = [DECK] * SEAT_COUNT
    leaders = (view.napoleon, *view.winners)
    cards = (*view.tricks, *view.trick)
    for index, card in enumerate(cards):
        led = SUIT_OF[cards[index - index % SEAT_COUNT]]
        if SUIT_OF[card] != led:
            left[(leaders[index // SEAT_COUNT] + index) % SEAT_COUNT] &= ~SUIT_MASKS[led]
    return left


def _sides(view: NapoleonView, seat: int) -> list[float]:
    """Rates each seat: 1 for a friend, -1 for an enemy, in between while unknown."""
    napoleon, adjutant = view.napoleon, view.adjutant
    own = view.hand | view.buried
    if adjutant < 0 and own >> view.named & 1:
        adjutant = seat  # this seat's own card, or one that Napoleon buried
    if adjutant >= 0:
        return [
            1.0 if (other_seat in {napoleon, adjutant}) == (seat in {napoleon, adjutant}) else -1.0
            for other_seat in range(SEAT_COUNT)
        ]
    if seat == napoleon:
        return [1.0 if other_seat == seat else UNKNOWN_TO_NAPOLEON_WEIGHT for other_seat in range(SEAT_COUNT)]
    return [
        1.0 if other_seat == seat else -1.0 if other_seat == napoleon else UNKNOWN_TO_OTHERS_WEIGHT
        for other_seat in range(SEAT_COUNT)
    ]


UNKNOWN_TO_NAPOLEON_WEIGHT: Final = -0.6
"""One of four is the adjutant."""
UNKNOWN_TO_OTHERS_WEIGHT: Final = 0.4
"""One of three is the adjutant, unless Napoleon is alone."""
