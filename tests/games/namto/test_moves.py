"""Moves and texts of Namto: docs/rules/namto.md, NT8; every wrong move is refused with its reason."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.namto import Bet, Call, Fold, NamtoMove, Phase
from fudaba_games.namto.rules import NAMTO
from fudaba_games.namto.state import NamtoState
from fudaba_games.namto.values import HIGHEST_BET
from tests.support import sizes
from tests.support.conformance.dump import dump
from tests.support.games.namto.positions import dealt, do, holding, legal, turn

# ---- legal moves ---------------------------------------------------------------------------------------------------


def by_trying(state: NamtoState, limit: int) -> list[NamtoMove]:
    """Returns the legal moves by the words of the rules;

    `limit` is the smallest stack at the beginning of the round.
    """
    if state.phase == Phase.CALLING:
        return [Fold(), Call()]
    return [Fold(), *[Bet(points) for points in range(max(1, *state.bets), limit + 1)]]


@pytest.mark.rule("NT8.1", "NT8.2", "NT8.3", "NT3.4", "NT3.5", "NT4.1", "G4.1")
@pytest.mark.parametrize("seats", range(2, 7))
def test_legal_moves_are_all_there_in_order_and_once(seats: int) -> None:
    state, chance = dealt(seats, seats), random.Random(seats)
    limit, begun = 0, (-1, -1)
    while NAMTO.decisions(state):
        if begun != (state.deal, state.round):
            limit = min(state.stacks[seat] for seat in range(seats) if state.staying >> seat & 1)
            begun = (state.deal, state.round)
        seat = turn(state)
        assert list(NAMTO.legal_moves(state, seat)) == by_trying(state, limit)
        NAMTO.advance(state, seat, NAMTO.random_move(state, seat, chance))


@pytest.mark.rule("NT3.5", "NT8.4")
def test_even_the_highest_bet_has_a_text() -> None:
    state = dealt(6, stack=1000, deals=1)
    state.stacks = [2999, 3000, 0, 0, 0, 0]
    state.staying, state.max_bet = 0b11, 2999
    highest = legal(state)[-1]
    assert highest == "bet 2999"
    assert len(legal(state)) == 3000
    assert NAMTO.text.parse_move(f"bet {HIGHEST_BET}") == Bet(3000)


# ---- texts ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT8.1", "NT8.2", "NT8.3", "G4.5")
@pytest.mark.parametrize(("text", "move"), [
    ("fold", Fold()), ("bet 1", Bet(1)), ("bet 99", Bet(99)), ("bet 3000", Bet(3000)), ("call", Call()),
])  # fmt: skip
def test_a_move_has_one_text(text: str, move: NamtoMove) -> None:
    assert NAMTO.text.parse_move(text) == move
    assert NAMTO.text.format_move(move) == text
    assert NAMTO.text.move_kind(move) == text.split(maxsplit=1)[0]


@pytest.mark.rule("NT8.4")
@pytest.mark.parametrize(("text", "why"), [
    ("", "the move is empty; write `fold`, `bet 5` or `call`"),
    ("match", "'match' is not a move of Namto"),
    ("fold 1", "`fold` stands alone"),
    ("call 3", "`call` stands alone"),
    ("bet", "`bet` takes points from 1 to 3000"),
    ("bet 0", "`bet` takes points from 1 to 3000"),
    ("bet 05", "`bet` takes points from 1 to 3000"),
    ("bet -3", "`bet` takes points from 1 to 3000"),
    ("bet 3001", "`bet` takes points from 1 to 3000"),
    ("bet 99999999", "`bet` takes points from 1 to 3000"),
    ("bet ٣", "`bet` takes points from 1 to 3000"),
    ("bet 3 4", "`bet` takes points from 1 to 3000"),
])  # fmt: skip
def test_a_text_that_is_no_move_is_refused(text: str, why: str) -> None:
    with pytest.raises(MalformedMove) as refused:
        NAMTO.text.parse_move(text)
    assert why in str(refused.value)


@pytest.mark.rule("NT8.4")
def test_messages_that_are_no_move_are_refused() -> None:
    by = codec("namto")
    message: Any = game_pb2.Move()
    message.namto.bet.SetInParent()
    with pytest.raises(MalformedMove, match="points from 1 to 3000"):
        by.move_from_proto(message)
    message.namto.bet.points = 3001
    with pytest.raises(MalformedMove, match="points from 1 to 3000"):
        by.move_from_proto(message)
    message.namto.bet.points = 7
    assert by.move_from_proto(message) == Bet(7)
    message.namto.call.SetInParent()
    assert by.move_from_proto(message) == Call()


# ---- bad moves -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT3.4", "NT3.5", "NT4.1", "G5.2")
@pytest.mark.parametrize(("moves", "wrong", "rule", "advice"), [
    ([], Call(), "WRONG_KIND_OF_MOVE", "`call` is not due now; fold or bet"),
    ([], Bet(0), "BET_TOO_LOW", "0 is too little; bet 1 to 40, or fold"),
    ([], Bet(-5), "BET_TOO_LOW", "-5 is too little"),
    ([], Bet(41), "BET_TOO_HIGH", "41 is too much: a seat that is in had only 40 when the round began"),
    (["bet 7"], Bet(6), "BET_TOO_LOW", "6 is too little; bet 7 to 40, or fold"),
    (["bet 7"], Call(), "WRONG_KIND_OF_MOVE", "`call` is not due now"),
    (["bet 7", "bet 9", "fold"], Bet(9), "WRONG_KIND_OF_MOVE", "`bet` is not due now; fold, or call"),
])  # fmt: skip
def test_a_wrong_move_is_refused_with_its_reason(moves: list[str], wrong: NamtoMove, rule: str, advice: str) -> None:
    state = holding("rK bT", "r7 b3", "r6 b1", stacks=[50, 40, 60])
    do(state, *moves)
    before = dump(state)
    with pytest.raises(IllegalMove) as refused:
        NAMTO.check(state, turn(state), wrong)
    assert refused.value.rule == rule
    assert advice in str(refused.value)
    assert dump(state) == before


wild = st.one_of(st.builds(Bet, st.integers(-3, 130)), st.just(Fold()), st.just(Call()))


@pytest.mark.rule("NT3.4", "NT3.5", "NT4.1", "G5.2")
@settings(max_examples=sizes.some(40, least=15))
@given(st.integers(2, 6), st.integers(0, 255), st.lists(wild, min_size=20, max_size=60), st.randoms())
def test_whatever_is_not_in_the_list_is_refused_and_changes_nothing(
    seats: int, seed: int, moves: list[NamtoMove], chance: random.Random
) -> None:
    state = dealt(seats, seed, deals=2)
    for move in moves:
        if not NAMTO.decisions(state):
            break
        seat, before = turn(state), dump(state)
        legal_moves = list(NAMTO.legal_moves(state, seat))
        if move in legal_moves:
            NAMTO.check(state, seat, move)
        else:
            with pytest.raises(IllegalMove):
                NAMTO.check(state, seat, move)
        assert dump(state) == before
        NAMTO.apply(state, seat, legal_moves[chance.randrange(len(legal_moves))])
