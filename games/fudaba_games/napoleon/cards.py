"""Napoleon's deck, suits and calls (rules page `docs/rules/napoleon.md`, P2 and P4).

A card is a number 0-51 in deck order: clubs, diamonds, hearts, spades, each from ace to king. A set of cards is a bit
mask, bit `c` for card `c`. A suit is a number 0-4: the four suits in deck order, then no-trump. A call is a number: 0
approves, and 1 to 40 are the bids from the lowest to the highest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from fudaba_games.cards import cards_in, parse_different
from fudaba_games.game import MalformedMove

SEAT_COUNT: Final = 5
CARDS: Final = 52
DECK: Final = (1 << CARDS) - 1
"""The mask of all cards."""

HEARTS: Final = 2
SPADES: Final = 3
NO_TRUMP: Final = 4
SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades", "no-trump")
SUIT_LETTERS: Final = "CDHSN"
RANK_LETTERS: Final = "A23456789TJQK"
SUIT_MASKS: Final = tuple(8191 << 13 * suit for suit in range(4))
"""For each suit, the mask of its thirteen cards."""
SUIT_OF: Final = tuple(card // 13 for card in range(CARDS))
"""For each card, its suit."""

ACE: Final = 0
TWO: Final = 1
TEN: Final = 9
JACK: Final = 10
QUEEN: Final = 11

MIGHTY: Final = 13 * SPADES + ACE
"""マイティー, the ace of spades."""
YOROMEKI: Final = 13 * HEARTS + QUEEN
"""よろめき, the queen of hearts, which beats Mighty and nothing else."""
HONOURS: Final = sum(1 << card for card in range(CARDS) if card % 13 == ACE or card % 13 >= TEN)
"""The mask of the twenty honours (絵札): 10 J Q K A of each suit."""
HONOUR_COUNT: Final = 20

LOWEST_NUMBER: Final = 13
HIGHEST_NUMBER: Final = 20
APPROVE: Final = 0
"""The call that does not bid."""
HIGHEST_CALL: Final = 5 * (HIGHEST_NUMBER - LOWEST_NUMBER + 1)

CARD_TEXTS: Final = tuple(rank + suit for suit in "CDHS" for rank in RANK_LETTERS)
"""Every card's text, in deck order."""
CALL_TEXTS: Final = (
    "approve",
    *(f"{number}{suit}" for number in range(LOWEST_NUMBER, HIGHEST_NUMBER + 1) for suit in SUIT_LETTERS),
)
"""Every call's text, lowest first."""
_BY_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


def call_of(number: int, suit: int) -> int:
    """Returns the call of a bid, from a number 13-20 and a suit 0-4."""
    return 5 * (number - LOWEST_NUMBER) + suit + 1


def number_of(call: int) -> int:
    """Returns the number (13-20) of a bid; 0 for call 0."""
    return (call - 1) // 5 + LOWEST_NUMBER if call else 0


def suit_of(call: int) -> int:
    """Returns the suit (0-4) of a bid; -1 for call 0."""
    return (call - 1) % 5 if call else -1


def right_jack(trump: int) -> int:
    """Returns the 正ジャック, the jack of trumps; -1 with no-trump."""
    return -1 if trump == NO_TRUMP else 13 * trump + JACK


def left_jack(trump: int) -> int:
    """Returns the 裏ジャック, the other jack of the trump's colour; -1 with no-trump."""
    return -1 if trump == NO_TRUMP else 13 * (3 - trump) + JACK


def cards_of(mask: int) -> list[int]:
    """Returns the cards of a mask, in deck order. It ignores bits that are not a card's."""
    return cards_in(mask & DECK)


def text_of(mask: int) -> str:
    """Returns the cards of a mask in deck order, for example `2C TH AS`; empty for none."""
    return " ".join([CARD_TEXTS[card_index] for card_index in cards_of(mask)])


def parse_card(text: str) -> int:
    """Returns the card of a text. Raises `MalformedMove`."""
    found = _BY_TEXT.get(text)
    if found is None:
        raise MalformedMove(
            f"{text[:20]!r} is not a card; write a rank (A 2-9 T J Q K) and a suit (C D H S), for example QH"
        )
    return found


def parse_cards(texts: Iterable[str]) -> int:
    """Returns the mask of some cards' texts, in any order. Raises `MalformedMove`, also for a repeated card."""
    return parse_different(texts, parse_card)
