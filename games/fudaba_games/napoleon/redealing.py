"""Other deals of Napoleon that look the same to a seat (rules page `docs/rules/napoleon.md`, P12)."""

from __future__ import annotations

from typing import Final

from fudaba_games.cards import mask_of
from fudaba_games.game import Chance
from fudaba_games.napoleon.cards import DECK, SEAT_COUNT, SUIT_MASKS, SUIT_OF
from fudaba_games.napoleon.dealing import deal_at_random
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.tricks import playable
from fudaba_games.napoleon.turns import holder
from fudaba_games.napoleon.values import PHASE_OVER, PHASE_TRICKS
from fudaba_games.shuffle import random_seed

_WIDOW: Final = SEAT_COUNT
"""The place, among the hands of a redeal, of the cards that nobody holds."""


def redealt(state: NapoleonState, seat: int | None, chance: Chance) -> NapoleonState:
    """Deals anew the cards that `seat` does not know. Every deal that fits the play so far is equally likely.

    The play shows which suits a seat no longer has. Who holds the named card is as open as the place of that card.
    """
    other = state.clone()
    other.seed = random_seed(chance)
    if state.phase == PHASE_OVER:
        return other
    known = mask_of(state.tricks) | mask_of(state.trick)
    sizes = [hand.bit_count() for hand in state.hands]
    aside = state.widow
    if seat is not None:
        known |= state.hands[seat]
        sizes[seat] = 0
    if seat == state.napoleon:
        known |= state.buried
    else:
        aside |= state.buried
    dealt = deal_at_random(DECK & ~known, [*sizes, aside.bit_count()], [*_out_of(state), 0], chance)
    other.hands = [state.hands[index] if index == seat else dealt[index] for index in range(SEAT_COUNT)]
    if state.widow:
        other.widow = dealt[_WIDOW]
    elif seat != state.napoleon:
        other.buried = dealt[_WIDOW]
    if state.named >= 0 and not state.revealed:
        other.adjutant = holder(other)
    if state.phase == PHASE_TRICKS:
        led = SUIT_OF[other.trick[0]] if other.trick else -1
        other.legal = playable(other.hands[other.turn], led)
    return other


def _out_of(state: NapoleonState) -> list[int]:
    """Returns, for each seat, the suits, as masks, that it has shown by not following that it no longer has."""
    bars = [0] * SEAT_COUNT
    leaders = (state.napoleon, *state.winners)
    for number in range(0, len(state.tricks), SEAT_COUNT):
        _add_bars(bars, leaders[number // SEAT_COUNT], state.tricks[number : number + SEAT_COUNT])
    if state.trick:
        _add_bars(bars, state.leader, tuple(state.trick))
    return bars


def _add_bars(bars: list[int], leader: int, cards: tuple[int, ...]) -> None:
    suit = SUIT_MASKS[SUIT_OF[cards[0]]]
    for index, card in enumerate(cards):
        if not suit >> card & 1:
            bars[(leader + index) % SEAT_COUNT] |= suit
