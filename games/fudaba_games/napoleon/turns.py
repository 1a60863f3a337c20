"""The effects of the moves of Napoleon (rules page `docs/rules/napoleon.md`, P3 to P10). The moves have been checked
before.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.napoleon.cards import (
    APPROVE,
    CARDS,
    HIGHEST_CALL,
    HONOURS,
    SEAT_COUNT,
    SUIT_MASKS,
    SUIT_OF,
    number_of,
    suit_of,
)
from fudaba_games.napoleon.scoring import deal_scores, is_swept
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.tricks import winner_of
from fudaba_games.napoleon.values import (
    PHASE_AUCTION,
    PHASE_EXCHANGE,
    PHASE_NAMING,
    PHASE_OVER,
    PHASE_TRICKS,
    Buried,
    Called,
    DealEnded,
    Dealt,
    Named,
    NapoleonEvent,
    Played,
    Received,
    Revealed,
    Stood,
    ThrownIn,
    TrickTaken,
)
from fudaba_games.shuffle import shuffled

NOBODY: Final = -1
"""`NapoleonState.turn` when the match is over."""

# What is made all the time is few and immutable: made once, and shared by all matches.
_PLAYED: Final = tuple(
    tuple([Shown[NapoleonEvent](PUBLIC, Played(seat, card)) for card in range(CARDS)]) for seat in range(SEAT_COUNT)
)
_REVEALED: Final = tuple(Shown[NapoleonEvent](PUBLIC, Revealed(seat)) for seat in range(SEAT_COUNT))
_CALLED: Final = tuple(
    tuple([Shown[NapoleonEvent](PUBLIC, Called(seat, call)) for call in range(HIGHEST_CALL + 1)])
    for seat in range(SEAT_COUNT)
)
_SUIT_OF_CARD: Final = tuple(SUIT_MASKS[SUIT_OF[card]] for card in range(CARDS))
"""For each card, the mask of its suit."""
_HONOUR: Final = tuple(HONOURS & 1 << card for card in range(CARDS))
"""For each card, its mask if it is an honour, otherwise 0."""


Events = EventSink[NapoleonEvent]


def deal_cards(state: NapoleonState, events: Events) -> None:
    """Deals the deal that `state.deal`, `state.thrown_in` and `state.dealer` name (P3)."""
    deck = shuffled(list(range(CARDS)), state.seed, state.deal, state.thrown_in)
    first = (state.dealer + 1) % SEAT_COUNT
    state.phase = PHASE_AUCTION
    state.turn = first
    state.calls = ()
    state.call = APPROVE
    state.trump = state.napoleon = state.named = state.adjutant = state.leader = -1
    state.revealed = False
    state.buried = state.legal = 0
    state.widow = mask_of(deck[50:])
    state.tricks = state.winners = ()
    state.taken = [0] * SEAT_COUNT
    dealt = [(first + place) % SEAT_COUNT for place in range(SEAT_COUNT)]
    for place, seat in enumerate(dealt):
        state.hands[seat] = mask_of(deck[place:50:SEAT_COUNT])
    if events is not None:
        events.append(Shown(PUBLIC, Dealt(state.deal, state.dealer, state.thrown_in)))
        events.extend([Shown(1 << seat, Received(seat, state.hands[seat])) for seat in dealt])


def speak(state: NapoleonState, seat: int, call: int, events: Events) -> None:
    """Approves or bids for a seat (P4)."""
    if events is not None:
        events.append(_CALLED[seat][call])
    state.calls += (call,)
    state.turn = (seat + 1) % SEAT_COUNT
    if call:
        state.call = call
        state.trump = suit_of(call)
        state.napoleon = seat
    elif state.call and state.turn == state.napoleon:
        _end_auction(state, events)
    elif not state.call and len(state.calls) == SEAT_COUNT:
        if events is not None:
            events.append(Shown(PUBLIC, ThrownIn(state.deal)))
        state.thrown_in += 1
        deal_cards(state, events)


def _end_auction(state: NapoleonState, events: Events) -> None:
    """Ends the auction when all four others have approved: the bidder is Napoleon and takes the widow (P4.6, P5.1)."""
    seat = state.napoleon
    if events is not None:
        events.append(Shown(PUBLIC, Stood(seat, number_of(state.call), state.trump)))
        events.append(Shown(1 << seat, Received(seat, state.widow)))
    state.hands[seat] |= state.widow
    state.widow = 0
    state.phase = PHASE_EXCHANGE


def bury_cards(state: NapoleonState, seat: int, cards: int, events: Events) -> None:
    """Buries two cards for Napoleon (P5.1)."""
    state.hands[seat] ^= cards
    state.buried = cards
    state.phase = PHASE_NAMING
    if events is not None:
        events.append(Shown(PUBLIC, Buried(seat)))


def name_card(state: NapoleonState, seat: int, card: int, events: Events) -> None:
    """Names the adjutant's card for Napoleon, who leads to the first trick (P6, P7.1)."""
    state.named = card
    state.adjutant = holder(state)
    state.phase = PHASE_TRICKS
    state.leader = seat
    state.legal = state.hands[seat]
    if events is not None:
        events.append(Shown(PUBLIC, Named(seat, card)))


def holder(state: NapoleonState) -> int:
    """Returns the seat that holds the named card; Napoleon's if it is buried (P6.2, P6.3)."""
    for seat, hand in enumerate(state.hands):
        if hand >> state.named & 1:
            return seat
    return state.napoleon


def play_card(state: NapoleonState, seat: int, card: int, events: Events) -> None:
    """Plays a card to the trick for a seat (P7)."""
    hands, trick = state.hands, state.trick
    hands[seat] ^= 1 << card
    trick.append(card)
    if events is not None:
        events.append(_PLAYED[seat][card])
    if card == state.named:
        state.revealed = True
        if events is not None:
            events.append(_REVEALED[seat])
    if len(trick) == SEAT_COUNT:
        _end_trick(state, events)
        return
    turn = seat + 1 if seat < SEAT_COUNT - 1 else 0
    state.turn = turn
    hand = hands[turn]
    state.legal = hand & _SUIT_OF_CARD[trick[0]] or hand


def _end_trick(state: NapoleonState, events: Events) -> None:
    """Ends a trick. The winner takes the honours and leads to the next trick (P7.2, P7.5)."""
    trick = state.trick
    winner = (state.leader + winner_of(trick, state.trump, not state.winners)) % SEAT_COUNT
    a, b, c, d, e = trick
    state.taken[winner] |= _HONOUR[a] | _HONOUR[b] | _HONOUR[c] | _HONOUR[d] | _HONOUR[e]
    cards = (a, b, c, d, e)
    state.tricks += cards
    state.winners += (winner,)
    trick.clear()
    state.leader = state.turn = winner
    state.legal = state.hands[winner]
    if events is not None:
        events.append(Shown(PUBLIC, TrickTaken(winner, cards)))
    if not state.legal:
        _end_deal(state, events)


def _end_deal(state: NapoleonState, events: Events) -> None:
    """Scores the deal, and deals the next one if there is one (P9, P10)."""
    napoleon, adjutant = state.napoleon, state.adjutant
    taken = state.taken[napoleon] | state.taken[adjutant]
    number, honours = number_of(state.call), taken.bit_count()
    swept = is_swept(state.sweep, number, state.trump, taken, state.buried)
    won = honours >= number and not swept
    scores = deal_scores(napoleon, adjutant, won)
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(napoleon, adjutant, honours, won, swept, state.buried, scores)))
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if state.deal + 1 == state.deals:
        state.phase = PHASE_OVER
        state.turn = NOBODY
        state.leader = -1
        return
    state.deal += 1
    state.dealer = (state.dealer + 1) % SEAT_COUNT
    state.thrown_in = 0
    deal_cards(state, events)
