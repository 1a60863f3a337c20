"""Moves and texts of Makkaik: docs/rules/makkaik.md, MA8; every wrong move is refused with its reason."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.kamikisen.cards import cards_of
from fudaba_games.kamikisen.text import parse_card
from fudaba_games.makkaik import Draw, Fold, Keep, MakkaikMove, Phase, Stay, Swap
from fudaba_games.makkaik.rules import MAKKAIK
from fudaba_games.makkaik.state import MakkaikState
from tests.support import sizes
from tests.support.conformance.dump import dump
from tests.support.games.makkaik.positions import betting, dealt, do, holding, legal, turn

# ---- legal moves ---------------------------------------------------------------------------------------------------


def by_trying(state: MakkaikState, seat: int) -> list[MakkaikMove]:
    """Returns the legal moves by the words of the rules."""
    hand = sorted(set(cards_of(state.hands[seat])))
    if state.phase == Phase.EXCHANGE:
        return [
            *[Swap(own_card, other) for own_card in hand for other in sorted(set(cards_of(state.public_cards)))],
            Draw(),
        ]
    if state.phase == Phase.KEEPING:
        return [Keep(own_card, other) for own_card in sorted(set(cards_of(state.drawn))) for other in hand]
    return [Fold(), *([Stay(0)] if state.base else [Stay(base) for base in (1, 2, 3, 4, 5)])]


@pytest.mark.rule("MA8.4", "MA2.2", "MA2.3", "MA4.2", "MA4.4", "G4.1")
@pytest.mark.parametrize("seats", range(2, 7))
def test_legal_moves_are_all_there_in_order_and_once(seats: int) -> None:
    state, chance = dealt(seats, seats), random.Random(seats)
    while MAKKAIK.decisions(state):
        seat = turn(state)
        assert list(MAKKAIK.legal_moves(state, seat)) == by_trying(state, seat)
        MAKKAIK.advance(state, seat, MAKKAIK.random_move(state, seat, chance))


@pytest.mark.rule("MA8.4", "K1.4")
def test_copies_make_no_second_move() -> None:
    state = holding("r1 r1 b7", "b1 b2 b3", public="r4 r4 b8")
    assert legal(state) == ["swap r1 r4", "swap r1 b8", "swap b7 r4", "swap b7 b8", "draw"]


@pytest.mark.rule("MA8.4")
def test_the_default_move_of_the_betting_is_to_fold() -> None:
    state = betting("r1 b1 r2", "r3 b3 r5")
    assert legal(state)[0] == "fold"
    do(state, "stay 1")
    assert legal(state)[0] == "fold"


# ---- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MA8.1", "MA8.2", "MA8.3", "G4.5")
@pytest.mark.parametrize(("text", "move"), [
    ("swap r7 b3", Swap(parse_card("r7"), parse_card("b3"))),
    ("swap rS rS", Swap(0, 0)),
    ("draw", Draw()),
    ("keep r3 bT", Keep(parse_card("r3"), parse_card("bT"))),
    ("fold", Fold()),
    ("stay", Stay()),
    ("stay 3", Stay(3)),
])  # fmt: skip
def test_a_move_has_one_text(text: str, move: MakkaikMove) -> None:
    assert MAKKAIK.text.parse_move(text) == move
    assert MAKKAIK.text.format_move(move) == text
    assert MAKKAIK.text.move_kind(move) == text.split(maxsplit=1)[0]


@pytest.mark.rule("MA8.5")
@pytest.mark.parametrize(("text", "why"), [
    ("", "the move is empty; write `swap r7 b3`, `draw`"),
    ("call", "'call' is not a move of Makkaik"),
    ("draw r3", "`draw` stands alone"),
    ("fold 1", "`fold` stands alone"),
    ("swap", "`swap` takes two cards: a card of your hand, then a public card"),
    ("swap r7", "`swap` takes two cards"),
    ("swap r7 b3 b4", "`swap` takes two cards"),
    ("keep r7", "`keep` takes two cards: a drawn card, then one of your hand"),
    ("swap r7 x3", "'x3' is not a card"),
    ("keep r9 b3", "'r9' is not a card"),
    ("stay 0", "`stay` takes a base from 1 to 5"),
    ("stay 6", "`stay` takes a base from 1 to 5"),
    ("stay 03", "`stay` takes a base from 1 to 5"),
    ("stay 1 1", "`stay` takes a base from 1 to 5"),
    ("stay r3", "`stay` takes a base from 1 to 5"),
])  # fmt: skip
def test_a_text_that_is_no_move_is_refused(text: str, why: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        MAKKAIK.text.parse_move(text)
    assert why in str(refused.value)


@pytest.mark.rule("MA8.3", "MA8.5")
def test_messages_that_are_no_move_are_refused() -> None:
    by = codec("makkaik")
    message: Any = game_pb2.Move()
    message.makkaik.stay.SetInParent()
    assert by.move_from_proto(message) == Stay(), "no base: to pay the one that is named"
    message.makkaik.stay.base = 6
    with pytest.raises(MalformedMove, match="6 is not a base"):
        by.move_from_proto(message)
    message.makkaik.swap.given = 25
    with pytest.raises(MalformedMove, match="25 is not a KamikisenCard"):
        by.move_from_proto(message)
    message.makkaik.keep.given = 3
    with pytest.raises(MalformedMove, match="0 is not a KamikisenCard"):
        by.move_from_proto(message)


# ---- bad moves -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("MA2.1", "MA2.2", "MA2.3", "MA4.2", "MA4.4", "G5.2")
@pytest.mark.parametrize(("moves", "wrong", "rule", "advice"), [
    ([], Fold(), "WRONG_KIND_OF_MOVE", "`fold` is not due now; swap a card with a public one, or draw"),
    ([], Stay(1), "WRONG_KIND_OF_MOVE", "`stay` is not due now"),
    ([], Keep(2, 3), "WRONG_KIND_OF_MOVE", "`keep` is not due now"),
    ([], Swap(4, 1), "CARD_NOT_IN_HAND", "your hand has no r3; it is r1 r2 b7"),
    ([], Swap(2, 2), "CARD_NOT_PUBLIC", "the public cards have no r1; it is r0 r4 b8"),
    ([], Swap(1, 2), "CARD_NOT_IN_HAND", "your hand has no r0"),
    ([], Swap(24, 1), "NO_SUCH_CARD", "there is no card 24; cards are 0 to 23"),
    ([], Swap(2, -1), "NO_SUCH_CARD", "there is no card -1"),
    (["draw"], Draw(), "WRONG_KIND_OF_MOVE", "`draw` is not due now; keep one of the cards that you have drawn"),
    (["draw"], Swap(2, 1), "WRONG_KIND_OF_MOVE", "`swap` is not due now"),
    (["draw"], Keep(2, 3), "CARD_NOT_DRAWN", "what you have drawn has no r1; it is b4 b5"),
    (["draw"], Keep(17, 16), "CARD_NOT_IN_HAND", "your hand has no b3"),
    (["draw"], Keep(17, 18), "CARD_NOT_IN_HAND", "your hand has no b5"),
    (["draw"], Keep(17, 99), "NO_SUCH_CARD", "there is no card 99"),
    (["swap r1 r0", "draw", "keep b4 r5"], Draw(), "WRONG_KIND_OF_MOVE", "`draw` is not due now; fold or stay"),
    (["swap r1 r0", "swap r5 r1"], Stay(), "NAME_A_BASE", "you are the dealer: name a base, `stay 1` to `stay 5`"),
    (["swap r1 r0", "swap r5 r1"], Stay(6), "NO_SUCH_BASE", "6 is not a base; a base is 1 to 5"),
    (["swap r1 r0", "swap r5 r1"], Stay(-1), "NO_SUCH_BASE", "-1 is not a base"),
    (["swap r1 r0", "swap r5 r1", "stay 3"], Stay(3), "BASE_IS_NAMED", "the dealer has named the base, 3; pay it"),
    (["swap r1 r0", "swap r5 r1", "stay 3"], Stay(5), "BASE_IS_NAMED", "the dealer has named the base, 3"),
])  # fmt: skip
def test_a_wrong_move_is_refused_with_its_reason(moves: list[str], wrong: MakkaikMove, rule: str, advice: str) -> None:
    state = holding("r1 r2 b7", "r5 r6 b1", public="r0 r4 b8", stock="b4 b5 b2 b0")
    do(state, *moves)
    before = dump(state)
    with pytest.raises(IllegalMove) as refused:
        MAKKAIK.check(state, turn(state), wrong)
    assert refused.value.rule == rule
    assert advice in str(refused.value)
    assert dump(state) == before


cards = st.integers(-2, 25)
wild = st.one_of(
    st.builds(Swap, cards, cards), st.builds(Keep, cards, cards), st.builds(Stay, st.integers(-1, 7)),
    st.just(Draw()), st.just(Fold()),
)  # fmt: skip


@pytest.mark.rule("MA2.1", "MA2.2", "MA2.3", "MA4.2", "MA4.4", "G5.2")
@settings(max_examples=sizes.some(40, least=15))
@given(st.integers(2, 6), st.integers(0, 255), st.lists(wild, min_size=20, max_size=60), st.randoms())
def test_whatever_is_not_in_the_list_is_refused_and_changes_nothing(
    seats: int, seed: int, moves: list[MakkaikMove], chance: random.Random
) -> None:
    state = dealt(seats, seed, deals=1)
    for move in moves:
        if not MAKKAIK.decisions(state):
            break
        seat, before = turn(state), dump(state)
        legal_moves = by_trying(state, seat)
        if move in legal_moves:
            MAKKAIK.check(state, seat, move)
        else:
            with pytest.raises(IllegalMove):
                MAKKAIK.check(state, seat, move)
        assert dump(state) == before
        MAKKAIK.apply(state, seat, legal_moves[chance.randrange(len(legal_moves))])
