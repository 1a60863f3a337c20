"""The course of a deal of Numbers Crush (rules page `docs/rules/numbers_crush.md`, C4 to C9). Moves are checked before.

Each function appends its events to a list, and makes none if the list is None.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC, Shown
from fudaba_games.numbers_crush.cards import JOKER, NUMBER_OF, QUEEN, SUIT_OF
from fudaba_games.numbers_crush.effects import PENALTY_CARDS, apply_effect, declare_joker, end_bind
from fudaba_games.numbers_crush.limits import limits_now
from fudaba_games.numbers_crush.piles import Events, deal_cards, draw_hidden, draw_open, give_card, put_away
from fudaba_games.numbers_crush.sets import FIVE, effect_of
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.sums import TOO_HIGH, can_make, can_set, can_zero_out, counter_cards
from fudaba_games.numbers_crush.values import (
    PHASE_COUNTER,
    PHASE_DRAW,
    PHASE_EXTRA,
    PHASE_MUST_DISCARD,
    PHASE_OVER,
    PHASE_PENALTY,
    PHASE_RESET,
    PHASE_SET,
    PHASE_ZERO_OUT,
    Countered,
    DealEnded,
    Declined,
    Discarded,
    Passed,
    Set,
    Skipped,
    TurnBegan,
    Victory,
    WereSet,
    ZeroedOut,
)

MAX_TURNS: Final = 300
"""The number of turns after which the fewest cards win (C9.3)."""
FIVES_THAT_WIN: Final = 4
"""The number of 5s in one set that win the deal (C6.2)."""


# ---- deals and turns -----------------------------------------------------------------------------------------------


def begin_deal(state: NumbersCrushState, events: Events) -> None:
    """Deals the cards and opens the window before the first turn (C8.1)."""
    seats = state.seats
    state.turn = (state.dealer - 1) % seats
    state.turns = 0
    state.reversed = False
    state.lost_turns = state.cards_left = state.penalty_left = 0
    state.penalty_cards = ()
    state.next_turn = -1
    state.bind = state.pending = state.king_penalty = 0
    state.bind_maker = state.king_starter = -1
    state.new_bind = False
    state.joker_lock = False
    state.resets = 0
    state.asked = state.answered = state.declared = 0
    state.zero_out = -1
    state.known = [0] * seats
    state.known_alone = [0] * (seats * seats)
    state.gifts = False
    state.changed_seats = (1 << seats) - 1
    deal_cards(state, events)
    end_turn(state, events)


def end_turn(state: NumbersCrushState, events: Events) -> None:
    """Ends a turn: a zero-out may be declared, then the next turn begins (C8.1)."""
    number = state.number
    if number and state.changed_seats:
        changed, too_high = state.changed_seats, TOO_HIGH[number]
        state.changed_seats = 0
        asked = 0
        for seat, hand in enumerate(state.hands):
            if not hand & too_high and changed >> seat & 1 and can_zero_out(hand, number):
                asked |= 1 << seat
        if asked or state.window_ms:
            could = sum([changed & 1 << seat for seat, hand in enumerate(state.hands) if hand.bit_count() <= number])
            if could:
                _open_window(state, PHASE_ZERO_OUT, could, asked)
                return
    begin_turn(state, events)


def begin_turn(state: NumbersCrushState, events: Events) -> None:
    """Begins the next seat's turn, unless the turns have run out."""
    if state.turns == MAX_TURNS:
        _end_by_limit(state, events)
        return
    if state.next_turn >= 0:
        state.turn = state.next_turn
        state.next_turn = -1
    else:
        step = -1 if state.reversed else 1
        state.turn = (state.turn + step * (1 + state.lost_turns)) % state.seats
    state.lost_turns = 0
    state.new_bind = False
    state.turns += 1
    state.phase = PHASE_DRAW
    if events is not None:
        events.append(Shown(PUBLIC, TurnBegan(state.turn, state.turns)))


def draw_or_skip(state: NumbersCrushState, draws: bool, events: Events) -> None:
    """Begins a turn with a draw or a skip (C3.4)."""
    if draws:
        draw_hidden(state, state.turn, 1, events)
    elif events is not None:
        events.append(Shown(PUBLIC, Skipped(state.turn)))
    state.phase = PHASE_SET


# ---- setting -------------------------------------------------------------------------------------------------------


def set_cards(state: NumbersCrushState, move: Set, events: Events) -> None:
    """Sets cards for the seat whose turn it is: the set of its turn, another one by an effect, or penalty cards."""
    seat, phase = state.turn, state.phase
    if events is not None:
        events.append(Shown(PUBLIC, WereSet(seat, move.cards, move.faces, move.suit)))
    mask = 0
    for card in move.cards:
        mask |= 1 << card
    put_away(state, seat, mask)
    state.pile |= mask | 1 << state.base
    state.base = move.cards[-1]
    state.pile ^= 1 << state.base
    state.number, state.suit = NUMBER_OF[move.faces[-1]], SUIT_OF[move.faces[-1]]
    state.changed_seats = (1 << state.seats) - 1
    state.penalty_left = 0
    if not state.hands[seat]:
        end_deal(state, 1 << seat, Victory.EMPTY_HAND, events)
        return
    effect = effect_of(move.cards, move.faces)
    if effect.number == FIVE and effect.times >= FIVES_THAT_WIN:
        end_deal(state, 1 << seat, Victory.FOUR_FIVES, events)
        return
    if phase in {PHASE_SET, PHASE_PENALTY}:  # an extra set does not answer a limit of its own turn
        state.joker_lock = False
        if effect.number != QUEEN:
            state.pending = 0
    if not state.number and move.faces[-1] >= JOKER:
        declare_joker(state)
    elif effect.number:
        apply_effect(state, effect, move.suit, events)
    go_on(state, events)


def go_on(state: NumbersCrushState, events: Events) -> None:
    """Continues after an effect, a card given or discarded, or an extra set: with more of that, or with the next
    turn.
    """
    if state.cards_left:
        state.cards_left = min(state.cards_left, state.hands[state.turn].bit_count())
        return
    if state.phase == PHASE_MUST_DISCARD:
        state.phase = PHASE_EXTRA
    elif state.resets:
        state.resets -= 1
        state.phase = PHASE_RESET
    else:
        end_turn(state, events)


def decline(state: NumbersCrushState, events: Events) -> None:
    """Declines for the seat whose turn it is: it gives or discards no more, makes no extra set, or sets no penalty
    cards.
    """
    if events is not None:
        events.append(Shown(PUBLIC, Declined(state.turn)))
    state.cards_left = 0
    if state.phase == PHASE_PENALTY:
        _draw_penalty(state, events)
    else:
        go_on(state, events)


def discard(state: NumbersCrushState, card: int, events: Events) -> None:
    """Puts a card under the base, for 6 and 9."""
    seat = state.turn
    put_away(state, seat, 1 << card)
    state.pile |= 1 << card
    if events is not None:
        events.append(Shown(PUBLIC, Discarded(seat, card)))
    _one_less(state, seat, events)


def give(state: NumbersCrushState, card: int, to: int, events: Events) -> None:
    """Gives a card to another seat, for 7."""
    seat = state.turn
    give_card(state, seat, card, to, events)
    _one_less(state, seat, events)


def _one_less(state: NumbersCrushState, seat: int, events: Events) -> None:
    state.cards_left -= 1
    if state.hands[seat]:
        go_on(state, events)
    else:
        end_deal(state, 1 << seat, Victory.EMPTY_HAND, events)


# ---- passing -------------------------------------------------------------------------------------------------------


def pass_turn(state: NumbersCrushState, events: Events) -> None:
    """Passes for the seat whose turn it is: it sets nothing, and pays a penalty if there are limits (C7)."""
    if events is not None:
        events.append(Shown(PUBLIC, Passed(state.turn)))
    state.penalty_left = state.king_penalty or state.pending or (PENALTY_CARDS if state.bind else 0)
    if state.penalty_left:
        state.penalty_cards = ()
    _draw_penalty(state, events)


def _draw_penalty(state: NumbersCrushState, events: Events) -> None:
    """Draws until some of the drawn cards may be set. When all are drawn, the limits end (C7.8)."""
    while state.penalty_left:
        card = draw_open(state, state.turn, events)
        state.penalty_left = state.penalty_left - 1 if card >= 0 else 0
        if card >= 0 and can_set(limits_now(state), mask_of(state.penalty_cards)):
            state.phase = PHASE_PENALTY
            return
    if state.king_penalty:
        state.next_turn = state.king_starter
        state.king_penalty = 0
        state.king_starter = -1
    state.pending = 0
    state.joker_lock = False
    end_bind(state)
    end_turn(state, events)


# ---- zero-outs -----------------------------------------------------------------------------------------------------


def answer(state: NumbersCrushState, seat: int, declares: bool, events: Events) -> None:
    """Stores a seat's answer: it declines, or declares a zero-out or a counter. Nobody sees it before the last seat
    asked has answered.
    """
    bit = 1 << seat
    state.asked ^= bit
    state.answered |= bit
    if declares:
        state.declared |= bit
    if not state.asked and not state.window_ms:
        close_window(state, events)


def _open_window(state: NumbersCrushState, phase: int, could: int, asked: int) -> None:
    state.phase = phase
    state.changed_seats = could
    state.asked = asked


def close_window(state: NumbersCrushState, events: Events) -> None:
    """Closes a window: all seats that were asked have answered, or their time is over and they decline (C8.8)."""
    declared = [
        seat
        for seat in _after(state, state.turn if state.zero_out < 0 else state.zero_out)
        if state.declared >> seat & 1
    ]
    state.changed_seats = state.asked = state.answered = state.declared = 0
    if state.zero_out >= 0:
        _settle_counters(state, declared, events)
    elif declared:
        _settle_zero_outs(state, declared, events)
    else:
        begin_turn(state, events)


def _after(state: NumbersCrushState, seat: int) -> list[int]:
    """Returns the seats in play order from the one after `seat`; `seat` itself is the last."""
    step = -1 if state.reversed else 1
    return [(seat + step * place) % state.seats for place in range(1, state.seats + 1)]


def _settle_zero_outs(state: NumbersCrushState, declared: list[int], events: Events) -> None:
    """Shows the hands of all seats that declared a zero-out; the first of them has it (C8.4)."""
    state.zero_out = declared[0]
    could = (1 << state.seats) - 1
    for seat in declared:
        could ^= 1 << seat
        state.known[seat] = state.hands[seat]
        if events is not None:
            events.append(Shown(PUBLIC, ZeroedOut(seat, state.hands[seat])))
    asked = 0
    for seat, hand in enumerate(state.hands):
        if could >> seat & 1 and can_make(hand, state.number):
            asked |= 1 << seat
    if asked or (could and state.window_ms):
        _open_window(state, PHASE_COUNTER, could, asked)
    else:
        end_deal(state, 1 << state.zero_out, Victory.ZERO_OUT, events)


def _settle_counters(state: NumbersCrushState, countered: list[int], events: Events) -> None:
    """Lets the first seat that counters win; without one, the seat that declared the zero-out (C8.6)."""
    if not countered:
        end_deal(state, 1 << state.zero_out, Victory.ZERO_OUT, events)
        return
    seat = countered[0]
    cards = counter_cards(state.hands[seat], state.number)
    state.known[seat] |= cards
    if events is not None:
        events.append(Shown(PUBLIC, Countered(seat, cards)))
    end_deal(state, 1 << seat, Victory.COUNTER, events)


# ---- the end -------------------------------------------------------------------------------------------------------


def _end_by_limit(state: NumbersCrushState, events: Events) -> None:
    sizes = [hand.bit_count() for hand in state.hands]
    winners = 0
    for seat, size in enumerate(sizes):
        if size == min(sizes):
            winners |= 1 << seat
    end_deal(state, winners, Victory.FEWEST_CARDS, events)


def deal_scores(seats: int, winners: int) -> tuple[int, ...]:
    """Returns the score of a deal by seat: each loser pays 1 to each of the winners, a mask (C9.1, C9.3)."""
    count = winners.bit_count()
    return tuple([seats - count if winners >> seat & 1 else -count for seat in range(seats)])


def end_deal(state: NumbersCrushState, winners: int, victory: Victory, events: Events) -> None:
    """Scores the deal, and deals the next one if there is one (C9)."""
    scores = deal_scores(state.seats, winners)
    if events is not None:
        events.append(Shown(PUBLIC, DealEnded(winners, int(victory), scores)))
    state.scores = tuple([score + other for score, other in zip(state.scores, scores, strict=True)])
    if state.deal + 1 == state.deals:
        state.phase = PHASE_OVER
        state.asked = state.answered = state.declared = state.cards_left = state.resets = 0
        return
    state.deal += 1
    while not winners >> state.dealer & 1:
        state.dealer = (state.dealer + 1) % state.seats
    begin_deal(state, events)
