"""Decides which moves of Napoleon are legal, and why the others are not (rules page `docs/rules/napoleon.md`, P4 to
P7).
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import IllegalMove
from fudaba_games.napoleon.cards import (
    CALL_TEXTS,
    CARD_TEXTS,
    CARDS,
    DECK,
    HIGHEST_NUMBER,
    LOWEST_NUMBER,
    NO_TRUMP,
    SUIT_NAMES,
    SUIT_OF,
    call_of,
    text_of,
)
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.values import (
    PHASE_AUCTION,
    PHASE_EXCHANGE,
    PHASE_NAMING,
    PHASE_TRICKS,
    Bid,
    Bury,
    Name,
    NapoleonMove,
    Play,
    move_kind,
)

MAX_THROW_INS: Final = 3
"""The number of consecutive throw-ins after which the first seat to speak must bid (P4.8)."""

_DUE: Final[dict[int, tuple[tuple[str, ...], str]]] = {
    PHASE_AUCTION: (("approve", "bid"), "approve or bid"),
    PHASE_EXCHANGE: (("bury",), "bury two cards"),
    PHASE_NAMING: (("name",), "name a card"),
    PHASE_TRICKS: (("play",), "play a card"),
}
"""For each phase, the kinds of move that are due, and a text that says what to do."""
_FORCED: Final = (("bid",), "bid: the cards were thrown in three times")


def must_bid(state: NapoleonState) -> bool:
    """Returns whether the seat to speak must bid (P4.8)."""
    return state.thrown_in == MAX_THROW_INS and not state.call


def check_move(state: NapoleonState, seat: int, move: NapoleonMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    kind = move_kind(move)
    kinds, advice = _FORCED if state.phase == PHASE_AUCTION and must_bid(state) else _DUE[state.phase]
    if kind not in kinds:
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"`{kind}` is not due now; {advice}")
    if isinstance(move, Play):
        _check_play(state, seat, move.card)
    elif isinstance(move, Bid):
        _check_bid(state, move)
    elif isinstance(move, Bury):
        _check_burial(state.hands[seat], move.cards)
    elif isinstance(move, Name):
        _check_card(move.card)


def _check_card(card: int) -> None:
    if not 0 <= card < CARDS:
        raise IllegalMove("NO_SUCH_CARD", f"there is no card {card}; cards are 0 to 51 in deck order")


def _check_bid(state: NapoleonState, bid: Bid) -> None:
    if not LOWEST_NUMBER <= bid.number <= HIGHEST_NUMBER or not 0 <= bid.suit <= NO_TRUMP:
        raise IllegalMove(
            "NO_SUCH_BID", f"there is no bid of {bid.number} in suit {bid.suit}; numbers are 13 to 20, suits 0 to 4"
        )
    if call_of(bid.number, bid.suit) <= state.call:
        raise IllegalMove(
            "BID_TOO_LOW",
            f"{bid.number} {SUIT_NAMES[bid.suit]} does not beat {CALL_TEXTS[state.call]}; bid a higher number, "
            "or the same number and a higher suit, or approve",
        )


def _check_burial(hand: int, cards: int) -> None:
    missing = cards & ~hand
    if missing:
        missing_text = text_of(missing) if cards > 0 and not missing & ~DECK else "a number that is not a card"
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {missing_text}; it is {text_of(hand)}")
    if cards.bit_count() != 2:
        raise IllegalMove("WRONG_NUMBER_OF_CARDS", f"bury 2 cards, not {cards.bit_count()}")


def _check_play(state: NapoleonState, seat: int, card: int) -> None:
    _check_card(card)
    hand = state.hands[seat]
    if not hand >> card & 1:
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {CARD_TEXTS[card]}; it is {text_of(hand)}")
    if not state.legal >> card & 1:
        suit = SUIT_NAMES[SUIT_OF[state.trick[0]]]
        raise IllegalMove("FOLLOW_SUIT", f"{suit} were led; play one of {text_of(state.legal)}")
