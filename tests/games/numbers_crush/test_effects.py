"""Turns, effects, limits and penalties of Numbers Crush: docs/rules/numbers_crush.md, C1, C3, C5 to C7."""

from __future__ import annotations

from random import Random

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
from fudaba_games.shuffle import shuffled
from tests.support.games.numbers_crush.positions import cards, dealt, do, holding, legal, sets, turn, view
from tests.support.games.numbers_crush.stock import BIG, FOURTH, OTHER, STOCK, THIRD, drawn


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
        turned = [shown_event.event.card for shown_event in events if isinstance(shown_event.event, Turned)]
        deck = shuffled(list(range(54)), bytes([seed]) * 32, 0, 0)
        assert turned == deck[10 : 10 + len(turned)]
        assert [card > 51 for card in turned] == [*[True] * (len(turned) - 1), False]
        assert (state.base, state.pile) == (turned[-1], sum(1 << card for card in turned[:-1]))
        assert state.stock[::-1] == deck[10 + len(turned) :]
        assert (state.bind, state.pending, state.king_penalty, state.reversed) == (0, 0, 0, False)
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
    assert [event.count for event in events if isinstance(event, Reshuffled)] == [pile.bit_count()]
    expected = shuffled(cards_of(pile), bytes(32), 0, 1)
    assert state.hands[0] & pile == 1 << expected[0]
    assert state.stock[::-1] == expected[1:]


@pytest.mark.rule("C3.5")
def test_where_there_are_no_cards_nothing_is_drawn() -> None:
    state = holding("8H", BIG, OTHER)
    state.phase, state.pile = Phase.DRAW, 0
    assert [event.count for event in do(state, "draw") if isinstance(event, Drew)] == [0]
    assert drawn(state, 0) == 3


@pytest.mark.rule("C3.7")
def test_the_last_card_of_a_set_is_the_new_base() -> None:
    state = holding("8H", f"3C 4D AS {BIG}", OTHER)
    do(state, "set 4D AS 3C")
    assert CARD_TEXTS[state.base] == "3C"
    assert (state.number, state.suit) == (3, 0)
    assert state.pile & cards("8H 4D AS") == cards("8H 4D AS")
    assert drawn(state, 0) == 3


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
    parsed = NUMBERS_CRUSH.text.parse_move(move.replace("X1=T", "X1=TC"))
    effect = effect_of(parsed.cards, parsed.faces)  # type: ignore[union-attr]  # it is a set
    assert (effect.number, effect.times) == (number, times)


@pytest.mark.rule("C1.1", "C5.5")
def test_an_empty_hand_wins_before_any_effect() -> None:
    state = holding("8H", "6H", "AS KC", "2S KD", stock=STOCK)
    events = do(state, "set 6H")
    assert isinstance(events[-1], DealEnded)
    assert (events[-1].winners, events[-1].victory, state.reversed) == (1, Victory.EMPTY_HAND, False)


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
    assert [(event.seat, event.count) for event in events if isinstance(event, Drew)] == [(1, 2), (2, 2)]
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
    assert [event.seat for event in events if isinstance(event, Drew)] == [2, 1]
    assert sets(state) == {"5C"}


@pytest.mark.rule("C6.4", "C6.10", "C6.11", "C6.12", "C6.13")
@pytest.mark.parametrize("limit", ["JD", "QD", "KD", "X1=joker"])
def test_the_extra_set_of_sixes_is_not_held_to_a_limit_of_the_same_turn(limit: str) -> None:
    """The seat sets a limit by one reset and the 6s by the next; then it sets as in free play."""
    state = holding("8C", f"8H 8D 6D 6S 2S AD KC QC {limit[:2]}", OTHER, THIRD, stock=STOCK)
    do(state, "set 8H 8D", f"set {limit}", "set 6D 6S", "discard QC", "discard KC")
    assert view(state).phase == Phase.EXTRA
    assert sets(state) == {"2S"}, "of the base's suit, and nothing else"
    bind, pending, king, lock = view(state).bind, view(state).pending, view(state).king_penalty, view(state).joker_lock
    do(state, "set 2S")
    after = view(state)
    assert (after.bind, after.pending, after.king_penalty, after.joker_lock) == (bind, pending, king, lock)
    assert (bool(bind), pending, king, lock) == (limit == "JD", 3 * (limit == "QD"), 3 * (limit == "KD"), "X" in limit)
    assert not any(after.known), "nobody has drawn a penalty"
    assert turn(state) == 1
    do(state, "skip")
    assert view(state).phase == Phase.SET
    assert not view(state).new_bind


@pytest.mark.rule("C6.4")
def test_the_extra_set_of_sixes_is_held_to_a_bind_of_an_earlier_turn_also_its_own() -> None:
    for maker in (0, 1):
        state = holding("8C", "8S 6S 6C 6H 2S AD QC KC", OTHER, THIRD, stock=STOCK)
        state.bind, state.bind_maker = 1, maker
        do(state, "set 8S", "set 6S 6C", "discard QC", "discard KC")
        assert not view(state).new_bind
        assert sets(state) == {"2S"}, "it is black, and 6H is not"


@pytest.mark.rule("C6.4", "C7.3")
def test_a_bind_that_takes_the_place_of_another_in_the_same_turn_binds_from_the_next_seat_on() -> None:
    state = holding("9C", "8S 8C JH 6H 6S 2S AC KD QC", OTHER, "4S 5C QH", stock=STOCK)
    state.bind, state.bind_maker = 1, 1
    do(state, "set 8C 8S", "set JH", "set 6H 6S", "discard KD", "discard QC")
    assert (view(state).bind, view(state).new_bind) == (1, True)
    assert sets(state) == {"2S"}
    redealt = NUMBERS_CRUSH.redeal(state, 0, Random(1))
    assert view(redealt, 0) == view(state, 0)
    assert legal(redealt) == legal(state)
    supposed = NUMBERS_CRUSH.suppose(view(state, 0), 0, 3, NUMBERS_CRUSH.resolve_options({}), Random(1))
    assert view(supposed, 0) == view(state, 0)
    assert legal(supposed) == legal(state)


@pytest.mark.rule("C6.5", "C10.2")
def test_sevens_give_cards_face_down() -> None:
    state = holding("8H", f"7H 7C 2S {BIG}", "KS", "KH")
    do(state, "set 7H 7C")
    assert legal(state)[:3] == ["decline", "give QC 1", "give QC 2"]
    events = NUMBERS_CRUSH.apply(state, 0, NUMBERS_CRUSH.text.parse_move("give QC 2"))
    assert [shown_event.to for shown_event in events if isinstance(shown_event.event, Handed)] == [0b101]
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
    assert [event.seat for event in events if isinstance(event, Penalised)] == ([1] * 3 if maker else [])
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
