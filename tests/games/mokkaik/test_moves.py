"""Moves and texts of Mokkaik: docs/rules/mokkaik.md, MO7; every wrong move is refused with its reason."""

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
from fudaba_games.kamikisen.cards import DECK, cards_of, is_settled, places_of, settled, without
from fudaba_games.kamikisen.melds import RUN, SET, SINGLE, Meld, melds_of
from fudaba_games.mokkaik import Discard, Lay, MokkaikMove
from fudaba_games.mokkaik.rules import MOKKAIK
from fudaba_games.mokkaik.state import MokkaikState
from tests.support import sizes
from tests.support.conformance.dump import dump
from tests.support.games.mokkaik.positions import cards, dealt, do, holding, legal, turn

# ---- legal moves ---------------------------------------------------------------------------------------------------


def by_trying(state: MokkaikState, seat: int) -> list[MokkaikMove]:
    """Returns the legal moves by the words of the rules: every choice of cards of the hand is tried."""
    hand = state.hands[seat]
    best = Meld(state.form, state.size, state.strength)
    lays: set[tuple[int, tuple[int, ...], int]] = set()
    discards: set[tuple[int, ...]] = set()
    for size in range(1, hand.bit_count() + 1):
        for some in combinations(places_of(hand), size):
            mask = settled(sum(1 << place for place in some))
            if state.form and size == state.size:
                discards.add(places_of(mask))
            for meld in melds_of(mask):
                reds = sum(card < 12 for card in cards_of(mask))
                if not state.form or (meld.beats(best) and reds == state.reds):
                    lays.add((meld.form, places_of(mask), meld.strength))
    return [
        *[Lay(form, sum(1 << place for place in places), strength) for form, places, strength in sorted(lays)],
        *[Discard(sum(1 << place for place in places)) for places in sorted(discards)],
    ]


@pytest.mark.rule("MO7.4", "MO2.1", "MO3.2", "MO3.3", "MO3.4", "MO3.5")
@settings(max_examples=sizes.some(20, least=8))
@given(st.integers(2, 6), st.integers(0, 255), st.randoms(use_true_random=False))
def test_legal_moves_are_all_there_in_order_and_once(seats: int, seed: int, chance: random.Random) -> None:
    state = dealt(seats, seed, deals=1)
    while MOKKAIK.decisions(state):
        seat = turn(state)
        moves = MOKKAIK.legal_moves(state, seat)
        expected = by_trying(state, seat)
        assert list(moves) == expected
        assert len(moves) == len(expected)
        assert moves[0] == expected[0]
        assert list(moves[1:4]) == expected[1:4]
        MOKKAIK.advance(state, seat, MOKKAIK.random_move(state, seat, chance))


@pytest.mark.rule("K3.3", "MO7.3", "MO7.4")
def test_a_lone_ship_may_be_anything() -> None:
    state = holding("rS bS r0", "r7 b7 b8")
    ships = ["", " as 0", " as 1", " as 2", " as 3", " as 4", " as 5", " as 6", " as 7", " as 8", " as K"]
    assert legal(state)[:23] == [*[f"single rS{ship}" for ship in ships], "single r0",
                                 *[f"single bS{ship}" for ship in ships]]  # fmt: skip
    do(state, "single rS")
    assert legal(state)[0] == "single r7", "as itself it is the weakest"
    state = holding("b3 b4", "bS rS", "bK b0")
    do(state, "single b3")
    assert legal(state)[:6] == ["single bS as 4", "single bS as 5", "single bS as 6", "single bS as 7",
                                "single bS as 8", "single bS as K"]  # fmt: skip
    do(state, "single bS as 6")
    assert legal(state)[0] == "single bK"


@pytest.mark.rule("K3.1", "K3.2", "K3.4", "K3.5")
def test_ships_in_sets_and_runs() -> None:
    state = holding("rS bS r8 r7 b0", "r0 r0 r0 r1 r1")
    moves = [text for text in legal(state) if not text.startswith("single")]
    assert moves == [
        "set rS r7", "set rS r7 bS", "set rS r8", "set rS r8 bS", "set rS bS b0", "set rS b0", "set r7 bS", "set r8 bS",
        "set bS b0", "run rS r7 r8",
    ]  # fmt: skip
    assert melds_of(cards("rS r7 r8")) == (Meld(RUN, 3, 9),), "no ship stands for a 9"
    assert melds_of(cards("rS bS")) == (), "a meld has a card that is not a ship"


# ---- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MO7.1", "MO7.2", "MO7.3")
@pytest.mark.parametrize(("text", "move"), [
    ("single r7", Lay(SINGLE, cards("r7"), 8)),
    ("single rS", Lay(SINGLE, cards("rS"), 0)),
    ("single rS as K", Lay(SINGLE, cards("rS"), 10)),
    ("set r3 b3", Lay(SET, cards("r3 b3"), 4)),
    ("set rS r3 b3", Lay(SET, cards("rS r3 b3"), 4)),
    ("run r3 r4 r5", Lay(RUN, cards("r3 r4 r5"), 6)),
    ("run rS r3 r4 as 4", Lay(RUN, cards("rS r3 r4"), 5)),
    ("run rS r3 r4 as 5", Lay(RUN, cards("rS r3 r4"), 6)),
    ("run rS r3 r5", Lay(RUN, cards("rS r3 r5"), 6)),
    ("discard r1 r1 b8", Discard(cards("r1 r1 b8"))),
])  # fmt: skip
def test_a_move_has_one_text(text: str, move: MokkaikMove) -> None:
    assert MOKKAIK.text.parse_move(text) == move
    assert MOKKAIK.text.format_move(move) == text


@pytest.mark.rule("MO7.1", "MO7.3")
@pytest.mark.parametrize(("given", "text"), [
    ("set b3 r3", "set r3 b3"),
    ("discard b8  r1", "discard r1 b8"),
    ("single r7 as 7", "single r7"),
    ("single rS as S", "single rS"),
    ("set r3 bS as 3", "set r3 bS"),
    ("run r5 rS r3 as 5", "run rS r3 r5"),
])  # fmt: skip
def test_cards_come_in_any_order_and_a_strength_may_be_said(given: str, text: str) -> None:
    assert MOKKAIK.text.format_move(MOKKAIK.text.parse_move(given)) == text


@pytest.mark.rule("MO7.5", "K2.1", "K2.2", "K2.3", "K3.2", "K3.4")
@pytest.mark.parametrize(("text", "why"), [
    ("", "the move is empty"),
    ("lay r3", "'lay' is not a move of Mokkaik; write `single r7`"),
    ("single", "`single` takes cards"),
    ("discard", "`discard` takes cards"),
    ("discard as 3", "'as' is not a card"),
    ("single x7", "'x7' is not a card"),
    ("single r7 as", "'as' is not a card"),
    ("single rS as 9", "'9' is not a strength"),
    ("set r3 r3 r3", "the deck has only 2 of r3, not 3"),
    ("discard rS rS", "the deck has only 1 of rS, not 2"),
    ("set r3 r4", "r3 r4 is not a meld"),
    ("single r3 b3", "r3 b3 is not a single but a set"),
    ("set r3 r4 r5", "r3 r4 r5 is not a set but a run"),
    ("run r3 b3", "r3 b3 is not a run but a set"),
    ("run r3 r4", "r3 r4 is not a meld"),
    ("run r3 b4 r5", "r3 r5 b4 is not a meld"),
    ("run bS r3 r4", "r3 r4 bS is not a meld"),
    ("run r7 r8 rK", "r7 r8 rK is not a meld"),
    ("set rS bS", "rS bS is not a meld"),
    ("set r3 bS as 4", "r3 bS cannot have strength 4; it can have `as 3`"),
    ("single r7 as 8", "r7 cannot have strength 8"),
    ("run rS r3 r4", "rS r3 r4 can have two strengths; add `as 4` or `as 5`"),
    ("run rS r3 r4 as 6", "it can have `as 4` or `as 5`"),
    ("run rS r7 r8 as K", "it can have `as 8`"),
])  # fmt: skip
def test_a_text_that_is_no_move_is_refused(text: str, why: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        MOKKAIK.text.parse_move(text)
    assert why in str(refused.value)


@pytest.mark.rule("MO7.3")
def test_a_message_may_leave_out_what_the_cards_say() -> None:
    by = codec("mokkaik")
    message: Any = game_pb2.Move()  # enum values are plain ints at run time
    message.mokkaik.lay.meld.cards.extend([17, 5])  # b3 r3: the card's number plus one, in any order
    assert by.move_from_proto(message) == Lay(SET, cards("r3 b3"), 4)
    message.mokkaik.lay.meld.strength = 6
    with pytest.raises(MalformedMove, match="cannot have strength 4"):
        by.move_from_proto(message)
    message = game_pb2.Move()
    message.mokkaik.lay.meld.cards.extend([1, 5, 6])
    with pytest.raises(MalformedMove, match="can have two strengths"):
        by.move_from_proto(message)
    message.mokkaik.lay.meld.strength = 6
    assert by.move_from_proto(message) == Lay(RUN, cards("rS r3 r4"), 5)
    message.mokkaik.lay.meld.form = SET
    with pytest.raises(MalformedMove, match="is not a set but a run"):
        by.move_from_proto(message)
    message = game_pb2.Move()
    message.mokkaik.discard.cards.extend([1, 1])
    with pytest.raises(MalformedMove, match="only 1 of rS"):
        by.move_from_proto(message)
    message = game_pb2.Move()
    message.mokkaik.lay.SetInParent()
    with pytest.raises(MalformedMove, match="a meld needs cards"):
        by.move_from_proto(message)


# ---- bad moves -----------------------------------------------------------------------------------------------------


def reason(state: MokkaikState, hand: int, move: MokkaikMove) -> str:
    """Returns the rule by which a move is wrong, by the words of the rules; empty for a legal one."""
    if isinstance(move, Discard) and not state.form:
        return "LEAD_A_MELD"
    if not is_settled(move.cards) or not move.cards:
        return "NOT_CARDS"
    if Counter(cards_of(move.cards)) - Counter(cards_of(hand)):
        return "CARD_NOT_IN_HAND"
    if isinstance(move, Discard):
        return "" if len(cards_of(move.cards)) == state.size else "WRONG_NUMBER_OF_CARDS"
    return wrong_meld(move) or (wrong_answer(state, move) if state.form else "")


def wrong_meld(move: Lay) -> str:
    readings = melds_of(move.cards)
    if not readings:
        return "NO_MELD"
    if move.form != readings[0].form:
        return "WRONG_FORM"
    return "" if Meld(move.form, move.cards.bit_count(), move.strength) in readings else "WRONG_STRENGTH"


def wrong_answer(state: MokkaikState, move: Lay) -> str:
    if (move.form, move.cards.bit_count()) != (state.form, state.size):
        return "OTHER_MELD"
    if sum(card < 12 for card in cards_of(move.cards)) != state.reds:
        return "OTHER_COLOURS"
    return "" if move.strength > state.strength else "TOO_WEAK"


numbers = st.one_of(
    st.integers(-(1 << 60), 1 << 60),
    st.sets(st.integers(0, 47), max_size=6).map(lambda places: settled(sum(1 << place for place in places))),
)
wild = st.one_of(st.builds(Discard, numbers), st.builds(Lay, st.integers(-1, 5), numbers, st.integers(-2, 12)))


@pytest.mark.rule("MO3.2", "MO3.3", "MO3.4", "MO3.5", "G5.2")
@settings(max_examples=sizes.some(40, least=15))
@given(st.integers(2, 6), st.integers(0, 255), st.lists(wild, min_size=20, max_size=40), st.randoms())
def test_a_wrong_move_is_refused_with_its_reason_and_changes_nothing(
    seats: int, seed: int, moves: list[MokkaikMove], chance: random.Random
) -> None:
    state = dealt(seats, seed, deals=1)
    for wrong in moves:
        if not MOKKAIK.decisions(state):
            break
        seat = turn(state)
        legal_moves = list(MOKKAIK.legal_moves(state, seat))
        for move in (wrong, *spoiled(legal_moves[chance.randrange(len(legal_moves))], state.hands[seat], chance)):
            before = dump(state)
            why = reason(state, state.hands[seat], move)
            assert (why == "") == (move in legal_moves)
            if why:
                with pytest.raises(IllegalMove) as refused:
                    MOKKAIK.check(state, seat, move)
                assert refused.value.rule == why
                assert str(refused.value)
            else:
                MOKKAIK.check(state, seat, move)
            assert dump(state) == before
        MOKKAIK.apply(state, seat, legal_moves[chance.randrange(len(legal_moves))])


def spoiled(move: MokkaikMove, hand: int, chance: random.Random) -> list[MokkaikMove]:
    """Moves beside a legal one: a card more, less or another, other copies, another strength or type."""
    more = places_of(DECK)[chance.randrange(48)]
    first = move.cards & -move.cards
    masks = [
        without(move.cards, first),
        settled(move.cards ^ first | 1 << chance.choice(places_of(hand))),
        settled(move.cards | 1 << more),
        move.cards << 1,
        move.cards | 1 << 2,
    ]
    if isinstance(move, Discard):
        return [Discard(mask) for mask in masks]
    return [
        *[move._replace(cards=mask) for mask in masks],
        move._replace(strength=move.strength + 1),
        move._replace(strength=move.strength - 1),
        move._replace(form=move.form % 3 + 1),
    ]


@pytest.mark.parametrize(("move", "rule", "advice"), [
    (Lay(SINGLE, cards("b8"), 9), "CARD_NOT_IN_HAND", "your hand has not all of b8; it is rS r1 r1 r3 r4 b3"),
    (Lay(SET, cards("r1 r1 r1"), 2), "CARD_NOT_IN_HAND", "your hand has not all of r1 r1 r1"),
    (Lay(SET, 1 << 5, 2), "NOT_CARDS", "a second copy only with the first"),
    (Discard(0), "LEAD_A_MELD", "lay a single, a set or a run"),
    (Lay(SINGLE, 0, 0), "NOT_CARDS", "name one or more cards"),
    (Lay(SINGLE, -1, 0), "NOT_CARDS", "stands for no cards"),
    (Lay(SET, cards("r1 r3"), 2), "NO_MELD", "r1 r3 is not a meld; a meld is one card, two or more of one strength"),
    (Lay(RUN, cards("r1 r1"), 2), "WRONG_FORM", "r1 r1 is a set; say `set`"),
    (Lay(RUN, cards("rS r3 r4"), 4), "WRONG_STRENGTH", "rS r3 r4 can have strength 4 or 5 only"),
])  # fmt: skip
def test_the_advice_says_what_to_do(move: MokkaikMove, rule: str, advice: str) -> None:
    state = holding("rS r1 r1 r3 r4 b3", "r0 r0 r0 b0 b0 b0")
    with pytest.raises(IllegalMove) as refused:
        MOKKAIK.check(state, 0, move)
    assert refused.value.rule == rule
    assert advice in str(refused.value)


@pytest.mark.parametrize("form", [-1, 0, 4, 99])
def test_a_meld_of_no_form_has_no_kind(form: int) -> None:
    with pytest.raises(ValueError, match=f"{form} is not a valid Form"):
        MOKKAIK.text.move_kind(Lay(form, cards("r7"), 8))
