"""Who sees what in Makhop, and how it is shown: docs/rules/makhop.md, MH10."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba.codec import codec
from fudaba.v1 import game_pb2
from fudaba_games.game import PUBLIC
from fudaba_games.kamikisen.cards import CARD_TEXTS, DECK, cards_of
from fudaba_games.makhop import Dealt, Opened, Received, Reshuffled, Turned
from fudaba_games.makhop.rules import MAKHOP
from fudaba_games.makhop.state import MakhopState
from tests.support.games.makhop.positions import card, cards, dealt, do, table, turn, view


def everywhere(state: MakhopState) -> Counter[int]:
    """Returns all cards, wherever they are."""
    piles = [*state.hands, state.vanished]
    on_roads = Counter([card_index for road in state.roads for card_index in road])
    return sum([Counter(cards_of(pile)) for pile in piles], Counter(state.stock) + on_roads)


@pytest.mark.rule("MH10.1")
def test_roads_vanished_cards_and_numbers_are_public() -> None:
    state = table("r6 b2,bK", "r2 b8 r1", "r3 b4", "b0 b0 r0 r0", stock="r8 r7 r6", vanished="rS r5")
    do(state, "extend 0 r2")
    seen = view(state)
    assert seen.roads == ((card("r6"), card("b2"), card("r2")), (card("bK"),))
    assert (seen.hand_sizes, seen.stock, seen.vanished, seen.turn, seen.turns) == (
        (2, 2, 4), 3, cards("rS r5"), 1, 1,
    )  # fmt: skip
    assert seen.stock_cards == 0
    assert [view(state, seat)._replace(hand=0) for seat in range(3)] == [seen] * 3
    assert [shown.to for shown in MAKHOP.apply(state.clone(), 1, MAKHOP.text.parse_move("open"))] == [PUBLIC]


@pytest.mark.rule("MH10.2")
def test_a_hand_is_told_to_its_seat_alone() -> None:
    state, events = MAKHOP.new_match(4, MAKHOP.resolve_options({"first_dealer": 2}), bytes(32))
    assert [shown.to for shown in events] == [PUBLIC, 4, 8, 1, 2, PUBLIC, PUBLIC]
    assert events[0].event == Dealt(0, 2)
    assert events[1].event == Received(2, state.hands[2])
    assert [shown.event for shown in events[5:]] == [Turned(road[0]) for road in state.roads]
    assert view(state).hand == 0
    assert [view(state, seat).hand for seat in range(4)] == state.hands


@pytest.mark.rule("MH10.2")
def test_hands_are_not_shown_when_a_deal_is_over() -> None:
    state = table("r6", "r6", "r2 r3", deals=1)
    lines = [MAKHOP.text.describe_event(event) for event in do(state, "extend 0 r6")]
    assert not [line for line in lines if "r2" in line or "r3" in line]
    assert view(state, 0).hand == view(state).hand == 0
    assert view(state, 1).hand == cards("r2 r3")


@pytest.mark.rule("MH10.3")
def test_after_a_reshuffle_the_stock_is_known_but_for_its_order() -> None:
    state = table("r6", "r6 r2", "r2 r3", vanished="r5 b5 b7 rS")
    events = do(state, "open")
    assert events[0] == Reshuffled(cards("r5 b5 b7 rS"))
    assert isinstance(events[1], Opened)
    left = cards(" ".join([CARD_TEXTS[card_index] for card_index in state.stock]))
    assert left.bit_count() == 3
    assert view(state).stock_cards == left
    assert "stock: 3 cards: " in MAKHOP.text.render_view(view(state))
    message = game_pb2.View()
    codec("makhop").view_to_proto(view(state, 1), message)
    assert codec("makhop").view_from_proto(message) == view(state, 1)


@pytest.mark.rule("MH10.2", "MH10.3")
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_redeal_deals_all_that_a_seat_has_not_seen(seats: int) -> None:
    state, chance = dealt(seats, seats), random.Random(seats)
    whole = Counter(cards_of(DECK))
    reshuffled = 0
    while MAKHOP.decisions(state):
        assert everywhere(state) == whole
        for seat in (None, *range(seats)):
            other = MAKHOP.redeal(state, seat, chance)
            assert view(other, seat) == view(state, seat)
            assert everywhere(other) == whole
            if state.shuffles:
                assert Counter(other.stock) == Counter(state.stock) == Counter(cards_of(state.stock_cards))
                reshuffled += 1
        seat = turn(state)
        MAKHOP.advance(state, seat, MAKHOP.random_move(state, seat, chance))
    assert reshuffled or seats < 6


@pytest.mark.rule("MH10.2", "MH10.3")
def test_every_unseen_card_is_as_likely_in_a_hand_as_at_any_place_of_the_stock() -> None:
    state, chance = dealt(3, 1), random.Random(7)
    wanted = card("r1")
    unseen = 48 - 2 - 6
    left = 4 - cards_of(state.hands[0]).count(wanted) - [road[0] for road in state.roads].count(wanted)
    hand = top = 0
    for _ in range(4000):
        other = MAKHOP.redeal(state, 0, chance)
        hand += cards_of(other.hands[1]).count(wanted)
        top += other.stock[0] == wanted
    assert left
    assert 0.9 < hand / (4000 * left * 6 / unseen) < 1.1
    assert 0.8 < top / (4000 * left / unseen) < 1.2


@pytest.mark.rule("MH10.3")
def test_a_known_stock_comes_in_every_order_and_leaves_the_hands_the_other_cards() -> None:
    state = table("r6", "r6 r2", "r2 r3", "b2 b3", vanished="r5 b5 b7 rS")
    do(state, "open")
    chance = random.Random(3)
    # The other hands take the place of the cards that no pile of this position has.
    state.hands = [state.hands[0], 0, 0]
    known = everywhere(state)
    rest = cards_of(DECK)
    for known_card in known.elements():
        rest.remove(known_card)
    state.hands[1] = cards(" ".join([CARD_TEXTS[card_index] for card_index in rest[::2]]))
    state.hands[2] = cards(" ".join([CARD_TEXTS[card_index] for card_index in rest[1::2]]))
    orders = {MAKHOP.redeal(state, 0, chance).stock for _ in range(200)}
    hands = {tuple(MAKHOP.redeal(state, 0, chance).hands) for _ in range(50)}
    assert len(orders) == 6
    assert len(hands) == 50
    assert all(hand[0] == state.hands[0] for hand in hands)


@pytest.mark.rule("MH10.1", "MH10.2")
def test_a_view_is_a_readable_table() -> None:
    state = table("r6 b2,bK,b8", "r2 b8 r1", "r3 b4", stock="r8", vanished="rS b5")
    assert MAKHOP.text.render_view(view(state, 0)).splitlines() == [
        "Deal 1, seat 0 deals: turn 1, seat 0 moves.",
        "road 0: r6 b2, takes a sum of 2",
        "road 1: bK, takes any one value card",
        "road 2: b8, takes a sum of 8",
        "  score  cards",
        ">    +0      3  seat 0",
        "     +0      2  seat 1",
        "stock: 1 card",
        "vanished: rS  b5",
        "hand: r1 r2  b8",
    ]
    do(state, "open", "extend 1 r3")
    assert "hand" not in MAKHOP.text.render_view(view(state))


@pytest.mark.rule("MH10.1")
def test_events_are_told_in_words() -> None:
    state = table("r6,b2", "r2 b8 rK", "r3 r4 b4", stock="r8", vanished="b5", deals=2)
    events = do(state, "join 0 1 b8", "open", "clear rK")
    lines = [MAKHOP.text.describe_event(event) for event in events]
    assert lines[:5] == [
        "Seat 0 joins roads 0 and 1 with b8.",
        "Seat 1 opens a road with r8.",
        "Seat 0 clears the roads with rK.",
        "The 6 vanished cards are shuffled into a new stock.",
        f"A road starts with {CARD_TEXTS[state.roads[0][0]]}.",
    ]
    state.roads = ((card("r7"),), (card("r2"),))
    lines = [MAKHOP.text.describe_event(event) for event in do(state, "extend 0 r4 r3", "extend 1 r2")]
    assert lines[:4] == [
        "Seat 1 extends road 0 with r4 r3.",
        "Seat 0 extends road 1 with r2.",
        "Seat 0 has no cards left and wins the deal. Scores: +1 -1.",
        "Deal 2, seat 0 deals.",
    ]
    assert lines[4].startswith("Seat 0 draws ")
    state = table("r6,b2", "r2 b8", "r3 r4", "r4", max_roads=2)
    lines = [MAKHOP.text.describe_event(event) for event in do(state, "open", "open", "open")]
    assert lines[2] == "Seat 2 opens, and nothing happens."
    assert lines[3] == "Seat 2 has the fewest cards, 1, and wins the deal. Scores: -1 -1 +2."
    state = table("r6,b2", "r2", "r3 r4", "r4", max_roads=2)
    lines = [MAKHOP.text.describe_event(event) for event in do(state, "open", "open", "open")]
    assert lines[3] == "Seats 0 and 2 have the fewest cards, 1, and share the deal. Scores: +1 -2 +1."
