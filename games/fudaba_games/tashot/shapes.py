"""Winning shapes of Tashot and what they pay (rules page `docs/rules/tashot.md`, TA1, TA6 and TA7).

Six cards win as three sets of two, as a set of two and a set of four, or as two melds of three. A meld that lies open
is fixed, so the cards of the hand must form the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, final

from fudaba_games.kamikisen.cards import (
    BIT_OF,
    BLACK,
    CARD_MASKS,
    EMPEROR,
    FIRSTS,
    HALF,
    HALF_BITS,
    KIND_MASKS,
    KIND_OF,
    KING,
    RED,
    SHIP,
    SHIPS,
    STRENGTH_COUNT,
    STRENGTH_MASKS,
    TOP,
    joined,
    without,
)
from fudaba_games.kamikisen.melds import RUN, RUN_CARDS, SET, SHORTEST_RUN, HalfRun, melds_of, runs_in
from fudaba_games.kamikisen.scoring import paid_to
from fudaba_games.tashot.values import NOBODY, OpenMeld

FINISH_POINTS: Final = 2
"""The points of any win (TA6.1)."""
SAME_COLOUR_POINTS: Final = 1
"""The extra points of six cards of one colour."""
SIX_IN_ROW_POINTS: Final = 1
"""The extra points of two runs with six consecutive values."""
FIRST_ROUND_POINTS: Final = 3
"""The extra points of a win in the first round."""

REAL_FIRSTS: Final = FIRSTS & HALF & ~1
"""The first bits of one colour, without the ship's."""
_TOPS: Final = 1 << BIT_OF[KING] | 1 << BIT_OF[EMPEROR]
FIRST_BIT: Final = tuple(1 << bit for bit in BIT_OF)
"""The first bit of each card."""
CALL_SIZES: Final = {SET: (3, 4), RUN: (3,)}
"""For each form, the number of cards in a meld for which a card can be called."""


@final
class Shape(NamedTuple):
    """The features of a winning hand that count beyond finishing. No six cards have both, since a set of four leaves at
    most two values.
    """

    six_in_row: bool
    """Whether it can be read as two runs with six consecutive values."""
    four: bool
    """Whether it can be read with a set of four that does not lie open yet."""


PLAIN: Final = Shape(six_in_row=False, four=False)


def mask_of_card(card: int) -> int:
    """Returns the mask of one copy of a card."""
    return FIRST_BIT[card]


def with_card(cards: int, card: int) -> int:
    """Returns some cards and one more. They must not have all copies of it yet."""
    return cards | ((cards & CARD_MASKS[card]) << 1) | FIRST_BIT[card]


def without_card(cards: int, card: int) -> int:
    """Returns some cards without one copy of a card that they include."""
    copies = CARD_MASKS[card]
    return (cards & ~copies) | ((cards & copies) >> 1 & copies)


def few_strengths(six: int) -> bool:
    """Returns whether the cards that are not ships have at most three strengths. With more, no six cards hold a set of
    four.
    """
    kinds = (six | six >> HALF_BITS) & REAL_FIRSTS
    return kinds.bit_count() - (kinds & _TOPS == _TOPS) < 4


def hopeless(six: int) -> bool:
    """Returns whether a quick check shows that six cards of a hand neither win nor hold a set of four.

    Without a run, at most three sets must take them all.
    """
    return not (few_strengths(six) or _threes(six & RUN_CARDS) or _threes(six >> HALF_BITS & RUN_CARDS))


@lru_cache(maxsize=1 << 10)
def _threes(present: int) -> tuple[HalfRun, ...]:
    """Returns the runs of three in a colour, by its ship and its copies of each value."""
    return tuple([run for run in runs_in(present) if run.size == SHORTEST_RUN])


def shape_of(hand: int, meld: OpenMeld | None) -> Shape | None:
    """Returns the shape that the cards of a hand, including the winning one, form with an open meld; None if that is
    not a win.
    """
    if meld is None:
        return None if hopeless(hand) else _six(hand)
    if hand.bit_count() + meld.cards.bit_count() != 6:
        return None
    readings = _readings(hand)
    if not readings:
        return None
    if readings[0].form == meld.form == RUN:
        return Shape(six_in_row=any(abs(reading.strength - meld.strength) == 3 for reading in readings), four=False)
    return PLAIN


_readings: Final = lru_cache(maxsize=1 << 13)(melds_of)
"""Returns the readings of two or three cards. It caches them, since there are few such hands."""


@lru_cache(maxsize=1 << 15)
def _six(hand: int) -> Shape | None:
    """Returns the same as `shape_of`, for the cards of a hand without an open meld."""
    if hand.bit_count() != 6:
        return None
    with_run = _with_run(hand)
    if not few_strengths(hand) or (with_run is not None and with_run.six_in_row):
        return with_run
    ships = (hand & SHIPS).bit_count()
    counts = sorted([
        count for strength in range(1, STRENGTH_COUNT) if (count := (hand & STRENGTH_MASKS[strength]).bit_count())
    ])  # fmt: skip
    # With a ship two strengths can always be filled up to two and four; a ship alone is not a set of two.
    if len(counts) == 1 or (len(counts) == 2 and (ships > 0 or counts == [2, 4])):
        return Shape(six_in_row=False, four=True)
    # Every ship can fill up a pair.
    sets = counts == [3, 3] or sum([count & 1 for count in counts]) <= ships
    return PLAIN if sets else with_run


def _with_run(hand: int) -> Shape | None:
    """Returns the shape of six cards as a run of three and another meld of three; None if they are not that."""
    found: Shape | None = None
    for shift in (0, HALF_BITS):
        for run in _threes(hand >> shift & RUN_CARDS):
            for other in _readings(without(hand, run.cards << shift)):
                if other.form == RUN and abs(other.strength - run.strength) == 3:
                    return Shape(six_in_row=True, four=False)
                found = PLAIN
    return found


@final
class Points(NamedTuple):
    """The points of a win."""

    same_colour: bool
    six_in_row: bool
    first_round: bool
    four: bool
    """The points for a set of four that is first shown: 1 from every other seat."""
    kings: int
    """The points for real kings and emperors: 1 for each."""
    lit: int
    """The points for real cards of the kind of a light: 1 for each; twice that for two lights of one kind."""

    @property
    def finish(self) -> int:
        """The points that are multiplied if the dealer pays or receives them."""
        more = (
            SAME_COLOUR_POINTS * self.same_colour
            + SIX_IN_ROW_POINTS * self.six_in_row
            + FIRST_ROUND_POINTS * self.first_round
        )
        return FINISH_POINTS + more

    @property
    def bonus(self) -> int:
        """The points that are not multiplied."""
        return self.kings + self.lit


def points_of(shape: Shape, cards: int, lights: Sequence[int], first_round: bool) -> Points:
    """Returns the points of six cards that have a shape. `lights` are the cards that were turned up."""
    return Points(
        same_colour=not (cards & RED and cards & BLACK),
        six_in_row=shape.six_in_row,
        first_round=first_round,
        four=shape.four,
        kings=(cards & STRENGTH_MASKS[TOP]).bit_count(),
        lit=sum([(cards & marked_by(light)).bit_count() for light in lights]),
    )


def marked_by(light: int) -> int:
    """Returns the cards that a light marks: its kind in both colours, with king and emperor together; none for a
    ship.
    """
    kind = KIND_OF[light]
    if kind == SHIP:
        return 0
    return STRENGTH_MASKS[TOP] if kind in {KING, EMPEROR} else KIND_MASKS[kind]


def payments(points: Points, winner: int, source: int, seats: int, dealer: int, multiplier: int) -> tuple[int, ...]:
    """Returns the payments for a win, one entry for each seat. `source` is the seat that discarded the winning card; -1
    if it was drawn.
    """
    payers = [source in {NOBODY, seat} for seat in range(seats)]
    finish = paid_to(winner, [points.finish * pays for pays in payers], dealer, multiplier)
    bonus = paid_to(winner, [points.bonus * pays for pays in payers], dealer, 1)
    four = paid_to(winner, [int(points.four)] * seats, dealer, 1)
    return tuple([sum(parts) for parts in zip(finish, bonus, four, strict=True)])


def all_cards(hand: int, meld: OpenMeld | None) -> int:
    """Returns the cards of a hand and of an open meld."""
    return hand if meld is None else joined(hand, meld.cards)
