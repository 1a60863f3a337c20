"""Moves and texts of Makhop: docs/rules/makhop.md, MH9; every wrong move is refused with its reason."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.kamikisen.cards import CARDS, DECK, cards_of, count_of, is_settled, places_of, settled
from fudaba_games.kamikisen.choices import parts_of
from fudaba_games.makhop import FREE, VALUED, Clear, Extend, Join, MakhopMove, Open, lays_of, sum_of
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makhop.state import MakhopState
from fudaba_games.makhop.sums import VALUE_OF_CARD, totals_of
from tests.support import sizes
from tests.support.conformance.dump import dump
from tests.support.games.makhop.positions import card, cards, dealt, do, legal, table, turn

# ---- legal moves ---------------------------------------------------------------------------------------------------


def by_trying(state: MakhopState, seat: int) -> list[MakhopMove]:
    """Returns the legal moves by the words of the rules: every choice of cards of the hand is tried on every road and
    pair.
    """
    hand = state.hands[seat]
    ends = [VALUE_OF_CARD[road[-1]] for road in state.roads]
    parts = sorted([part for part in parts_of(hand & VALUED) if part], key=places_of)
    extends: list[MakhopMove] = []
    joins: list[MakhopMove] = []
    for part in parts:
        different = sorted(set(cards_of(part)))
        total = sum(VALUE_OF_CARD[card_index] for card_index in cards_of(part))
        for road, value in enumerate(ends):
            if part.bit_count() == 1 if value == FREE else total == value:
                extends += [Extend(road, part, end) for end in different]
        for first, other in combinations(range(len(ends)), 2):
            if FREE not in {ends[first], ends[other]} and total == ends[first] + ends[other]:
                joins += [Join(first, other, part, end) for end in different]
    clears: list[MakhopMove] = [Clear(card_index) for card_index in cards_of(hand & ~VALUED)]
    return [Open(), *extends, *joins, *clears]


def same_as_by_trying(state: MakhopState, seat: int) -> int:
    """Compares the legal moves with those found by trying; says how many there are."""
    moves, expected = MAKHOP.legal_moves(state, seat), by_trying(state, seat)
    assert list(moves) == expected
    assert len(moves) == len(expected) == len(set(expected))
    assert [moves[index] for index in range(len(moves))] == expected
    assert moves[-1] == expected[-1]
    assert list(moves[1:4]) == expected[1:4]
    kinds = Counter(MAKHOP.text.move_kind(move) for move in expected)
    assert MAKHOP.legal_kinds(state, seat) == list(kinds.items())
    return len(moves)


@pytest.mark.rule("MH9.1", "MH9.5", "MH9.6", "MH4.1", "MH5.1")
@settings(max_examples=sizes.some(30, least=10), deadline=None)
@given(st.integers(2, 6), st.integers(0, 255), st.sampled_from([2, 8, 48]), st.randoms(use_true_random=False))
def test_legal_moves_are_all_there_in_order_and_once(seats: int, seed: int, most: int, chance: random.Random) -> None:
    state = dealt(seats, seed, deals=1, max_roads=most)
    while MAKHOP.decisions(state):
        seat = turn(state)
        same_as_by_trying(state, seat)
        MAKHOP.advance(state, seat, MAKHOP.random_move(state, seat, chance))


@pytest.mark.rule("MH9.5", "MH9.6", "MH3.3")
def test_the_moves_of_many_roads_are_counted_and_not_made() -> None:
    ends = "r1 r1 r1 b1 b1 b1 r2 b2 r3 b3 r4 b4 r5 b5 r6 b6 r7 b7 r0 r0 b0 b0 rS bT r8 b8"
    state = table(",".join(ends.split()), "r1 b1 r2 b2 r3 b3", "r0", max_roads=48)
    assert same_as_by_trying(state, 0) > 2000
    with pytest.raises(IndexError):
        MAKHOP.legal_moves(state, 0)[5000]


@pytest.mark.rule("MH9.5", "MH9.6")
@pytest.mark.parametrize("hand", ["r1 r1 r1 r1 b1 b1", "r0 r0 r0 b0 b0 b0", "r0 r2 r2 b2 b2 b7", "r8"])
def test_choices_are_in_deck_order_and_none_stands_twice(hand: str) -> None:
    lays = lays_of(cards(hand))
    parts = [lays.cards(choice) for choice in lays.choices]
    assert parts == sorted([part for part in parts_of(cards(hand)) if part], key=places_of)
    assert list(lays.totals) == [sum_of(part) for part in parts]
    assert [lays.ends(choice) for choice in lays.choices] == [sorted(set(cards_of(part))) for part in parts]
    assert totals_of(cards(hand)) == sum(1 << total for total in set(lays.totals))


@pytest.mark.rule("MH9.6")
def test_equal_cards_are_one_choice_and_one_end() -> None:
    state = table("r2,b8", "r1 r1 b1 b7", "r0")
    assert legal(state) == [
        "open",
        "extend 0 r1 r1",
        "extend 0 b1 r1",
        "extend 0 r1 b1",
        "extend 1 b7 r1",
        "extend 1 r1 b7",
        "extend 1 b7 b1",
        "extend 1 b1 b7",
        "join 0 1 r1 b1 b7 r1",
        "join 0 1 r1 r1 b7 b1",
        "join 0 1 r1 r1 b1 b7",
    ]


@pytest.mark.rule("MH9.1")
def test_open_is_always_legal_and_the_default() -> None:
    state, chance = dealt(4, 7, deals=2), random.Random(7)
    while MAKHOP.decisions(state):
        seat = turn(state)
        assert MAKHOP.legal_moves(state, seat)[0] == Open()
        MAKHOP.check(state, seat, Open())
        MAKHOP.advance(state, seat, MAKHOP.random_move(state, seat, chance))


# ---- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MH9.1", "MH9.2", "MH9.3", "MH9.4", "G4.5")
@pytest.mark.parametrize(("text", "move", "same"), [
    ("open", Open(), "  open "),
    ("extend 0 r7", Extend(0, cards("r7"), card("r7")), " extend  0 r7"),
    ("extend 0 r1 b2 r3", Extend(0, cards("r1 b2 r3"), card("r3")), "extend 0 b2 r1 r3"),
    ("extend 3 r1 r1 b1 r1", Extend(3, cards("r1 r1 r1 b1"), card("r1")), "extend 3 b1 r1 r1 r1"),
    ("join 0 2 r1 b1", Join(0, 2, cards("r1 b1"), card("b1")), "join 2 0 r1 b1"),
    ("join 0 1 b8 r2", Join(0, 1, cards("r2 b8"), card("r2")), "join 1 0 b8 r2"),
    ("clear rK", Clear(card("rK")), "clear   rK"),
])  # fmt: skip
def test_a_move_has_one_text_and_an_answer_some_freedom(text: str, move: MakhopMove, same: str) -> None:
    assert MAKHOP.text.format_move(move) == text
    assert MAKHOP.text.parse_move(text) == MAKHOP.text.parse_move(same) == move


@pytest.mark.rule("MH9.7")
@pytest.mark.parametrize(("text", "advice"), [
    ("", "empty"),
    ("lay r1", "not a move of Makhop"),
    ("open r1", "alone"),
    ("extend", "takes a road, then cards"),
    ("extend 0", "takes a road, then cards"),
    ("extend r1", "not the number of a road"),
    ("extend 48 r1", "not the number of a road"),
    ("extend 00 r1", "not the number of a road"),
    ("extend -1 r1", "not the number of a road"),
    ("extend ٣ r1", "not the number of a road"),
    ("extend 0 r9", "not a card"),
    ("extend 0 r1 0 r1", "not a card"),
    ("extend 0 r8 r8 r8", "only 2 of r8"),
    ("join 0 r1", "not the number of a road"),
    ("join 0 1", "takes two roads, then cards"),
    ("join 0", "takes two roads, then cards"),
    ("join 1 1 r1", "road 1 cannot be joined with itself"),
    ("clear", "takes one card"),
    ("clear rK bK", "takes one card"),
    ("clear K", "not a card"),
])  # fmt: skip
def test_what_is_no_move_is_malformed_with_advice(text: str, advice: str) -> None:
    with pytest.raises(MalformedMove, match=advice):
        MAKHOP.text.parse_move(text)


# ---- messages ------------------------------------------------------------------------------------------------------


def extend(road: int, *cards_: int) -> game_pb2.Move:
    """Returns a move as a message, with the numbers of the enum."""
    made = game_pb2.Move()
    message: Any = made.makhop.extend
    message.road = road
    message.cards.extend(cards_)
    return made


def join(road: int, other: int, *cards_: int) -> game_pb2.Move:
    """Returns a move as a message, with the numbers of the enum."""
    made = game_pb2.Move()
    message: Any = made.makhop.join
    message.road, message.other_road = road, other
    message.cards.extend(cards_)
    return made


@pytest.mark.rule("MH9.2", "MH9.3")
def test_a_message_has_the_new_end_last_and_the_rest_in_any_order() -> None:
    read = codec("makhop").move_from_proto
    assert read(extend(2, 5, 4, 3)) == read(extend(2, 4, 5, 3)) == Extend(2, cards("r1 r2 r3"), card("r1"))
    assert read(join(3, 1, 3, 3)) == read(join(1, 3, 3, 3)) == Join(1, 3, cards("r1 r1"), card("r1"))
    for text in ("open", "extend 0 r1 b2 r3", "join 0 7 b8 r2", "clear bS"):
        made = game_pb2.Move()
        codec("makhop").move_to_proto(MAKHOP.text.parse_move(text), made)
        assert read(game_pb2.Move.FromString(made.SerializeToString())) == MAKHOP.text.parse_move(text)


@pytest.mark.rule("MH9.7")
@pytest.mark.parametrize(("sent", "advice"), [
    (game_pb2.Move(), "Move.game"),
    (extend(0), "takes a road, then cards"),
    (extend(0, 0), "not a KamikisenCard"),
    (extend(0, 25), "not a KamikisenCard"),
    (extend(48, 3), "not the number of a road"),
    (extend(4294967295, 3), "not the number of a road"),
    (extend(0, 1, 1), "only 1 of rS"),
    (join(0, 1), "takes two roads, then cards"),
    (join(2, 2, 3), "with itself"),
    (join(0, 48, 3), "not the number of a road"),
])  # fmt: skip
def test_a_message_that_is_no_move_is_malformed_with_advice(sent: game_pb2.Move, advice: str) -> None:
    with pytest.raises(MalformedMove, match=advice):
        codec("makhop").move_from_proto(sent)


@pytest.mark.rule("MH9.7")
def test_a_message_without_a_kind_of_move_or_without_a_card_is_malformed() -> None:
    sent = game_pb2.Move()
    sent.makhop.SetInParent()
    with pytest.raises(MalformedMove, match="open, extend, join or clear"):
        codec("makhop").move_from_proto(sent)
    sent.makhop.clear.SetInParent()
    with pytest.raises(MalformedMove, match="not a KamikisenCard"):
        codec("makhop").move_from_proto(sent)


# ---- wrong moves ---------------------------------------------------------------------------------------------------


def expected_rule(state: MakhopState, seat: int, move: MakhopMove) -> str:  # noqa: C901, PLR0911 - one for each reason
    """Returns the first of the reasons that applies, by the words of the rules; empty for a legal move."""
    hand, ends = state.hands[seat], [VALUE_OF_CARD[road[-1]] for road in state.roads]
    if isinstance(move, Open):
        return ""
    if isinstance(move, Clear):
        if move.card not in range(CARDS):
            return "NOT_CARDS"
        if not count_of(hand, move.card):
            return "CARD_NOT_IN_HAND"
        return "HAS_A_VALUE" if VALUE_OF_CARD[move.card] >= 0 else ""
    if not is_settled(move.cards) or not move.cards:
        return "NOT_CARDS"
    if move.cards & ~hand:
        return "CARD_NOT_IN_HAND"
    if move.cards & ~VALUED:
        return "NO_VALUE"
    if move.end not in cards_of(move.cards):
        return "END_NOT_LAID"
    numbers = [move.road] if isinstance(move, Extend) else [move.road, move.other_road]
    if not all(0 <= number < len(ends) for number in numbers):
        return "NO_SUCH_ROAD"
    if numbers != sorted(set(numbers)):
        return "ROADS_OUT_OF_ORDER"
    asked = [ends[number] for number in numbers]
    if FREE in asked:
        if len(asked) == 2:
            return "NOT_JOINABLE"
        return "ONE_CARD_ONLY" if move.cards.bit_count() > 1 else ""
    return "" if sum(asked) == sum_of(move.cards) else "WRONG_SUM"


@st.composite
def wrong_moves(draw: st.DrawFn, hand: int) -> MakhopMove:
    """Moves of cards that are there, or not there, or no cards, on roads that are there or not."""
    part = settled(draw(st.integers(0, DECK)) & hand)
    some = draw(st.sampled_from([
        part, hand, hand & -hand, part | draw(st.integers(0, DECK)), part << 1, -part, 0, 1 << 60,
        *parts_of(hand)[:64],
    ]))  # fmt: skip
    numbers = st.integers(-1, 5)
    ends = st.sampled_from([*cards_of(hand), -1, 24, draw(st.integers(0, 23))])
    moves: list[MakhopMove] = [
        Open(), Clear(draw(ends)), Extend(draw(numbers), some, draw(ends)), Extend(draw(numbers), some, draw(ends)),
        Join(draw(numbers), draw(numbers), some, draw(ends)), Join(0, 1, some, draw(ends)),
    ]  # fmt: skip
    return draw(st.sampled_from(moves))


@settings(max_examples=sizes.some(100, least=25), deadline=None)
@given(st.integers(2, 6), st.integers(0, 255), st.integers(0, 15), st.data())
def test_every_wrong_move_is_refused_with_its_reason_and_changes_nothing(
    seats: int, seed: int, moves: int, data: st.DataObject
) -> None:
    state, chance = dealt(seats, seed, deals=1), random.Random(seed)
    for _ in range(moves):
        if MAKHOP.decisions(state):
            MAKHOP.advance(state, turn(state), MAKHOP.random_move(state, turn(state), chance))
    if not MAKHOP.decisions(state):
        return
    seat = turn(state)
    before = dump(state)
    for _ in range(8):
        move = data.draw(wrong_moves(state.hands[seat]))
        rule = expected_rule(state, seat, move)
        if rule:
            with pytest.raises(IllegalMove) as refused:
                MAKHOP.check(state, seat, move)
            assert refused.value.rule == rule, f"{move} is refused by {refused.value}"
            assert len(str(refused.value)) > 20
        else:
            MAKHOP.check(state, seat, move)
        assert dump(state) == before


@pytest.mark.parametrize(("move", "rule", "advice"), [
    (Clear(24), "NOT_CARDS", "name a ship, king or emperor"),
    (Clear(card("bT")), "CARD_NOT_IN_HAND", "your hand has no bT; it is rS r1 r1 r3 b8"),
    (Clear(card("b8")), "HAS_A_VALUE", "Lay it on a road"),
    (Extend(0, 0, 0), "NOT_CARDS", "name one or more cards"),
    (Extend(0, cards("r1 r1") ^ cards("r1"), card("r1")), "NOT_CARDS", "second copy only with the first"),
    (Extend(0, cards("r1 r1 r1"), card("r1")), "CARD_NOT_IN_HAND", "not all of r1 r1 r1"),
    (Extend(0, cards("rS r1"), card("r1")), "NO_VALUE", "rS has no value and is laid alone"),
    (Extend(0, cards("r1 r3"), card("b8")), "END_NOT_LAID", "one of the cards that are laid: r1 r3"),
    (Extend(3, cards("r1"), card("r1")), "NO_SUCH_ROAD", "there is no road 3; the roads are 0 to 2"),
    (Extend(0, cards("r1 r1"), card("r1")), "WRONG_SUM", "road 0 ends with r5; lay cards that add up to 5, not 2"),
    (Extend(1, cards("r1 r1"), card("r1")), "ONE_CARD_ONLY", "road 1 starts with bK and takes exactly one card"),
    (Join(0, 3, cards("r1"), card("r1")), "NO_SUCH_ROAD", "there is no road 3"),
    (Join(2, 0, cards("b8"), card("b8")), "ROADS_OUT_OF_ORDER", "the lower number first"),
    (Join(0, 0, cards("b8"), card("b8")), "ROADS_OUT_OF_ORDER", "two different roads"),
    (Join(0, 1, cards("r3"), card("r3")), "NOT_JOINABLE", "roads 0 and 1 end with r5 and bK"),
    (Join(0, 2, cards("r3"), card("r3")), "WRONG_SUM", "end with r5 and b3; lay cards that add up to 8, not 3"),
])  # fmt: skip
def test_a_refusal_says_what_to_do(move: MakhopMove, rule: str, advice: str) -> None:
    state = table("r5,bK,b3", "rS r1 r1 r3 b8", "r0")
    before = dump(state)
    with pytest.raises(IllegalMove, match=advice) as error:
        MAKHOP.check(state, 0, move)
    assert error.value.rule == rule
    assert dump(state) == before


def test_check_makes_no_list() -> None:
    state = table(",".join(["r1"] * 4 + ["b1"] * 4), "r2 b2", "r0", max_roads=48)
    lays_of.cache_clear()
    do(state, "join 0 7 b2")
    assert lays_of.cache_info().currsize == 0
