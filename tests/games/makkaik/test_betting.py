"""The betting and the match of Makkaik: docs/rules/makkaik.md, MA3, MA4 and MA7."""

from __future__ import annotations

import random

import pytest

from fudaba_games.game import BadOption, Outcome
from fudaba_games.kamikisen.betting import seats_in
from fudaba_games.makkaik import (
    BaseNamed,
    DealEnded,
    DealerChanged,
    Dealt,
    Folded,
    MakkaikEvent,
    Phase,
    Showdown,
    Stayed,
)
from fudaba_games.makkaik.rules import MAKKAIK
from fudaba_games.makkaik.state import MakkaikState
from tests.support.games.makkaik.positions import betting, cards, dealt, do, holding, legal, turn, view

THREE = ("rK r6 b1", "r7 b3 b1", "r6 r2 b5")
"""Seat 0 has the best hand."""


def play_on(state: MakkaikState, deals: int) -> None:
    """Plays at random until this many deals are complete."""
    chance = random.Random(1)
    while MAKKAIK.decisions(state) and state.deal < deals:
        MAKKAIK.advance(state, turn(state), MAKKAIK.random_move(state, turn(state), chance))


# ---- the pot -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MA3.1", "MA6.4")
@pytest.mark.parametrize("seats", range(2, 7))
def test_everybody_pays_one_even_who_folds_at_once(seats: int) -> None:
    state = betting(*["r1 b1 r2", "r3 b3 r5", "r6 b6 r7", "r8 b8 rK", "b2 b4 b5", "r0 b0 b7"][:seats])
    events = do(state, *["fold"] * (seats - 1))
    assert events[-1] == DealEnded((seats - 1,), seats, (*[-1] * (seats - 1), seats - 1))


@pytest.mark.rule("MA3.2")
def test_scores_may_go_below_zero_without_end() -> None:
    state = betting(*THREE)
    do(state, *["stay 5", "stay", "stay"] * 3)
    assert MAKKAIK.outcome(state) == Outcome((32, -16, -16))


# ---- the rounds ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("MA4.1", "MA4.2", "MA4.4", "MA8.3")
def test_in_three_rounds_the_dealer_names_a_base_and_the_others_pay_it() -> None:
    state = betting(*THREE, dealer=1)
    for number, base in enumerate((3, 1, 5)):
        assert (turn(state), view(state).round, view(state).base) == (1, number, 0)
        assert legal(state) == ["fold", "stay 1", "stay 2", "stay 3", "stay 4", "stay 5"]
        assert do(state, f"stay {base}") == [BaseNamed(1, number, base)]
        assert turn(state) == 2
        assert view(state).base == base
        assert legal(state) == ["fold", "stay"]
        assert do(state, "stay") == [Stayed(2, base)]
        before = view(state).paid[0]
        events = do(state, "stay")
        assert events[0] == Stayed(0, base)
        if number < 2:
            assert view(state).paid[0] == before + base
    assert isinstance(events[1], Showdown)
    assert isinstance(events[2], DealEnded)
    assert view(state).paid == (10, 10, 10)


@pytest.mark.rule("MA4.6")
def test_the_base_is_named_anew_in_each_round() -> None:
    state = betting(*THREE)
    do(state, "stay 5", "stay", "stay")
    assert view(state).base == 0
    do(state, "stay 2")
    assert do(state, "stay") == [Stayed(1, 2)]


@pytest.mark.rule("MA4.3", "MA8.3")
def test_a_dealer_who_folds_hands_the_dealers_place_on() -> None:
    state = betting(*THREE, dealer=1)
    assert do(state, "fold") == [Folded(1), DealerChanged(2)]
    assert (turn(state), view(state).dealer, view(state).opener) == (2, 2, 1)
    assert legal(state)[:2] == ["fold", "stay 1"]
    do(state, "stay 4")
    assert (turn(state), legal(state)) == (0, ["fold", "stay"])
    do(state, "stay")
    assert (turn(state), view(state).round) == (2, 1), "seat 1 is out, and seat 2 begins"


@pytest.mark.rule("MA4.3", "MA4.5")
def test_the_dealers_place_goes_past_who_has_folded() -> None:
    state = betting("r1 b1 r2", "r3 b3 r5", "r6 b6 r7", "r8 b8 rK")
    do(state, "stay 1", "fold", "stay", "stay")
    assert do(state, "fold") == [Folded(0), DealerChanged(2)], "seat 1 has folded"
    assert (turn(state), view(state).dealer) == (2, 2)
    assert do(state, "stay 2", "stay")[0] == BaseNamed(2, 1, 2)
    assert turn(state) == 2


@pytest.mark.rule("MA4.4", "MA4.5")
def test_who_has_folded_is_asked_no_more_and_loses_what_it_has_paid() -> None:
    state = betting(*THREE)
    do(state, "stay 2", "fold", "stay", "stay 3")
    assert turn(state) == 2
    assert seats_in(view(state).staying) == (0, 2)
    events = do(state, "stay", "stay 1", "stay")
    assert events[-1] == DealEnded((0,), 15, (8, -1, -7))


@pytest.mark.rule("MA4.7")
def test_the_last_one_left_takes_the_pot_at_once_and_shows_nothing() -> None:
    state = betting(*THREE)
    events = do(state, "stay 3", "fold", "fold")
    assert events == [BaseNamed(0, 0, 3), Folded(1), Folded(2), DealEnded((0,), 6, (2, -1, -1))]
    assert view(state).shown == (0, 0, 0)


@pytest.mark.rule("MA4.7")
def test_the_last_one_left_need_not_have_had_its_turn() -> None:
    state = betting(*THREE)
    events = do(state, "fold", "fold")
    assert events == [Folded(0), DealerChanged(1), Folded(1), DealEnded((2,), 3, (-1, -1, 2))]
    state = betting(*THREE)
    do(state, "stay 1", "stay", "stay")
    assert do(state, "fold", "fold")[-1] == DealEnded((2,), 6, (-2, -2, 4))


@pytest.mark.rule("MA4.5", "MA4.7")
def test_a_fold_by_the_last_to_speak_ends_the_round() -> None:
    state = betting(*THREE)
    do(state, "stay 1", "stay", "fold")
    assert (turn(state), view(state).round, view(state).base) == (0, 1, 0)


# ---- the match -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("MA7.1")
def test_the_next_dealer_sits_next_to_the_one_who_began() -> None:
    state = betting(*THREE, dealer=1, deals=3)
    events = do(state, "fold", "fold")
    dealt_next = next(event for event in events if isinstance(event, Dealt))
    assert (dealt_next.deal, dealt_next.dealer) == (1, 2), "not the one after the winner, nor after the last dealer"
    assert (turn(state), view(state).opener, view(state).dealer) == (2, 2, 2)


@pytest.mark.rule("MA7.2")
def test_a_dealer_who_wins_is_paid_no_more_than_others() -> None:
    for dealer in range(3):
        state = betting(*THREE, dealer=dealer)
        do(state, *["stay 1", "stay", "stay"] * 3)
        assert MAKKAIK.outcome(state) == Outcome((8, -4, -4))


@pytest.mark.rule("MA7.3", "K5.2")
@pytest.mark.parametrize(("seats", "deals", "played"), [(2, 0, 2), (5, 0, 5), (3, 7, 7), (6, 1, 1)])
def test_a_match_has_as_many_deals_as_seats_or_as_the_option_says(seats: int, deals: int, played: int) -> None:
    state = dealt(seats, deals=deals)
    play_on(state, 99)
    assert view(state).phase == Phase.OVER
    assert state.deal + 1 == played


@pytest.mark.rule("MA7.3", "K5.3")
def test_the_first_dealer_is_a_seat_of_the_table() -> None:
    assert turn(dealt(4, first_dealer=2)) == 2
    assert turn(dealt(4, first_dealer=5)) == 1
    with pytest.raises(BadOption, match="0 to 5, not 6"):
        MAKKAIK.resolve_options({"first_dealer": 6})


@pytest.mark.rule("MA6.4")
def test_scores_of_deals_are_added_up() -> None:
    state = betting(*THREE, deals=2)
    do(state, "stay 3", "fold", "fold")
    assert view(state).scores == (2, -1, -1)
    assert view(state).paid == (0, 0, 0)
    play_on(state, 99)
    outcome = MAKKAIK.outcome(state)
    assert outcome is not None
    assert sum(outcome.scores) == 0
    assert outcome.scores != (2, -1, -1)


@pytest.mark.rule("MA7.4")
def test_giving_up_costs_the_most_that_the_rest_could_cost() -> None:
    assert MAKKAIK.forfeit(dealt(3, deals=1), 1).scores == (8, -16, 8)
    assert MAKKAIK.forfeit(dealt(3, deals=3), 0).scores == (-48, 24, 24)
    assert MAKKAIK.forfeit(dealt(6, deals=1), 0).scores == (-20, 4, 4, 4, 4, 4), "16 does not divide by five"
    state = dealt(2, deals=2)
    play_on(state, 1)
    before = state.scores
    assert MAKKAIK.forfeit(state, 0).scores == (before[0] - 16, before[1] + 16)
    play_on(state, 99)
    assert MAKKAIK.forfeit(state, 0).scores == state.scores, "nothing is left to lose"


# ---- splitting ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("MA6.3")
def test_equal_hands_split_the_pot() -> None:
    state = betting("rK r0 b1", "bK b0 r1", "r6 r2 b4", public="b3 r5 b7")
    events: list[MakkaikEvent] = do(state, *["stay 1", "stay", "fold", *["stay 1", "stay"] * 2])
    assert events[-1] == DealEnded((0, 1), 9, (0, 1, -1)), "nine points: the odd one is seat 1's, after the dealer"
    state = betting("rK r0 b1", "bK b0 r1", "r6 r2 b4", public="b3 r5 b7", dealer=2)
    do(state, "fold", *["stay 1", "stay"] * 3)
    assert MAKKAIK.outcome(state) == Outcome((0, 1, -1)), "the dealer at the end is seat 0"


@pytest.mark.rule("MA2.1", "MA4.1")
def test_a_whole_deal() -> None:
    state = holding("r3 bK r0", "b8 r1 b1", public="r3 b3 b8", stock="b2 b4")
    do(state, "swap r0 b3", "draw", "keep b2 b1", "stay 5", "stay", "stay 1", "stay", "stay 1")
    assert state.hands == [cards("r3 b3 bK"), cards("r1 b2 b8")]
    events = do(state, "stay")
    assert events[-1] == DealEnded((0,), 16, (8, -8))
