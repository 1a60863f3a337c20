"""A state of Numbers Crush that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.cards import mask_of
from fudaba_games.game import SEED_BYTES
from fudaba_games.numbers_crush.cards import DECK, cards_of
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.values import PHASE_COUNTER, PHASE_ZERO_OUT, NumbersCrushView


def supposed(view: NumbersCrushView, seat: int, seats: int, deals: int, window_ms: int) -> NumbersCrushState:
    """Returns a state in which `seat`, which has an open decision, has this view. Other hands are arbitrary, so redeal
    the state.
    """
    state = NumbersCrushState(bytes(SEED_BYTES), seats, deals, view.dealer, window_ms)
    state.deal = view.deal
    state.phase = view.phase
    state.turn = view.turn if view.turn >= 0 else (view.dealer - 1) % seats
    state.turns = view.turns
    state.reversed = view.reversed
    state.lost_turns = view.lost_turns
    state.next_turn = view.next_turn
    state.base, state.number, state.suit = view.base, view.number, view.suit
    state.pile = view.pile
    state.bind, state.bind_maker, state.new_bind = view.bind, view.bind_maker, view.new_bind
    state.pending = view.pending
    state.king_penalty, state.king_starter = view.king_penalty, view.king_starter
    state.joker_lock = view.joker_lock
    state.resets = view.resets
    state.cards_left = view.cards_left
    state.penalty_cards, state.penalty_left = view.penalty_cards, view.penalty_left
    state.changed_seats = view.changed_seats
    if view.phase in {PHASE_ZERO_OUT, PHASE_COUNTER}:
        state.asked = 1 << seat
    state.zero_out = view.zero_out
    state.known = list(view.known)
    state.known_alone[seats * seat : seats * (seat + 1)] = view.known_alone
    state.scores = view.scores
    state.hands[seat] = view.hand
    others = [0 if index == seat else view.known[index] | view.known_alone[index] for index in range(seats)]
    unknown = cards_of(DECK & ~(view.hand | view.pile | 1 << view.base | sum(others)))
    for other_seat, hand in enumerate(others):
        if other_seat != seat:
            missing = view.hand_sizes[other_seat] - hand.bit_count()
            state.hands[other_seat] = hand | mask_of(unknown[:missing])
            del unknown[:missing]
    state.stock = unknown
    return state
