"""The course of a deal of Nerts: a movement of one hand, a tick for every seat, a turn of the stocks, the beginning and
end of a deal.

Rules page `docs/rules/nerts.md`, NE3 to NE9.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.nerts.cards import BITS, CARDS, CARDS_PER_FLIP, NERTS_PILE_CARDS, NO_CARD, RANK_COUNT, WORKS_PER_SEAT
from fudaba_games.nerts.layout import Layout
from fudaba_games.nerts.scoring import deal_scores
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.values import (
    BY_CALL,
    BY_LIMIT,
    BY_STANDSTILL,
    FIRST_WORK,
    FLIP,
    NERTS_TOP,
    WAIT,
    WASTE_TOP,
    Build,
    Built,
    Call,
    Called,
    DealEnded,
    Dealt,
    Flip,
    Flipped,
    Found,
    Founded,
    NertsEvent,
    Recycle,
    Recycled,
    Saw,
    Shift,
    Shifted,
    StocksTurned,
    Tuck,
    Tucked,
    Wait,
)
from fudaba_games.shuffle import shuffled

MAX_TICKS: Final = 2000
"""The number of ticks after which a deal is scored as it stands (NE7.5)."""
IDLE_TICKS: Final = 60
"""The number of ticks without a found, build or tuck that count as everybody waiting (NE7.4)."""
MAX_STOCK_TURNS: Final = 3
"""The number of turns in a row that end the deal (NE7.3)."""

Events = EventSink[NertsEvent]

Movement = Flip | Recycle | Found | Build | Shift | Tuck
"""A movement of the hand: every move except a wait and a call."""

_ACES: Final = tuple(RANK_COUNT * suit for suit in range(4))


def deal(state: NertsState, events: Events) -> None:
    """Deals the deal that `state.deal` says (NE3)."""
    layouts = []
    for seat in range(state.seats):
        deck = bytes(shuffled(list(range(CARDS)), state.seed, state.deal, seat))
        works = deck[NERTS_PILE_CARDS : NERTS_PILE_CARDS + WORKS_PER_SEAT]
        layout = Layout(
            deck[:NERTS_PILE_CARDS],
            [works[at : at + 1] for at in range(WORKS_PER_SEAT)],
            deck[NERTS_PILE_CARDS + WORKS_PER_SEAT :],
            b"",
            sum([BITS[card] for card in works]),
        )
        layout.survey()
        layouts.append(layout)
    state.layouts = layouts
    state.tick = state.stock_turns = state.idle = 0
    clear_foundations(state)
    accept_next(state)
    ask_everybody(state)
    if events is not None:
        tops = tuple([layout.nerts[-1] for layout in layouts])
        firsts = tuple([work[0] for layout in layouts for work in layout.work_piles])
        events.append(Shown(PUBLIC, Dealt(state.deal, tops, firsts)))


def clear_foundations(state: NertsState) -> None:
    """Takes all cards off the foundations."""
    state.suits, state.foundations = [], []


def accept_next(state: NertsState) -> None:
    """Computes which card each foundation accepts."""
    state.accept = [0] * CARDS
    state.wanted = 0
    for ace in _ACES:
        state.accept[ace] = 1 << len(state.foundations)
        state.wanted |= BITS[ace]
    for foundation, (suit, owners) in enumerate(zip(state.suits, state.foundations, strict=True)):
        if len(owners) < RANK_COUNT:
            card = RANK_COUNT * suit + len(owners)
            state.accept[card] |= 1 << foundation
            state.wanted |= BITS[card]


def ask_everybody(state: NertsState) -> None:
    """Begins a tick: every seat must move."""
    state.chosen = [None] * state.seats
    state.due = (1 << state.seats) - 1


def tick(state: NertsState, events: Events) -> None:
    """Plays a tick once the moves of all seats are there (NE6)."""
    moved = gained = called = False
    for seat, move in enumerate(state.chosen):
        if move is WAIT or move is None:
            continue
        if move is FLIP:
            moved = True
            _flip(state.layouts[seat], seat, events)
        elif isinstance(move, Call):
            called = True
        elif not isinstance(move, Wait):
            moved = True
            if act(state, seat, move, events):
                gained = True
    state.tick += 1
    if called:
        _call(state, events)
    else:
        _end_tick(state, moved, gained, events)


def _end_tick(state: NertsState, moved: bool, gained: bool, events: Events) -> None:
    """Does what follows a tick without a call: a turn of the stocks, the end of the deal, or the next tick (NE7)."""
    if gained:
        state.idle = state.stock_turns = 0
    else:
        state.idle += 1
        if not moved or state.idle == IDLE_TICKS:
            state.idle = 0
            turn_stocks(state, events)
    if state.stock_turns == MAX_STOCK_TURNS:
        end_deal(state, BY_STANDSTILL, events)
    elif state.tick == MAX_TICKS:
        end_deal(state, BY_LIMIT, events)
    else:
        ask_everybody(state)


def _call(state: NertsState, events: Events) -> None:
    """Ends the deal by a call, which takes effect after the other moves of its tick (NE8.2). Several seats may have
    called.
    """
    if events is not None:
        for seat, move in enumerate(state.chosen):
            if isinstance(move, Call):
                events.append(Shown(PUBLIC, Called(seat)))
    end_deal(state, BY_CALL, events)


def act(state: NertsState, seat: int, move: Movement, events: Events) -> bool:
    """Makes one movement of a hand. Returns whether it was a found, a build or a tuck."""
    layout = state.layouts[seat]
    if isinstance(move, Flip):
        _flip(layout, seat, events)
        return False
    if isinstance(move, Shift):
        _shift(layout, seat, move, events)
        return False
    if isinstance(move, Recycle):
        layout.stock = layout.waste
        layout.waste = b""
        layout.survey_waste()
        if events is not None:
            events.append(Shown(PUBLIC, Recycled(seat)))
        return False
    if isinstance(move, Found):
        _found(state, layout, seat, move, events)
    elif isinstance(move, Build):
        card = _take(layout, move.source)
        layout.work_piles[move.work] += bytes((card,))
        layout.held |= BITS[card]
        if events is not None:
            events.append(Shown(PUBLIC, Built(seat, move.source, card, move.work, _uncovered(layout, move.source))))
    else:
        _tuck(layout, seat, move.work, events)
    layout.survey()
    return True


def _flip(layout: Layout, seat: int, events: Events) -> None:
    cards = layout.stock[:CARDS_PER_FLIP]
    layout.stock = layout.stock[CARDS_PER_FLIP:]
    layout.waste += cards
    layout.survey_waste()
    if events is not None:
        events.append(Shown(PUBLIC, Flipped(seat, len(cards), cards[-1])))
        events.append(Shown(1 << seat, Saw(seat, tuple(cards))))


def _shift(layout: Layout, seat: int, move: Shift, events: Events) -> None:
    works = layout.work_piles
    pile = works[move.from_work]
    works[move.from_work] = pile[: -move.count]
    works[move.to_work] += pile[-move.count :]
    layout.survey()
    if events is not None:
        events.append(Shown(PUBLIC, Shifted(seat, move.from_work, move.count, move.to_work)))


def _tuck(layout: Layout, seat: int, work: int, events: Events) -> None:
    card = _take(layout, NERTS_TOP)
    layout.work_piles[work] = bytes((card,)) + layout.work_piles[work]
    layout.held |= BITS[card]
    if events is not None:
        events.append(Shown(PUBLIC, Tucked(seat, card, work, _uncovered(layout, NERTS_TOP))))


def _take(layout: Layout, source: int) -> int:
    """Takes away the card of a source."""
    if source == NERTS_TOP:
        card = layout.nerts[-1]
        layout.nerts = layout.nerts[:-1]
        return card
    if source == WASTE_TOP:
        card = layout.waste[-1]
        layout.waste = layout.waste[:-1]
        return card
    pile = layout.work_piles[source - FIRST_WORK]
    layout.work_piles[source - FIRST_WORK] = pile[:-1]
    layout.held ^= BITS[pile[-1]]
    return pile[-1]


def _uncovered(layout: Layout, source: int) -> int:
    """Returns the card that becomes visible to everybody when a card has left a source."""
    pile = layout.nerts if source == NERTS_TOP else layout.waste if source == WASTE_TOP else b""
    return pile[-1] if pile else NO_CARD


def _found(state: NertsState, layout: Layout, seat: int, move: Found, events: Events) -> None:
    """Plays a card to a foundation. If another seat has played the same card in this tick, both stay (NE6.3)."""
    card = _take(layout, move.source)
    rank, foundation = card % RANK_COUNT, move.foundation
    owner = bytes((1 << seat,))
    if rank == 0:
        # Where several seats start foundations in one tick, they get their ids in the order of the seats.
        foundation = len(state.foundations)
        state.suits.append(card // RANK_COUNT)
        state.foundations.append(owner)
        for ace in _ACES:
            state.accept[ace] = 1 << foundation + 1
    elif len(state.foundations[foundation]) == rank:
        state.foundations[foundation] += owner
        state.accept[card] ^= 1 << foundation
        if not state.accept[card]:
            state.wanted ^= BITS[card]
    else:
        owners = state.foundations[foundation]
        state.foundations[foundation] = owners[:-1] + bytes((owners[-1] | 1 << seat,))
    if rank < RANK_COUNT - 1:
        state.accept[card + 1] |= 1 << foundation
        state.wanted |= BITS[card + 1]
    layout.founded += 1
    if events is not None:
        events.append(Shown(PUBLIC, Founded(seat, move.source, card, foundation, _uncovered(layout, move.source))))


def turn_stocks(state: NertsState, events: Events) -> None:
    """Turns the stocks: every seat makes a whole stock again and puts its top card to the bottom (NE7.2)."""
    for layout in state.layouts:
        stock = layout.stock + layout.waste
        layout.stock = stock[1:] + stock[:1]
        layout.waste = b""
        layout.survey_waste()
    state.stock_turns += 1
    if events is not None:
        events.append(Shown(PUBLIC, StocksTurned(state.stock_turns)))


def end_deal(state: NertsState, cause: int, events: Events) -> None:
    """Scores the deal, and deals the next one if there is one (NE8, NE9)."""
    founded = tuple([layout.founded for layout in state.layouts])
    left = tuple([len(layout.nerts) for layout in state.layouts])
    scores = deal_scores(founded, left)
    state.scores = tuple([total + score for total, score in zip(state.scores, scores, strict=True)])
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(cause, founded, left, scores)))
    if not state.target or max(state.scores) > state.target or state.deal + 1 == state.max_deals:
        state.over = True
        state.chosen = [None] * state.seats
        state.due = 0
        return
    state.deal += 1
    deal(state, events)
