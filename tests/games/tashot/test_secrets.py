"""Who sees what in Tashot, and how it is shown: docs/rules/tashot.md, TA10."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.kamikisen.cards import cards_of
from fudaba_games.kamikisen.text import text_of
from fudaba_games.tashot.moves import can_take
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import Discarded, Opened, Phase, Received, TurnBegan, Won
from tests.support.games.tashot.positions import asked, card, cards, dealt, do, holding, open_meld, view


def redeals(state: TashotState, seat: int | None, count: int = 300) -> list[TashotState]:
    """Redeals of a state for a seat."""
    chance = random.Random(f"redeal {seat}")
    return [TASHOT.redeal(state, seat, chance) for _ in range(count)]


@pytest.mark.rule("TA10.1")
def test_discards_melds_lights_points_and_numbers_are_public() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "b0 r1 r3 b2 r7", "r4 r3 b8 b1 b7", lights="b3", stock="r6 r6")
    do(state, "discard r5", "call r3 r4 r5", "discard b8")
    seen = view(state)
    assert seen.discards == (0, 0, cards("b8"))
    assert seen.melds == (open_meld(2, "r3 r4 r5"),)
    assert seen.lights == (card("b3"),)
    assert seen.scores == (1, 0, -1)
    assert seen.hand_sizes == (6, 5, 2)
    assert seen.stock == 1
    for seat in range(3):
        assert view(state, seat)._replace(hand=0, drawn=-1) == seen


@pytest.mark.rule("TA10.2")
def test_the_own_hand_and_the_card_drawn_are_private() -> None:
    state = holding("r5 r0 b4 b6 r8 rK", "b0 r1 r3 b2 r7", "r4 r2 b8 b1 b7", stock="r6 r6")
    shown = TASHOT.apply(state, 0, TASHOT.text.parse_move("discard r5"))
    assert [(shown_event.to, type(shown_event.event)) for shown_event in shown] == [
        (PUBLIC, Discarded),
        (PUBLIC, TurnBegan),
        (2, Received),
    ]
    assert view(state).hand == 0
    assert [view(state, seat).hand for seat in range(3)] == state.hands
    assert [view(state, seat).drawn for seat in (None, 0, 1, 2)] == [-1, -1, card("r6"), -1]


@pytest.mark.rule("TA10.2")
def test_a_hand_is_dealt_to_its_seat_alone() -> None:
    _, shown = TASHOT.new_match(4, TASHOT.resolve_options({}), bytes(32))
    for shown_event in shown:
        assert shown_event.to == (1 << shown_event.event.seat if isinstance(shown_event.event, Received) else PUBLIC)


@pytest.mark.rule("TA10.3")
def test_the_winning_hand_is_shown_and_no_other() -> None:
    state = holding("r3 b3 r5 b5 rK bT", "b0 r1 r2 b6 r7", "r0 b2 b4 b7 b8", lights="r6", stock="bS")
    (won, _) = TASHOT.apply(state, 0, TASHOT.text.parse_move("win"))
    assert won.to == PUBLIC
    assert isinstance(won.event, Won)
    assert view(state, 1).won_with == view(state).won_with == won.event.cards == cards("r3 b3 r5 b5 rK bT")
    assert view(state).hand == 0
    text = TASHOT.text.render_view(view(state))
    assert "won with: r3 r5 rK  b3 b5 bT" in text
    assert "r7" not in text
    hands = {redeal.hands[2] for redeal in redeals(state, 1)}
    assert len(hands) > 100, "the other hands stay hidden"
    assert {redeal.hands[0] for redeal in redeals(state, 1)} == {state.hands[0]}


@pytest.mark.rule("TA10.2")
def test_every_deal_of_the_unseen_cards_is_equally_likely() -> None:
    state = holding("r3", "b1", "r5", turn=1)
    found = Counter(text_of(other.hands[0]) for other in redeals(state, 1, 4700))
    # 47 cards are unseen, eight of them soldiers, one of which is seen.
    assert 630 < found["r1"] + found["b1"] < 770
    assert 50 < found["rK"] < 155
    assert len(found) == 24


@pytest.mark.rule("TA10.2")
def test_any_card_of_another_seats_hand_may_be_the_one_it_has_drawn() -> None:
    state = holding("r3 r4 b0 b6 r8 rK", "b1 r1 r2 b7 r5", drawn="rK")
    drawn = Counter(
        cards_of(redeal.hands[0]).index(redeal.drawn) for redeal in redeals(state, 1, 3000) if redeal.drawn >= 0
    )
    assert sum(drawn.values()) == 3000
    assert drawn[0] > 400
    assert drawn[5] > 300, "a later copy of a card is found as its first one"
    assert {redeal.drawn for redeal in redeals(state, 0)} == {card("rK")}


def offered() -> TashotState:
    """Seat 0 has discarded r5. Seats 1 and 3 can take it, seat 2 can not."""
    state = holding("r5 b1 r7 b8 r8 bT", "r6 r7 b0 b2 b4", "b0 r1 r3 b6 r8", "b5 b5 r0 b7 rK")
    do(state, "discard r5")
    return state


@pytest.mark.rule("TA4.2", "TA10.2")
@pytest.mark.parametrize("seat", [None, 0, 2])
def test_a_seat_that_waits_knows_only_that_somebody_is_asked(seat: int | None) -> None:
    found = redeals(offered(), seat)
    assert all(asked(redeal) for redeal in found)
    assert {bit for redeal in found for bit in asked(redeal)} == {1, 2, 3} - {seat}
    for redealt in found:
        for other in asked(redealt):
            assert can_take(redealt.hands[other], None, card("r5"))
    assert any(any(redeal.answers) for redeal in found), "somebody may have answered already"


@pytest.mark.rule("TA4.2", "TA4.3", "TA10.2")
def test_a_seat_that_is_asked_does_not_know_who_else_is() -> None:
    found = redeals(offered(), 1)
    assert all(1 in asked(redeal) for redeal in found)
    assert {len(asked(redeal)) for redeal in found} >= {1, 2}
    state = offered()
    do(state, "1 call r5 r6 r7")
    for redealt in redeals(state, 1):
        assert redealt.answers[1] == state.answers[1]
        assert asked(redealt)
        assert 1 not in asked(redealt)


@pytest.mark.rule("TA4.6", "TA10.2")
def test_with_a_time_nobody_knows_whether_anybody_is_asked() -> None:
    state = holding("r5 b1 r7 b8 r8 bT", "b0 r1 r3 b6 r8", "r6 r7 b0 b2 b4", window_ms=100)
    do(state, "discard r5")
    assert asked(state) == [2]
    found = redeals(state, 0)
    assert any(asked(redeal) for redeal in found)
    assert not all(asked(redeal) for redeal in found)
    empty = sum([not (redeal.asked or any(redeal.answers)) for redeal in found])
    assert empty > 50, "most hands can do nothing with a card"


@pytest.mark.rule("TA10.1", "TA10.2")
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize("window_ms", [0, 5])
def test_a_redeal_keeps_what_a_seat_sees_and_every_card_in_one_place(seats: int, window_ms: int) -> None:
    state, chance = dealt(seats, seats, deals=2, window_ms=window_ms), random.Random(seats)
    while state.phase != Phase.OVER:
        for seat in (None, *range(seats)):
            other = TASHOT.redeal(state, seat, chance)
            assert view(other, seat) == view(state, seat)
            piles = [*other.hands, *other.discards, *[meld.cards for meld in other.melds if meld is not None]]
            everywhere = Counter([card_index for pile in piles for card_index in cards_of(pile)])
            everywhere.update([*other.stock, *other.turned])
            assert sum(everywhere.values()) == 48
            assert max(everywhere.values()) <= 4
        if due := asked(state):
            mover = due[chance.randrange(len(due))]
            TASHOT.advance(state, mover, TASHOT.random_move(state, mover, chance))
        else:
            TASHOT.fire(state, "window")


@pytest.mark.rule("TA10.1", "TA10.2")
def test_a_view_is_a_readable_table() -> None:
    state = holding(
        "rS r0 b4 b6 r8 rK", "b0 r1", "r4 r2 b8 b1 b7", melds=["", "rS r6 r7 as 8", ""], drawn="rK", lights="b3",
        unfinished=[0, 2], stock="r6 r6",
    )  # fmt: skip
    state.discards[1] = cards("r5 b5")
    assert TASHOT.text.render_view(view(state, 0)).splitlines() == [
        "Deal 1, seat 0 deals (×2), seat 0 has drawn.",
        "stock 2, lights b3, first round",
        "  seat  score  cards  open            discards",
        ">    0     +0      6",
        "     1     +0      2  rS r6 r7 as 8   r5  b5",
        "     2     +0      5",
        "hand: rS r0 r8 rK  b4 b6   drawn rK",
    ]
    do(state, "discard rK")
    assert "seat 1 has drawn." in TASHOT.text.render_view(view(state))
    state = offered()
    assert "seat 0 has discarded r5." in TASHOT.text.render_view(view(state, 2))
    do(state, "1 call r5 r6 r7", "3 decline")
    assert "seat 1 has called." in TASHOT.text.render_view(view(state))
    state = holding("r3 b3 r5 b5 rK bT", "b0 r1 r2 b6 r7", stock="")
    do(state, "win")
    assert "the match is over: seat 0 has won the last deal." in TASHOT.text.render_view(view(state))
    state = holding("r3 b3 r5 b5 rK bT", "b0 r1 r2 b6 r7", stock="")
    do(state, "discard bT")
    assert "the match is over: nobody has won the last deal." in TASHOT.text.render_view(view(state))


@pytest.mark.rule("TA10.1")
def test_events_are_told_in_words() -> None:
    state = holding(
        "r5 r0 b4 b6 r8 rK", "b0 b0 r0 rT bK", "rS r4 b8 b1 b7", lights="b0", stock="r6 r6 r0 bS r7", deals=2
    )
    events = do(state, "discard r5", "call rS r4 r5 as 6", "discard b8", "discard r6")
    assert [TASHOT.text.describe_event(event) for event in events[:6]] == [
        "Seat 0 discards r5.",
        "Seat 2 calls the card of seat 0 and lays the run rS r4 r5 as 6 open.",
        "Seat 2 discards b8.",
        "Seat 0 draws; 4 in the stock.",
        "Seat 0 has drawn r6.",
        "Seat 0 discards r6.",
    ]
    assert isinstance(events[1], Opened)
    state = holding("r5 r0 b4 b6 r8 rK", "b0 b0 r0 rT bK", lights="b0", stock="bS r7", deals=2)
    lines = [TASHOT.text.describe_event(event) for event in do(state, "discard rK", "call rK rT bK", "discard b0")]
    assert lines[1] == "Seat 1 calls the card of seat 0 and lays the set rK rT bK open."
    state = holding("rK r3 b4 b6 r8 r5", "b0 b0 r0 rT bK", lights="b0", stock="bS r7", deals=2, unfinished=[1])
    lines = [TASHOT.text.describe_event(event) for event in do(state, "discard rK", "win")]
    assert lines[1:4] == [
        (
            "Seat 1 wins on the card of seat 0: r0 rK rT b0 b0 bK. The second light is bS. It is worth 5 and 6 "
            "(first round, kings 3, lights 3)."
        ),
        "Seat 1 has won the deal. Scores: -16 +16.",
        lines[3],
    ]
    assert lines[3].startswith("Deal 2, seat 1 deals: its points for finishing count 2 times, the light is ")
    state = holding("r3 r3 b3 b3 b6 r6", "b0 b0 r0 rT bK", stock="", deals=1)
    lines = [TASHOT.text.describe_event(event) for event in do(state, "four r3 r3 b3 b3", "win")]
    assert lines == [
        "Seat 0 lays the set r3 r3 b3 b3 open.",
        "Seat 0 wins by drawing: r3 r3 r6 b3 b3 b6. It is worth 2.",
        "Seat 0 has won the deal. Scores: +5 -5.",
    ]
    state = holding("r3 b4 b6 r8 r5 rK", "b0 b0 r0 rT bK", stock="", deals=1)
    assert TASHOT.text.describe_event(do(state, "discard r3")[-1]) == "Nobody has won the deal. Scores: +0 +0."
