"""Generals of Niekhi: docs/rules/niekhi.md, NI7, sentence by sentence."""

from __future__ import annotations

import pytest

from fudaba_games.game import IllegalMove, Outcome
from fudaba_games.niekhi.cards import mask_of
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.values import DealEnded, Laid, Name, Named, Pass, Take, Took
from tests.support.conformance.dump import dump
from tests.support.games.niekhi.positions import cards, do, holding, legal, refused, turn, view


@pytest.mark.rule("NI7.1", "NI7.2", "NI10.4")
@pytest.mark.parametrize(
    ("move", "number"),
    [("single 8", 1), ("set 8 8", 2), ("set S 8 8 8", 3), ("set 8 8 8 8", 4), ("run 6 7 8", 1)],
)
def test_a_seat_that_lays_generals_uses_them_before_anybody_else_moves(move: str, number: int) -> None:
    state = holding(["S 6 7 8 8 8 8", "5 5"], pile="1 2 3 4 5")
    events = do(state, move)
    assert [type(event) for event in events] == [Laid]
    assert turn(state) == 0
    assert view(state).generals == number
    kinds = [kind for kind, _ in NIEKHI.legal_kinds(state, 0)]
    assert kinds == ["decline", "name", "take"]
    assert legal(state)[0] == "decline"
    assert refused(state, "pass")[0] == refused(state, "single 6")[0] == "WRONG_KIND_OF_MOVE"
    assert "use your generals" in refused(state, "pass")[1]
    do(state, "decline")
    assert turn(state) == 1
    assert view(state).generals == 0


@pytest.mark.rule("NI7.1")
def test_a_ship_that_stands_for_a_general_is_none() -> None:
    for move in ("single S as 8", "run S 6 7 as 6-8"):
        state = holding(["S 6 7 8", "5 5"])
        do(state, move)
        assert turn(state) == 1


@pytest.mark.rule("NI7.3", "NI7.4", "NI7.8")
def test_named_strengths_leave_every_hand_and_the_pile_at_once() -> None:
    state = holding(["8 8 1 5 0", "1 1 7 5", "5 7 8"], pile="1 5 6")
    events = do(state, "set 8 8", "name 1 5")
    assert events[-1] == Named(0, mask_of([2, 6]), cards("1 1 1 1 5 5 5 5"), (2, 3, 1))
    assert state.hands == [cards("0"), cards("7"), cards("7 8")]
    assert state.pile == cards("6")
    assert turn(state) == 1


@pytest.mark.rule("NI7.3", "NI7.4")
def test_what_is_named_stays_on_the_table_until_it_is_cleared() -> None:
    state = holding(["8 1 0", "1 7 7", "7 8 K"], pile="1 6", newest="single 7")
    removed = state.removed
    do(state, "single 8", "name 7")
    assert state.hands == [cards("0 1"), cards("1"), cards("8 K")]
    assert view(state).hand_sizes == (2, 1, 2)
    assert state.removed == removed + cards("7 7 7")
    assert [laid.cards for laid in state.table] == [cards("7"), cards("8")], "they stay to be beaten"
    assert legal(state) == ["pass"]
    do(state, "pass", "pass")
    assert state.pile == cards("1 6 8")
    assert state.removed == removed + cards("7 7 7 7")


@pytest.mark.rule("NI7.3")
def test_what_was_named_first_leaves_with_the_table_though_more_was_named_since() -> None:
    state = holding(["8 0 0", "8 8 8 4 5", "6 6"], newest="single 7", by=2)
    removed = state.removed
    do(state, "single 8", "name 7", "set 8 8 8", "name 1 2 3")
    assert view(state).named == mask_of([2, 3, 4, 8])
    do(state, "pass", "pass")
    assert (state.pile, state.removed) == (cards("8 8 8 8"), removed + cards("7"))


@pytest.mark.rule("NI7.4")
def test_any_strength_may_be_named_again_and_the_generals_themselves() -> None:
    state = holding(["8 8 0 1", "3 8 5", "4 4"])
    do(state, "single 8", "name 8")
    assert state.hands == [cards("0 1"), cards("3 5"), cards("4 4")]
    do(state, "pass", "pass")
    assert state.pile == 0, "the general on the table has left the game"
    state = holding(["8 8 0 1", "3 4", "4 4"], pile="5")
    do(state, "single 8", "name 5", "pass", "pass", "single 8")
    assert do(state, "name 5") == [Named(0, mask_of([6]), 0, (0, 0, 0))]


@pytest.mark.rule("NI7.3", "NI7.5")
@pytest.mark.parametrize(
    ("move", "rule", "advice"),
    [
        (Name(mask_of([1])), "WRONG_NUMBER_OF_STRENGTHS", "name as many strengths as you have laid generals, 2, not 1"),
        (Name(mask_of([1, 2, 3])), "WRONG_NUMBER_OF_STRENGTHS", "2, not 3; the strengths are S 0 1 2"),
        (Name(0), "WRONG_NUMBER_OF_STRENGTHS", "2, not 0"),
        (Name(1 << 11), "NO_SUCH_STRENGTH", "is not a mask of strengths"),
        (Name(-1), "NO_SUCH_STRENGTH", "-1 is not a mask of strengths"),
        (Take(cards("1")), "WRONG_NUMBER_OF_CARDS", "take 2 of the pile, not 1"),
        (Take(cards("1 1 2")), "WRONG_NUMBER_OF_CARDS", "take 2 of the pile, not 3"),
        (Take(cards("1 3")), "CARD_NOT_IN_PILE", "the discard pile has not all of 1 3: 1 1 2"),
        (Take(cards("2 2")), "CARD_NOT_IN_PILE", "has not all of 2 2"),
        (Take(3), "NO_SUCH_CARDS", "3 is not a number of cards"),
        (Pass(), "WRONG_KIND_OF_MOVE", "use your generals: `decline`, `name` or `take`"),
    ],
)
def test_a_wrong_use_of_generals_is_refused_with_the_reason(move: Name | Take | Pass, rule: str, advice: str) -> None:
    state = holding(["8 8 0", "3 4"], pile="1 1 2")
    do(state, "set 8 8")
    before = dump(state)
    with pytest.raises(IllegalMove) as error:
        NIEKHI.check(state, 0, move)
    assert error.value.rule == rule
    assert advice in str(error.value)
    assert dump(state) == before


@pytest.mark.rule("NI7.5")
def test_a_seat_takes_as_many_cards_as_it_laid_generals_or_all_of_a_smaller_pile() -> None:
    state = holding(["8 8 0", "3 4"], pile="1 1 2")
    do(state, "set 8 8")
    assert [text for text in legal(state) if text.startswith("take")] == ["take 1 1", "take 1 2"]
    assert do(state, "take 1 2") == [Took(0, cards("1 2"))]
    assert (state.hands[0], state.pile, turn(state)) == (cards("0 1 2"), cards("1"), 1)
    state = holding(["8 8 0", "3 4"], pile="1")
    do(state, "set 8 8")
    assert [text for text in legal(state) if text.startswith("take")] == ["take 1"]
    assert refused(state, "take 1 1") == ("CARD_NOT_IN_PILE", "the discard pile has not all of 1 1: 1")
    assert do(state, "take 1") == [Took(0, cards("1"))]
    assert (state.hands[0], state.pile) == (cards("0 1"), 0)


@pytest.mark.rule("NI7.6")
def test_cards_on_the_table_are_not_in_the_pile_and_an_empty_pile_gives_nothing() -> None:
    state = holding(["8 0", "3 4"], newest="single 7")
    do(state, "single 8")
    assert {text.split()[0] for text in legal(state)} == {"decline", "name"}
    assert refused(state, "take 7") == (
        "PILE_EMPTY",
        "the discard pile is empty; name strengths, or decline",
    )


@pytest.mark.rule("NI7.7", "NI8.1", "NI1.1")
def test_a_hand_that_the_lay_empties_wins_before_its_generals_are_used() -> None:
    state = holding(["8 8", "3 4"])
    assert do(state, "set 8 8")[-1] == DealEnded((0,), (0, 2), (1, -1))
    assert NIEKHI.outcome(state) == Outcome((1, -1))


@pytest.mark.rule("NI7.7")
@pytest.mark.parametrize(
    ("hands", "winners", "scores"),
    [
        (["8 5", "5 5", "3 4"], (0,), (2, -1, -1)),
        (["8 6", "5 5", "3 4"], (1,), (-1, 2, -1)),
        (["8 6", "5 5", "5"], (1, 2), (-2, 1, 1)),
    ],
)
def test_who_wins_when_a_name_empties_hands(
    hands: list[str], winners: tuple[int, ...], scores: tuple[int, ...]
) -> None:
    state = holding(hands)
    events = do(state, "single 8", "name 5")
    ended = events[-1]
    assert isinstance(ended, DealEnded)
    assert (ended.winners, ended.scores) == (winners, scores)
    assert NIEKHI.outcome(state) == Outcome(scores)
