"""Naga's hands: docs/rules/naga.md, N6 to N9, against a slow reference that tries every meaning of a moon."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_games.cards import mask_of
from fudaba_games.naga.cards import CARD_TEXTS, PLACES, TRUMPS, card, cards_of, parse_card
from fudaba_games.naga.hands import Category, Hand, better_hand, hand_of_five, hand_of_four, hand_value, strength
from tests.support import sizes
from tests.support.games.naga.positions import cards

LEFT, RIGHT, TIE = 0, 1, -1
KUTO, ONOTOA, AVORIA, ELTAM, SIRITAS, CHERES, EIL = PLACES


def winner(left: str, right: str, place: int = KUTO) -> int:
    return better_hand(cards(left), cards(right), place)


def judged(text: str, place: int) -> Hand:
    return hand_of_five(cards(text), place) if len(text.split()) == 5 else hand_of_four(cards(text), place)


# ---- the examples of the sheet -------------------------------------------------------------------------------------


@pytest.mark.rule("N9.2", "N9.3", "N9.6", "N8.3", "N7.1")
@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        pytest.param("F2 A2 D2 L7", "A6 T6 E6 L7", LEFT, id="threes with a trump"),
        pytest.param("F4 T4 E3 L3", "F4 L4 W3 T3", RIGHT, id="a heaven card in the pair of 4"),
        pytest.param("W5 A5 F1 L1", "T5 A5 W1 A1", LEFT, id="pairs of 5 tie, heaven in the pair of 1"),
        pytest.param("F7 T7 T5 D4", "T7 E7 L4 L2", TIE, id="the trump is not in the pair"),
        pytest.param("MI D6 D3 D2", "D7 D6 D5 D1", LEFT, id="flushes, Ilbeck as D7 beats D7"),
        pytest.param("W7 E6 D4 L2", "W7 A5 T2 E1", LEFT, id="nothing against nothing, left has the trump"),
    ],
)
def test_the_examples_of_the_sheet(left: str, right: str, result: int) -> None:
    assert winner(left, right) == result
    assert winner(right, left) == {LEFT: RIGHT, RIGHT: LEFT, TIE: TIE}[result]


# ---- categories ----------------------------------------------------------------------------------------------------

FOURS = [
    (Category.FOUR_OF_A_KIND, "F5 W5 A5 E5"),
    (Category.FLUSH, "F1 F3 F5 F7"),
    (Category.STRAIGHT, "F3 W4 A5 E6"),
    (Category.THREE_OF_A_KIND, "F5 W5 A5 E1"),
    (Category.TWO_PAIR, "F5 W5 A1 E1"),
    (Category.ONE_PAIR, "F5 W5 A1 E2"),
    (Category.NOTHING, "F1 W3 A5 E7"),
]
FIVES = [
    (Category.FIVE_OF_A_KIND, "F5 W5 A5 E5 T5"),
    (Category.STRAIGHT_FLUSH, "F3 F4 F5 F6 F7"),
    (Category.FOUR_OF_A_KIND, "F5 W5 A5 E5 T1"),
    (Category.FULL_HOUSE, "F5 W5 A5 E1 T1"),
    (Category.FLUSH, "F1 F2 F3 F5 F7"),
    (Category.STRAIGHT, "F1 W2 A3 E4 T5"),
    (Category.THREE_OF_A_KIND, "F5 W5 A5 E1 T2"),
    (Category.TWO_PAIR, "F5 W5 A1 E1 T3"),
    (Category.ONE_PAIR, "F5 W5 A1 E2 T4"),
    (Category.NOTHING, "F1 W2 A4 E6 T7"),
]


@pytest.mark.rule("N6.1")
def test_the_order_of_hands_of_four() -> None:
    values = [hand_value(cards(text), EIL) for _, text in FOURS]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 7


@pytest.mark.rule("N6.2")
def test_the_order_of_hands_of_five() -> None:
    values = [hand_value(cards(text), ELTAM) for _, text in FIVES]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 10


@pytest.mark.rule("N6.3", "N6.4", "N6.5", "N6.6", "N6.7")
@pytest.mark.parametrize(("category", "text"), FOURS + FIVES)
def test_a_hand_has_its_category(category: Category, text: str) -> None:
    for place in PLACES:
        assert judged(text, place).category is category


@pytest.mark.rule("N6.1")
def test_a_better_category_beats_stronger_cards() -> None:
    assert winner("F1 W1 A1 E1", "D1 D5 D6 D7") == LEFT
    assert winner("F1 W1 A2 E3", "D7 L6 D5 L1") == LEFT


@pytest.mark.rule("N6.5")
@pytest.mark.parametrize("text", ["F1 W5 A6 E7", "F1 W2 A6 E7", "F1 W2 A3 E7", "F7 W1 A2 E3"])
def test_1_and_7_do_not_join_in_a_hand_of_four(text: str) -> None:
    assert judged(text, KUTO).category is Category.NOTHING


@pytest.mark.rule("N6.5")
@pytest.mark.parametrize("text", ["F1 W4 A5 E6 T7", "F1 W2 A5 E6 T7", "F1 W2 A3 E6 T7", "F1 W2 A3 E4 T7"])
def test_1_and_7_do_not_join_in_a_hand_of_five(text: str) -> None:
    assert judged(text, ELTAM).category is Category.NOTHING


@pytest.mark.rule("N6.4", "N6.5")
def test_three_of_an_attribute_or_in_a_row_are_nothing_in_a_hand_of_four() -> None:
    assert judged("F1 F3 F5 E7", KUTO).category is Category.NOTHING
    assert judged("F1 W2 A3 E5", KUTO).category is Category.NOTHING


@pytest.mark.rule("N6.6")
def test_a_hand_of_four_knows_no_straight_flush() -> None:
    assert judged("F3 F4 F5 F6", KUTO).category is Category.FLUSH


@pytest.mark.parametrize("text", ["", "D1", "D1 D2 D3", "D1 D2 D3 D4 D5 D6"])
def test_a_hand_of_another_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a hand of four has four cards"):
        hand_of_four(cards(text), KUTO)
    with pytest.raises(ValueError, match="a hand of five has five cards"):
        hand_of_five(cards(text), ELTAM)


def test_a_category_has_words() -> None:
    assert Category.THREE_OF_A_KIND.words == "three of a kind"


# ---- strength ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("N2.3", "N7.1", "N7.2")
@pytest.mark.parametrize("place", PLACES)
def test_trump_then_heaven_then_ground_and_the_number_in_each(place: int) -> None:
    order = sorted(range(49), key=lambda card_number: strength(card_number, place), reverse=True)
    tiers = [
        "trump" if card_index // 7 == TRUMPS[place] else "heaven" if card_index // 7 < 2 else "ground"
        for card_index in order
    ]
    heaven = 1 if TRUMPS[place] < 2 else 2
    assert tiers == ["trump"] * 7 + ["heaven"] * 7 * heaven + ["ground"] * 7 * (6 - heaven)
    numbers = [card_index % 7 + 1 for card_index in order]
    assert numbers[:7] == [7, 6, 5, 4, 3, 2, 1]
    assert numbers[7 : 7 + 7 * heaven] == sorted(numbers[7 : 7 + 7 * heaven], reverse=True)
    assert numbers[7 + 7 * heaven :] == sorted(numbers[7 + 7 * heaven :], reverse=True)


@pytest.mark.rule("N7.1")
def test_equal_numbers_of_ground_are_equally_strong() -> None:
    assert strength(parse_card("F3"), KUTO) == strength(parse_card("E3"), KUTO)
    assert strength(parse_card("D3"), ONOTOA) == strength(parse_card("L3"), ONOTOA)


@pytest.mark.rule("N7.2")
def test_a_trump_of_heaven_is_above_the_rest_of_heaven() -> None:
    assert strength(parse_card("D1"), KUTO) > strength(parse_card("L7"), KUTO)
    assert strength(parse_card("L1"), CHERES) > strength(parse_card("D7"), CHERES)


@pytest.mark.rule("N7.3")
@pytest.mark.parametrize("place", PLACES)
def test_the_1_of_trumps_beats_every_7_of_another_attribute(place: int) -> None:
    lowest_trump = strength(card(TRUMPS[place], 1), place)
    assert all(lowest_trump > strength(card(other, 7), place) for other in range(7) if other != TRUMPS[place])


# ---- moons ---------------------------------------------------------------------------------------------------------


def meaning(hand: Hand) -> tuple[str, str]:
    return tuple("-" if card_index < 0 else CARD_TEXTS[card_index] for card_index in (hand.ilbeck, hand.corseltel))  # type: ignore[return-value]


@pytest.mark.rule("N8.1", "N8.2")
@pytest.mark.parametrize(
    ("text", "place", "category", "moons"),
    [
        ("MI F5 W5 A5", KUTO, Category.FOUR_OF_A_KIND, ("D5", "-")),
        ("MI D6 D3 D2", KUTO, Category.FLUSH, ("D7", "-")),
        ("MC F7 F6 F1", KUTO, Category.FLUSH, ("-", "F7")),
        ("MC F3 W4 A5", KUTO, Category.STRAIGHT, ("-", "D6")),
        ("MC F3 W4 A6", KUTO, Category.STRAIGHT, ("-", "D5")),
        ("MI F5 W5 A1", KUTO, Category.THREE_OF_A_KIND, ("D5", "-")),
        ("MI F1 W3 A7", KUTO, Category.ONE_PAIR, ("D7", "-")),
        ("MI MC F3 W3", ONOTOA, Category.FOUR_OF_A_KIND, ("F3", "F3")),
        ("MI MC E1 E3", ONOTOA, Category.FLUSH, ("E7", "E7")),
        ("MI MC E2 W4", ONOTOA, Category.STRAIGHT, ("F3", "F5")),
        ("MI MC E1 W7", ONOTOA, Category.THREE_OF_A_KIND, ("F7", "F7")),
        ("MI F5 W5 A5 E5", ELTAM, Category.FIVE_OF_A_KIND, ("A5", "-")),
        ("MI F2 F3 F4 F5", ELTAM, Category.STRAIGHT_FLUSH, ("F6", "-")),
        ("MI F5 W5 A1 E1", ELTAM, Category.FULL_HOUSE, ("A5", "-")),
        ("MI F1 F2 F3 F7", ELTAM, Category.FLUSH, ("F7", "-")),
        ("MI MC F5 W5 E1", ELTAM, Category.FOUR_OF_A_KIND, ("A5", "A5")),
        ("MI MC F3 F5 F6", ELTAM, Category.STRAIGHT_FLUSH, ("F4", "F7")),
        ("MI MC F1 W3 E7", ELTAM, Category.THREE_OF_A_KIND, ("A7", "A7")),
    ],
)
def test_moons_make_the_best_hand(text: str, place: int, category: Category, moons: tuple[str, str]) -> None:
    hand = judged(text, place)
    assert hand.category is category
    assert meaning(hand) == moons


@pytest.mark.rule("N8.1")
def test_a_moon_may_stand_for_a_card_that_is_in_the_hand() -> None:
    assert winner("MC D7 D2 D1", "D7 D6 D5 D4") == LEFT


@pytest.mark.rule("N8.3")
def test_a_moon_is_above_the_card_it_stands_for_and_above_the_trump_of_its_number() -> None:
    assert winner("MI F7 E2 E1", "D7 F7 E2 E1") == LEFT
    # It stands for the trump 6, so the trump 7 stays above it.
    assert winner("MI F6 E2 E1", "D7 F7 E2 E1") == RIGHT


@pytest.mark.rule("N8.4")
def test_a_moon_is_above_every_card_of_the_rank_it_stands_for() -> None:
    # Flushes at Kuto: Ilbeck as F7 against W7, then as F7 against the trump flush.
    assert winner("MI F6 F5 F4", "W7 W6 W5 W4") == LEFT
    assert winner("MI F7 F5 F4", "W7 W6 W5 W4") == LEFT
    assert winner("MI F7 F5 F4", "D1 D2 D3 D4") == RIGHT


@pytest.mark.rule("N8.5")
def test_corseltel_is_above_ilbeck() -> None:
    assert winner("MI F7 E2 E1", "MC W7 E2 E1") == RIGHT
    assert winner("MI F6 F5 F4", "MC W6 W5 W4") == RIGHT
    # Equal standing only: Ilbeck with the higher number stays above.
    assert winner("MI F7 E2 E1", "MC W6 E2 E1") == LEFT


# ---- equal categories ----------------------------------------------------------------------------------------------


@pytest.mark.rule("N9.1")
def test_cards_outside_the_category_do_not_count() -> None:
    assert winner("F5 W5 A5 D7", "A5 T5 E5 F1") == TIE
    assert winner("F5 W5 D7 L6", "A5 T5 F1 W2") == TIE
    assert winner("F5 W5 A1 E1 D7", "T5 A5 F1 W1 E3") == TIE
    assert winner("F5 W5 A5 E5 D7", "F5 W5 A5 E5 T1", ELTAM) == TIE


@pytest.mark.rule("N9.2")
@pytest.mark.parametrize(
    ("left", "right", "place", "result"),
    [
        pytest.param("D1 F1 W1 A2", "L7 F7 W7 A2", KUTO, LEFT, id="three: the trump decides, not the number"),
        pytest.param("L1 F1 W1 A2", "A7 F7 W7 A2", KUTO, LEFT, id="three: then heaven"),
        pytest.param("A6 F6 W6 A2", "A5 F5 W5 A2", KUTO, LEFT, id="three: then the number"),
        pytest.param("D7 L5 L4 L6", "D7 F5 F4 F6", KUTO, LEFT, id="straight: equal trumps, then the next card"),
        pytest.param("D4 F5 F6 F7", "F4 F5 F6 D7", KUTO, RIGHT, id="straight: the higher trump"),
        pytest.param("D4 F5 F6 W7", "F4 L5 L6 L7", KUTO, LEFT, id="straight: one trump against much heaven"),
        pytest.param("F7 F6 F5 F3", "W7 W6 W5 W2", KUTO, LEFT, id="flush: the last card decides"),
        pytest.param("F7 F6 F5 F3", "W7 W6 W5 W3", KUTO, TIE, id="flush: equal ground"),
        pytest.param("D1 F1 A1 W2", "L1 F1 A1 W2", KUTO, LEFT, id="three: trump against heaven"),
        pytest.param("A1 F2 F3 F4 F5", "L1 L2 L3 L4 F5", ELTAM, LEFT, id="straight of five: the trump 1"),
        pytest.param("F1 F2 F3 F4 F5", "W2 W3 W4 W5 W6", ELTAM, RIGHT, id="straight flush: the number"),
        pytest.param("A1 A2 A3 A4 A5", "L3 L4 L5 L6 L7", ELTAM, LEFT, id="straight flush: the trump"),
        pytest.param("F1 W1 A1 E1 T1", "F7 W7 D7 E7 T7", ELTAM, LEFT, id="five of a kind: the trump"),
        pytest.param("F1 W1 A1 E1 T2", "F7 W7 D7 E7 T2", ELTAM, LEFT, id="four of a kind: the trump"),
    ],
)
def test_the_forming_cards_are_compared_one_by_one(left: str, right: str, place: int, result: int) -> None:
    assert winner(left, right, place) == result


@pytest.mark.rule("N9.3", "N9.4")
def test_two_pair_compares_the_pairs_of_the_higher_number_first() -> None:
    # The trump is in the lower pair, and the higher pairs tie: only then it counts.
    assert winner("F5 W5 D1 E1", "A5 T5 L1 F1") == LEFT
    assert winner("F5 W5 D1 E1", "A5 L5 E1 F1") == RIGHT
    # The higher pairs are compared by strength, not by number.
    assert winner("D4 F4 W1 E1", "F7 W7 A6 T6") == LEFT


@pytest.mark.rule("N9.5")
def test_a_full_house_compares_the_three_first() -> None:
    assert winner("F5 W5 E5 A1 L1", "T4 D4 E4 F7 W7", ELTAM) == RIGHT
    assert winner("F5 W5 E5 T1 F1", "T4 W4 E4 A7 W7", ELTAM) == LEFT
    # The threes tie, Ilbeck being in both: it lies on the table.
    assert winner("MI F5 W5 L1 E1", "MI T5 E5 F1 W1", ELTAM) == LEFT


@pytest.mark.rule("N9.6")
def test_nothing_compares_the_strongest_card_only() -> None:
    assert winner("D1 F3 W5 E7", "L7 L5 A3 T1") == LEFT
    assert winner("F7 W5 A3 E1", "T7 A6 F4 W2") == TIE
    assert winner("F7 L1 A3 E5", "T7 A6 F4 W2") == LEFT


@pytest.mark.rule("N9.7")
def test_hands_that_stay_equal_tie() -> None:
    assert winner("F3 W4 A5 E6", "W3 A4 E5 T6") == TIE
    assert winner("L7 F1 W3 A5", "L7 W1 A3 F5") == TIE


# ---- the reference -------------------------------------------------------------------------------------------------


def reference(mask: int, place: int) -> tuple[Any, ...]:
    """Returns the best of all meanings of the moons: (category, groups of forming cards, strongest first)."""
    real = [card_index for card_index in cards_of(mask) if card_index < 49]
    moons = [card_index for card_index in cards_of(mask) if card_index >= 49]
    plain = [(card_index, 0) for card_index in real]
    # A meaning is a card and what stands for it: 1 Ilbeck, 2 Corseltel.
    return max(
        _reference([*plain, *((meant, moon - 48) for meant, moon in zip(meanings, moons, strict=True))], place)
        for meanings in product(range(49), repeat=len(moons))
    )


def _reference(meant: list[tuple[int, int]], place: int) -> tuple[Any, ...]:
    def by_strength(chosen: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
        tiers = {TRUMPS[place]: 2}
        return sorted(((tiers.get(c // 7, int(c // 7 in (0, 1))), c % 7, moon) for c, moon in chosen), reverse=True)

    counts = Counter(c % 7 for c, _ in meant)
    groups = sorted(counts, key=lambda number: (counts[number], number), reverse=True)
    shape = [counts[number] for number in groups]
    ranked_groups = [
        by_strength([meant_card for meant_card in meant if meant_card[0] % 7 == number]) for number in groups
    ]
    everything = by_strength(meant)
    flush = len({c // 7 for c, _ in meant}) == 1
    straight = len(counts) == len(meant) and max(counts) - min(counts) == len(meant) - 1
    candidates: list[tuple[bool, tuple[Any, ...]]] = [
        (shape[0] == 5, (9, ranked_groups[0])),
        (flush and straight and len(meant) == 5, (8, everything)),
        (shape[0] == 4, (7, ranked_groups[0])),
        (shape == [3, 2], (6, *ranked_groups)),
        (flush, (5, everything)),
        (straight, (4, everything)),
        (shape[0] == 3, (3, ranked_groups[0])),
        (shape[:2] == [2, 2], (2, *ranked_groups[:2])),
        (shape[0] == 2, (1, ranked_groups[0])),
        (True, (0, everything[:1])),
    ]
    return next(candidate for holds, candidate in candidates if holds)


def hands(size: int, moons: int) -> st.SearchStrategy[int]:
    """Hands with this many moons; near numbers and attributes, so that categories other than nothing are met."""
    moon_sets = st.sets(st.sampled_from((49, 50)), min_size=moons, max_size=moons)
    real = size - moons
    near = st.tuples(st.integers(0, 6), st.integers(0, 6)).flatmap(
        lambda corner: st.sets(
            st.builds(lambda a, n: (corner[0] + a) % 7 * 7 + (corner[1] + n) % 7, st.integers(0, 4), st.integers(0, 3)),
            min_size=real,
            max_size=real,
        )
    )
    suited = st.integers(0, 6).flatmap(lambda a: st.sets(st.integers(7 * a, 7 * a + 6), min_size=real, max_size=real))
    cards_ = st.one_of(st.sets(st.integers(0, 48), min_size=real, max_size=real), near, suited)
    return st.builds(lambda card_set, other: mask_of(card_set | other), cards_, moon_sets)


def assert_compared_alike(first: int, second: int, place: int) -> None:
    first_meaning, other = reference(first, place), reference(second, place)
    expected = TIE if first_meaning == other else LEFT if first_meaning > other else RIGHT
    assert better_hand(first, second, place) == expected, f"{first_meaning} against {other}"
    for mask, slow in ((first, first_meaning), (second, other)):
        hand = hand_of_four(mask, place) if mask.bit_count() == 4 else hand_of_five(mask, place)
        assert hand.category == slow[0]
        assert hand.value == hand_value(mask, place)
        # The moons' meanings, taken as real cards beside the moons' ranks, make the very same hand.
        meanings = [(card_index, 0) for card_index in cards_of(mask) if card_index < 49]
        meanings += [
            (card_index, rank) for card_index, rank in ((hand.ilbeck, 1), (hand.corseltel, 2)) if card_index >= 0
        ]
        assert len(meanings) == mask.bit_count()
        assert _reference(meanings, place) == slow


@pytest.mark.rule("N8.2", "N9.1", "N9.2", "N9.3", "N9.5", "N9.6", "N9.7")
@pytest.mark.parametrize("size", [4, 5])
@given(st.data())
@settings(max_examples=sizes.some(150, least=40), deadline=None)
def test_hands_compare_as_the_reference_says(size: int, data: st.DataObject) -> None:
    moons = st.integers(0, 1)
    first, second = (data.draw(moons.flatmap(lambda count: hands(size, count))) for _ in range(2))
    assert_compared_alike(first, second, data.draw(st.sampled_from(PLACES)))


@pytest.mark.rule("N8.2", "N8.5")
@pytest.mark.parametrize("size", [4, 5])
@given(st.data())
@settings(max_examples=sizes.some(20, least=5), deadline=None)
def test_hands_with_both_moons_compare_as_the_reference_says(size: int, data: st.DataObject) -> None:
    first = data.draw(hands(size, 2))
    second = data.draw(st.integers(1, 2).flatmap(lambda count: hands(size, count)))
    assert_compared_alike(first, second, data.draw(st.sampled_from(PLACES)))
