"""The deal and the exchange of Makkaik: docs/rules/makkaik.md, MA1 and MA2."""

from __future__ import annotations

import pytest

from fudaba_games.kamikisen.cards import DECK, joined
from fudaba_games.kamikisen.dealing import cards_at, shuffled_places
from fudaba_games.makkaik import BettingBegan, Dealt, Drew, Exchange, Kept, Phase, Received, Saw, Swapped
from fudaba_games.makkaik.rules import MAKKAIK
from tests.support.games.makkaik.positions import cards, dealt, do, holding, legal, turn, view


@pytest.mark.rule("MA1.1", "MA1.2", "K5.1")
@pytest.mark.parametrize("seats", range(2, 7))
def test_every_seat_gets_three_cards_and_three_are_public(seats: int) -> None:
    state = dealt(seats, first_dealer=1)
    places = shuffled_places(bytes(32), 0, 0)
    for order in range(seats):
        assert state.hands[(1 + order) % seats] == cards_at(
            [places[order + seats * round_number] for round_number in range(3)]
        )
    assert state.public_cards == cards_at(places[3 * seats : 3 * seats + 3])
    assert [view(state, seat).hand.bit_count() for seat in range(seats)] == [3] * seats
    assert view(state).public_cards.bit_count() == 3


@pytest.mark.rule("MA1.2", "MA2.3")
def test_the_stock_is_what_is_left_of_the_deck_in_its_order() -> None:
    state, places = dealt(6), shuffled_places(bytes(32), 0, 0)
    for number in range(6):
        do(state, "draw")
        assert state.drawn == cards_at(places[21 + 2 * number : 23 + 2 * number])
        do(state, legal(state)[0])


@pytest.mark.rule("MA1.1", "MA1.2")
def test_a_deal_is_told_with_its_public_cards() -> None:
    state, events = MAKKAIK.new_match(3, MAKKAIK.resolve_options({"first_dealer": 2}), bytes(32))
    assert events[0].event == Dealt(0, 2, state.public_cards)
    assert [shown.event for shown in events[1:]] == [Received(seat, state.hands[seat]) for seat in (2, 0, 1)]


@pytest.mark.rule("MA2.1")
def test_every_seat_exchanges_once_from_the_dealer_on() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", "r5 r6 r7", stock="b4 b5 b6 b7 bK bT", first_dealer=1)
    order = []
    while view(state).phase != Phase.BETTING:
        order.append(turn(state))
        assert {text.split()[0] for text in legal(state)} == {"swap", "draw"}, "there is no way around it"
        do(state, legal(state)[0])
    assert order == [1, 2, 0]
    assert turn(state) == 1


@pytest.mark.rule("MA2.2", "MA8.1")
def test_a_swap_moves_one_card_each_way() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", public="r0 r4 b8")
    assert do(state, "swap r2 b8") == [Swapped(0, 2 + 1, 12 + 9)]
    assert state.hands[0] == cards("r1 r3 b8")
    assert state.public_cards == cards("r0 r2 r4")
    assert view(state).exchanges == (Exchange.SWAPPED, Exchange.NOT_YET)


@pytest.mark.rule("MA2.2")
def test_equal_cards_may_be_swapped() -> None:
    state = holding("r1 r1 r3", "b1 b2 b3", public="r1 r4 b8")
    do(state, "swap r1 r1")
    assert (state.hands[0], state.public_cards) == (cards("r1 r1 r3"), cards("r1 r4 b8"))
    assert view(state).taken == (cards("r1"), 0)


@pytest.mark.rule("MA2.3", "MA2.4", "MA8.2")
def test_who_draws_keeps_one_of_two_cards_and_two_become_public() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", public="r0 r4 b8", stock="rK b7 b5 b6")
    assert do(state, "draw") == [Drew(0), Saw(0, cards("rK b7"))]
    assert turn(state) == 0
    assert view(state, 0).drawn == cards("rK b7")
    assert legal(state) == ["keep rK r1", "keep rK r2", "keep rK r3", "keep b7 r1", "keep b7 r2", "keep b7 r3"]
    assert do(state, "keep rK r1") == [Kept(0, cards("r1 b7"))]
    assert state.hands[0] == cards("r2 r3 rK")
    assert state.public_cards == cards("r0 r1 r4 b7 b8")
    assert turn(state) == 1
    do(state, "draw")
    assert view(state, 1).drawn == cards("b5 b6")


@pytest.mark.rule("MA2.3", "K1.4")
def test_two_equal_drawn_cards_are_one_choice() -> None:
    state = holding("r1 r1 r3", "b1 b2 b3", stock="b5 b5")
    do(state, "draw")
    assert legal(state) == ["keep b5 r1", "keep b5 r3"]
    do(state, "keep b5 r1")
    assert state.hands[0] == cards("r1 r3 b5")
    assert state.public_cards == cards("r0 r1 r4 b5 b8")


@pytest.mark.rule("MA2.3")
def test_a_card_that_was_drawn_is_no_card_of_the_hand_yet() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", stock="r1 b7")
    do(state, "draw", "keep r1 r1")
    assert state.hands[0] == cards("r1 r2 r3")
    assert state.public_cards == cards("r0 r1 r4 b7 b8")


@pytest.mark.rule("MA2.5")
def test_what_others_made_public_may_be_taken() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", stock="rK b7")
    do(state, "draw", "keep b7 r3", "swap b1 rK")
    assert state.hands[1] == cards("b2 b3 rK")
    state = holding("r1 r2 r3", "b1 b2 b3")
    do(state, "swap r1 b8", "swap b3 r1")
    assert state.hands[1] == cards("b1 b2 r1")


@pytest.mark.rule("MA2.1", "MA3.1")
def test_the_betting_begins_when_all_have_exchanged() -> None:
    state = holding("r1 r2 r3", "b1 b2 b3", stock="rK b7")
    assert view(state).paid == (0, 0)
    do(state, "swap r1 b8")
    events = do(state, "draw", "keep b7 b1")
    assert events[-1] == BettingBegan(2)
    assert (view(state).phase, view(state).pot, view(state).paid) == (Phase.BETTING, 2, (1, 1))


@pytest.mark.rule("MA2.4", "MA1.2")
@pytest.mark.parametrize("seats", range(2, 7))
def test_no_card_is_lost_when_everybody_draws(seats: int) -> None:
    state = dealt(seats)
    for _ in range(seats):
        do(state, "draw")
        do(state, legal(state)[-1])
    assert state.public_cards.bit_count() == 3 + 2 * seats
    together = state.public_cards
    for hand in state.hands:
        assert hand.bit_count() == 3
        together = joined(together, hand)
    assert together.bit_count() == 3 + 5 * seats
    assert not together & ~DECK
