"""Playing Niekhi: docs/rules/niekhi.md, NI1, NI3, NI5, NI6, NI8 and NI9, sentence by sentence."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from fudaba_games.game import IllegalMove, Outcome
from fudaba_games.kamikisen.cards import STRENGTH_OF_BIT
from fudaba_games.kamikisen.dealing import shuffled_places
from fudaba_games.kamikisen.scoring import next_dealer
from fudaba_games.niekhi.cards import DECK, cards_of, has, size_of
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.turns import MAX_TURNS
from fudaba_games.niekhi.values import Cleared, DealEnded, Dealt, Lay, Passed, Received
from tests.support.conformance.dump import dump
from tests.support.games.niekhi.positions import cards, dealt, do, holding, legal, refused, turn, view

# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NI3.1", "NI3.2")
@pytest.mark.parametrize(("seats", "size", "left"), [(2, 24, 0), (3, 16, 0), (4, 12, 0), (5, 9, 3), (6, 8, 0)])
def test_all_cards_are_dealt_evenly_from_the_dealer_on(seats: int, size: int, left: int) -> None:
    state = dealt(seats, seed=7, first_dealer=1)
    strengths = [STRENGTH_OF_BIT[place] for place in shuffled_places(bytes([7]) * 32, 0, 0)]
    for order in range(seats):
        assert state.hands[(1 + order) % seats] == cards_of(strengths[order : seats * size : seats])
    assert state.out == cards_of(strengths[seats * size :])
    assert size_of(state.out) == left
    assert state.sizes == [size] * seats
    assert sum(state.hands) + state.out == DECK


@pytest.mark.rule("NI3.1")
def test_a_deal_begins_with_every_seat_told_of_its_own_cards() -> None:
    state, shown = NIEKHI.new_match(4, NIEKHI.resolve_options({}), bytes(32))
    assert [shown_event.event for shown_event in shown] == [
        Dealt(0, 0, 12),
        *[Received(seat, state.hands[seat]) for seat in range(4)],
    ]


# ---- turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NI5.1")
def test_the_dealer_leads_with_any_meld_and_may_not_pass() -> None:
    state = dealt(4, first_dealer=2)
    assert turn(state) == 2
    assert refused(state, "pass") == ("LEADER_MUST_LAY", "you lead, and may not pass; lay any meld of your hand")
    state = holding(["S 3 3 4 5", "6"])
    assert {text.split()[0] for text in legal(state)} == {"single", "set", "run"}
    assert legal(state)[0] == "single S", "the default is the first single"


@pytest.mark.rule("NI5.2", "NI5.3", "NI5.4")
def test_seats_follow_in_turn_order_and_may_lay_after_a_pass() -> None:
    state = holding(["3 7 K", "4 8 8", "5 6 K"])
    do(state, "single 3")
    assert turn(state) == 1
    assert legal(state) == ["pass", "single 4", "single 8"]
    do(state, "pass", "single 5", "single 7", "single 8", "decline")
    assert [laid.seat for laid in state.table] == [0, 2, 0, 1], "seat 1 has passed, and laid later"
    assert turn(state) == 2


@pytest.mark.rule("NI5.5")
@pytest.mark.parametrize("seats", range(2, 7))
def test_when_all_others_have_passed_the_table_goes_to_the_pile_and_the_last_to_lay_leads(seats: int) -> None:
    state = holding(["3 7"] + ["4 5 6"] * (seats - 1), pile="0")
    do(state, "single 3", "single 4")
    events = do(state, *["pass"] * (seats - 1))
    last = 1 % seats
    assert events == [*[Passed((last + step) % seats) for step in range(1, seats)], Cleared(last)]
    assert (state.pile, state.table, turn(state)) == (cards("0 3 4"), (), last)
    assert "pass" not in legal(state)


@pytest.mark.rule("NI5.3", "NI5.5")
def test_passes_before_the_newest_meld_do_not_count_towards_clearing() -> None:
    state = holding(["3 7 K", "4 4", "5 5 6"])
    do(state, "single 3", "pass", "single 5", "pass")
    assert len(state.table) == 2, "seat 1 has not passed on the newest meld"
    assert legal(state)[0] == "pass"
    assert do(state, "pass")[-1] == Cleared(2)


@pytest.mark.rule("NI5.2", "NI6.1", "NI6.2", "NI6.3")
@pytest.mark.parametrize(
    ("hand", "newest", "move", "rule", "advice"),
    [
        ("3 7", "single 5", "single 3", "TOO_WEAK", "a single chariot is not stronger than the single horse"),
        ("5 7", "single 5", "single 5", "TOO_WEAK", "lay a stronger one"),
        ("7 7 0", "single 5", "set 7 7", "OTHER_MELD", "on the single horse lay the same meld, stronger, or a set of"),
        ("5 6 7 0", "run 3 4 5 6", "run 5 6 7", "OTHER_MELD", "on the run of 4, 3-6 lay the same meld"),
        ("7 7 7 0", "set 3 3 3 3", "set 7 7 7", "OTHER_MELD", "on the set of 4, chariot lay as large a set that"),
        ("K 0", "set 3 3 3", "single K", "OTHER_MELD", "or a larger set, or pass"),
        ("2 2 2 0", "set 3 3 3", "set 2 2 2", "TOO_WEAK", "a set of 3, bow is not stronger than the set of 3, chariot"),
        ("7 0", "single 5", "single 8", "CARD_NOT_IN_HAND", "your hand has not all of 8; it is 0 7"),
        ("7 0", "single 5", "set 7 7", "CARD_NOT_IN_HAND", "your hand has not all of 7 7; it is 0 7"),
        ("7 0", "single 5", "name 7", "WRONG_KIND_OF_MOVE", "`name` is not due now; lay a meld, or pass"),
        ("7 0", "single 5", "decline", "WRONG_KIND_OF_MOVE", "`decline` is not due now"),
        ("7 0", "single 5", "take 0", "WRONG_KIND_OF_MOVE", "`take` is not due now"),
    ],
)
def test_a_lay_that_is_not_legal_is_refused_with_the_reason(
    hand: str, newest: str, move: str, rule: str, advice: str
) -> None:
    state = holding([hand, "K K"], newest=newest, pile="0")
    name, said = refused(state, move)
    assert name == rule
    assert advice in said
    assert move not in legal(state)


@pytest.mark.rule("NI4.5", "NI4.6", "NI4.7")
@pytest.mark.parametrize(
    ("move", "rule", "advice"),
    [
        (Lay(cards("1 1 2 2"), 2, 3), "NOT_A_MELD", "1 1 2 2 is not a meld; lay a single, a set, a run"),
        (Lay(cards("S S"), 1, 5), "NOT_A_MELD", "S S is not a meld"),
        (Lay(0, 1, 5), "NOT_A_MELD", "no card is not a meld"),
        (Lay(cards("S 1"), 1, 5), "WRONG_READING", "S 1 does not count as that; it can be: set 1"),
        (Lay(cards("S 1 2"), 3, 5), "WRONG_READING", "it can be: run 0-2, run 1-3"),
        (Lay(cards("S 1 2"), -3, 4), "WRONG_READING", "it can be: run 0-2, run 1-3"),
        (Lay(3, 1, 1), "NO_SUCH_CARDS", "3 is not a number of cards"),
        (Lay(-1, 1, 1), "NO_SUCH_CARDS", "-1 is not a number of cards"),
        (Lay(1 << 58, 1, 1), "NO_SUCH_CARDS", "is not a number of cards"),
    ],
)
def test_cards_that_do_not_count_as_what_is_said_are_refused(move: Lay, rule: str, advice: str) -> None:
    state = holding(["S S 1 1 2 2", "K"])
    before = dump(state)
    with pytest.raises(IllegalMove) as error:
        NIEKHI.check(state, 0, move)
    assert error.value.rule == rule
    assert advice in str(error.value)
    assert dump(state) == before


# ---- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("NI8.1", "NI1.1", "NI9.1")
def test_the_first_empty_hand_wins_at_once_and_gets_a_point_from_each_other() -> None:
    state = holding(["3 3", "4", "5", "6"])
    assert do(state, "set 3 3")[-1] == DealEnded((0,), (0, 1, 1, 1), (3, -1, -1, -1))
    assert NIEKHI.decisions(state) == ()


@pytest.mark.rule("NI8.2", "NI8.3", "NI9.1")
@pytest.mark.parametrize(
    ("hands", "winners", "scores"),
    [
        (["3 4", "5 5 5", "6 7 7"], (0,), (2, -1, -1)),
        (["3 4 4", "5", "6"], (1, 2), (-2, 1, 1)),
        (["3", "5", "6"], (0, 1, 2), (0, 0, 0)),
    ],
)
def test_after_four_hundred_turns_the_fewest_cards_win(
    hands: list[str], winners: tuple[int, ...], scores: tuple[int, ...]
) -> None:
    state = holding(hands, newest="single K", turn=1, by=0)
    state.turns = MAX_TURNS - 2
    do(state, "pass")
    assert NIEKHI.outcome(state) is None
    sizes = tuple(len(hand.split()) for hand in hands)
    assert do(state, "pass") == [Passed(2), DealEnded(winners, sizes, scores)]
    assert MAX_TURNS == 400
    assert NIEKHI.outcome(state) == Outcome(scores)


@pytest.mark.rule("NI8.2", "NI8.3")
def test_the_generals_of_the_last_turn_are_used_before_the_deal_ends() -> None:
    state = holding(["8 3 4", "5 5"], pile="1")
    state.turns = MAX_TURNS - 1
    do(state, "single 8")
    assert turn(state) == 0
    assert state.turns == MAX_TURNS
    do(state, "name 5")
    assert NIEKHI.outcome(state) == Outcome((-1, 1))


@pytest.mark.rule("NI9.2")
def test_the_winner_deals_next_and_leads() -> None:
    state = holding(["3 6", "4", "5"], deals=2)
    events = do(state, "single 3", "single 4")
    assert Dealt(1, 1, 16) in events
    assert (view(state).deal, view(state).dealer, turn(state)) == (1, 1, 1)
    assert view(state)._replace(scores=()) == view(dealt(3, deals=2))._replace(scores=(), deal=1, dealer=1, turn=1)


@pytest.mark.rule("NI9.3")
def test_of_several_winners_the_one_soonest_from_the_dealer_on_deals() -> None:
    assert next_dealer((0, 2), 1, 4) == 2
    assert next_dealer((0, 2), 2, 4) == 2, "the dealer included"
    assert next_dealer((0, 2), 3, 4) == 0
    state = holding(["8 6", "5 5", "5"], deals=2)
    do(state, "single 8", "name 5")
    assert (state.dealer, state.scores) == (1, (-2, 1, 1))


@pytest.mark.rule("NI9.4")
@pytest.mark.parametrize(
    ("seats", "options", "deals", "dealer"), [(3, {}, 3, 0), (6, {}, 6, 0), (4, {"deals": 2, "first_dealer": 5}, 2, 1)]
)
def test_the_options_say_how_many_deals_there_are_and_who_deals_first(
    seats: int, options: dict[str, int], deals: int, dealer: int
) -> None:
    state, chance = dealt(seats, **options), random.Random(1)
    begun = [state.dealer]
    while due := NIEKHI.decisions(state):
        before = state.deal
        NIEKHI.apply(state, due[0].seat, NIEKHI.random_move(state, due[0].seat, chance))
        if state.deal != before:
            begun.append(state.dealer)
    assert (len(begun), begun[0]) == (deals, dealer)


@pytest.mark.rule("NI9.5")
def test_giving_up_costs_a_point_to_every_other_seat_for_each_deal_that_is_left() -> None:
    state = dealt(4, deals=3)
    assert NIEKHI.forfeit(state, 2) == Outcome((3, 3, -9, 3))
    state.scores, state.deal = (3, -1, -1, -1), 1
    assert NIEKHI.forfeit(state, 2) == Outcome((5, 1, -7, 1))
    ended = holding(["3", "4"])
    do(ended, "single 3")
    assert NIEKHI.forfeit(ended, 0) == Outcome((1, -1)), "nothing is left to give up"


@pytest.mark.rule("NI2.3", "NI7.5", "NI8.3")
@pytest.mark.parametrize("seats", range(2, 7))
def test_no_card_is_ever_lost_or_doubled(seats: int) -> None:
    for seed in range(12):
        state, chance = dealt(seats, seed=seed, deals=2), random.Random(seed)
        while due := NIEKHI.decisions(state):
            table = sum([laid.cards for laid in state.table])
            assert sum(state.hands) + state.pile + state.removed + state.out + table == DECK
            assert state.sizes == [size_of(hand) for hand in state.hands]
            assert all(has(hand, known) for hand, known in zip(state.hands, state.known, strict=True))
            assert all(newer.meld.beats(other.meld) for other, newer in pairwise(state.table))
            assert state.turns < MAX_TURNS or state.generals
            NIEKHI.advance(state, due[0].seat, NIEKHI.random_move(state, due[0].seat, chance))


@pytest.mark.rule("NI5.2")
def test_play_without_events_leads_to_the_same_states() -> None:
    state, chance = dealt(4, seed=3), random.Random(3)
    while due := NIEKHI.decisions(state):
        move = NIEKHI.random_move(state, due[0].seat, chance)
        other = state.clone()
        NIEKHI.apply(state, due[0].seat, move)
        NIEKHI.advance(other, due[0].seat, move)
        assert dump(state) == dump(other)
