"""The deal and what is done in a turn of Makhop: docs/rules/makhop.md, MH1 to MH6, sentence by sentence."""

from __future__ import annotations

import pytest

from fudaba_games.game import BadOption, IllegalMove
from fudaba_games.kamikisen.cards import CARD_OF_BIT, CARDS, KIND_NAMES, KIND_OF, mask_of, places_of
from fudaba_games.kamikisen.dealing import shuffled_places
from fudaba_games.makhop import (
    FREE,
    VALUE_OF_CARD,
    Cleared,
    Extended,
    Joined,
    Opened,
    Reshuffled,
    Turned,
    sum_of,
    wanted,
    wanted_together,
)
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makhop.state import MakhopState
from fudaba_games.shuffle import shuffled
from tests.support.conformance.dump import dump
from tests.support.games.makhop.positions import card, cards, dealt, do, legal, roads, table, turn, view


def refused(state: MakhopState, text: str) -> str:
    """Returns why a move is refused; the state stays as it was. Empty for a legal one."""
    before = dump(state)
    try:
        MAKHOP.check(state, turn(state), MAKHOP.text.parse_move(text))
    except IllegalMove as error:
        assert text not in legal(state)
        assert dump(state) == before
        return error.rule
    assert text in legal(state)
    return ""


# ---- the deal ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MH1.1", "MH1.2", "MH1.3", "MH2.5", "MH8.1")
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("first_dealer", [0, 3])
def test_six_cards_each_from_the_dealer_on_and_two_roads(seats: int, first_dealer: int) -> None:
    state = dealt(seats, 5, first_dealer=first_dealer)
    dealer = first_dealer % seats
    order = [CARD_OF_BIT[place] for place in shuffled_places(bytes([5]) * 32, 0, 0)]
    for place in range(seats):
        assert state.hands[(dealer + place) % seats] == mask_of(order[place : 6 * seats : seats])
    assert state.roads == ((order[6 * seats],), (order[6 * seats + 1],))
    assert state.stock == tuple(order[6 * seats + 2 :])
    assert turn(state) == dealer
    do(state, "open")
    assert turn(state) == (dealer + 1) % seats
    assert view(state).roads[2] == (order[6 * seats + 2],)


# ---- cards and roads -----------------------------------------------------------------------------------------------


@pytest.mark.rule("MH2.1")
def test_values_are_those_from_none_to_general() -> None:
    values = dict(zip(KIND_NAMES[1:10], range(9), strict=True))
    for number in range(CARDS):
        assert VALUE_OF_CARD[number] == values.get(KIND_NAMES[KIND_OF[number]], -1)
    assert sum_of(cards("r0 r1 b1 b8")) == 10


@pytest.mark.rule("MH2.2", "MH4.4", "MH5.3")
def test_what_roads_ask_for() -> None:
    six, ship, covered = (card("b6"),), (card("rS"),), (card("rS"), card("b2"))
    assert [wanted(road) for road in (six, ship, covered)] == [6, FREE, 2]
    assert wanted_together(six, covered) == 8
    assert wanted_together(six, ship) == wanted_together(ship, six) == FREE


@pytest.mark.rule("MH2.3")
def test_colours_do_not_matter_for_what_may_be_laid() -> None:
    state = table("r3,b4", "r1 b2 b3 r8", "r0")
    assert [text for text in legal(state) if text.startswith("extend 0")] == [
        "extend 0 b2 r1", "extend 0 r1 b2", "extend 0 b3",
    ]  # fmt: skip


@pytest.mark.rule("MH2.4", "MH6.1")
def test_a_ship_stands_for_nothing() -> None:
    state = table("r6,b4", "rS b4 b2", "r0")
    assert refused(state, "extend 0 rS b4") == refused(state, "extend 0 rS") == "NO_VALUE"
    assert refused(state, "clear rS") == ""


# ---- opening -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MH3.1", "MH9.5")
def test_a_turn_is_one_of_four() -> None:
    state = table("r1,b1", "r1 b2 rK", "r0", stock="r5")
    assert legal(state) == ["open", "extend 0 r1", "extend 1 r1", "join 0 1 b2", "clear rK"]


@pytest.mark.rule("MH3.2", "MH2.5")
def test_who_opens_lays_no_card_and_the_top_of_the_stock_starts_a_road() -> None:
    state = table("r6,b6", "r6 b6", "r0", stock="r5 bT")
    assert do(state, "open") == [Opened(0, card("r5"))]
    assert roads(state) == ["r6", "b6", "r5"]
    assert state.hands[0] == cards("r6 b6")
    assert view(state).stock == 1


@pytest.mark.rule("MH3.3")
def test_at_the_most_roads_opening_does_nothing() -> None:
    state = table("r6,b6,r5", "r4", "r0", stock="r5 bT", max_roads=3)
    before = state.clone()
    assert do(state, "open") == [Opened(0, -1)]
    assert (state.roads, state.stock, state.idle) == (before.roads, before.stock, 1)
    assert turn(state) == 1


@pytest.mark.rule("MH3.3")
def test_the_most_roads_are_eight_or_what_the_option_says() -> None:
    for options, most in (({}, 8), ({"max_roads": 2}, 2), ({"max_roads": 48}, 48)):
        state = dealt(2, 1, **options)
        while state.stock and state.turns < 60 and not state.idle:
            do(state, "open")
        assert len(state.roads) == min(most, 36)
    assert MAKHOP.resolve_options({}) == {"deals": 0, "first_dealer": 0, "max_roads": 8}
    for wrong in (1, 49, "8"):
        with pytest.raises(BadOption):
            MAKHOP.resolve_options({"max_roads": wrong})


@pytest.mark.rule("MH3.4")
def test_without_a_card_to_turn_up_opening_does_nothing() -> None:
    state = table("r6,b6", "r4", "r0")
    assert do(state, "open") == [Opened(0, -1)]
    assert roads(state) == ["r6", "b6"]


# ---- extending -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("MH4.1", "MH4.3")
@pytest.mark.parametrize(("laid", "rule"), [
    ("b6", ""), ("r1 r2 r3", ""), ("r0 r3 b3", ""), ("r0 b6", ""), ("b1 b5", ""),
    ("b5", "WRONG_SUM"), ("r1 r2 b2", "WRONG_SUM"), ("r3", "WRONG_SUM"), ("r3 b4", "WRONG_SUM"), ("r0", "WRONG_SUM"),
])  # fmt: skip
def test_cards_add_up_to_the_end_of_the_road(laid: str, rule: str) -> None:
    for road in ("r6", "r4 r0 r6"):
        state = table(f"{road},rS", f"{laid} bK", "r0")
        assert refused(state, f"extend 0 {laid}") == rule


@pytest.mark.rule("MH4.2", "MH2.2")
def test_the_card_laid_last_is_the_new_end_and_the_player_chooses_it() -> None:
    for laid, road in (("r1 r2 r3", "r6 r1 r2 r3"), ("r2 r3 r1", "r6 r2 r3 r1"), ("r1 r3 r2", "r6 r1 r3 r2")):
        state = table("r6,b4", "r1 r2 r3 bK", "r0")
        end = card(laid.split()[-1])
        assert do(state, f"extend 0 {laid}") == [Extended(0, 0, cards(laid), end)]
        assert roads(state) == [road, "b4"]
        assert wanted(state.roads[0]) == VALUE_OF_CARD[end]
        assert state.hands[0] == cards("bK")


@pytest.mark.rule("MH4.3")
def test_on_a_none_only_nones_fit() -> None:
    state = table("r0", "r0 b0 r1 b8", "r0")
    assert [text for text in legal(state) if text != "open"] == [
        "extend 0 r0", "extend 0 b0 r0", "extend 0 r0 b0", "extend 0 b0",
    ]  # fmt: skip


@pytest.mark.rule("MH4.4")
@pytest.mark.parametrize("start", ["rS", "bK", "rT"])
def test_on_a_road_that_has_only_a_ship_king_or_emperor_exactly_one_card_of_any_value_is_laid(start: str) -> None:
    state = table(start, "r0 r3 b8 r1", "r0 r3")
    assert [text for text in legal(state) if text != "open"] == [
        "extend 0 r0", "extend 0 r1", "extend 0 r3", "extend 0 b8",
    ]  # fmt: skip
    assert refused(state, "extend 0 r0 r1") == "ONE_CARD_ONLY"
    do(state, "extend 0 r3")
    assert roads(state) == [f"{start} r3"]
    assert refused(state, "extend 0 r0") == "WRONG_SUM", "only the first card is free"
    assert refused(state, "extend 0 r0 r3") == ""


@pytest.mark.rule("MH4.4", "MH9.5")
def test_a_free_road_stands_among_the_others_in_order() -> None:
    state = table("b3,rK,r3", "r3 r1 b2", "r0")
    assert [text for text in legal(state) if text.startswith("extend")] == [
        "extend 1 r1", "extend 0 b2 r1", "extend 0 r1 b2", "extend 2 b2 r1", "extend 2 r1 b2",
        "extend 0 r3", "extend 1 r3", "extend 2 r3", "extend 1 b2",
    ]  # fmt: skip


@pytest.mark.rule("MH4.5")
def test_a_ship_king_or_emperor_is_not_laid_on_a_road_of_its_kind() -> None:
    state = table("rS,b4", "rK bT bS r1", "r0", stock="r1 r2")
    for text in ("extend 0 rK", "extend 0 bT", "extend 0 bS"):
        assert refused(state, text) == "NO_VALUE"
    do(state, "clear bS")
    assert roads(state) == ["r1", "r2"]


# ---- joining -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MH5.1", "MH5.2")
def test_two_soldiers_are_joined_by_a_bow() -> None:
    state = table("r1,b1", "b2 r8", "r0")
    assert do(state, "join 0 1 b2") == [Joined(0, 0, 1, cards("b2"), card("b2"))]
    assert roads(state) == ["r1 b1 b2"]


@pytest.mark.rule("MH5.1", "MH5.2")
@pytest.mark.parametrize(("laid", "rule"), [
    ("r8 r3", ""), ("b4 b7", ""), ("r0 b5 b6", ""), ("b5", "WRONG_SUM"), ("b6", "WRONG_SUM"), ("r5 b5", "WRONG_SUM"),
])  # fmt: skip
def test_cards_add_up_to_both_ends(laid: str, rule: str) -> None:
    state = table("r5,b1 b6", f"{' '.join(sorted(laid.split()))} bK", "r0")
    in_order = MAKHOP.text.format_move(MAKHOP.text.parse_move(f"extend 0 {laid}")).split(" ", 2)[2]
    assert refused(state, f"join 0 1 {in_order}") == rule


@pytest.mark.rule("MH5.2", "MH2.2")
def test_the_player_chooses_the_end_of_a_joined_road() -> None:
    state = table("r5,b6", "r3 r8 bK", "r0")
    do(state, "join 0 1 r8 r3")
    assert roads(state) == ["r5 b6 r8 r3"]
    assert wanted(state.roads[0]) == 3


@pytest.mark.rule("MH5.3")
def test_a_road_of_a_ship_king_or_emperor_alone_can_not_be_joined() -> None:
    for start in ("rS", "bK", "bT"):
        state = table(f"{start},r4", "r4 b4 r1", "r0")
        assert refused(state, "join 0 1 r4") == "NOT_JOINABLE"
        assert not [text for text in legal(state) if text.startswith("join")]
        state = table(f"{start} b4,r4", "r4 b4 r1", "r0")
        assert refused(state, "join 0 1 r4 b4") == "", "with a card on it, it can"


@pytest.mark.rule("MH5.4")
def test_a_joined_road_takes_the_lower_number_and_those_after_the_other_move_up() -> None:
    state = table("r8,r1,b7,b1,r4", "b2 r8", "r0")
    do(state, "join 1 3 b2")
    assert roads(state) == ["r8", "r1 b1 b2", "b7", "r4"]


# ---- clearing ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("MH6.1", "MH6.2")
@pytest.mark.parametrize("laid", ["rS", "bK", "rT"])
def test_all_roads_and_the_card_vanish_and_two_new_roads_start(laid: str) -> None:
    state = table("r8 r8,b1,bS", f"{laid} r7", "r0", stock="r5 b6 b7", vanished="b0")
    events = do(state, f"clear {laid}")
    assert events == [Cleared(0, card(laid)), Turned(card("r5")), Turned(card("b6"))]
    assert roads(state) == ["r5", "b6"]
    assert state.vanished == cards(f"b0 r8 r8 b1 bS {laid}")
    assert (state.hands[0], view(state).stock, turn(state)) == (cards("r7"), 1, 1)


@pytest.mark.rule("MH6.1")
def test_only_a_ship_king_or_emperor_clears() -> None:
    state = table("r8,b1", "r8 b0 rK", "r0")
    assert refused(state, "clear r8") == refused(state, "clear b0") == "HAS_A_VALUE"
    assert refused(state, "clear bK") == "CARD_NOT_IN_HAND"


@pytest.mark.rule("MH6.2")
def test_fewer_roads_start_if_there_are_fewer_cards() -> None:
    state = table("", "rK r1", "r0")
    events = do(state, "clear rK")
    assert events == [Cleared(0, card("rK")), Reshuffled(cards("rK")), Turned(card("rK"))]
    assert roads(state) == ["rK"]


@pytest.mark.rule("MH6.3", "MH6.4", "MH8.2")
def test_an_empty_stock_is_made_of_the_vanished_cards_when_a_card_is_needed() -> None:
    state = table("r8,b1", "rK r1", "r0", stock="b7", vanished="r5 r6")
    events = do(state, "clear rK")
    vanished = cards("r5 r6 r8 b1 rK")
    places = shuffled(list(places_of(vanished)), bytes(32), 0, 1)
    order = [CARD_OF_BIT[place] for place in places]
    assert events == [Cleared(0, card("rK")), Turned(card("b7")), Reshuffled(vanished), Turned(order[0])]
    assert state.stock == tuple(order[1:])
    assert (state.vanished, state.shuffles) == (0, 1)


@pytest.mark.rule("MH6.3", "MH6.4", "MH8.2")
def test_the_stock_is_shuffled_anew_only_when_a_card_is_needed() -> None:
    state = table("r8,b1", "r1 r7", "r0 rT", stock="b7", vanished="r5 r6")
    do(state, "open")
    assert (state.stock, state.vanished, state.shuffles) == ((), cards("r5 r6"), 0)
    do(state, "clear rT")
    assert state.shuffles == 1
    left = mask_of([*state.stock, *[road[0] for road in state.roads]])
    assert left == cards("r5 r6 r8 b1 b7 rT"), "what vanished in this turn came back, too"
    state.stock, state.vanished = (), cards("b2 b3")
    expected = shuffled(list(places_of(cards("b2 b3"))), bytes(32), 0, 2)
    assert do(state, "open") == [Reshuffled(cards("b2 b3")), Opened(0, CARD_OF_BIT[expected[0]])]
    assert state.shuffles == 2
