"""Zero-outs, their counters and the pauses for them: docs/rules/numbers_crush.md, C8."""

from __future__ import annotations

import random
from itertools import product

import pytest

from fudaba_games.match import Match
from fudaba_games.numbers_crush import (
    NUMBER_OF,
    Countered,
    DealEnded,
    Phase,
    Victory,
    ZeroedOut,
    can_make,
    can_zero_out,
    cards_of,
    counter_cards,
)
from fudaba_games.numbers_crush.rules import NUMBERS_CRUSH
from fudaba_games.numbers_crush.turns import end_turn
from tests.support.games.numbers_crush.positions import asked, cards, dealt, do, holding, turn, view


def sums(hand: int) -> set[int]:
    """Returns what some cards can add up to, by trying."""
    values = [
        range(1, 14) if card > 51 else (1, 10) if NUMBER_OF[card] == 10 else (NUMBER_OF[card],)
        for card in cards_of(hand)
    ]
    return {sum(choice) for choice in product(*values)} if hand else set()


@pytest.mark.rule("C8.2", "C8.5")
def test_hands_and_parts_of_them_that_add_up() -> None:
    chance = random.Random(1)
    for _ in range(150):
        hand = sum(1 << card for card in chance.sample([*range(54), 52, 53], chance.randrange(1, 6)) if card < 54)
        parts = [part for part in range(1, 1 << 5) if not part >> hand.bit_count()]
        held = cards_of(hand)
        made = set[int]().union(
            *[sums(sum(1 << card for at, card in enumerate(held) if part >> at & 1)) for part in parts]
        )
        for number in range(1, 14):
            assert can_zero_out(hand, number) == (number in sums(hand))
            assert can_make(hand, number) == (number in made)
            shown = counter_cards(hand, number)
            assert (shown & ~hand, bool(shown)) == (0, number in made)
            assert not shown or number in sums(shown)


@pytest.mark.rule("C8.6")
@pytest.mark.parametrize(
    ("hand", "shown"),
    [("3C 5C 8D 8H", "8D"), ("3C 5C 2D 6D", "3C 5C"), ("AC 2C 5C KC", "AC 2C 5C"), ("TC 7D KC", "TC 7D")],
)
def test_the_fewest_and_first_cards_of_a_counter_are_shown(hand: str, shown: str) -> None:
    assert counter_cards(cards(hand), 8) == cards(shown)


@pytest.mark.rule("C8.1", "C8.3")
def test_a_window_stands_before_the_first_turn() -> None:
    state = holding("8H", "8C KC", "KS QS", "3S 5S")
    state.turn, state.turns, state.changed_seats = 2, 0, 7
    end_turn(state, [])
    assert (view(state).phase, view(state).turn, asked(state)) == (Phase.ZERO_OUT, -1, [2])
    do(state, "decline")
    assert (turn(state), view(state).turns) == (0, 1)


@pytest.mark.rule("C8.1", "C8.2", "C8.3", "C8.8")
def test_only_seats_that_can_are_asked_all_at_once_and_nobody_sees_an_answer() -> None:
    state = holding("8H", "7C 2H KD", "AS AD", "KC QS", "2S")
    do(state, "set 2H")
    assert asked(state) == [1, 3]
    before = [view(state, seat) for seat in (0, 2, 3, None)]
    assert NUMBERS_CRUSH.apply(state, 1, NUMBERS_CRUSH.text.parse_move("zero_out")) == []
    assert [view(state, seat) for seat in (0, 2, 3, None)] == before
    assert view(state, 1).answered
    assert asked(state) == [3]


@pytest.mark.rule("C8.4", "C8.5")
@pytest.mark.parametrize(("reverse", "first"), [(False, 1), (True, 3)])
def test_of_several_the_one_soonest_in_play_order_has_it(reverse: bool, first: int) -> None:
    state = holding("8H", "7C 2H KD", "AS AD", "KC QC", "2S")
    state.reversed = reverse
    do(state, "set 2H")
    events = do(state, "3: zero_out", "1: zero_out")
    assert [event.seat for event in events if isinstance(event, ZeroedOut)] == [first, 4 - first]
    ended = events[-1]
    assert isinstance(ended, DealEnded), "neither can counter, and the others have nothing"
    assert (ended.winners, ended.victory) == (1 << first, Victory.ZERO_OUT)


@pytest.mark.rule("C8.5", "C8.6")
def test_a_counter_wins_the_soonest_after_the_declarer() -> None:
    state = holding("8H", "2H AC AH", "KC 2C", "2S", "X1 KS")
    do(state, "set 2H")
    assert asked(state) == [0, 2], "seat 0 is asked last of all, but is asked"
    do(state, "0: decline", "2: zero_out")
    assert (view(state).phase, view(state).zero_out, asked(state)) == (Phase.COUNTER, 2, [0, 1, 3])
    assert view(state).known[2] == cards("2S")
    events = do(state, "1: counter", "0: counter", "3: decline")
    assert [event for event in events if isinstance(event, Countered)] == [Countered(0, cards("AC AH"))]
    ended = events[-1]
    assert isinstance(ended, DealEnded)
    assert (ended.winners, ended.victory) == (1, Victory.COUNTER)


@pytest.mark.rule("C8.6")
def test_without_a_counter_the_declarer_wins() -> None:
    state = holding("8H", "2H AC AH", "KC 2C", "2S")
    do(state, "set 2H")
    ended = do(state, "0: decline", "2: zero_out", "0: decline", "1: decline")[-1]
    assert isinstance(ended, DealEnded)
    assert (ended.winners, ended.victory) == (4, Victory.ZERO_OUT)


@pytest.mark.rule("C8.2")
def test_who_has_declined_is_asked_again_when_hand_or_base_has_changed() -> None:
    state = holding("8H", "7C 2H KD", "KC QS", "2S", stock="3S 4S")
    do(state, "set 2H", "2: decline", "skip", "pass", "skip")
    assert turn(state) == 2, "nothing has changed"
    assert view(state).changed_seats == 0
    do(state, "pass", "skip", "pass", "draw", "pass")
    assert view(state).phase == Phase.DRAW
    state.hands[2], state.changed_seats = cards("AS AD"), 4
    do(state, "skip", "pass")
    assert asked(state) == [2]


@pytest.mark.rule("C8.1", "C8.7")
def test_limits_do_not_matter_but_a_declared_joker_has_no_number() -> None:
    state = holding("8H", "JH KD KC", "AD TS", "KS QS")
    do(state, "set JH")
    assert asked(state) == [1], "a bind to black"
    state = holding("8H", "X1 KD KC", "AD TS", "2S")
    do(state, "set X1=joker")
    assert view(state).phase == Phase.DRAW


@pytest.mark.rule("C8.8", "G4.3")
def test_with_window_ms_every_pause_lasts_as_long_asked_or_not() -> None:
    match = Match(NUMBERS_CRUSH, 3, NUMBERS_CRUSH.resolve_options({"window_ms": 700}), bytes(32))
    match.state.hands = [cards("7C 2H KD"), cards("KC QS"), cards("2S KS JD")]
    assert [(timer.name, timer.ms, timer.closing) for timer in match.timers()] == [("window", 700, True)]
    mark = match.timers()[0].mark
    match.fire("window")
    assert match.timers() == ()
    match.play(0, NUMBERS_CRUSH.text.parse_move("skip"))
    match.play(0, NUMBERS_CRUSH.text.parse_move("pass"))
    assert match.state.phase == Phase.DRAW or match.timers()[0].mark != mark


@pytest.mark.rule("C8.8")
def test_a_pause_of_fixed_length_ends_by_the_timer_and_silence_declines() -> None:
    state = holding("8H", "7C 2H KD", "AS AD", "KC QS", "2S", window_ms=500)
    do(state, "set 2H", "1: zero_out", "3: decline")
    assert (asked(state), view(state).phase) == ([], Phase.ZERO_OUT), "it goes on though all have answered"
    NUMBERS_CRUSH.fire(state, "window")
    assert (asked(state), view(state).phase) == ([3], Phase.COUNTER)
    assert [timer.mark % 2 for timer in NUMBERS_CRUSH.timers(state)] == [1]
    NUMBERS_CRUSH.fire(state, "window")
    assert NUMBERS_CRUSH.outcome(state) is not None
    assert state.scores == (-1, 3, -1, -1)


@pytest.mark.rule("C8.8")
def test_there_is_no_pause_where_everybody_knows_that_nobody_can() -> None:
    state = holding("2H", "AH KD KS", "AS AD 3C", "KC QS 3D", window_ms=500)
    do(state, "set AH")
    assert view(state).phase == Phase.DRAW, "all hands have more cards than an ace can be"
    assert view(state).changed_seats == 0, "and it is settled for these hands and this base"


@pytest.mark.rule("C8.3", "G4.3")
@pytest.mark.exhaustive
def test_redeals_in_a_window_keep_somebody_asked_and_each_fitting_deal_comes_as_often() -> None:
    state = holding("8H", "7C 2H KD", "AS AD", "KC QS", stock="2S 2C 9C")
    do(state, "set 2H")
    assert asked(state) == [1]
    chance, found = random.Random(3), list[tuple[int, int]]()
    for _ in range(4000):
        other = NUMBERS_CRUSH.redeal(state, 0, chance)
        assert other.asked
        assert view(other, 0) == view(state, 0)
        found.append((other.hands[1], other.hands[2]))
    # Cards that seat 0 does not know: AS AD KC QS 2S 2C 9C. Two of them add up to 2 only as the aces.
    assert {first_hand == cards("AD AS") or other == cards("AD AS") for first_hand, other in found} == {True}
    first = sum(first_hand == cards("AD AS") for first_hand, _ in found)
    assert 1850 < first < 2150
    rest = [other for first_hand, other in found if first_hand == cards("AD AS")]
    assert len(set(rest)) == 10
    assert all(130 < rest.count(hand) < 280 for hand in set(rest))


@pytest.mark.rule("C8.8", "C10.4")
def test_a_pause_of_fixed_length_tells_no_redeal_that_anybody_is_asked() -> None:
    state = holding("8H", "7C 2H KD", "AS AD", "KC QS", stock="2S 2C 9C 4C 5C 6C", window_ms=500)
    do(state, "set 2H")
    chance = random.Random(4)
    redeals = [NUMBERS_CRUSH.redeal(state, 0, chance) for _ in range(200)]
    assert {bool(redeal.asked | redeal.answered) for redeal in redeals} == {True, False}


@pytest.mark.rule("C8.1")
def test_a_new_deal_has_no_window_left_over() -> None:
    state = dealt(2, 5)
    assert (state.asked, state.answered, state.declared, state.zero_out) == (0, 0, 0, -1)
