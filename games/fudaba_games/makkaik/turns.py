"""The effects of the moves of Makkaik (rules page `docs/rules/makkaik.md`, MA1 to MA7). The moves have been checked
before.

Each function appends its events to `events`, and makes none if `events` is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.kamikisen.betting import next_in, seats_in, shares
from fudaba_games.kamikisen.cards import BIT_OF, CARD_OF_BIT, joined, mask_of, without
from fudaba_games.kamikisen.dealing import cards_at, deal_hands, shuffled_places
from fudaba_games.kamikisen.one_by_one import NOBODY
from fudaba_games.makkaik.showdown import best_meld, winners_of
from fudaba_games.makkaik.state import MakkaikState
from fudaba_games.makkaik.values import (
    HIGHEST_BASE,
    PHASE_BETTING,
    PHASE_EXCHANGE,
    PHASE_KEEPING,
    PHASE_OVER,
    BaseNamed,
    BettingBegan,
    DealEnded,
    DealerChanged,
    Dealt,
    Drew,
    Exchange,
    Folded,
    Keep,
    Kept,
    MakkaikEvent,
    Received,
    Saw,
    Showdown,
    ShownHand,
    Stay,
    Stayed,
    Swap,
    Swapped,
)

Events = EventSink[MakkaikEvent]

HAND_CARDS: Final = 3
"""The number of cards that a seat is dealt (MA1.1)."""
INITIAL_PUBLIC_CARDS: Final = 3
"""The number of public cards at first (MA1.2)."""
CARDS_PER_DRAW: Final = 2
"""The number of cards that a seat draws, of which it keeps one (MA2.3)."""
ANTE_POINTS: Final = 1
"""The amount that every seat pays into the pot after the exchange, in points (MA3.1)."""
ROUNDS_PER_DEAL: Final = 3
"""The number of rounds of betting that a deal has (MA4.1)."""
MAX_LOSS_POINTS: Final = ANTE_POINTS + ROUNDS_PER_DEAL * HIGHEST_BASE
"""The most that a deal can cost a seat, in points (MA7.4)."""

_SWAPPED: Final = int(Exchange.SWAPPED)
_DREW: Final = int(Exchange.DREW)


def deal_cards(state: MakkaikState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.opener` name. The dealer begins the exchange (MA1, MA2.1)."""
    seats, dealer = state.seats, state.opener
    places = shuffled_places(state.seed, state.deal, 0)
    dealt = seats * HAND_CARDS
    state.hands = deal_hands(places, seats, dealer, HAND_CARDS)
    state.public_cards = cards_at(places[dealt : dealt + INITIAL_PUBLIC_CARDS])
    dealt += INITIAL_PUBLIC_CARDS
    state.stock = [CARD_OF_BIT[place] for place in reversed(places[dealt : dealt + seats * CARDS_PER_DRAW])]
    state.drawn = 0
    state.exchanges = [0] * seats
    state.taken = [0] * seats
    state.paid = [0] * seats
    state.staying = (1 << seats) - 1
    state.round = state.base = 0
    state.phase = PHASE_EXCHANGE
    state.dealer = state.turn = dealer
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer, state.public_cards)))
        events.extend([
            Shown(1 << seat, Received(seat, state.hands[seat]))
            for seat in [(dealer + offset) % seats for offset in range(seats)]
        ])  # fmt: skip


def swap(state: MakkaikState, seat: int, move: Swap, events: Events) -> None:
    """Swaps a card of a seat's hand with a public card (MA2.2)."""
    given, taken = 1 << BIT_OF[move.given], 1 << BIT_OF[move.taken]
    state.hands[seat] = joined(without(state.hands[seat], given), taken)
    state.public_cards = joined(without(state.public_cards, taken), given)
    state.exchanges[seat] = _SWAPPED
    state.taken[seat] = taken
    if events is not None:
        events.append(Shown(PUBLIC, Swapped(seat, move.given, move.taken)))
    _end_exchange(state, events)


def draw(state: MakkaikState, seat: int, events: Events) -> None:
    """Draws two cards for a seat, which will keep one (MA2.3)."""
    state.drawn = mask_of([state.stock.pop() for _ in range(CARDS_PER_DRAW)])
    state.exchanges[seat] = _DREW
    state.phase = PHASE_KEEPING
    if events is not None:
        events.append(Shown(PUBLIC, Drew(seat)))
        events.append(Shown(1 << seat, Saw(seat, state.drawn)))


def keep(state: MakkaikState, seat: int, move: Keep, events: Events) -> None:
    """Keeps a drawn card for a seat. A card of its hand and the other drawn card become public (MA2.4)."""
    kept, given = 1 << BIT_OF[move.kept], 1 << BIT_OF[move.given]
    out = joined(without(state.drawn, kept), given)
    state.hands[seat] = joined(without(state.hands[seat], given), kept)
    state.public_cards = joined(state.public_cards, out)
    state.drawn = 0
    state.phase = PHASE_EXCHANGE
    if events is not None:
        events.append(Shown(PUBLIC, Kept(seat, out)))
    _end_exchange(state, events)


def _end_exchange(state: MakkaikState, events: Events) -> None:
    """Lets the next seat exchange. After the last one, every seat pays, and the betting begins (MA3.1)."""
    seat = state.turn + 1
    state.turn = seat = seat if seat < state.seats else 0
    if seat == state.dealer:
        state.phase = PHASE_BETTING
        state.paid = [ANTE_POINTS] * state.seats
        if events is not None:
            events.append(Shown(PUBLIC, BettingBegan(ANTE_POINTS * state.seats)))


def stay(state: MakkaikState, seat: int, move: Stay, events: Events) -> None:
    """Keeps a seat in the deal: the dealer names a base, and another seat pays that base (MA4.2, MA4.4)."""
    if not state.base:
        state.base = move.base
        if events is not None:
            events.append(Shown(PUBLIC, BaseNamed(seat, state.round, state.base)))
    elif events is not None:
        events.append(Shown(PUBLIC, Stayed(seat, state.base)))
    state.paid[seat] += state.base
    _next_to_bet(state, seat, events)


def fold(state: MakkaikState, seat: int, events: Events) -> None:
    """Folds for a seat. The last seat that is left takes the pot; if the dealer folds, the next seat still in becomes
    the dealer.
    """
    state.staying ^= 1 << seat
    staying = state.staying
    if events is not None:
        events.append(Shown(PUBLIC, Folded(seat)))
    if not staying & staying - 1:
        _end_deal(state, seats_in(staying), events)
    elif seat != state.dealer:
        _next_to_bet(state, seat, events)
    else:
        state.dealer = state.turn = next_in(seat, staying)
        if events is not None:
            events.append(Shown(PUBLIC, DealerChanged(state.dealer)))


def _next_to_bet(state: MakkaikState, seat: int, events: Events) -> None:
    """Passes the turn on. When it returns to the dealer the round is over; after the last round the hands are shown."""
    state.turn = next_in(seat, state.staying)
    if state.turn != state.dealer:
        return
    state.base = 0
    if state.round + 1 < ROUNDS_PER_DEAL:
        state.round += 1
        return
    staying = seats_in(state.staying)
    winners = winners_of({stayer: state.hands[stayer] for stayer in staying}, state.public_cards)
    state.shown = state.staying
    if events is not None:
        events.append(Shown(PUBLIC, Showdown(tuple([_shown_hand(state, stayer) for stayer in staying]))))
    _end_deal(state, winners, events)


def _shown_hand(state: MakkaikState, seat: int) -> ShownHand:
    hand = state.hands[seat]
    meld = best_meld(hand, state.public_cards)
    return ShownHand(seat, hand, meld.form, meld.cards, meld.strength)


def _end_deal(state: MakkaikState, winners: tuple[int, ...], events: Events) -> None:
    """Pays out the pot (MA6), and deals the next cards if there is another deal (MA7.1)."""
    pot = sum(state.paid)
    got = shares(pot, winners, state.dealer, state.seats)
    scores = tuple([share - other for share, other in zip(got, state.paid, strict=True)])
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(winners, pot, scores)))
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if state.deal + 1 == state.deals:
        state.phase = PHASE_OVER
        state.turn = NOBODY
        return
    state.shown = 0
    state.deal += 1
    state.opener = (state.opener + 1) % state.seats
    deal_cards(state, events)
