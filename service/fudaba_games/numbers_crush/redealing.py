"""Another state with the same view, and a state from nothing but a view: what search needs.

The cards that a seat does not know are dealt anew, each way as likely as any other. In a window somebody has to be
asked; then each deal in which somebody is, is as likely as any other. Nothing else of the state is hidden, but for
what other seats alone know of each other's hands, which is forgotten, and what they have answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import Final, NamedTuple, TypeVar, final

from fudaba_games.cards import mask_of
from fudaba_games.game import SEED_BYTES, Chance
from fudaba_games.numbers_crush.cards import DECK, JOKERS, NUMBER_MASKS, TEN, cards_of
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.sums import adds_up, can_make, can_zero_out
from fudaba_games.numbers_crush.values import PHASE_COUNTER, PHASE_ZERO_OUT, NumbersCrushView
from fudaba_games.shuffle import random_seed

_Able = Callable[[int, int], bool]
_T = TypeVar("_T")


def redeal(state: NumbersCrushState, seat: int, chance: Chance) -> None:
    """Deals anew what a seat does not know; -1 for a spectator."""
    state.seed = random_seed(chance)
    state.shuffles = 1
    for place in range(len(state.known)):
        if place // state.seats != seat:
            state.known[place] = 0
    state.gifts = any(state.known)
    table = _Table(state, seat)
    if state.phase not in {PHASE_ZERO_OUT, PHASE_COUNTER}:
        table.deal(chance)
        return
    able = can_zero_out if state.phase == PHASE_ZERO_OUT else can_make
    # A pause of fixed length does not tell that anybody is asked; and a seat that is itself asked sees no more.
    waits = not state.window_ms and not (seat >= 0 and state.asked >> seat & 1)
    witnesses = _Witnesses(table) if waits and state.phase == PHASE_ZERO_OUT else None
    while True:
        table.deal(chance, *(witnesses.draw(chance) if witnesses else ()))
        count = len(_able_seats(state, seat, able))
        # A deal with several seats that can be the witness comes so much more often.
        if not waits or (count and (witnesses is None or not chance.randrange(count))):
            break
    _answer(state, seat, _able_seats(state, seat, able), waits, chance)


def supposed(view: NumbersCrushView, seat: int, seats: int, deals: int, window_ms: int) -> NumbersCrushState:
    """A state in which `seat`, which has an open decision, has this view. Other hands are arbitrary: redeal it."""
    state = NumbersCrushState(bytes(SEED_BYTES), seats, deals, view.dealer, window_ms)
    state.deal = view.deal
    state.phase = view.phase
    state.turn = view.turn if view.turn >= 0 else (view.dealer - 1) % seats
    state.turns = view.turns
    state.step = -1 if view.reversed else 1
    state.lost = view.lost_turns
    state.goes_to = view.next_turn
    state.base, state.number, state.suit = view.base, view.number, view.suit
    state.pile = view.pile
    state.bind, state.bind_maker = view.bind, view.bind_maker
    state.pending = view.pending
    state.king_penalty, state.king_starter = view.king_penalty, view.king_starter
    state.lock = view.joker_lock
    state.resets = view.resets
    state.left = view.cards_left
    state.penalty, state.penalty_left = view.penalty, view.penalty_left
    state.fresh = view.changed_seats
    if view.phase in {PHASE_ZERO_OUT, PHASE_COUNTER}:
        state.asked = 1 << seat
    state.declarer = view.zero_out
    state.shown = list(view.known)
    state.known[seats * seat : seats * (seat + 1)] = view.known_alone
    state.scores = view.scores
    state.hands[seat] = view.hand
    others = [0 if one == seat else view.known[one] | view.known_alone[one] for one in range(seats)]
    unknown = cards_of(DECK & ~(view.hand | view.pile | 1 << view.base | sum(others)))
    for one, hand in enumerate(others):
        if one != seat:
            missing = view.hand_sizes[one] - hand.bit_count()
            state.hands[one] = hand | mask_of(unknown[:missing])
            del unknown[:missing]
    state.stock = unknown
    return state


@final
class _Table:
    """What a seat knows of a state, and deals the rest of it anew."""

    def __init__(self, state: NumbersCrushState, seat: int) -> None:
        self.state: Final = state
        self.seat: Final = seat
        row = state.known[state.seats * seat : state.seats * (seat + 1)] if seat >= 0 else [0] * state.seats
        self.certain: Final = [
            hand if one == seat else state.shown[one] | row[one] for one, hand in enumerate(state.hands)
        ]
        """By seat: the cards that are known to be in its hand."""
        self.missing: Final = [
            hand.bit_count() - certain.bit_count() for hand, certain in zip(state.hands, self.certain, strict=True)
        ]
        """By seat: how many others it has."""
        self.unknown: Final = DECK & ~(state.pile | 1 << state.base | sum(self.certain))
        """The cards whose places are not known."""

    def deal(self, chance: Chance, witness: int = -1, hand: int = 0) -> None:
        """Deals the unknown cards; the seat `witness` gets those of `hand`, if there is one."""
        cards = cards_of(self.unknown & ~hand)
        chance.shuffle(cards)
        for one, certain in enumerate(self.certain):
            if one == witness:
                self.state.hands[one] = certain | hand
            else:
                self.state.hands[one] = certain | mask_of(cards[: self.missing[one]])
                del cards[: self.missing[one]]
        self.state.stock = cards


def _able_seats(state: NumbersCrushState, seat: int, able: _Able) -> list[int]:
    """The other seats that are asked, or were, with the hands as they are."""
    return [
        one
        for one, hand in enumerate(state.hands)
        if one != seat and state.fresh >> one & 1 and able(hand, state.number)
    ]


def _answer(state: NumbersCrushState, seat: int, able: list[int], waits: bool, chance: Chance) -> None:
    """Some of the others have answered already, one way or the other; when `waits`, not all."""
    keep = 1 << seat if seat >= 0 else 0
    own = state.asked & keep, state.answered & keep, state.declared & keep
    while True:
        state.asked, state.answered, state.declared = own
        for one in able:
            said = chance.randrange(3)
            if not said:
                state.asked |= 1 << one
                continue
            state.answered |= 1 << one
            if said == 2:
                state.declared |= 1 << one
        if state.asked or not waits:
            return


@final
class _Hands(NamedTuple):
    """Hands of one seat that add up to the base's number, all with as many cards of each number. An immutable value."""

    counts: tuple[int, ...]
    """How many unknown cards of each number they have, from 0 (jokers) to 13."""
    ways: int
    """How many such hands there are."""


@final
class _Witnesses:
    """Draws a seat that is asked for a zero-out, and its hand, as often as deals have it."""

    def __init__(self, table: _Table) -> None:
        state, unknown = table.state, table.unknown
        self._pools: Final = [cards_of(unknown & mask) for mask in NUMBER_MASKS]
        self._hands: Final[dict[int, list[_Hands]]] = {}
        self._weights: Final[list[tuple[int, int]]] = []
        """Each seat, and how likely it has such a hand, in proportion."""
        total = unknown.bit_count()
        seats = [one for one in range(state.seats) if one != table.seat and state.fresh >> one & 1]
        common = 1
        for one in seats:
            common *= comb(total, table.missing[one])
        for one in seats:
            size = table.missing[one]
            self._hands[one] = found = list(self._fitting(table.certain[one], size, state.number))
            self._weights.append((one, sum([hands.ways for hands in found]) * common // comb(total, size)))

    def _fitting(self, fixed: int, size: int, number: int) -> Iterator[_Hands]:
        """The hands of so many unknown cards, and the fixed ones, that add up to the number."""
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
        """The seat, and those cards of its hand that were not known."""
        seat = _drawn(self._weights, chance)
        counts = _drawn([(hands.counts, hands.ways) for hands in self._hands[seat]], chance)
        hand = 0
        for pool, count in zip(self._pools, counts, strict=True):
            cards = pool[:]
            chance.shuffle(cards)
            hand |= mask_of(cards[:count])
        return seat, hand


def _drawn(weighted: list[tuple[_T, int]], chance: Chance) -> _T:
    """One of some values, each as likely as its weight says."""
    point = chance.randrange(sum([weight for _, weight in weighted]))
    for value, weight in weighted:
        point -= weight
        if point < 0:
            return value
    raise AssertionError("the point lies within the weights")
