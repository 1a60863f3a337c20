"""Deals, rounds and matches of Houniek: docs/rules/houniek.md, HO1, HO5, HO7 and HO8."""

from __future__ import annotations

import random

import pytest

from fudaba_games.game import BadOption, IllegalMove, Outcome
from fudaba_games.houniek import DealEnded, Dealt, Laid, Passed, Received, RoundBegan
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.kamikisen.cards import CARD_OF_BIT, DECK_SIZE, mask_of
from fudaba_games.kamikisen.dealing import shuffled_places
from tests.support.conformance.dump import dump
from tests.support.games.houniek.positions import cards, dealt, do, holding, legal, turn, view

# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("HO1.1", "HO1.2", "HO5.2")
@pytest.mark.parametrize(("hand", "seats", "size"), [
    ("usual", 2, 12), ("usual", 3, 8), ("usual", 4, 8),
    ("eight", 2, 8), ("eight", 3, 8), ("eight", 4, 8),
    ("twelve", 2, 12), ("twelve", 3, 12), ("twelve", 4, 12),
])  # fmt: skip
def test_so_many_cards_are_dealt_and_the_dealer_draws_two(hand: str, seats: int, size: int) -> None:
    state = dealt(seats, hand=hand)
    stock = DECK_SIZE - seats * size
    drawn = min(2, stock)
    assert view(state).hand_sizes == (size + drawn, *[size] * (seats - 1))
    assert view(state).stock == stock - drawn


@pytest.mark.rule("HO1.1", "HO1.2")
def test_the_usual_hand_is_the_default() -> None:
    assert HOUNIEK.resolve_options({}) == {"deals": 0, "first_dealer": 0, "hand": "usual"}
    with pytest.raises(BadOption):
        HOUNIEK.resolve_options({"hand": "ten"})


@pytest.mark.rule("HO8.1", "HO5.1", "HO5.2")
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("first_dealer", range(4))
def test_cards_are_dealt_one_at_a_time_from_the_dealer_on_who_then_draws(seats: int, first_dealer: int) -> None:
    state = dealt(seats, 5, first_dealer=first_dealer, hand="eight")
    dealer = first_dealer % seats
    order = [CARD_OF_BIT[place] for place in shuffled_places(bytes([5]) * 32, 0, 0)]
    for place in range(seats):
        expected = order[place : 8 * seats : seats]
        if not place:
            expected += order[8 * seats : 8 * seats + 2]
        assert state.hands[(dealer + place) % seats] == mask_of(expected)
    assert state.stock == tuple(order[8 * seats + 2 :])
    assert turn(state) == state.leader == dealer


# ---- rounds --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("HO5.3")
def test_the_leader_lays_any_meld_and_can_not_pass() -> None:
    state = holding("r1 r3 b3 b4", "r5")
    assert legal(state) == [
        "single r1", "single r3", "single b3", "single b4", "run r3 b4", "run b3 b4", "set r3 b3",
    ]  # fmt: skip
    before = dump(state)
    with pytest.raises(IllegalMove, match="lead") as error:
        HOUNIEK.check(state, 0, HOUNIEK.text.parse_move("pass"))
    assert error.value.rule == "LEAD_A_MELD"
    assert dump(state) == before


@pytest.mark.rule("HO5.4")
def test_the_others_follow_clockwise_and_may_pass_also_when_they_could_lay() -> None:
    state = holding("r1 b8", "r3 b3", "r5 b5", "r7 b7")
    do(state, "single r1")
    assert turn(state) == 1
    assert legal(state) == ["pass", "single r3"]
    do(state, "pass")
    assert turn(state) == 2
    do(state, "single r5", "pass")
    assert turn(state) == 0


@pytest.mark.rule("HO5.5")
def test_passing_does_not_shut_a_seat_out() -> None:
    state = holding("r1 r6", "r3 b3", "r5 b5")
    do(state, "single r1", "pass", "single r5", "single r6")
    state = holding("r1 r6 b6", "r7 b3", "r5 b5")
    do(state, "single r1", "pass", "single r5", "single r6", "single r7")
    assert [laid.seat for laid in state.table] == [0, 2, 0, 1]


@pytest.mark.rule("HO5.6", "HO5.2")
def test_when_all_others_have_passed_the_table_is_cleared_and_the_newest_melds_seat_draws_two_and_leads() -> None:
    state = holding("r1 b8", "r3 b3", "r5 b5", stock="r8 bK r7")
    do(state, "single r1", "single r3", "pass")
    assert (turn(state), state.round) == (0, 0)
    assert len(view(state).table) == 2
    events = do(state, "pass")
    assert events == [Passed(0), RoundBegan(1, 1, 2), Received(1, cards("r8 bK"))]
    assert view(state).table == ()
    assert view(state).cleared == cards("r1 r3")
    assert (turn(state), view(state).leader, view(state).round, view(state).stock) == (1, 1, 1, 1)
    assert state.hands[1] == cards("b3 r8 bK")
    assert legal(state)[0] == "single r8"
    assert "pass" not in legal(state)


@pytest.mark.rule("HO5.2")
def test_a_leader_draws_as_many_as_there_are() -> None:
    state = holding("r1 b8", "r3 b3 b7", stock="r8")
    events = do(state, "single r1", "single r3", "pass")
    assert events[-2:] == [RoundBegan(1, 1, 1), Received(1, cards("r8"))]
    events = do(state, "single r8", "pass")
    assert events[-2:] == [Passed(0), RoundBegan(2, 1, 0)]
    assert state.hands[1] == cards("b3 b7")


@pytest.mark.rule("HO5.6")
def test_the_newest_melds_seat_leads_again_when_nobody_has_laid_on_its_own() -> None:
    state = holding("r1 b8", "b3", "b5")
    do(state, "single r1", "pass", "pass")
    assert (turn(state), state.round) == (0, 1)
    assert legal(state) == ["single b8"]


@pytest.mark.rule("HO6.1", "HO6.2", "HO5.4")
def test_only_the_newest_meld_counts() -> None:
    state = holding("b1 b8", "r3 b3 r4", "r5 r6")
    do(state, "single b1", "single b3")
    assert legal(state) == ["pass"], "two red cards on a black one"
    state = holding("b1 b8", "r1 r3 b1", "r5 r6 r1 r2 r3")
    do(state, "single b1", "set r1 b1")
    assert legal(state) == ["pass", "run r1 r2 r3"], "the newest meld has a red card"


# ---- the end of a deal ---------------------------------------------------------------------------------------------


@pytest.mark.rule("HO7.1", "HO7.2")
def test_the_first_empty_hand_wins_at_once_and_every_other_seat_pays_one() -> None:
    state = holding("r1 b8", "r3", "r5", "r7", stock="r8 rK")
    events = do(state, "single r1", "single r3")
    assert events[-1] == DealEnded(1, (-1, 3, -1, -1))
    assert HOUNIEK.outcome(state) == Outcome((-1, 3, -1, -1))
    assert not HOUNIEK.decisions(state)
    assert view(state).turn == -1
    assert view(state).table[-1].seat == 1
    assert state.hands[0] == cards("b8"), "nobody draws any more"


@pytest.mark.rule("HO7.1")
def test_the_leader_can_win_with_its_first_meld() -> None:
    state = holding("r1 r2 b3", "r3")
    do(state, "run r1 r2 b3")
    assert HOUNIEK.outcome(state) == Outcome((1, -1))


@pytest.mark.rule("HO7.2", "HO7.3")
def test_the_winner_deals_next_and_a_dealer_who_wins_again_gets_no_more() -> None:
    state = holding("r1 b8", "r3", "r5", deals=3)
    events = do(state, "single r1", "single r3")
    assert events[2:4] == [DealEnded(1, (-1, 2, -1)), Dealt(1, 1)]
    assert (turn(state), state.dealer, state.deal) == (1, 1, 1)
    state.hands = [cards("r1"), cards("r2"), cards("r3")]
    do(state, "single r2")
    assert view(state).scores == (-2, 4, -2)
    assert (state.dealer, state.deal) == (1, 2)


@pytest.mark.rule("HO7.4", "G4.4")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_deal_has_less_than_two_hundred_turns(seats: int) -> None:
    chance = random.Random(seats)
    longest = 0
    for seed in range(40):
        state = dealt(seats, seed, deals=1)
        turns = 0
        while HOUNIEK.decisions(state):
            seat = turn(state)
            moves = HOUNIEK.legal_moves(state, seat)
            # Nothing but single cards, and passing where one can: that takes longest.
            lays_at_random = chance.random() < 0.1
            HOUNIEK.apply(state, seat, moves[chance.randrange(len(moves))] if lays_at_random else moves[0])
            turns += 1
        longest = max(longest, turns)
    assert 48 < longest < 200 if seats > 2 else longest < 200


# ---- the match -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("HO8.1", "G1.2")
@pytest.mark.parametrize(("seats", "deals", "expected"), [(2, 0, 2), (3, 0, 3), (4, 0, 4), (3, 5, 5), (4, 1, 1)])
def test_a_match_has_so_many_deals_and_scores_add_up(seats: int, deals: int, expected: int) -> None:
    state, chance = dealt(seats, 9, deals=deals), random.Random(deals)
    totals, dealers = [0] * seats, [state.dealer]
    while HOUNIEK.decisions(state):
        seat = turn(state)
        for shown in HOUNIEK.apply(state, seat, HOUNIEK.random_move(state, seat, chance)):
            if isinstance(shown.event, DealEnded):
                totals = [total + score for total, score in zip(totals, shown.event.scores, strict=True)]
                assert shown.event.winner == seat
                assert view(state).scores == tuple(totals)
            elif isinstance(shown.event, Dealt):
                dealers.append(shown.event.dealer)
                assert shown.event.dealer == seat
    assert len(dealers) == expected
    assert HOUNIEK.outcome(state) == Outcome(tuple(totals))
    assert sum(totals) == 0


@pytest.mark.rule("HO8.2")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_giving_up_pays_every_other_seat_for_the_deal_in_progress_and_each_to_come(seats: int) -> None:
    state, chance = dealt(seats, 3, deals=3), random.Random(3)
    left = 3
    while left:
        for seat in range(seats):
            lost = [after - now for after, now in zip(HOUNIEK.forfeit(state, seat).scores, state.scores, strict=True)]
            assert lost == [-left * (seats - 1) if other_seat == seat else left for other_seat in range(seats)]
        while HOUNIEK.decisions(state) and state.deal == 3 - left:
            HOUNIEK.advance(state, turn(state), HOUNIEK.random_move(state, turn(state), chance))
        left -= 1
    assert HOUNIEK.forfeit(state, 0) == HOUNIEK.outcome(state)


@pytest.mark.rule("HO5.4", "HO7.1")
def test_a_meld_is_an_event_that_everybody_sees() -> None:
    state = holding("r1 b8", "r3 b3")
    assert do(state, "single r1") == [Laid(0, 1, cards("r1"), 0)]
