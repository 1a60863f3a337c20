"""Nerts in real time: seats move one by one at any time, and the referee acts when time has passed (rules page,
NE12).
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, Decision, Shown, Timer
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.turns import MAX_STOCK_TURNS, Events, act, end_deal, turn_stocks
from fudaba_games.nerts.values import BY_CALL, BY_LIMIT, BY_STANDSTILL, Call, Called, NertsMove, Wait

STUCK: Final = "stuck"
"""The timer that runs while no seat moves."""
IDLE: Final = "idle"
"""The timer that runs while no seat makes progress."""
LIMIT: Final = "limit"
"""The timer of a deal."""
IDLE_MS: Final = 60_000
LIMIT_MS: Final = 600_000
IDLE_MOVEMENTS: Final = 400
"""The number of consecutive movements per seat without a gain that is equivalent to `IDLE_MS`: no faster hand makes as
many.
"""


def decisions(state: NertsState) -> list[Decision]:
    """Returns the open decisions. Every seat may move at any time, except those that have said that they wait until
    something happens.
    """
    return [Decision(seat, False, state.deal + 1) for seat in range(state.seats) if state.due >> seat & 1]


def timers(state: NertsState) -> tuple[Timer, ...]:
    """Returns the actions that the referee will carry out if no seat acts first."""
    if state.over:
        return ()
    return (
        Timer(STUCK, state.stuck_ms, state.stirs),
        Timer(IDLE, IDLE_MS, state.gains),
        Timer(LIMIT, LIMIT_MS, state.deal),
    )


def fired(state: NertsState, name: str, events: Events) -> None:
    """Turns the stocks, or ends a deal."""
    if name == LIMIT:
        _restart(state)
        end_deal(state, BY_LIMIT, events)
    else:
        _turn(state, events)


def move_now(state: NertsState, seat: int, move: NertsMove, events: Events) -> None:
    """Makes a move of one seat at once."""
    if isinstance(move, Wait):
        state.due &= ~(1 << seat)
        return
    if isinstance(move, Call):
        if events is not None:
            events.append(Shown(PUBLIC, Called(seat)))
        _restart(state)
        end_deal(state, BY_CALL, events)
        return
    state.stirs += 1
    state.due = (1 << state.seats) - 1
    if act(state, seat, move, events):
        state.gains += 1
        state.idle = state.stock_turns = 0
    else:
        state.idle += 1
        if state.idle == IDLE_MOVEMENTS * state.seats:
            _turn(state, events)


def _restart(state: NertsState) -> None:
    """Restarts timers: the times in which no seat moves or makes progress begin again, also in a new deal."""
    state.stirs += 1
    state.gains += 1


def _turn(state: NertsState, events: Events) -> None:
    _restart(state)
    state.idle = 0
    state.due = (1 << state.seats) - 1
    turn_stocks(state, events)
    if state.stock_turns == MAX_STOCK_TURNS:
        end_deal(state, BY_STANDSTILL, events)
