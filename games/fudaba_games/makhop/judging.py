"""Decides which moves of Makhop are legal, and why the others are not (rules page `docs/rules/makhop.md`, MH3 to
MH6).
"""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import CARD_MASKS, CARD_TEXTS, CARDS
from fudaba_games.kamikisen.legality import check_card_in_hand, check_cards, check_in_hand
from fudaba_games.kamikisen.text import text_of
from fudaba_games.makhop.state import MakhopState
from fudaba_games.makhop.sums import FREE, VALUE_OF_CARD, VALUED, sum_of, wanted, wanted_together
from fudaba_games.makhop.values import Clear, Extend, MakhopMove, Open


def check_move(state: MakhopState, seat: int, move: MakhopMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    if isinstance(move, Open):
        return
    hand = state.hands[seat]
    if isinstance(move, Clear):
        _check_clear(hand, move.card)
        return
    _check_laid(hand, move.cards, move.end)
    if isinstance(move, Extend):
        _check_extend(state, move.road, move.cards)
    else:
        _check_join(state, move.road, move.other_road, move.cards)


def _check_clear(hand: int, card: int) -> None:
    if not 0 <= card < CARDS:
        raise IllegalMove("NOT_CARDS", f"{card} is not a card; name a ship, king or emperor of your hand")
    check_card_in_hand(hand, card)
    if VALUE_OF_CARD[card] >= 0:
        raise IllegalMove(
            "HAS_A_VALUE",
            f"{CARD_TEXTS[card]} does not clear the roads; a ship, king or emperor does. Lay it on a road",
        )


def _check_laid(hand: int, cards: int, end: int) -> None:
    check_cards(cards)
    check_in_hand(hand, cards)
    if cards & ~VALUED:
        raise IllegalMove(
            "NO_VALUE", f"{text_of(cards & ~VALUED)} has no value and is laid alone, to clear the roads: `clear`"
        )
    if not (0 <= end < CARDS and cards & CARD_MASKS[end]):
        raise IllegalMove("END_NOT_LAID", f"the new end is one of the cards that are laid: {text_of(cards)}")


def _check_road(state: MakhopState, road: int) -> None:
    if not 0 <= road < len(state.roads):
        raise IllegalMove("NO_SUCH_ROAD", f"there is no road {road}; the roads are 0 to {len(state.roads) - 1}")


def _check_extend(state: MakhopState, road: int, cards: int) -> None:
    _check_road(state, road)
    asked = wanted(state.roads[road])
    if asked == FREE:
        if cards.bit_count() > 1:
            start = CARD_TEXTS[state.roads[road][-1]]
            raise IllegalMove("ONE_CARD_ONLY", f"road {road} starts with {start} and takes exactly one card, any value")
        return
    _check_sum(cards, asked, f"road {road} ends with {CARD_TEXTS[state.roads[road][-1]]}")


def _check_join(state: MakhopState, road: int, other: int, cards: int) -> None:
    _check_road(state, road)
    _check_road(state, other)
    if road >= other:
        raise IllegalMove("ROADS_OUT_OF_ORDER", "name two different roads, the one with the lower number first")
    asked = wanted_together(state.roads[road], state.roads[other])
    last_cards = " and ".join([CARD_TEXTS[state.roads[end_road][-1]] for end_road in (road, other)])
    ends = f"roads {road} and {other} end with {last_cards}"
    if asked == FREE:
        raise IllegalMove(
            "NOT_JOINABLE",
            f"{ends}; a road that a ship, king or emperor has started cannot be joined before a card is on it",
        )
    _check_sum(cards, asked, ends)


def _check_sum(cards: int, asked: int, why: str) -> None:
    total = sum_of(cards)
    if total != asked:
        raise IllegalMove("WRONG_SUM", f"{why}; lay cards that add up to {asked}, not {total} as {text_of(cards)} does")
