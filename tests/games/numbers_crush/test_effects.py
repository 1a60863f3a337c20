"""Turns, effects, limits and penalties of Numbers Crush: docs/rules/numbers_crush.md, C1, C3, C5 to C7."""

from __future__ import annotations

import pytest

from fudaba_games.numbers_crush import (
    CARD_TEXTS,
    DealEnded,
    Drew,
    Handed,
    Penalised,
    Phase,
    Reshuffled,
    Turned,
    Victory,
    cards_of,
    effect_of,
)
from fudaba_games.numbers_crush.rules import NUMBERS_CRUSH
from fudaba_games.numbers_crush.state import NumbersCrushState
from fudaba_games.shuffle import shuffled
from tests.games.numbers_crush.positions import cards, dealt, do, holding, legal, sets, turn, view

STOCK = "2C 3C 4C 2D 3D 4D 2H 3H 4H"
BIG, OTHER, THIRD, FOURTH = "KC QD QC", "KS QS JS", "KH JH 9S", "KD JD JC"
"""Hands that are too big to add up to a base."""


def drawn(state: NumbersCrushState, seat: int) -> int:
    return state.hands[seat].bit_count()


# ---- turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("C3.1", "C3.2", "C9.5")
@pytest.mark.parametrize("first", range(3))
def test_five_cards_to_each_seat_one_at_a_time_from_the_dealer_on(first: int) -> None:
    state = dealt(3, 7, first_dealer=first)
    deck = shuffled(list(range(54)), bytes([7]) * 32, 0, 0)
    for place in range(3):
        assert cards_of(state.hands[(first + place) % 3]) == sorted(deck[place:15:3])
    assert state.turn == first
    assert state.phase == Phase.DRAW


@pytest.mark.rule("C3.3")
def test_the_next_card_that_is_no_joker_is_the_base_and_has_no_effect() -> None:
    jokers = roles = 0
    for seed in range(120):
        state, events = NUMBERS_CRUSH.new_match(2, NUMBERS_CRUSH.resolve_options({}), bytes([seed]) * 32)
        turned = [one.event.card for one in events if isinstance(one.event, Turned)]
        deck = shuffled(list(range(54)), bytes([seed]) * 32, 0, 0)
        assert turned == deck[10 : 10 + len(turned)]
        assert [card > 51 for card in turned] == [*[True] * (len(turned) - 1), False]
        assert (state.base, state.pile) == (turned[-1], sum(1 << card for card in turned[:-1]))
        assert state.stock[::-1] == deck[10 + len(turned) :]
        assert (state.bind, state.pending, state.king_penalty, state.step) == (0, 0, 0, 1)
        jokers += len(turned) > 1
        roles += turned[-1] % 13 > 9
    assert jokers
    assert roles


@pytest.mark.rule("C3.4", "C3.6", "C3.8")
def test_a_turn_is_drawing_or_not_then_setting_or_passing() -> None:
    state = holding("8H", BIG, "2C AS KH", OTHER, stock="9C 3S")
    state.phase = Phase.DRAW
    assert legal(state) == ["skip", "draw"]
    do(state, "draw")
    assert state.hands[0] == cards(f"{BIG} 9C")
    assert legal(state)[0] == "pass"
    assert do(state, "pass")[-1:] != []
    assert turn(state) == 1
    do(state, "skip")
    assert state.hands[1] == cards("2C AS KH")


@pytest.mark.rule("C3.5")
def test_the_cards_under_the_base_become_a_new_stock_when_one_is_due() -> None:
    state = holding("8H", BIG, OTHER, stock="9C")
    state.phase, pile = Phase.DRAW, state.pile
    do(state, "draw")
    assert (state.stock, state.pile) == ([], pile)
    state.phase = Phase.DRAW
    events = do(state, "draw")
    assert [one.count for one in events if isinstance(one, Reshuffled)] == [pile.bit_count()]
    expected = shuffled(cards_of(pile), bytes(32), 0, 1)
    assert state.hands[0] & pile == 1 << expected[0]
    assert state.stock[::-1] == expected[1:]


@pytest.mark.rule("C3.5")
def test_where_there_are_no_cards_nothing_is_drawn() -> None:
    state = holding("8H", BIG, OTHER)
    state.phase, state.pile = Phase.DRAW, 0
    assert [one.count for one in do(state, "draw") if isinstance(one, Drew)] == [0]
    assert drawn(state, 0) == 3


@pytest.mark.rule("C3.7")
def test_the_last_card_of_a_set_is_the_new_base() -> None:
    state = holding("8H", f"3C 4D AS {BIG}", OTHER)
    do(state, "set 4D AS 3C")
    assert CARD_TEXTS[state.base] == "3C"
    assert (state.number, state.suit) == (3, 0)
    assert state.pile & cards("8H 4D AS") == cards("8H 4D AS")
    assert drawn(state, 0) == 3


# ---- which effect --------------------------------------------------------------------------------------------------


@pytest.mark.rule("C2.3", "C5.1", "C5.2", "C5.3")
@pytest.mark.parametrize(
    ("move", "number", "times"),
    [
        ("set 3C 5D", 5, 1),
        ("set 5D 3C", 5, 1),
        ("set 5C 5D", 5, 2),
        ("set 5C 6D", 6, 1),
        ("set 6D 5C", 5, 1),
        ("set 5C X1=5 AD", 5, 2),
        ("set AC 2C 3C 4C", 0, 0),
        ("set 5D TH", 0, 0),
        ("set 5D TH=A", 0, 0),
        ("set TH 5D AC", 5, 1),
        ("set 5D X1=T", 0, 0),
        ("set 5D X1=AC", 5, 1),
        ("set X1=joker", 0, 0),
        ("set KD", 13, 1),
    ],
)
def test_the_topmost_role_card_has_its_effect_as_often_as_there_are_of_its_number(
    move: str, number: int, times: int
) -> None:
    parsed = NUMBERS_CRUSH.parse_move(move.replace("X1=T", "X1=TC"))
    effect = effect_of(parsed.cards, parsed.faces)  # type: ignore[union-attr]  # it is a set
    assert (effect.number, effect.times) == (number, times)


@pytest.mark.rule("C1.1", "C5.5")
def test_an_empty_hand_wins_before_any_effect() -> None:
    state = holding("8H", "6H", "AS KC", "2S KD", stock=STOCK)
    events = do(state, "set 6H")
    assert isinstance(events[-1], DealEnded)
    assert (events[-1].winners, events[-1].victory, state.step) == (1, Victory.EMPTY_HAND, 1)


# ---- effects -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("C6.1")
@pytest.mark.parametrize(("fives", "following"), [("5H", 2), ("5H 5C", 3), ("5H 5C 5D", 0)])
def test_fives_skip_as_many_turns(fives: str, following: int) -> None:
    state = holding("8H", f"5H 5C 5D {BIG}", OTHER, THIRD, FOURTH)
    do(state, f"set {fives}")
    assert turn(state) == following


@pytest.mark.rule("C6.1")
def test_a_skip_can_come_round_to_the_setter() -> None:
    state = holding("8H", f"5H {BIG}", OTHER)
    do(state, "set 5H")
    assert turn(state) == 0
    assert state.turns == 2


@pytest.mark.rule("C6.2")
@pytest.mark.parametrize("last", ["5S", "X1=5S"])
def test_four_fives_win_at_once(last: str) -> None:
    state = holding("8H", f"5C 5D 5H 5S X1 {BIG}", OTHER)
    ended = do(state, f"set 5H 5C 5D {last}")[-1]
    assert isinstance(ended, DealEnded)
    assert (ended.winners, ended.victory) == (1, Victory.FOUR_FIVES)


@pytest.mark.rule("C6.3")
def test_a_six_reverses_the_direction() -> None:
    state = holding("8H", f"6H {BIG}", OTHER, THIRD)
    do(state, "set 6H")
    assert (turn(state), view(state).reversed) == (2, True)


@pytest.mark.rule("C6.3", "C6.4", "C5.4")
def test_two_sixes_make_the_others_draw_and_the_setter_discard_and_set_again() -> None:
    state = holding("8H", "6H 6C 2S 3S 6S KC", "AS KH QH", "KS QS JS", stock=STOCK)
    events = do(state, "set 6H 6C")
    assert [(one.seat, one.count) for one in events if isinstance(one, Drew)] == [(1, 2), (2, 2)]
    assert view(state).phase == Phase.MUST_DISCARD
    assert legal(state) == ["discard KC", "discard 2S", "discard 3S", "discard 6S"]
    do(state, "discard KC", "discard 2S")
    assert state.pile & cards("KC 2S") == cards("KC 2S")
    assert legal(state) == ["decline", "set 6S"]
    assert turn(state) == 0
    do(state, "decline")
    assert (turn(state), view(state).reversed) == (1, False)


@pytest.mark.rule("C6.4", "C1.2")
def test_the_setter_discards_all_if_it_has_fewer_and_wins_with_the_last() -> None:
    state = holding("8H", "6H 6C 6D 2S", "AS KH QH", stock=STOCK)
    events = do(state, "set 6H 6C 6D", "discard 2S")
    assert isinstance(events[-1], DealEnded)
    assert events[-1].victory == Victory.EMPTY_HAND


@pytest.mark.rule("C6.4")
def test_three_sixes_turn_the_direction_and_the_extra_set_obeys_a_bind() -> None:
    state = holding("8S", "6S 6C X1 2S 3D 4D 5C KD", OTHER, THIRD, stock="2C 3C 4C 2H 3H 4H")
    state.bind, state.bind_maker = 1, 1
    events = do(state, "set 6C X1=6 6S", "discard 3D", "discard 4D", "discard 2S")
    assert [one.seat for one in events if isinstance(one, Drew)] == [2, 1]
    assert sets(state) == {"5C"}


@pytest.mark.rule("C6.5", "C10.2")
def test_sevens_give_cards_face_down() -> None:
    state = holding("8H", f"7H 7C 2S {BIG}", "KS", "KH")
    do(state, "set 7H 7C")
    assert legal(state)[:3] == ["decline", "give QC 1", "give QC 2"]
    events = NUMBERS_CRUSH.apply(state, 0, NUMBERS_CRUSH.parse_move("give QC 2"))
    assert [one.to for one in events if isinstance(one.event, Handed)] == [0b101]
    assert state.hands[2] == cards("KH QC")
    do(state, "give KC 1")
    assert turn(state) == 1


@pytest.mark.rule("C6.5", "C1.2")
def test_a_seat_may_give_fewer_and_wins_by_giving_its_last_card() -> None:
    state = holding("8H", "7H 7C 2S", "KS", "KH")
    do(state, "set 7H 7C")
    declined = state.clone()
    do(declined, "decline")
    assert turn(declined) == 1
    ended = do(state, "give 2S 1")[-1]
    assert isinstance(ended, DealEnded)
    assert ended.winners == 1


@pytest.mark.rule("C6.6", "C5.4")
def test_an_eight_resets_once_for_each_and_ignores_limits() -> None:
    state = holding("8C", "8H 8D 2S 7S KD QC JC", "KS KH QH", "QS QD KC")
    state.bind, state.bind_maker = 2, 1
    do(state, "set 8H 8D")
    assert {"2S", "7S", "KD", "JC"} <= sets(state)
    do(state, "set 2S")
    assert view(state).phase == Phase.RESET
    assert view(state).bind == 2
    do(state, "decline")
    assert turn(state) == 1


@pytest.mark.rule("C6.7")
def test_a_nine_names_a_suit_draws_and_may_discard() -> None:
    state = holding("8H", f"9H 9C {BIG}", "KS KH QH", stock=STOCK)
    do(state, "set 9H 9C to D")
    assert (state.number, state.suit) == (9, 1)
    assert state.hands[0] == cards(f"{BIG} 2C 3C")
    assert legal(state)[:2] == ["decline", "discard 2C"]
    do(state, "discard 2C", "decline")
    assert turn(state) == 1
    assert drawn(state, 0) == 4


@pytest.mark.rule("C6.8", "C7.3")
@pytest.mark.parametrize(("maker", "size"), [(1, 6), (0, 5)])
def test_a_nine_ends_a_bind_whose_maker_draws_three(maker: int, size: int) -> None:
    state = holding("8H", f"9H 2S 3S {BIG}", "KS KH QH", stock=STOCK)
    state.bind, state.bind_maker = 2, maker
    events = do(state, "set 9H to D")
    assert [one.seat for one in events if isinstance(one, Penalised)] == ([1] * 3 if maker else [])
    assert view(state).bind == 0
    do(state, "decline")
    assert view(state).phase == Phase.RESET
    assert drawn(state, 1) == (size if maker else 3)
    assert {"2S", "3S"} <= sets(state)


@pytest.mark.rule("C6.8")
def test_several_nines_end_a_bind_for_one_reset() -> None:
    state = holding("8H", f"9H 9D 2S 3S {BIG}", "KS KH QH", stock=STOCK)
    state.bind, state.bind_maker = 2, 1
    assert drawn(state, 1) == 3
    do(state, "set 9H 9D to H")
    assert drawn(state, 1) == 6
    do(state, "decline")
    assert (view(state).phase, view(state).resets) == (Phase.RESET, 0)
    do(state, "set 2S")
    assert turn(state) == 1


@pytest.mark.rule("C6.9", "C4.9")
def test_a_ten_has_no_effect_and_as_an_ace_is_a_base_of_one() -> None:
    state = holding("8H", f"TH {BIG}", "KS KH QH")
    do(state, "set TH=A")
    assert (state.number, state.suit, turn(state)) == (1, 2, 1)


@pytest.mark.rule("C6.10", "C7.3")
@pytest.mark.parametrize(
    ("move", "colour"), [("set JH", 1), ("set JH JS", 2), ("set X1=JD AH", 1), ("set AH X1=JC", 2)]
)
def test_a_jack_binds_to_the_opposite_colour(move: str, colour: int) -> None:
    state = holding("QH", f"JH JS AH X1 {BIG}", "KS KH QS")
    do(state, move)
    assert (view(state).bind, view(state).bind_maker) == (colour, 0)


@pytest.mark.rule("C7.3")
def test_a_pass_in_a_bind_draws_three_and_ends_it() -> None:
    state = holding("8C", "KH QH", "KS QS JS", stock="2D 3D 4D")
    state.bind, state.bind_maker = 1, 1
    events = do(state, "pass")
    assert [CARD_TEXTS[one.card] for one in events if isinstance(one, Penalised)] == ["2D", "3D", "4D"]
    assert (view(state).bind, turn(state)) == (0, 1)


@pytest.mark.rule("C6.13", "C7.1")
def test_a_declared_joker_locks_the_next_seat_only() -> None:
    state = holding("8C", f"X1 {BIG}", "KS QS JS", "X2 KD JD", stock=STOCK)
    do(state, "set X1=joker", "skip")
    assert view(state).joker_lock
    assert legal(state) == ["pass"]
    do(state, "pass", "skip")
    assert not view(state).joker_lock
    assert drawn(state, 1) == 3
    assert {"KD", "JD", "X2=joker"} <= sets(state)


@pytest.mark.rule("C7.1", "C7.3")
def test_a_pass_under_lock_and_bind_draws_three() -> None:
    state = holding("8C", f"X1 {BIG}", "KS QS JS", "X2 KD JD", stock="2C 3C 4C")
    state.bind, state.bind_maker = 1, 2
    do(state, "set X1=joker", "skip")
    assert (view(state).bind, view(state).joker_lock) == (1, True)
    do(state, "pass")
    assert drawn(state, 1) == 6
    assert (view(state).bind, view(state).joker_lock) == (0, False)


@pytest.mark.rule("C6.11", "C7.4", "C7.5")
def test_draw_three_grows_is_answered_or_drawn() -> None:
    state = holding("8C", "QC KH KD", "QS QD KS 3S", "7C 5C KC", stock=STOCK)
    do(state, "set QC", "skip")
    assert view(state).pending == 3
    do(state, "set QD QS", "skip")
    assert view(state).pending == 9
    answered = state.clone()
    do(answered, "set 7C 5C")
    assert (view(answered).pending, turn(answered)) == (0, 1)
    do(state, "pass", *["decline"] * 4)
    assert view(state).pending == 0 or view(state).phase == Phase.PENALTY


@pytest.mark.rule("C7.6")
def test_a_queen_in_a_bind_keeps_both_and_a_pass_draws_the_pending_cards_only() -> None:
    state = holding("8C", "QC KH KD", "QD 7S 5H KS", "KC JC", stock="2D 3D 4D AD")
    state.bind, state.bind_maker = 1, 2
    do(state, "set QC", "skip")
    assert (view(state).bind, view(state).pending) == (1, 3)
    assert legal(state) == ["pass"]
    do(state, "pass")
    assert drawn(state, 1) == 7
    assert (view(state).bind, view(state).pending, turn(state)) == (0, 0, 2)


@pytest.mark.rule("C6.12", "C7.9", "C7.10", "C7.11")
def test_king_time_from_its_first_king_to_a_pass() -> None:
    state = holding("8C", "KC 2H 3H 4S", "QS QD JS 9S", "X1 KH 7C 9C", stock="2D 3D 4D 5D 6D 7D 8D 9D AD")
    state.bind, state.bind_maker = 1, 2
    do(state, "set KC", "skip")
    assert turn(state) == 1
    assert (view(state).king_penalty, view(state).king_starter, view(state).bind) == (3, 0, 0)
    do(state, "set QD QS", "skip")
    assert (view(state).king_penalty, view(state).pending) == (9, 0)
    do(state, "set KH", "skip")
    assert (view(state).king_penalty, view(state).king_starter) == (9, 0)
    do(state, "pass")
    assert drawn(state, 0) == 12
    assert (view(state).king_penalty, turn(state)) == (0, 0), "it started king time itself"


@pytest.mark.rule("C7.10")
@pytest.mark.parametrize("lifting", ["set KH", "set X1=joker"])
def test_a_jack_in_king_time_binds_and_a_king_or_joker_lifts_it(lifting: str) -> None:
    state = holding("KC", "JS 2H 3H 4S", "KH JD X1 AS", "KS 3C 4C")
    state.king_penalty, state.king_starter = 6, 2
    do(state, "set JS", "skip")
    assert (view(state).bind, view(state).king_penalty) == (2, 6)
    assert {"KH", "JD"} <= sets(state)
    do(state, lifting)
    assert (view(state).bind, view(state).king_penalty, view(state).king_starter) == (0, 6, 2)
    assert not view(state).joker_lock


@pytest.mark.rule("C7.9")
def test_a_king_on_a_pending_draw_three_adds_it() -> None:
    state = holding("8C", f"8D 8S QH KD {BIG}", "KS QS JS")
    do(state, "set 8D 8S", "set QH")
    assert view(state).pending == 3
    do(state, "set KD")
    assert (view(state).king_penalty, view(state).pending) == (6, 0)


@pytest.mark.rule("C7.12")
@pytest.mark.parametrize(
    ("second", "limits"),
    [("set JC", (2, 0, False)), ("set X1=joker", (0, 0, True)), ("set 2D", (0, 3, False))],
)
def test_a_newer_limit_takes_the_place_of_an_older_one(second: str, limits: tuple[int, int, bool]) -> None:
    state = holding("8C", "8D 8S QH JC X1 2D 4D KH", "KS QS JS")
    do(state, "set 8D 8S", "set QH", second)
    seen = view(state)
    assert (seen.bind, seen.pending, seen.joker_lock) == limits


@pytest.mark.rule("C7.12")
@pytest.mark.parametrize(("second", "limits"), [("JC", (2, 0, 0)), ("QH", (0, 3, 0)), ("KH", (0, 0, 3))])
def test_a_newer_limit_takes_the_place_of_a_lock(second: str, limits: tuple[int, int, int]) -> None:
    state = holding("8C", f"8D 8S {second} X1 2D 4D", "KS QS JS")
    do(state, "set 8D 8S", "set X1=joker")
    assert view(state).joker_lock
    do(state, f"set {second}")
    seen = view(state)
    assert (seen.bind, seen.pending, seen.king_penalty, seen.joker_lock) == (*limits, False)


# ---- penalty cards -------------------------------------------------------------------------------------------------


@pytest.mark.rule("C7.8")
def test_a_penalty_card_that_may_be_set_can_cancel_the_rest() -> None:
    state = holding("8C", "KH QH 2C", "KS QS JS", stock="2D 3S 4D")
    state.bind, state.bind_maker = 1, 1
    events = do(state, "pass")
    assert [CARD_TEXTS[one.card] for one in events if isinstance(one, Penalised)] == ["2D", "3S"]
    assert legal(state) == ["decline", "set 3S"], "only of the cards drawn"
    other = state.clone()
    do(state, "set 3S")
    assert (view(state).bind, turn(state), drawn(state, 0)) == (1, 1, 4)
    assert do(other, "decline")[1:2] == [Penalised(0, cards_of(cards("4D"))[0])]
    assert legal(other) == ["decline", "set 3S"], "asked again after each"
    do(other, "decline")
    assert (view(other).bind, turn(other), drawn(other, 0)) == (0, 1, 6)


@pytest.mark.rule("C7.1", "C7.8")
def test_a_joker_among_the_penalty_cards_answers_the_lock_and_ends_it() -> None:
    state = holding("8C", f"X1 {BIG}", "KS QS JS", "KD JD", stock="X2 3C 4C")
    state.bind, state.bind_maker = 1, 2
    do(state, "set X1=joker", "skip", "pass")
    assert view(state).phase == Phase.PENALTY
    do(state, "set X2=4S")
    assert (view(state).bind, view(state).joker_lock) == (1, False)
    assert (turn(state), drawn(state, 1)) == (2, 3)


@pytest.mark.rule("C7.8", "C7.4")
def test_penalty_cards_can_make_a_sum_together() -> None:
    state = holding("QC", "KH 2H 2C", "KS QS JS", stock="7D 5S 4D")
    state.pending = 3
    do(state, "pass")
    assert legal(state) == ["decline", "set 5S 7D", "set 7D 5S"]
    do(state, "set 5S 7D")
    assert (view(state).pending, view(state).phase) == (0, Phase.GIVE)
