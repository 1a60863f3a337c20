"""How deals and matches of Makhop end: docs/rules/makhop.md, MH7 and MH8."""

from __future__ import annotations

import random

import pytest

from fudaba_games.game import Outcome
from fudaba_games.makhop import Cleared, DealEnded, Dealt, Opened, Turned
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makhop.turns import MAX_TURNS
from tests.support.games.makhop.positions import card, cards, dealt, do, roads, table, turn, view


@pytest.mark.rule("MH7.1", "MH7.2")
def test_the_first_empty_hand_wins_at_once_and_every_other_seat_pays_one() -> None:
    state = table("r6,b1", "r1 b8", "r2 r3 b1", "r5", "r7", stock="r8 rK")
    events = do(state, "extend 1 r1", "extend 0 r2 r3 b1")
    assert events[-1] == DealEnded((1,), (1, 0, 1, 1), (-1, 3, -1, -1))
    assert MAKHOP.outcome(state) == Outcome((-1, 3, -1, -1))
    assert not MAKHOP.decisions(state)
    assert view(state).turn == -1


@pytest.mark.rule("MH7.1")
def test_a_last_card_that_clears_wins_before_new_roads_start() -> None:
    state = table("r6,b1", "rK", "r2", stock="r8 b8")
    assert do(state, "clear rK") == [Cleared(0, card("rK")), DealEnded((0,), (0, 1), (1, -1))]
    assert roads(state) == []
    assert state.vanished == cards("r6 b1 rK")


@pytest.mark.rule("MH7.3")
def test_a_full_circle_of_opens_that_did_nothing_ends_the_deal() -> None:
    state = table("r6,b1", "r4 r5 r8", "r2 b3", "r4 r7", max_roads=2, stock="r8")
    events = do(state, "open", "open")
    assert view(state).idle == 2
    assert MAKHOP.outcome(state) is None
    events = do(state, "open")
    assert events == [Opened(2, -1), DealEnded((1, 2), (3, 2, 2), (-2, 1, 1))]
    assert MAKHOP.outcome(state) == Outcome((-2, 1, 1))


@pytest.mark.rule("MH7.3")
@pytest.mark.parametrize("between", ["extend 1 b1", "join 0 1 r7", "clear rK"])
def test_anything_else_begins_the_circle_anew(between: str) -> None:
    state = table("r6,b1", "b1 r7 rK r8", "r8 b8", max_roads=2, stock="r8 r5 r4")
    state.idle = 1
    do(state, between)
    assert view(state).idle == 0
    do(state, "open")
    assert MAKHOP.outcome(state) is None


@pytest.mark.rule("MH7.3")
def test_an_open_that_does_something_begins_the_circle_anew() -> None:
    state = table("r6", "b1 r7", "b8", max_roads=2, stock="r8")
    state.idle = 1
    assert do(state, "open") == [Opened(0, card("r8"))]
    assert state.idle == 0


@pytest.mark.rule("MH7.4")
def test_after_four_hundred_turns_the_fewest_cards_win() -> None:
    state = table("r6,b1", "b1 r7 rK", "r8 b8", max_roads=8, stock="r8 r5 r4")
    state.turns = 398
    do(state, "open")
    assert MAKHOP.outcome(state) is None
    events = do(state, "open")
    assert (state.turns, MAX_TURNS) == (400, 400)
    assert events[-1] == DealEnded((1,), (3, 2), (-1, 1))


@pytest.mark.rule("MH7.4", "MH7.1")
def test_a_hand_that_is_empty_in_the_last_turn_wins() -> None:
    state = table("r6,b1", "b1", "r8 b8", stock="r8")
    state.turns = 399
    assert do(state, "extend 1 b1")[-1] == DealEnded((0,), (0, 2), (1, -1))


@pytest.mark.rule("MH7.5")
def test_if_all_have_equally_few_nobody_pays() -> None:
    state = table("r6,b1", "b1 r7", "r8 b8", max_roads=2, deals=2)
    assert do(state, "open", "open")[1] == Opened(1, -1)
    assert (view(state).scores, state.deal) == ((0, 0), 1)


@pytest.mark.rule("MH7.6", "MH1.3", "MH8.1")
def test_the_winner_deals_next_and_of_several_the_one_soonest_from_the_dealer_on() -> None:
    state = table("r6,b1", "b1 r4", "r6", "r3", stock="r2", deals=3)
    events = do(state, "open", "extend 0 r6")
    assert events[2:4] == [DealEnded((1,), (2, 0, 1), (-1, 2, -1)), Dealt(1, 1)]
    assert (turn(state), state.dealer) == (1, 1)
    assert [event for event in events if isinstance(event, Turned)] == [Turned(road[0]) for road in state.roads]
    state.hands = [cards("b1"), cards("r3 r4"), cards("b2")]
    state.roads, state.stock, state.vanished = ((card("r8"),),), (), 0
    do(state, "open", "open", "open")
    assert (state.dealer, turn(state), state.deal) == (2, 2, 2), "seats 0 and 2 share; 2 is sooner after 1"


@pytest.mark.rule("MH7.6")
def test_a_dealer_among_the_winners_deals_again() -> None:
    state = table("r8", "b1", "r3 r4", "b2", deals=2)
    do(state, "open", "open", "open")
    assert (state.dealer, state.deal, view(state).scores) == (0, 1, (1, -2, 1))


@pytest.mark.rule("MH8.1", "G1.2")
@pytest.mark.parametrize(("seats", "deals", "expected"), [(2, 0, 2), (3, 0, 3), (6, 0, 6), (4, 5, 5), (5, 1, 1)])
def test_a_match_has_so_many_deals_and_scores_add_up(seats: int, deals: int, expected: int) -> None:
    state, chance = dealt(seats, 9, deals=deals), random.Random(deals)
    totals, dealers = [0] * seats, [state.dealer]
    while MAKHOP.decisions(state):
        seat = turn(state)
        for shown in MAKHOP.apply(state, seat, MAKHOP.random_move(state, seat, chance)):
            if isinstance(shown.event, DealEnded):
                totals = [total + score for total, score in zip(totals, shown.event.scores, strict=True)]
                assert view(state).scores == tuple(totals)
            elif isinstance(shown.event, Dealt):
                dealers.append(shown.event.dealer)
    assert len(dealers) == expected
    assert MAKHOP.outcome(state) == Outcome(tuple(totals))
    assert sum(totals) == 0


@pytest.mark.rule("MH8.3")
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_giving_up_pays_every_other_seat_for_the_deal_in_progress_and_each_to_come(seats: int) -> None:
    state, chance = dealt(seats, 3, deals=3), random.Random(3)
    left = 3
    while left:
        for seat in range(seats):
            lost = [after - now for after, now in zip(MAKHOP.forfeit(state, seat).scores, state.scores, strict=True)]
            assert lost == [-left * (seats - 1) if other_seat == seat else left for other_seat in range(seats)]
        while MAKHOP.decisions(state) and state.deal == 3 - left:
            MAKHOP.advance(state, turn(state), MAKHOP.random_move(state, turn(state), chance))
        left -= 1
    assert MAKHOP.forfeit(state, 0) == MAKHOP.outcome(state)
