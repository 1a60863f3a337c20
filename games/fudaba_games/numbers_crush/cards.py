"""The deck of Numbers Crush and what its cards can stand for (rules page `docs/rules/numbers_crush.md`, C2).

A card is a number 0-53 in deck order: clubs, diamonds, hearts, spades, each from ace to king, then the two jokers. A
set of cards is a bit mask, bit `c` for card `c`. A suit is a number 0-3, -1 for none; a card's number is 1 (ace) to 13
(king).

A *face* is what a card of a set stands for: 0-51 a card, 52 and 53 a declared joker, 54-66 the numbers 1 to 13 when the
suit does not matter.
"""

from __future__ import annotations

from typing import Final

from fudaba_games.cards import cards_in
from fudaba_games.game import MalformedMove

CARDS: Final = 54
DECK: Final = (1 << CARDS) - 1
"""The mask of all cards."""
JOKER: Final = 52
"""The first joker; the second joker is the next number."""
JOKERS: Final = 3 << JOKER
FACE_COUNT: Final = 67
ANY: Final = 53
"""`ANY + n` is the face of number `n` without a suit."""

SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
SUIT_LETTERS: Final = "CDHS"
NUMBER_LETTERS: Final = "A23456789TJQK"
COLOUR_NAMES: Final = ("", "black", "red")
"""The name of each colour: 0 none, 1 black, 2 red."""

TEN: Final = 10
JACK: Final = 11
QUEEN: Final = 12
KING: Final = 13

CARDS_PER_SUIT: Final = 13
"""The number of cards that a suit has."""
SUIT_MASKS: Final = tuple(((1 << CARDS_PER_SUIT) - 1) << CARDS_PER_SUIT * suit for suit in range(4))
"""For each suit, the mask of its thirteen cards."""
NUMBER_MASKS: Final = (
    JOKERS,
    *(sum(1 << 13 * suit + number - 1 for suit in range(4)) for number in range(1, 14)),
)
"""For each number from 1 to 13, the mask of its four cards; for 0, the jokers."""
TENS: Final = NUMBER_MASKS[TEN]
CARDS_AS: Final = (JOKERS, NUMBER_MASKS[1] | TENS, *NUMBER_MASKS[2:])
"""For each number, the cards that may count as it, except jokers. An ace may also be a 10."""
BLACK: Final = 1
RED: Final = 2
COLOUR_MASKS: Final = (
    DECK & ~JOKERS,
    SUIT_MASKS[0] | SUIT_MASKS[3],
    SUIT_MASKS[1] | SUIT_MASKS[2],
)
"""For each colour, the mask of its cards; for 0, all cards. Jokers are not included."""
COLOUR_OF_SUIT: Final = (BLACK, RED, RED, BLACK)

NUMBER_OF: Final[tuple[int, ...]] = (*[face % 13 + 1 for face in range(52)], 0, 0, *range(1, 14))
"""For each face, its number; 0 for a declared joker. For cards 0 to 51 it is the printed number."""
SUIT_OF: Final[tuple[int, ...]] = (*[face // 13 for face in range(52)], *[-1] * 15)
"""For each face, its suit; -1 for a face without a suit."""

CARD_TEXTS: Final = (*(letter + suit for suit in SUIT_LETTERS for letter in NUMBER_LETTERS), "X1", "X2")
"""Every card's text, in deck order."""
FACE_TEXTS: Final = (*CARD_TEXTS[:52], "joker", "joker", *NUMBER_LETTERS)
"""Every face's text."""
_BY_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


def cards_of(mask: int) -> list[int]:
    """Returns the cards of a mask, in deck order. It ignores bits that are not a card's."""
    return cards_in(mask & DECK)


def as_ace(ten: int) -> int:
    """Returns the face of a 10 that is declared an ace: the ace of its suit."""
    return ten - TEN + 1


def nth_card(mask: int, index: int) -> int:
    """Returns the card of a mask that comes after `index` others in deck order."""
    for _ in range(index):
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1


def text_of(mask: int) -> str:
    """Returns the cards of a mask in deck order, for example `2C TH X1`; empty for none."""
    return " ".join([CARD_TEXTS[card_index] for card_index in cards_of(mask)])


def laid_text(card: int, face: int) -> str:
    """Returns a card of a set: `3C`, `TH=A` for a 10 that is declared an ace, `X1=7`, `X1=7H` or `X1=joker`."""
    if card == face and card < JOKER:
        return CARD_TEXTS[card]
    return f"{CARD_TEXTS[card]}={FACE_TEXTS[face] if card >= JOKER else 'A'}"


def parse_card(text: str) -> int:
    """Returns the card of a text. Raises `MalformedMove`."""
    found = _BY_TEXT.get(text)
    if found is None:
        raise MalformedMove(
            f"{text[:20]!r} is not a card; write a number (A 2-9 T J Q K) and a suit (C D H S), for example QH, "
            "or a joker, X1 or X2"
        )
    return found


def parse_laid(text: str) -> tuple[int, int]:
    """Returns the card and the face of a text such as `3C`, `TH=A`, `X1=7`, `X1=7H` or `X1=joker`. Raises
    `MalformedMove`.
    """
    name, sign, meaning = text.partition("=")
    card = parse_card(name)
    if not sign:
        if card >= JOKER:
            raise MalformedMove(f"say what {name} stands for: {name}=joker, {name}=7 or, on top, {name}=7H")
        return card, card
    face = _face(card, meaning) if card >= JOKER else as_ace(card) if text[0] == "T" and meaning == "A" else -1
    if face < 0:
        raise MalformedMove(
            f"{text[:20]!r} is not a declaration; write TH=A for a 10 as an ace; X1=joker, X1=7 or X1=7H for a joker"
        )
    return card, face


def _face(joker: int, meaning: str) -> int:
    if meaning == "joker":
        return joker
    if len(meaning) == 1:
        return ANY + 1 + NUMBER_LETTERS.index(meaning) if meaning in NUMBER_LETTERS else -1
    face = _BY_TEXT.get(meaning, JOKER)
    return face if face < JOKER else -1
