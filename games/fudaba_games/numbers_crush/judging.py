"""Decides which moves of Numbers Crush are legal, and why the others are not (rules page
`docs/rules/numbers_crush.md`).
"""

from __future__ import annotations

from typing import Final

from fudaba_games.game import IllegalMove
from fudaba_games.numbers_crush.cards import (
    CARD_TEXTS,
    CARDS,
    COLOUR_NAMES,
    FACE_COUNT,
    JOKER,
    NUMBER_LETTERS,
    NUMBER_OF,
    SUIT_NAMES,
    SUIT_OF,
    TEN,
    as_ace,
    text_of,
)
from fudaba_games.numbers_crush.limits import ALL_NUMBERS_MASK, Limits, cards_now, limits_now
from fudaba_games.numbers_crush.sets import ANY_ORDER, NINE, RUN, arrangements, effect_number, ways
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.numbers_crush.text import format_move
from fudaba_games.numbers_crush.values import (
    PHASE_COUNTER,
    PHASE_DRAW,
    PHASE_EXTRA,
    PHASE_GIVE,
    PHASE_MAY_DISCARD,
    PHASE_MUST_DISCARD,
    PHASE_PENALTY,
    PHASE_RESET,
    PHASE_SET,
    PHASE_ZERO_OUT,
    Discard,
    Give,
    NumbersCrushMove,
    Set,
    move_kind,
)

_DUE: Final[dict[int, tuple[tuple[str, ...], str]]] = {
    PHASE_DRAW: (("skip", "draw"), "skip or draw"),
    PHASE_SET: (("pass", "set"), "pass or set cards"),
    PHASE_GIVE: (("decline", "give"), "give a card to another seat, or decline"),
    PHASE_MUST_DISCARD: (("discard",), "discard a card"),
    PHASE_MAY_DISCARD: (("decline", "discard"), "discard a card, or decline"),
    PHASE_EXTRA: (("decline", "set"), "set again, or decline"),
    PHASE_RESET: (("decline", "set"), "set again, or decline"),
    PHASE_PENALTY: (("decline", "set"), "set penalty cards, or decline"),
    PHASE_ZERO_OUT: (("decline", "zero_out"), "decline, or declare the zero-out"),
    PHASE_COUNTER: (("decline", "counter"), "decline, or counter the zero-out"),
}
"""For each phase, the kinds of move that are due, and a text that says what to do."""


def check_move(state: NumbersCrushState, seat: int, move: NumbersCrushMove) -> None:
    """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
    kind = move_kind(move)
    kinds, advice = _DUE[state.phase]
    if kind not in kinds:
        raise IllegalMove("WRONG_KIND_OF_MOVE", f"`{kind}` is not due now; {advice}")
    if isinstance(move, Set):
        check_set(limits_now(state), cards_now(state), state.bind, move)
    elif isinstance(move, Discard):
        _check_held(state.hands[seat], move.card)
    elif isinstance(move, Give):
        _check_held(state.hands[seat], move.card)
        if not 0 <= move.to < state.seats or move.to == seat:
            raise IllegalMove("NO_SUCH_SEAT", f"give the card to another seat, 0 to {state.seats - 1} but not {seat}")


def _check_held(hand: int, card: int) -> None:
    if not 0 <= card < CARDS:
        raise IllegalMove("NO_SUCH_CARD", f"there is no card {card}; cards are 0 to 53 in deck order")
    if not hand >> card & 1:
        raise IllegalMove("CARD_NOT_IN_HAND", f"{CARD_TEXTS[card]} cannot be used; these can: {text_of(hand)}")


def check_set(limits: Limits, hand: int, bind: int, move: Set) -> None:
    """Raises `IllegalMove` unless the set may be made of the cards of `hand` (a mask) under the limits.

    `bind` is the colour of a bind, used only in the message.
    """
    _check_cards(hand, move)
    cards, faces = move.cards, move.faces
    if not -1 <= move.suit < len(SUIT_NAMES):
        raise IllegalMove("NO_SUCH_SUIT", f"there is no suit {move.suit}; suits are 0 to 3, -1 for none")
    if any(JOKER <= face < JOKER + 2 for face in faces):
        _check_declared_joker(limits, move)
        return
    numbers = [NUMBER_OF[face] for face in faces]
    way, suits = ways(limits, cards, numbers)
    if not way:
        raise _no_set(limits, bind, cards, numbers)
    order = sorted(range(len(cards)), key=lambda index: (min(JOKER, cards[index]), numbers[index]))
    sorted_cards = [cards[index] for index in order]
    meant = [numbers[index] for index in order]
    top = order.index(len(cards) - 1)
    if top and sorted_cards[top - 1] >= JOKER and meant[top - 1] == meant[top]:
        top -= 1  # two jokers that stand for the same
    if move in arrangements(limits, _jokers_last(sorted_cards), meant, way, suits, top):
        return
    raise _badly_laid(limits, move, numbers, way, arrangements(limits, _jokers_last(sorted_cards), meant, way, suits))


def _jokers_last(cards: list[int]) -> list[int]:
    """Returns the cards, which end with the jokers, with the first joker first."""
    return cards if len(cards) < 2 or cards[-2] < JOKER else [*cards[:-2], JOKER, JOKER + 1]


def _check_cards(hand: int, move: Set) -> None:
    """Checks that the cards exist, are in the hand, and may stand for their faces."""
    cards, faces = move.cards, move.faces
    if not cards:
        raise IllegalMove("NO_CARDS", "set at least one card, or pass or decline")
    if len(faces) != len(cards):
        raise IllegalMove("FACES_MISSING", f"{len(cards)} cards have {len(cards)} faces, not {len(faces)}")
    mask = 0
    for card, face in zip(cards, faces, strict=True):
        _check_held(hand, card)
        if mask >> card & 1:
            raise IllegalMove("CARD_NAMED_TWICE", f"{CARD_TEXTS[card]} is there twice; name each card once")
        mask |= 1 << card
        if not 0 <= face < FACE_COUNT:
            raise IllegalMove("NO_SUCH_FACE", f"there is no face {face}; faces are 0 to 66")
        if card >= JOKER:
            if JOKER <= face < JOKER + 2 and face != card:
                raise IllegalMove(
                    "WRONG_FACE", f"{CARD_TEXTS[card]} as a joker stands for itself, not for the other one"
                )
        elif face != card and not (NUMBER_OF[card] == TEN and face == as_ace(card)):
            raise IllegalMove(
                "WRONG_FACE", f"{CARD_TEXTS[card]} stands for itself; only a 10 may be an ace, and a joker anything"
            )


def _check_declared_joker(limits: Limits, move: Set) -> None:
    if len(move.cards) > 1:
        raise IllegalMove("JOKER_NOT_ALONE", "a declared joker is set alone; say what it stands for, for example X1=7")
    if not limits.joker:
        raise IllegalMove(
            "DRAW_THREE", "a declared joker does not answer a draw three; set Qs, or a sum of 12, or pass"
        )
    if move.suit >= 0:
        raise IllegalMove("SUIT_NAMED_IN_VAIN", "only the effect of a 9 names a suit; leave it out")


def _no_set(limits: Limits, bind: int, cards: tuple[int, ...], numbers: list[int]) -> IllegalMove:
    """Returns why cards do not form a set under the limits."""
    if limits.only_joker:
        return IllegalMove("JOKER_LOCK", "the last set was a joker; set one joker, as anything, or pass")
    wrong = [CARD_TEXTS[card] for card in cards if card < JOKER and not limits.cards >> card & 1]
    if wrong:
        return IllegalMove("COLOUR_BIND", f"only {COLOUR_NAMES[bind]} cards may be set, not {' '.join(wrong)}")
    if limits.groups.bit_count() == 3:
        return IllegalMove("KING_TIME", "in king time set one or more Js, Qs or Ks, of one number, or a joker, or pass")
    if limits.groups == 1 << 12 and limits.target == 12 and limits.suit < 0:
        return IllegalMove("DRAW_THREE", "a draw three is pending; set Qs, or cards that add up to 12, or pass")
    added = "" if len(cards) == 1 else f", they add up to {sum(numbers)}"
    if limits.groups == ALL_NUMBERS_MASK:
        base = NUMBER_LETTERS[limits.target - 1] if limits.target else "a joker"
        description = "are of one number or a run" + (" of one suit" if len(limits.lanes) > 1 else "")
        description += ", or add up to its number" if limits.target else ""
        return IllegalMove("NO_SUCH_SET", f"the base is {base}{added}; set one card, or cards that {description}")
    base = f"{NUMBER_LETTERS[limits.target - 1]} of {SUIT_NAMES[limits.suit]}"
    single_text = "any one card" if limits.any_single else "one card of its suit"
    return IllegalMove(
        "NO_SUCH_SET",
        f"the base is {base}{added}; set {single_text}, cards of its number, a run of its suit, cards of one number "
        "with one of its suit at the bottom, or cards that add up to its number",
    )


def _badly_laid(limits: Limits, move: Set, numbers: list[int], way: int, sets: list[Set]) -> IllegalMove:
    """Returns why cards that form a set cannot be set in this order."""
    cards, faces = move.cards, move.faces
    nine = effect_number(cards, faces) == NINE
    if nine != (move.suit >= 0):
        if nine:
            return IllegalMove("SUIT_NOT_NAMED", f"a 9 names a suit: add `to` and C, D, H or S, {_for_example(sets)}")
        return IllegalMove("SUIT_NAMED_IN_VAIN", "only the effect of a 9 names a suit; leave it out")
    if len(cards) > 1 and way != ANY_ORDER:
        if way == RUN and numbers not in (sorted(numbers), sorted(numbers, reverse=True)):
            return IllegalMove("RUN_NOT_IN_ORDER", f"lay a run in rising or falling order, {_for_example(sets)}")
        bottom = cards[0]
        if way != RUN and bottom < JOKER and SUIT_OF[bottom] != limits.suit:
            suit = SUIT_NAMES[limits.suit]
            return IllegalMove("CARRIER_NOT_AT_BOTTOM", f"one of {suit} goes to the bottom, {_for_example(sets)}")
    alike = [listed_set for listed_set in sets if _same_but_suits(listed_set, move)]
    if alike:
        return IllegalMove(
            "JOKER_MISNAMED",
            f"a joker names its suit on top (but not as a 9) and as a J that has its effect, {_for_example(alike)}",
        )
    same = [listed_set for listed_set in sets if listed_set.cards[-1] == cards[-1]] or sets
    return IllegalMove("LISTED_OTHERWISE", f"this set is written in another order, {_for_example(same)}")


def _same_but_suits(first: Set, other: Set) -> bool:
    return first.cards == other.cards and [NUMBER_OF[face] for face in first.faces] == [
        NUMBER_OF[face] for face in other.faces
    ]


def _for_example(sets: list[Set]) -> str:
    return f"for example `{format_move(sets[0])}`"
