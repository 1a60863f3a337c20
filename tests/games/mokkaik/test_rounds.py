"""Rounds, results and the match of Mokkaik: docs/rules/mokkaik.md, MO1 to MO6, sentence by sentence."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from fudaba_games.game import BadOption, IllegalMove, Outcome
from fudaba_games.kamikisen.cards import DECK, cards_of, joined
from fudaba_games.kamikisen.scoring import next_multiplier
from fudaba_games.mokkaik import DealEnded, Dealt, Discarded, RoundWon, payments
from fudaba_games.mokkaik.rules import MOKKAIK
from fudaba_games.mokkaik.state import MokkaikState
from tests.support.games.mokkaik.positions import cards, dealt, do, holding, legal, turn, view


def refused(state: MokkaikState, text: str) -> IllegalMove:
    """Returns why a move is refused."""
    with pytest.raises(IllegalMove) as caught:
        MOKKAIK.check(state, turn(state), MOKKAIK.text.parse_move(text))
    return caught.value


def play_on(state: MokkaikState, stop: Callable[[], bool]) -> None:
    """Plays at random until something is so."""
    chance = random.Random(1)
    while not stop():
        seat = turn(state)
        MOKKAIK.advance(state, seat, MOKKAIK.random_move(state, seat, chance))


# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MO1.1", "K5.1")
@pytest.mark.parametrize(("seats", "size"), [(2, 10), (3, 10), (4, 10), (5, 8), (6, 8)])
def test_hands_have_ten_cards_and_at_larger_tables_eight(seats: int, size: int) -> None:
    state = dealt(seats)
    assert [hand.bit_count() for hand in state.hands] == [size] * seats
    together = 0
    for hand in state.hands:
        together = joined(together, hand)
    assert not together & ~DECK
    assert together.bit_count() == size * seats


@pytest.mark.rule("MO1.2", "MO3.1", "MO4.1")
def test_the_dealer_leads_first_and_then_the_winner_of_each_round() -> None:
    state = dealt(3, first_dealer=1)
    assert turn(state) == 1
    state = holding("r1 r2 r8", "r3 r4 r7", "r5 r6 b1")
    do(state, "single r1")
    assert turn(state) == 1
    do(state, "single r3")
    assert turn(state) == 2
    assert do(state, "single r5")[-1] == RoundWon(2, cards("r5"))
    assert turn(state) == view(state).leader == 2
    do(state, "single b1", "discard r2", "discard r4")
    assert turn(state) == 2


# ---- leading and following -----------------------------------------------------------------------------------------


@pytest.mark.rule("MO2.1", "MO7.4", "K2.1", "K2.2", "K2.3")
def test_the_leader_lays_any_single_set_or_run() -> None:
    state = holding("r3 r4 r5 r5 b5 rK bT", "r0 r0 r0 b0 b0 b0 r1")
    assert legal(state) == [
        "single r3", "single r4", "single r5", "single rK", "single b5", "single bT",
        "set r5 r5", "set r5 r5 b5", "set r5 b5", "set rK bT",
        "run r3 r4 r5",
    ]  # fmt: skip


@pytest.mark.rule("MO2.1")
def test_a_set_may_have_any_size() -> None:
    state = holding("r1 r1 r1 r1 b1 b1 b1 b1 rS bS", "r0 r0 r0 b0 b0 b0 r2 r2 b2 b2")
    sizes = {len(text.split()) - 1 for text in legal(state) if text.startswith("set")}
    assert sizes == set(range(2, 11))
    do(state, "set r1 r1 r1 r1 b1 b1 b1 b1 rS bS")
    assert legal(state) == ["discard r0 r0 r0 r2 r2 b0 b0 b0 b2 b2"]


@pytest.mark.rule("MO2.2")
def test_the_leader_can_not_discard() -> None:
    state = holding("r3 r4", "b3 b4")
    why = refused(state, "discard r3")
    assert why.rule == "LEAD_A_MELD"
    assert "you lead this round" in str(why)
    assert not [text for text in legal(state) if text.startswith("discard")]


@pytest.mark.rule("MO3.1", "MO3.5", "MO3.6")
def test_a_follower_lays_or_discards_as_it_likes() -> None:
    state = holding("r3 b1", "r5 b7", "b8 bK")
    do(state, "single r3")
    assert legal(state) == ["single r5", "discard r5", "discard b7"]
    do(state, "discard r5")
    assert legal(state) == ["discard b8", "discard bK"]


@pytest.mark.rule("MO3.2")
@pytest.mark.parametrize("text", ["single r8", "set r8 r8 b8", "run r6 r7 r8"])
def test_another_type_or_size_does_not_follow(text: str) -> None:
    state = holding("r3 b3 r1 b1 b0", "r8 r8 b8 r6 r7")
    do(state, "set r3 b3")
    why = refused(state, text)
    assert (why.rule, str(why)) == (
        "OTHER_MELD", "the leader has laid a set of 2; lay the same, or discard 2",
    )  # fmt: skip


@pytest.mark.rule("MO3.2")
def test_a_run_does_not_follow_a_set_of_as_many_cards_of_its_colours_nor_a_set_a_run() -> None:
    state = holding("r1 r1 r1 b0", "r2 r3 r4 b0", "r8 rS r8 b0")
    do(state, "set r1 r1 r1")
    assert refused(state, "run r2 r3 r4").rule == "OTHER_MELD"
    assert legal(state)[0] == "discard r2 r3 r4"
    state = holding("r2 r3 r4 b0", "r8 rS r8 b0")
    do(state, "run r2 r3 r4")
    assert refused(state, "set rS r8 r8").rule == "OTHER_MELD"


@pytest.mark.rule("MO3.3", "K3.1")
def test_a_meld_that_follows_has_the_same_colours() -> None:
    state = holding("b3 r3 r3 r0 r1", "b8 b8 r8 rS bS", "r0 r0 r2 r6 b6")
    do(state, "set b3 r3 r3")
    assert legal(state)[:2] == ["set rS r8 bS", "set rS r8 b8"], "the red ship is red, the black one black"
    assert legal(state)[2].startswith("discard")
    why = refused(state, "set b8 b8 r8")
    assert why.rule == "OTHER_COLOURS"
    assert "2 red and 1 black; yours has 1 and 2" in str(why)


@pytest.mark.rule("MO3.3")
def test_the_sheets_example_of_colours() -> None:
    # Black, red, red were laid: black, red, red may follow, black, black, red may not.
    state = holding("b3 r3 r3", "b5 r5 r5", "b6 b6 r6")
    do(state, "set b3 r3 r3", "set b5 r5 r5")
    assert refused(state, "set b6 b6 r6").rule == "OTHER_COLOURS"


@pytest.mark.rule("MO3.3")
def test_a_run_follows_only_a_run_of_its_colour() -> None:
    state = holding("r1 r2 r3 b0", "b3 b4 b5 r0", "r2 r3 r4 b0")
    do(state, "run r1 r2 r3")
    assert refused(state, "run b3 b4 b5").rule == "OTHER_COLOURS"
    do(state, "discard b3 b4 b5")
    assert legal(state)[0] == "run r2 r3 r4"


@pytest.mark.rule("MO3.4", "K2.4", "K1.5")
def test_a_meld_that_follows_is_stronger_than_the_best_so_far() -> None:
    state = holding("r3", "r7", "r5", "r7", "rK", "rT")
    do(state, "single r3", "single r7")
    why = refused(state, "single r5")
    assert (why.rule, str(why)) == (
        "TOO_WEAK", "strength 5 does not beat 7; lay a stronger one, or discard 1",
    )  # fmt: skip
    do(state, "discard r5")
    assert refused(state, "single r7").rule == "TOO_WEAK", "equal is not stronger"
    do(state, "discard r7", "single rK")
    assert refused(state, "single rT").rule == "TOO_WEAK", "king and emperor are equal"


@pytest.mark.rule("MO3.4", "K3.5")
def test_a_run_is_as_strong_as_its_ship_makes_it() -> None:
    state = holding("rS r3 r4", "r2 r3 r4", "r4 r5 r6", "b0 b1 b2")
    do(state, "run rS r3 r4 as 4")
    assert refused(state, "run r2 r3 r4").rule == "TOO_WEAK"
    state = holding("rS r3 r4", "r3 r4 r5")
    do(state, "run rS r3 r4 as 4")
    assert legal(state)[0] == "run r3 r4 r5"
    state = holding("rS r3 r4", "r3 r4 r5")
    do(state, "run rS r3 r4 as 5")
    assert legal(state) == ["discard r3 r4 r5"]


@pytest.mark.rule("MO3.5")
def test_as_many_cards_are_discarded_as_were_laid() -> None:
    state = holding("r3 b3 b7", "r1 r1 b8")
    do(state, "set r3 b3")
    assert legal(state) == ["discard r1 r1", "discard r1 b8"], "copies are equal: no discard comes twice"
    why = refused(state, "discard r1")
    assert (why.rule, str(why)) == (
        "WRONG_NUMBER_OF_CARDS", "discard as many cards as the leader's meld has: 2, not 1",
    )  # fmt: skip
    assert do(state, "discard b8 r1")[0] == Discarded(1, 2)


# ---- the end of a round --------------------------------------------------------------------------------------------


@pytest.mark.rule("MO4.1", "MO4.2", "MO4.3", "MO8.1")
def test_only_the_winners_own_cards_become_public_cards() -> None:
    state = holding("r3 b3 r1 r1", "r5 b5 b1 b2", "b0 b0 r0 r0")
    do(state, "set r3 b3", "set r5 b5", "discard b0 b0")
    assert view(state).public_cards == (0, cards("r5 b5"), 0)
    assert view(state).beaten == cards("r3 b3")
    assert view(state).discard_counts == (0, 0, 2)
    assert view(state, 2).discarded == cards("b0 b0")
    do(state, "single b1", "discard r0", "discard r1")
    assert view(state).public_cards == (0, cards("r5 b5 b1"), 0)


@pytest.mark.rule("MO4.4")
@pytest.mark.parametrize("seats", range(2, 7))
def test_hands_are_equally_long_in_every_round(seats: int) -> None:
    state, chance = dealt(seats, 7), random.Random(3)
    while MOKKAIK.decisions(state):
        if not state.form:
            assert len({hand.bit_count() for hand in state.hands}) == 1
            assert state.hands[turn(state)]
        seat = turn(state)
        MOKKAIK.apply(state, seat, MOKKAIK.random_move(state, seat, chance))


# ---- the end of a deal ---------------------------------------------------------------------------------------------


@pytest.mark.rule("MO5.1", "MO5.2", "MO5.3", "K4.3")
def test_the_winner_of_the_last_round_is_paid_by_the_others() -> None:
    state = holding("r3", "r5", "b0", public=["r1 r1 r1", "b1", ""])
    events = do(state, "single r3", "single r5", "discard b0")
    # Seat 0 is the dealer: it pays (6 - 3) x 2. Seat 2 pays 6.
    assert events[-1] == DealEnded(1, (3, 2, 0), (-6, 12, -6))
    assert MOKKAIK.outcome(state) == Outcome((-6, 12, -6))


@pytest.mark.rule("MO5.2", "MO5.3", "K4.3")
def test_the_sheets_example() -> None:
    assert payments(1, (7, 2, 1), 0, 2) == (2, 3, -5)


@pytest.mark.rule("MO5.3", "K4.3")
def test_a_dealer_who_wins_is_paid_the_multiple_by_everyone() -> None:
    assert payments(0, (0, 0, 5), 0, 3) == (21, -18, -3)
    assert payments(0, (0, 0, 8), 1, 3) == (16, -18, 2), "seat 2 is not the dealer"


@pytest.mark.rule("MO5.4", "K4.1", "K4.2")
def test_the_winner_deals_next_and_the_multiplier_grows_with_every_win_of_the_dealer() -> None:
    state = holding("rK", "r1", "r2", deals=4)
    assert view(state).multiplier == 2
    events = do(state, "single rK", "discard r1", "discard r2")
    assert next(event for event in events if isinstance(event, Dealt)) == Dealt(1, 0, 3)
    state.hands = [cards("rK"), cards("r1"), cards("r2")]
    events = do(state, "single rK", "discard r1", "discard r2")
    assert next(event for event in events if isinstance(event, Dealt)) == Dealt(2, 0, 4)
    state.hands = [cards("r1"), cards("r2"), cards("b2")]
    events = do(state, "single r1", "single r2", "discard b2")
    assert next(event for event in events if isinstance(event, Dealt)) == Dealt(3, 1, 2)
    assert turn(state) == 1
    assert next_multiplier(9, 2, 2) == 10, "without end"


# ---- the match -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("MO6.1", "K5.2")
@pytest.mark.parametrize(("seats", "deals", "played"), [(2, 0, 2), (5, 0, 5), (3, 7, 7), (6, 1, 1)])
def test_a_match_has_as_many_deals_as_seats_or_as_the_option_says(seats: int, deals: int, played: int) -> None:
    state = dealt(seats, deals=deals)
    play_on(state, lambda: not MOKKAIK.decisions(state))
    assert state.deal + 1 == played


@pytest.mark.rule("MO6.1", "K5.3")
def test_the_first_dealer_is_a_seat_of_the_table() -> None:
    assert turn(dealt(4, first_dealer=2)) == 2
    assert turn(dealt(4, first_dealer=5)) == 1
    with pytest.raises(BadOption, match="0 to 5, not 6"):
        MOKKAIK.resolve_options({"first_dealer": 6})
    with pytest.raises(BadOption, match="0 to 99, not 100"):
        MOKKAIK.resolve_options({"deals": 100})


@pytest.mark.rule("MO6.2")
def test_giving_up_costs_the_most_that_the_rest_could_cost() -> None:
    assert MOKKAIK.forfeit(dealt(3, deals=1), 1).scores == (6, -12, 6)
    assert MOKKAIK.forfeit(dealt(3, deals=3), 0).scores == (-54, 27, 27), "6 x (2 + 3 + 4)"
    assert MOKKAIK.forfeit(dealt(6, deals=1), 0).scores == (-15, 3, 3, 3, 3, 3), "12 does not divide by five"


@pytest.mark.rule("MO6.2")
def test_scores_of_complete_deals_stand_when_a_seat_gives_up() -> None:
    state = dealt(2, 3, deals=2)
    play_on(state, lambda: state.deal == 1)
    before, most = state.scores, 6 * state.multiplier
    assert MOKKAIK.forfeit(state, 0).scores == (before[0] - most, before[1] + most)
    play_on(state, lambda: not MOKKAIK.decisions(state))
    assert MOKKAIK.forfeit(state, 0).scores == state.scores, "nothing is left to lose"


@pytest.mark.rule("K1.4")
def test_copies_make_no_second_move() -> None:
    state = holding("r1 r1 r1 b1", "r0 r0 b0 b0")
    assert legal(state) == [
        "single r1", "single b1", "set r1 r1", "set r1 r1 r1", "set r1 r1 r1 b1", "set r1 r1 b1", "set r1 b1",
    ]  # fmt: skip
    assert cards_of(state.hands[0]) == [2, 2, 2, 14]
