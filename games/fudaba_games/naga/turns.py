"""The course of a deal of Naga (rules page `docs/rules/naga.md`, N3 to N5 and N10). Its functions take checked
moves.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC, EventSink, Shown
from fudaba_games.naga.cards import CARDS, ELTAM, PLACES
from fudaba_games.naga.hands import better_commitment
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import Battled, DealEnded, Dealt, NagaEvent, Received
from fudaba_games.shuffle import shuffled

MAJORITY_CARDS: Final = 5
"""More than half of the nine table cards."""
LAST_BATTLE_NUMBER: Final = 6
"""The number, from 0, of the battle for Eltam."""
STOCK_CARDS: Final = 32
"""The number of cards that are left after a deal."""
_LAYOUT: Final = ((), (0,), (1,), (2,), (3, 4, 5), (6,), (7,), (8,))
"""For each place, the positions of its cards from the top of the shuffled deck (N3.1)."""
_ALL_PLACES: Final = mask_of(PLACES)

Events = EventSink[NagaEvent]


def designator(state: NagaState) -> int:
    """Returns the seat that designates, or has designated, in this battle; -1 for Eltam (N4.2)."""
    if state.battle == LAST_BATTLE_NUMBER:
        return -1
    return state.dealer if state.battle & 1 else 1 - state.dealer


def stock_left(battle: int) -> int:
    """Returns the number of cards in the stock in a battle."""
    return 0 if battle == LAST_BATTLE_NUMBER else STOCK_CARDS - 6 * battle


def deal_cards(state: NagaState, events: Events) -> None:
    """Deals the deal that `state.deal` and `state.dealer` say (N3.1, N3.2)."""
    deck = shuffled(list(range(CARDS)), state.seed, state.deal, 0)
    layout = tuple(mask_of([deck[position] for position in positions]) for positions in _LAYOUT)
    child, dealer = mask_of(deck[9:14]), mask_of(deck[14:19])
    state.battle = 0
    state.place = 0
    state.layout = layout
    state.places = _ALL_PLACES
    state.hands = (child, dealer) if state.dealer else (dealer, child)
    state.committed = (0, 0)
    state.won = (0, 0)
    state.discarded = 0
    state.draws = draws_of([1 << card for card in deck[19:]])
    if events is not None:
        child_seat, dealer_seat = 1 - state.dealer, state.dealer
        events.append(Shown(PUBLIC, Dealt(state.deal, dealer_seat, layout)))
        events.append(Shown(1 << child_seat, Received(child_seat, child)))
        events.append(Shown(1 << dealer_seat, Received(dealer_seat, dealer)))


def draws_of(stock: list[int]) -> tuple[int, ...]:
    """Returns the stock, a mask for each card, top first, in the order of the draws: threes, and finally two single
    cards.
    """
    return (*[sum(stock[at : at + 3]) for at in range(0, 30, 3)], stock[30], stock[31])


def fight(state: NagaState, first: int, second: int, events: Events) -> None:
    """Compares the commitments of seat 0 and seat 1 (N4.4), adds the events, and continues with what follows."""
    place = state.place
    prize = state.layout[place]
    better = better_commitment(first, second, prize, place)
    first_rest, other = state.hands[0] ^ first, state.hands[1] ^ second
    state.committed = (0, 0)
    state.places ^= 1 << place
    state.discarded |= first | second
    if better == 0:
        state.won = (state.won[0] | prize, state.won[1])
    elif better == 1:
        state.won = (state.won[0], state.won[1] | prize)
    else:
        state.discarded |= prize
    if events is not None:
        events.append(Shown(PUBLIC, Battled(place, (first, second), prize, None if better < 0 else better)))
    # No place but Eltam has more than one card: fewer than five battles make no majority.
    if place == ELTAM or (
        state.battle + 1 >= MAJORITY_CARDS and better >= 0 and state.won[better].bit_count() >= MAJORITY_CARDS
    ):
        state.hands = (first_rest, other)
        _end_deal(state, events)
        return
    state.battle += 1
    state.place = ELTAM if state.battle == LAST_BATTLE_NUMBER else 0
    _refill(state, first_rest, other, events)


def _refill(state: NagaState, first: int, second: int, events: Events) -> None:
    """Deals cards from the stock to the child, then as many to the dealer (N4.7, N5.1), in addition to their hands."""
    at = 2 * state.battle
    child, dealer = state.draws[at - 2], state.draws[at - 1]
    state.hands = (first | child, second | dealer) if state.dealer else (first | dealer, second | child)
    if events is not None:
        child_seat, dealer_seat = 1 - state.dealer, state.dealer
        events.append(Shown(1 << child_seat, Received(child_seat, child)))
        events.append(Shown(1 << dealer_seat, Received(dealer_seat, dealer)))


def _end_deal(state: NagaState, events: Events) -> None:
    """Scores the deal, and deals the next one if there is one (N10)."""
    first, second = state.won[0].bit_count(), state.won[1].bit_count()
    score = (first > second) - (first < second)
    state.scores = (state.scores[0] + score, state.scores[1] - score)
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded((first, second), (score, -score))))
    if state.deal + 1 == state.deals:
        state.over = True
        return
    if score:
        state.dealer = 0 if score > 0 else 1
    state.deal += 1
    deal_cards(state, events)
