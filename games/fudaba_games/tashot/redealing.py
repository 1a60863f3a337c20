"""Other deals of Tashot that look the same to a seat (rules page `docs/rules/tashot.md`, TA10)."""

from __future__ import annotations

from fudaba_games.game import Chance
from fudaba_games.kamikisen.cards import CARD_OF_BIT, DECK, joined, places_of, without
from fudaba_games.kamikisen.dealing import cards_at
from fudaba_games.shuffle import random_seed
from fudaba_games.tashot.moves import can_take, takes_of
from fudaba_games.tashot.shapes import mask_of_card
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import NO_CARD, PHASE_WINDOW, Decline


def redealt(state: TashotState, seat: int | None, chance: Chance) -> TashotState:
    """Returns another state with the same view for `seat`, with the cards that it does not know dealt anew.

    A seat may always decline, so the play so far reveals nothing certain about a hand. But if a window without a time
    is open and `seat` owes nothing, it is open for a seat that can take the card. Every possible deal is equally
    likely.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    hidden = [other_seat for other_seat in range(state.seats) if other_seat not in {seat, state.winner}]
    unseen = list(places_of(without(DECK, _seen(state, seat))))
    waited_for = state.phase == PHASE_WINDOW and not state.window_ms and not _is_asked(state, seat)
    while True:
        chance.shuffle(unseen)
        start = 0
        for hidden_seat in hidden:
            size = state.hands[hidden_seat].bit_count()
            other.hands[hidden_seat] = cards_at(unseen[start : start + size])
            start += size
        takers = _takers(other, hidden) if state.phase == PHASE_WINDOW else []
        if takers or not waited_for:
            break
    other.stock = [CARD_OF_BIT[place] for place in unseen[start:]]
    if state.drawn != NO_CARD and state.turn in hidden:
        held = places_of(other.hands[state.turn])
        other.drawn = CARD_OF_BIT[held[chance.randrange(len(held))]]
    if state.phase == PHASE_WINDOW:
        _answer(other, hidden, takers, waited_for, chance)
    return other


def _seen(state: TashotState, seat: int | None) -> int:
    """Returns the cards that a seat knows."""
    seen = state.won_with
    for holder in range(state.seats):
        seen = joined(seen, state.discards[holder])
        meld = state.melds[holder]
        if holder != state.winner and meld is not None:
            seen = joined(seen, meld.cards)
    for light in state.turned:
        seen = joined(seen, mask_of_card(light))
    return seen if seat is None or seat == state.winner else joined(seen, state.hands[seat])


def _is_asked(state: TashotState, seat: int | None) -> bool:
    return seat is not None and bool(state.asked >> seat & 1)


def _takers(state: TashotState, hidden: list[int]) -> list[int]:
    """Returns those of some seats that can take the offered card."""
    hands, melds = state.hands, state.melds
    return [taker for taker in hidden if taker != state.turn and can_take(hands[taker], melds[taker], state.offered)]


def _answer(state: TashotState, hidden: list[int], takers: list[int], waited_for: bool, chance: Chance) -> None:
    """Draws answers for some of the seats that are asked; nobody else knows these answers."""
    for asked_seat in hidden:
        state.asked &= ~(1 << asked_seat)
        state.answers[asked_seat] = None
    late = takers[chance.randrange(len(takers))] if waited_for else -1
    for asked_seat in takers:
        if asked_seat == late or chance.randrange(2):
            state.asked |= 1 << asked_seat
            continue
        moves = takes_of(state.hands[asked_seat], state.melds[asked_seat], state.offered)
        move = moves[chance.randrange(len(moves))]
        if not isinstance(move, Decline):
            state.answers[asked_seat] = move
