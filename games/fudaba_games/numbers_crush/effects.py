"""The effects of role cards and declared jokers (rules page `docs/rules/numbers_crush.md`, C6 and C7)."""

from __future__ import annotations

from typing import Final

from fudaba_games.numbers_crush.cards import JACK, QUEEN
from fudaba_games.numbers_crush.piles import Events, draw_hidden, draw_open
from fudaba_games.numbers_crush.sets import FIVE, Effect
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.values import PHASE_GIVE, PHASE_MAY_DISCARD, PHASE_MUST_DISCARD

PENALTY_CARDS: Final = 3
"""The number of cards that a limit costs a seat that cannot answer it (C7)."""


def apply_effect(state: NumbersCrushState, effect: Effect, suit: int, events: Events) -> None:
    """Applies the effect of the topmost role card of a set (C6)."""
    seat, number, count = state.turn, effect.number, effect.times
    if number == FIVE:
        state.lost_turns += count
    elif number == 6:
        _reverse(state, seat, count, events)
    elif number == 7:
        state.phase = PHASE_GIVE
        state.cards_left = count
    elif number == 8:
        state.resets += count
    elif number == 9:
        _recolour(state, seat, count, suit, events)
    elif number == JACK:
        state.bind = effect.colour ^ 3
        state.bind_maker = seat
        state.new_bind = True
        state.pending = 0
        state.joker_lock = False
    elif number == QUEEN:
        if state.king_penalty:
            state.king_penalty += PENALTY_CARDS * count
        else:
            state.pending += PENALTY_CARDS * count
            state.joker_lock = False
    else:
        _king(state, seat)


def _reverse(state: NumbersCrushState, seat: int, count: int, events: Events) -> None:
    """Applies the effect of one or several 6s (C6.3, C6.4)."""
    if count & 1:
        state.reversed = not state.reversed
    if count < 2:
        return
    step = -1 if state.reversed else 1
    for place in range(1, state.seats):
        draw_hidden(state, (seat + step * place) % state.seats, count, events)
    state.phase = PHASE_MUST_DISCARD
    state.cards_left = count


def _recolour(state: NumbersCrushState, seat: int, count: int, suit: int, events: Events) -> None:
    """Applies the effect of one or several 9s (C6.7, C6.8)."""
    if state.bind:
        if state.bind_maker != seat:
            state.penalty_cards = ()
            for _ in range(PENALTY_CARDS):
                draw_open(state, state.bind_maker, events)
        end_bind(state)
        state.resets += 1
    state.suit = suit
    draw_hidden(state, seat, count, events)
    state.phase = PHASE_MAY_DISCARD
    state.cards_left = count


def _king(state: NumbersCrushState, seat: int) -> None:
    """Applies the effect of a K (C6.12, C7.9)."""
    end_bind(state)
    if not state.king_penalty:
        state.king_penalty = PENALTY_CARDS + state.pending
        state.king_starter = seat
        state.pending = 0
        state.joker_lock = False


def declare_joker(state: NumbersCrushState) -> None:
    """Declares a joker: it locks the next seat to jokers; in king time it ends a bind (C6.13, C7.1, C7.10)."""
    if state.king_penalty:
        end_bind(state)
    else:
        state.joker_lock = True
        state.pending = 0


def end_bind(state: NumbersCrushState) -> None:
    """Ends a bind, so that cards of any colour may be set again."""
    state.bind = 0
    state.bind_maker = -1
    state.new_bind = False
