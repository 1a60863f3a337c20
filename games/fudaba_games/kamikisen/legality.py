"""The reasons why cards of the Kamikisen deck cannot be laid in any game: they are not cards, or not in the hand."""

from __future__ import annotations

from fudaba_games.game import IllegalMove
from fudaba_games.kamikisen.cards import CARD_MASKS, CARD_TEXTS, is_settled
from fudaba_games.kamikisen.text import text_of


def check_cards(cards: int) -> None:
    """Raises `IllegalMove` unless a number is a mask of one or more cards."""
    if not is_settled(cards) or not cards:
        raise IllegalMove(
            "NOT_CARDS",
            f"{cards:#x} stands for no cards; name one or more cards of the deck, a second copy only with the first",
        )


def check_in_hand(hand: int, cards: int) -> None:
    """Raises `IllegalMove` unless a hand has all of some cards, a mask."""
    if cards & ~hand:
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has not all of {text_of(cards)}; it is {text_of(hand)}")


def check_card_in_hand(hand: int, card: int) -> None:
    """Raises `IllegalMove` unless a hand has a card (0-23)."""
    if not hand & CARD_MASKS[card]:
        raise IllegalMove("CARD_NOT_IN_HAND", f"your hand has no {CARD_TEXTS[card]}; it is {text_of(hand)}")
