"""Other deals of Numbers Crush that look the same to a seat.

The cards that a seat does not know are dealt anew, each deal equally likely. In a window somebody must be asked, so
each deal in which somebody is asked is equally likely. Nothing else in the state is hidden, except what other seats
alone know of each other's hands, which the redeal forgets, and their answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import Final, NamedTuple, TypeVar, final

from fudaba_games.cards import mask_of
from fudaba_games.game import Chance
from fudaba_games.numbers_crush.cards import DECK, JOKERS, NUMBER_MASKS, TEN, cards_of
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.sums import adds_up, can_make, can_zero_out
from fudaba_games.numbers_crush.values import PHASE_COUNTER, PHASE_ZERO_OUT
from fudaba_games.shuffle import random_seed

_Able = Callable[[int, int], bool]
_T = TypeVar("_T")


def redealt(state: NumbersCrushState, seat: int | None, chance: Chance) -> NumbersCrushState:
    """Returns another state with the same view for `seat`, with the cards that it does not know dealt anew."""
    other = state.clone()
    _redeal(other, -1 if seat is None else seat, chance)
    return other


def _redeal(state: NumbersCrushState, seat: int, chance: Chance) -> None:
    """Deals anew the cards that a seat does not know; -1 for a spectator."""
    state.seed = random_seed(chance)
    state.shuffles = 1
    for place in range(len(state.known_alone)):
        if place // state.seats != seat:
            state.known_alone[place] = 0
    state.gifts = any(state.known_alone)
    unseen = _Unseen(state, seat)
    if state.phase not in {PHASE_ZERO_OUT, PHASE_COUNTER}:
        unseen.deal(chance)
        return
    able = can_zero_out if state.phase == PHASE_ZERO_OUT else can_make
    # A pause of fixed length does not tell that anybody is asked; and a seat that is itself asked sees no more.
    waits = not state.window_ms and not (seat >= 0 and state.asked >> seat & 1)
    witnesses = _Witnesses(unseen) if waits and state.phase == PHASE_ZERO_OUT else None
    while True:
        unseen.deal(chance, *(witnesses.draw(chance) if witnesses else ()))
        count = len(_able_seats(state, seat, able))
        # A deal with several seats that can be the witness comes so much more often.
        if not waits or (count and (witnesses is None or not chance.randrange(count))):
            break
    _answer(state, seat, _able_seats(state, seat, able), waits, chance)


@final
class _Unseen:
    """The cards of a state that a seat has not seen, to be dealt anew."""

    def __init__(self, state: NumbersCrushState, seat: int) -> None:
        self.state: Final = state
        self.seat: Final = seat
        row = state.known_alone[state.seats * seat : state.seats * (seat + 1)] if seat >= 0 else [0] * state.seats
        self.certain: Final = [
            hand if index == seat else state.known[index] | row[index] for index, hand in enumerate(state.hands)
        ]
        """For each seat, the cards that are known to be in its hand."""
        self.missing: Final = [
            hand.bit_count() - certain.bit_count() for hand, certain in zip(state.hands, self.certain, strict=True)
        ]
        """For each seat, the number of its other cards."""
        self.unknown: Final = DECK & ~(state.pile | 1 << state.base | sum(self.certain))
        """The cards whose places are not known."""

    def deal(self, chance: Chance, witness: int = -1, hand: int = 0) -> None:
        """Deals the unknown cards. The seat `witness`, if there is one, gets those of `hand`."""
        cards = cards_of(self.unknown & ~hand)
        chance.shuffle(cards)
        for holder, certain in enumerate(self.certain):
            if holder == witness:
                self.state.hands[holder] = certain | hand
            else:
                self.state.hands[holder] = certain | mask_of(cards[: self.missing[holder]])
                del cards[: self.missing[holder]]
        self.state.stock = cards


def _able_seats(state: NumbersCrushState, seat: int, able: _Able) -> list[int]:
    """Returns the other seats that are asked, or were asked, with their present hands."""
    return [
        able_seat
        for able_seat, hand in enumerate(state.hands)
        if able_seat != seat and state.changed_seats >> able_seat & 1 and able(hand, state.number)
    ]


def _answer(state: NumbersCrushState, seat: int, able: list[int], waits: bool, chance: Chance) -> None:
    """Draws the answers that some of the others have given already; with `waits`, not all of them."""
    keep = 1 << seat if seat >= 0 else 0
    own = state.asked & keep, state.answered & keep, state.declared & keep
    while True:
        state.asked, state.answered, state.declared = own
        for able_seat in able:
            said = chance.randrange(3)
            if not said:
                state.asked |= 1 << able_seat
                continue
            state.answered |= 1 << able_seat
            if said == 2:
                state.declared |= 1 << able_seat
        if state.asked or not waits:
            return


@final
class _Hands(NamedTuple):
    """Hands of one seat that add up to the base's number and have the same number of cards of each number. The value is
    immutable.
    """

    counts: tuple[int, ...]
    """The number of unknown cards of each number in them, from 0 (jokers) to 13."""
    ways: int
    """The number of such hands."""


@final
class _Witnesses:
    """Draws a seat that is asked for a zero-out, and its hand, in proportion to the number of deals."""

    def __init__(self, unseen: _Unseen) -> None:
        state, unknown = unseen.state, unseen.unknown
        self._pools: Final = [cards_of(unknown & mask) for mask in NUMBER_MASKS]
        self._hands: Final[dict[int, list[_Hands]]] = {}
        self._weights: Final[list[tuple[int, int]]] = []
        """Each seat, with the relative probability that it has such a hand."""
        total = unknown.bit_count()
        seats = [
            able_seat
            for able_seat in range(state.seats)
            if able_seat != unseen.seat and state.changed_seats >> able_seat & 1
        ]
        common = 1
        for hidden_seat in seats:
            common *= comb(total, unseen.missing[hidden_seat])
        for hidden_seat in seats:
            size = unseen.missing[hidden_seat]
            self._hands[hidden_seat] = found = list(self._fitting(unseen.certain[hidden_seat], size, state.number))
            self._weights.append((hidden_seat, sum([hands.ways for hands in found]) * common // comb(total, size)))

    def _fitting(self, fixed: int, size: int, number: int) -> Iterator[_Hands]:
        """Yields the hands of this many unknown cards, and the fixed ones, that add up to the number."""
        jokers, tens = (fixed & JOKERS).bit_count(), (fixed & NUMBER_MASKS[TEN]).bit_count()
        rest = sum([(fixed & NUMBER_MASKS[value]).bit_count() * value for value in range(1, 14) if value != TEN])
        worth = [1 if value in {0, TEN} else value for value in range(14)]

        def extend(value: int, counts: tuple[int, ...], left: int, total: int, ways: int) -> Iterator[_Hands]:
            if value == 14:
                plain = total - counts[0] - counts[TEN]
                if not left and adds_up(rest + plain, tens + counts[TEN], jokers + counts[0], number):
                    yield _Hands(counts, ways)
                return
            pool = len(self._pools[value])
            for count in range(min(pool, left, (number - total) // worth[value]) + 1):
                more = total + count * worth[value]
                yield from extend(value + 1, (*counts, count), left - count, more, ways * comb(pool, count))

        return extend(0, (), size, 0, 1)

    def draw(self, chance: Chance) -> tuple[int, int]:
        """Returns the seat, and the cards of its hand that were not known."""
        seat = _drawn(self._weights, chance)
        counts = _drawn([(hands.counts, hands.ways) for hands in self._hands[seat]], chance)
        hand = 0
        for pool, count in zip(self._pools, counts, strict=True):
            cards = pool[:]
            chance.shuffle(cards)
            hand |= mask_of(cards[:count])
        return seat, hand


def _drawn(weighted: list[tuple[_T, int]], chance: Chance) -> _T:
    """Returns one of some values, in proportion to its weight."""
    point = chance.randrange(sum([weight for _, weight in weighted]))
    for value, weight in weighted:
        point -= weight
        if point < 0:
            return value
    raise AssertionError("the point lies within the weights")
