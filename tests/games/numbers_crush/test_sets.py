"""What may be set in Numbers Crush: docs/rules/numbers_crush.md, C2, C4, C7, C11."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple

import pytest

from fudaba_games.numbers_crush import CARD_TEXTS, NUMBER_OF, SUIT_OF, Set, can_set, cards_of, limits_of, mask_of
from fudaba_games.numbers_crush.moves import Listing
from fudaba_games.numbers_crush.random_moves import random_set
from tests.support import sizes
from tests.support.games.numbers_crush.positions import cards, holding, legal, sets

OTHERS = ("KC KS", "QC QS")


@pytest.mark.rule("C2.1", "C2.2")
def test_the_deck_has_four_suits_of_thirteen_and_two_jokers() -> None:
    assert len(CARD_TEXTS) == 54
    assert CARD_TEXTS[:14] == ("AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC", "AD")
    assert CARD_TEXTS[51:] == ("KS", "X1", "X2")
    assert [NUMBER_OF[card] for card in cards_of(cards("AC QC 9D KD TH JS"))] == [1, 12, 9, 13, 10, 11]


@pytest.mark.rule("C4.1", "C4.2", "C4.3", "C4.4", "C4.6", "C4.9")
@pytest.mark.parametrize(
    ("base", "hand", "may"),
    [
        ("8H", "3C 5D", "3C 5D, 5D 3C"),
        ("8H", "4H 5H 6H 9S", "4H, 4H 5H, 5H 4H, 4H 5H 6H, 6H 5H 4H, 5H, 5H 6H, 6H 5H, 6H"),
        ("8H", "2H 2S 2D", "2H, 2H 2S, 2H 2D, 2H 2S 2D, 2H 2D 2S"),
        ("8H", "8C 8D", "8C, 8D, 8D 8C, 8C 8D"),
        ("8H", "KH AH 2H", "AH, 2H, KH, AH 2H, 2H AH"),
        ("8H", "TH 2H", "2H, TH=A, TH, TH=A 2H, 2H TH=A"),
        ("AH", "TC TS", "TC=A, TS=A, TC=A TS=A, TS=A TC=A"),
        ("JH", "TC TS", "TC=A TS, TS TC=A, TC TS=A, TS=A TC"),
        ("JH", "AS TC", "AS TC, TC AS"),
        ("5H", "AC 2D 2S", "2D 2S AC, AC 2S 2D, AC 2D 2S"),
        ("9H", "9D", "9D to C, 9D to D, 9D to H, 9D to S"),
    ],
)  # fmt: skip
def test_what_may_be_set_in_free_play(base: str, hand: str, may: str) -> None:
    assert sets(holding(base, hand, *OTHERS)) == set(may.split(", "))


@pytest.mark.rule("C4.5")
@pytest.mark.parametrize(("bind", "may"), [(0, "2C, 3C, 2C 3C, 3C 2C, 4D, 4S, 4D 4S, 4S 4D"), (1, "2C, 3C, 4S")])
def test_on_a_declared_joker_any_card_number_or_run(bind: int, may: str) -> None:
    state = holding("X1", "2C 3C 4D 4S", *OTHERS)
    state.bind = bind
    expected = set(may.split(", ")) | ({"2C 3C", "3C 2C", "2C 3C 4S", "4S 3C 2C", "3C 4S", "4S 3C"} if bind else set())
    assert sets(state) == expected


@pytest.mark.rule("C4.7", "C4.10")
def test_a_joker_stands_for_any_card_and_names_its_suit_on_top_only() -> None:
    found = sets(holding("3H", "2H X1", *OTHERS))
    assert {
        "X1=3C",
        "X1=3H",
        "X1=KH",
        "X1=AH",
        "2H X1=2C",
        "X1=2 2H",
        "2H X1=3H",
        "X1=3 2H",
        "2H X1=AC",
        "X1=A 2H",
        "X1=joker",
    } <= found
    assert not {"X1=3", "X1=KC", "2H X1=3C", "X1=3C 2H", "X1=2"} & found


@pytest.mark.rule("C4.7")
def test_a_joker_as_a_nine_has_the_suit_that_the_nine_names_and_as_a_jack_below_its_colour() -> None:
    found = sets(holding("QH", "AH 3S X1", *OTHERS))
    assert {"X1=9 to C", "3S X1=9 to D", "X1=9 3S to S"} <= found
    assert {"X1=JC AH", "X1=JD AH", "AH X1=JH", "AH X1=JC"} <= found
    assert not {text for text in found if text.startswith("X1=9H") or "X1=JH AH" in text or "X1=J AH" in text}


@pytest.mark.rule("C4.8")
def test_a_declared_joker_is_alone_and_goes_on_anything() -> None:
    found = sets(holding("3H", "7S X1 X2", *OTHERS))
    assert {"X1=joker", "X2=joker"} <= found
    assert not {text for text in found if "joker" in text and " " in text}


@pytest.mark.rule("C7.4")
def test_draw_three_is_answered_by_queens_or_a_sum_of_twelve() -> None:
    state = holding("QC", "QD 7S 5S 3C", *OTHERS[:1], "QS 2C")
    state.pending = 3
    assert sets(state) == {"QD", "7S 5S", "5S 7S"}
    state = holding("QC", "X1 8S", "KC KS", "QS JS")
    state.pending = 3
    assert sets(state) == {
        "X1=QC",
        "X1=QD",
        "X1=QH",
        "X1=QS",
        "8S X1=4C",
        "8S X1=4D",
        "8S X1=4H",
        "8S X1=4S",
        "X1=4 8S",
    }


@pytest.mark.rule("C7.2")
def test_a_bind_knows_colours_only() -> None:
    state = holding("JH", "4S 5C 9D JS", *OTHERS)
    state.bind = 1
    assert sets(state) == {"4S", "5C", "5C 4S", "4S 5C", "JS"}
    state = holding("8H", "3D 5C 8S X1", *OTHERS)
    state.bind = 1
    assert "X1=5 3D" not in sets(state)
    assert {"5C X1=3D", "X1=JH", "8S X1=8H", "X1=7 8S"} <= sets(state)


@pytest.mark.rule("C7.7", "C7.10")
def test_king_time_takes_pictures_of_one_number() -> None:
    state = holding("KD", "JS QH 8D X1", *OTHERS)
    state.king_penalty, state.king_starter = 3, 1
    single = {f"X1={number}{suit}" for number in "JQK" for suit in "CDHS"}
    jacks = {"JS X1=JC", "JS X1=JD", "JS X1=JH", "JS X1=JS", "X1=J JS"}
    queens = {"QH X1=QC", "QH X1=QD", "QH X1=QH", "QH X1=QS", "X1=Q QH"}
    assert sets(state) == {"JS", "QH", "X1=joker"} | single | jacks | queens
    state.bind, state.bind_maker = 1, 1
    assert sets(state) == {"JS", "X1=joker"} | single | jacks, "with a bind to black both limits hold"


@pytest.mark.rule("C7.1")
def test_the_joker_lock_takes_one_joker_as_anything() -> None:
    state = holding("X2", "JS X1", *OTHERS)
    state.joker_lock, state.bind = True, 1
    found = sets(state)
    assert len(found) == 13 * 4 + 1
    assert {"X1=joker", "X1=3H", "X1=KC"} <= found


@pytest.mark.rule("C11.3", "C11.4")
def test_legal_moves_are_ordered_by_their_cards_in_deck_order() -> None:
    assert legal(holding("8H", "4H 5H 3C 5D", *OTHERS)) == [
        *["pass", "set 5D 3C", "set 3C 5D", "set 5H 3C", "set 3C 5H", "set 5H 5D"],
        *["set 4H", "set 5H 4H", "set 4H 5H", "set 5H"],
    ]


# ---- every set, by the words of the rules --------------------------------------------------------------------------


class Case(NamedTuple):
    """The base and the limits."""

    number: int
    suit: int
    bind: int
    pending: int
    king: int
    joker_lock: bool
    reset: bool


Laid = Sequence[tuple[int, int, int]]
"""Cards from the bottom to the top: each with its number and its suit, -1 for a joker, whose suit is open."""


def in_row(numbers: list[int]) -> bool:
    steps = {second - first for first, second in pairwise(numbers)}
    return steps in ({1}, {-1})


def may_be_set(  # noqa: PLR0911 - one for each sentence
    case: Case, laid: Laid
) -> bool:
    """Returns whether cards may be set in this order, by the words of C4 and C7."""
    numbers = [number for _, number, _ in laid]
    suits = {suit for _, _, suit in laid} - {-1}
    same, added = len(set(numbers)) == 1, sum(numbers) if len(laid) > 1 else 0
    if not case.reset:
        if case.joker_lock:
            return len(laid) == 1 and not suits
        if case.bind and suits - ({0, 3} if case.bind == 1 else {1, 2}):
            return False
        if case.king:
            return same and numbers[0] > 10
        if case.pending:
            return (same and numbers[0] == 12) or added == 12
        if case.bind:
            return same or in_row(numbers) or (case.number > 0 and added == case.number)
    if not case.number:
        return same or (in_row(numbers) and len(suits) < 2)
    if len(laid) == 1:
        return case.reset or numbers[0] == case.number or laid[0][2] in {-1, case.suit}
    if (same and numbers[0] == case.number) or added == case.number:
        return True
    return (in_row(numbers) and suits <= {case.suit}) or (same and laid[0][2] in {-1, case.suit})


def suits_on_top(case: Case, laid: Laid) -> list[int]:
    """Returns which suits a joker on top may have: those with which the set would be legal.

    A bind does not ask for them.
    """
    if not case.reset and (case.bind or case.king or case.pending or case.joker_lock):
        return [0, 1, 2, 3]
    card, number, _ = laid[-1]
    return [suit for suit in range(4) if may_be_set(case, [*laid[:-1], (card, number, suit)])]


Known = tuple[object, ...]


def what_it_does(laid: Laid, colour: int, top: object) -> Known:
    """Returns what tells sets from each other: the cards and numbers, the card on top, and whose effect takes place."""
    roles = [10 if suit >= 0 and card % 13 == 9 else number if number > 4 else 0 for card, number, suit in laid]
    place = max((place for place, role in enumerate(roles) if role), default=-1)
    role = roles[place] if place >= 0 and roles[place] != 10 else 0
    below = role == 11 and place < len(laid) - 1
    red = (laid[place][2] in {1, 2} if laid[place][2] >= 0 else colour == 2) if below else None
    cards_ = tuple(sorted((card, number) for card, number, suit in laid if suit >= 0))
    jokers = tuple(sorted(card for card, _, suit in laid if suit < 0))
    meant = tuple(sorted(number for _, number, suit in laid if suit < 0))
    on_top = (laid[-1][0] if laid[-1][2] >= 0 else "joker", laid[-1][1])
    return cards_, jokers, meant, on_top, top, role, red


def top_of(laid: Laid, case: Case) -> list[object]:
    """Returns what there is to name: the suit of a 9 that takes place, or of a joker on top."""
    effect = what_it_does(laid, 1, None)[-2]
    suits = suits_on_top(case, laid) if laid[-1][2] < 0 else [laid[-1][2]]
    return [("to", suit) for suit in range(4)] if effect == 9 and suits else list(suits)


def numbers_of(card: int) -> Sequence[int]:
    return range(1, 14) if card > 51 else (1, 10) if NUMBER_OF[card] == 10 else (NUMBER_OF[card],)


def by_trying(case: Case, hand: int) -> Iterator[Known]:
    """Yields every set of a hand but declared jokers, by trying all cards, all their values and all orders."""
    for size in range(1, hand.bit_count() + 1):
        for some in combinations(cards_of(hand), size):
            choices = [
                [(card, number, SUIT_OF[card] if card < 52 else -1) for number in numbers_of(card)] for card in some
            ]
            for meant in product(*choices):
                for laid in permutations(meant):
                    if may_be_set(case, laid):
                        for colour, top in product((1, 2), top_of(laid, case)):
                            yield what_it_does(laid, colour, top)


def seen(move: Set) -> Known:
    laid = [
        (card, NUMBER_OF[face], SUIT_OF[card] if card < 52 else -1)
        for card, face in zip(move.cards, move.faces, strict=True)
    ]
    colours = [2 if SUIT_OF[face] in {1, 2} else 1 for card, face in zip(move.cards, move.faces, strict=True)
               if card > 51 and NUMBER_OF[face] == 11 and SUIT_OF[face] >= 0]  # fmt: skip
    top = ("to", move.suit) if move.suit >= 0 else SUIT_OF[move.faces[-1]]
    return what_it_does(laid, colours[0] if colours else 1, top)


def some_cases(count: int) -> Iterator[tuple[Case, int]]:
    chance = random.Random("sets")
    for _ in range(count):
        number = chance.randrange(14)
        suit = chance.randrange(4) if number else -1
        limit = chance.randrange(8)
        if limit == 1:
            number, suit = 12, max(suit, 0)
        case = Case(
            number,
            suit,
            chance.choice((0, 0, 1, 2)),
            3 * (limit == 1),
            3 * (limit == 2),
            limit == 3,
            chance.random() < 0.2,
        )
        near = [card for card in range(52) if card // 13 in {max(suit, 0), 2} and card % 13 < chance.choice((5, 13))]
        pool = chance.choice((near, list(range(52))))
        hand = chance.sample(sorted({*pool, 9, 22, 35, 48}), chance.randrange(1, 6))[: chance.randrange(1, 6)]
        jokers = chance.choice(((), (), (52,), (53,), (52, 53)))
        yield case, mask_of([*hand[: 5 - len(jokers)], *jokers])


@pytest.mark.rule("C4.7", "C4.8", "C4.9", "C7.1", "C7.2", "C7.4", "C7.7", "C11.3", "C11.4", "C6.6")
@pytest.mark.exhaustive
def test_sets_are_all_there_in_order_and_once() -> None:
    for case, hand in some_cases(sizes.some(120, least=40)):
        limits = limits_of(*case)
        listing = Listing(limits, hand)
        found = list(listing)
        assert listing.count == len(found) == len(set(found))
        assert [listing.nth(index) for index in range(len(found))] == found
        assert [sorted(move.cards) for move in found] == sorted([sorted(move.cards) for move in found])
        declared = [move for move in found if move.faces[0] in {52, 53}]
        assert len(declared) == (limits.joker and (hand >> 52).bit_count())
        others = [seen(move) for move in found if move not in declared]
        assert len(set(others)) == len(others), "a set is listed twice"
        assert set(others) == set(by_trying(case, hand)), (case, hand)
        assert can_set(limits, hand) == bool(found)


def test_chance_draws_legal_sets_and_at_last_every_one() -> None:
    chance = random.Random("draw")
    for case, hand in some_cases(150):
        limits = limits_of(*case)
        found = set(Listing(limits, hand))
        assert not found or random_set(limits, hand, chance) in found
        if len(found) < 60:
            left = set(found)
            for _ in range(400 * len(found)):
                drawn = random_set(limits, hand, chance)
                assert drawn in found
                left.discard(drawn)
                if not left:
                    break
            assert not left, (case, hand)
