"""Betting and the match of Namto: docs/rules/namto.md, NT1 to NT4 and NT7."""

from __future__ import annotations

import random

import pytest

from fudaba_games.game import BadOption, Outcome
from fudaba_games.kamikisen.betting import seats_in
from fudaba_games.kamikisen.dealing import cards_at, shuffled_places
from fudaba_games.kamikisen.text import parse_card
from fudaba_games.namto import (
    BetMade,
    Called,
    DealEnded,
    DealerChanged,
    Dealt,
    Folded,
    Opened,
    Phase,
    Received,
    Showdown,
    ShownHand,
)
from fudaba_games.namto.rules import NAMTO
from fudaba_games.namto.state import NamtoState
from tests.support.games.namto.positions import cards, dealt, do, holding, legal, turn, view

THREE = ("rK bT", "r7 b3", "r6 b1")
"""Seat 0 has the best hand."""
ONES = ("bet 1", "bet 1", "bet 1")


def play_on(state: NamtoState, deals: int = 99) -> None:
    """Plays at random until this many deals are complete."""
    chance = random.Random(1)
    while NAMTO.decisions(state) and state.deal < deals:
        NAMTO.advance(state, turn(state), NAMTO.random_move(state, turn(state), chance))


# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT1.4", "NT1.1", "NT1.2", "K5.1")
@pytest.mark.parametrize("seats", range(2, 7))
def test_every_seat_pays_the_entry_and_gets_two_cards(seats: int) -> None:
    state = dealt(seats, first_dealer=1, stack=50, entry=4)
    places = shuffled_places(bytes(32), 0, 0)
    for order in range(seats):
        assert state.hands[(1 + order) % seats] == cards_at([places[order], places[order + seats]])
    assert view(state).stacks == (46,) * seats
    assert view(state).paid == (4,) * seats
    assert view(state).pot == 4 * seats
    assert view(state).shared_cards == 0


@pytest.mark.rule("NT1.1", "NT1.2")
def test_a_deal_is_told_with_the_seats_that_play_it() -> None:
    state, events = NAMTO.new_match(3, NAMTO.resolve_options({"first_dealer": 2}), bytes(32))
    assert events[0].event == Dealt(0, 2, 0b111, 3)
    assert [shown.event for shown in events[1:]] == [Received(seat, state.hands[seat]) for seat in (2, 0, 1)]
    assert view(state).stacks == (99, 99, 99)


@pytest.mark.rule("NT1.1", "NT1.2", "NT2.1")
@pytest.mark.parametrize(("name", "value"), [
    ("stack", 29), ("stack", 1001), ("entry", 0), ("entry", 21), ("shared", 6), ("deals", 100), ("second_pass", 1),
])  # fmt: skip
def test_other_values_of_options_are_refused(name: str, value: int) -> None:
    with pytest.raises(BadOption, match=name):
        NAMTO.resolve_options({name: value})


@pytest.mark.rule("NT1.3", "NT7.1")
def test_a_seat_that_can_not_pay_the_entry_sits_out() -> None:
    state = holding(*THREE, stacks=[20, 3, 20], entry=5, deals=4)
    state.stack = 30
    do(state, "fold", "fold")
    # Seat 1 should deal now, but it has only 3.
    assert (turn(state), view(state).opener, view(state).dealer) == (2, 2, 2)
    assert seats_in(view(state).playing) == seats_in(view(state).staying) == (0, 2)
    assert [view(state, seat).hand.bit_count() for seat in range(3)] == [2, 0, 2]
    assert view(state).paid == (5, 0, 5)
    assert [turn(state), do(state, "bet 1") and turn(state)] == [2, 0]


@pytest.mark.rule("NT1.3", "NT1.4")
def test_cards_are_dealt_to_those_who_play_alone() -> None:
    state = holding(*THREE, stacks=[20, 3, 20], entry=5, deals=4)
    do(state, "fold", "fold")
    places = shuffled_places(bytes(32), 1, 0)
    assert (state.hands[2], state.hands[0]) == (cards_at([places[0], places[2]]), cards_at([places[1], places[3]]))


# ---- the course of a deal ------------------------------------------------------------------------------------------


@pytest.mark.rule("NT2.1")
@pytest.mark.parametrize("shared", range(6))
def test_a_shared_card_is_opened_after_each_round_but_the_last(shared: int) -> None:
    state = holding(*THREE, stock="r0 r4 b8 b5 r2", shared=shared)
    for number, text in enumerate(["r0", "r4", "b8", "b5", "r2"][:shared]):
        assert (view(state).round, view(state).shared_cards.bit_count()) == (number, number)
        assert do(state, *ONES)[-1] == Opened(parse_card(text))
    assert view(state).shared_cards == cards(" ".join(["r0", "r4", "b8", "b5", "r2"][:shared]))
    assert view(state).shared == tuple([parse_card(text) for text in ["r0", "r4", "b8", "b5", "r2"][:shared]])
    events = do(state, *ONES)
    assert isinstance(events[-2], Showdown)
    assert events[-1] == DealEnded((0,), 3 * (2 + shared), (2 * (2 + shared), -2 - shared, -2 - shared))


@pytest.mark.rule("NT2.2")
def test_without_shared_cards_there_is_one_round_and_hands_of_two() -> None:
    state = holding("b7 b0", "r3 b3", "rK b1", shared=0)
    events = do(state, "bet 2", "bet 2", "bet 2")
    assert events[-2] == Showdown((
        ShownHand(0, cards("b7 b0"), 1, cards("b7"), 8),
        ShownHand(1, cards("r3 b3"), 2, cards("r3 b3"), 4),
        ShownHand(2, cards("rK b1"), 1, cards("rK"), 10),
    ))  # fmt: skip
    assert NAMTO.outcome(state) == Outcome((-3, 6, -3))


@pytest.mark.rule("NT2.3")
def test_the_last_one_left_takes_the_pot_at_once_and_shows_nothing() -> None:
    state = holding(*THREE)
    assert do(state, "bet 3", "fold", "fold") == [
        BetMade(0, 3), Folded(1), Folded(2), DealEnded((0,), 6, (2, -1, -1)),
    ]  # fmt: skip
    assert view(state).shown == (0, 0, 0)
    state = holding(*THREE)
    assert do(state, "fold", "fold")[-1] == DealEnded((2,), 3, (-1, -1, 2)), "also one that has not spoken"


# ---- a round -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT3.1", "NT3.4", "NT8.2")
def test_those_who_are_in_speak_once_from_the_dealer_on() -> None:
    state = holding(*THREE, first_dealer=1)
    assert (turn(state), legal(state)[:3], legal(state)[-1]) == (1, ["fold", "bet 1", "bet 2"], "bet 99")
    assert do(state, "bet 2") == [BetMade(1, 2)]
    assert (turn(state), legal(state)[:3]) == (2, ["fold", "bet 2", "bet 3"])
    do(state, "bet 4")
    assert (turn(state), legal(state)[:2]) == (0, ["fold", "bet 4"])
    assert view(state).bets == (0, 2, 4)
    assert view(state).paid == (1, 3, 5)
    assert view(state).stacks == (99, 97, 95)


@pytest.mark.rule("NT3.4")
def test_the_seat_before_is_the_last_one_that_has_bet() -> None:
    state = holding("rK bT", "r7 b3", "r6 b1", "r5 b2")
    do(state, "bet 7", "fold", "fold")
    assert legal(state)[:2] == ["fold", "bet 7"]
    state = holding(*THREE)
    do(state, *ONES)
    assert legal(state)[:2] == ["fold", "bet 1"], "each round begins anew"


@pytest.mark.rule("NT3.2")
def test_who_has_folded_is_asked_no_more_and_loses_what_it_has_paid() -> None:
    state = holding(*THREE)
    do(state, "bet 2", "bet 2", "bet 2", "bet 1", "fold")
    assert seats_in(view(state).staying) == (0, 2)
    events = do(state, "bet 1", "bet 1", "bet 1", "bet 1", "bet 1")
    assert events[-1] == DealEnded((0,), 15, (9, -3, -6))


@pytest.mark.rule("NT3.3")
def test_a_dealer_who_folds_hands_the_dealers_place_on() -> None:
    state = holding(*THREE, first_dealer=2)
    assert do(state, "fold") == [Folded(2), DealerChanged(0)]
    assert (turn(state), view(state).dealer, view(state).opener) == (0, 0, 2)
    do(state, "bet 1", "bet 1")
    assert (turn(state), view(state).round) == (0, 1)


@pytest.mark.rule("NT3.5")
def test_a_raise_is_at_most_the_smallest_stack_of_those_who_are_in() -> None:
    state = holding(*THREE, stacks=[50, 7, 90])
    assert legal(state) == ["fold", *[f"bet {points}" for points in range(1, 8)]]
    do(state, "bet 1", "fold", "bet 1")
    assert legal(state)[-1] == "bet 49", "seat 1 is out"
    state = holding(*THREE, stacks=[50, 7, 90])
    do(state, "bet 7")
    assert legal(state) == ["fold", "bet 7"]


@pytest.mark.rule("NT3.5")
def test_the_limit_is_that_of_the_beginning_of_the_round() -> None:
    state = holding(*THREE, stacks=[50, 7, 90])
    do(state, "bet 3", "bet 7")
    assert (view(state).max_bet, view(state).stacks) == (7, (47, 0, 90))
    assert legal(state) == ["fold", "bet 7"]


@pytest.mark.rule("NT3.6")
def test_a_round_in_which_nobody_can_bet_is_left_out() -> None:
    state = holding(*THREE, stacks=[50, 7, 90])
    events = do(state, "bet 7", "bet 7", "bet 7")
    assert events[3:6] == [Opened(parse_card("r0")), Opened(parse_card("r4")), Opened(parse_card("b8"))]
    assert isinstance(events[6], Showdown)
    assert events[7] == DealEnded((0,), 24, (16, -8, -8))


@pytest.mark.rule("NT3.6", "NT1.3")
def test_who_has_just_the_entry_plays_for_the_pot_without_bets() -> None:
    state = holding(*THREE, stacks=[50, 1, 90], deals=2)
    events = do(state, "bet 1", "bet 1", "bet 1")
    assert [type(event) for event in events[3:]] == [
        Opened,
        Opened,
        Opened,
        Showdown,
        DealEnded,
        Dealt,
        Received,
        Received,
    ]
    state = holding(*THREE, stacks=[50, 1, 90], deals=2)
    events = do(state, "fold", "fold")
    dealt_next = events[events.index(DealEnded((2,), 3, (-1, -1, 2))) + 1]
    assert dealt_next == Dealt(1, 1, 0b111, 3)
    assert view(state).phase == Phase.OVER, "seat 1 has nothing left to bet with, and the last deal is played out"


# ---- the second pass -----------------------------------------------------------------------------------------------


@pytest.mark.rule("NT4.1", "NT8.3")
def test_those_who_have_paid_less_than_the_highest_bet_call_or_fold() -> None:
    state = holding("rK bT", "r7 b3", "r6 b1", "r5 b2", first_dealer=1)
    do(state, "bet 2", "bet 2", "bet 5", "bet 5")
    assert (view(state).phase, turn(state), legal(state)) == (Phase.CALLING, 1, ["fold", "call"])
    assert view(state).min_bet == 5
    assert do(state, "call") == [Called(1, 3)]
    assert turn(state) == 2
    events = do(state, "fold")
    assert events == [Folded(2), Opened(parse_card("r0"))], "seats 3 and 0 have paid 5"
    assert view(state).paid == (6, 6, 3, 6)
    assert (turn(state), view(state).phase, view(state).bets) == (1, Phase.BETTING, (0, 0, 0, 0))


@pytest.mark.rule("NT4.1")
def test_the_second_pass_goes_clockwise_from_the_dealer_on() -> None:
    state = holding("rK bT", "r7 b3", "r6 b1", "r5 b2", first_dealer=2)
    do(state, "bet 1", "bet 2", "bet 3", "bet 4")
    assert [do(state, "call")[0] for _ in range(3)] == [Called(2, 3), Called(3, 2), Called(0, 1)]


@pytest.mark.rule("NT4.1")
def test_there_is_no_second_pass_where_all_have_paid_the_same() -> None:
    state = holding(*THREE)
    assert do(state, "bet 3", "fold", "bet 3")[-1] == Opened(parse_card("r0"))


@pytest.mark.rule("NT4.1", "NT3.3", "NT2.3")
def test_a_dealer_may_fold_in_the_second_pass() -> None:
    state = holding("rK bT", "r7 b3", "r6 b1", "r5 b2")
    do(state, "bet 1", "bet 2", "bet 3", "bet 3")
    assert do(state, "fold") == [Folded(0), DealerChanged(1)]
    assert turn(state) == 1
    do(state, "call")
    assert (turn(state), view(state).round, view(state).dealer) == (1, 1, 1)
    state = holding("rK bT", "r7 b3")
    do(state, "bet 1", "bet 2")
    assert do(state, "fold")[-1] == DealEnded((1,), 5, (-2, 2))


@pytest.mark.rule("NT4.2")
def test_without_a_second_pass_bets_stay_unequal() -> None:
    state = holding(*THREE, second_pass=False)
    assert do(state, "bet 1", "bet 2", "bet 9")[-1] == Opened(parse_card("r0"))
    assert view(state).paid == (2, 3, 10)
    do(state, *ONES * 3)
    assert NAMTO.outcome(state) == Outcome((19, -6, -13))


# ---- the match -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("NT7.1")
def test_the_deal_passes_clockwise_from_the_one_who_began_it() -> None:
    state = holding(*THREE, first_dealer=1, deals=3)
    do(state, "fold", "fold")
    assert (turn(state), view(state).opener, view(state).deal) == (2, 2, 1)
    do(state, "bet 1", "fold", "fold")
    assert (turn(state), view(state).opener) == (0, 0)


@pytest.mark.rule("NT7.2")
@pytest.mark.parametrize(("seats", "deals", "played"), [(2, 0, 4), (4, 0, 8), (3, 5, 5), (6, 1, 1)])
def test_a_match_has_twice_as_many_deals_as_seats_or_as_the_option_says(seats: int, deals: int, played: int) -> None:
    state = dealt(seats, deals=deals)
    while NAMTO.decisions(state):
        do(state, "fold")
    assert state.deal + 1 == played


@pytest.mark.rule("NT7.3", "K5.3")
def test_the_first_dealer_is_a_seat_of_the_table() -> None:
    assert turn(dealt(4, first_dealer=2)) == 2
    assert turn(dealt(4, first_dealer=5)) == 1


@pytest.mark.rule("NT7.4", "NT7.5")
def test_a_match_ends_when_only_one_seat_can_pay_the_entry() -> None:
    state = holding("rK bT", "r7 b3", stack=30, entry=2, deals=9)
    do(state, "bet 28", "bet 28")
    assert NAMTO.outcome(state) == Outcome((30, -30))
    assert view(state).stacks == (60, 0)
    state = holding("rK bT", "r7 b3", stack=30, entry=2, deals=9)
    do(state, "bet 27", "bet 27", *["bet 1", "fold"])
    assert NAMTO.outcome(state) == Outcome((29, -29)), "one point left is less than the entry"


@pytest.mark.rule("NT7.5")
def test_a_score_is_what_a_seat_has_won() -> None:
    state = holding(*THREE, deals=2)
    do(state, "bet 3", "bet 3", "fold", *["bet 2", "fold"])
    assert view(state).scores == (4 + 1, -4, -1)
    assert view(state).stacks == (104, 95, 98)
    do(state, "fold", "fold")
    # Seats 1 and 2 have folded, and seat 0 has won their entries.
    assert NAMTO.outcome(state) == Outcome((7, -5, -2))


@pytest.mark.rule("NT7.6")
def test_giving_up_costs_the_whole_stack() -> None:
    assert NAMTO.forfeit(dealt(3), 1).scores == (50, -100, 50)
    assert NAMTO.forfeit(dealt(4), 0).scores == (-102, 34, 34, 34), "100 does not divide by three"
    state = holding(*THREE)
    do(state, "bet 10", "bet 20")
    assert NAMTO.forfeit(state, 0).scores == (-100, 50, 50), "the others get back what they have paid"
    state = dealt(2, deals=2)
    play_on(state, 1)
    won = view(state).scores
    assert NAMTO.forfeit(state, 0).scores == (-100, 100)
    assert won != (0, 0)
    play_on(state)
    assert NAMTO.outcome(state) == NAMTO.forfeit(state, 0), "nothing is left to lose"


@pytest.mark.rule("NT7.4", "NT7.5")
@pytest.mark.parametrize("seats", range(2, 7))
def test_points_are_neither_made_nor_lost(seats: int) -> None:
    state, chance = dealt(seats, 9, stack=30, entry=4), random.Random(seats)
    while NAMTO.decisions(state):
        assert sum(state.stacks) + sum(state.paid) == 30 * seats
        assert min(state.stacks) >= 0
        NAMTO.advance(state, turn(state), NAMTO.random_move(state, turn(state), chance))
    assert sum(state.stacks) == 30 * seats
