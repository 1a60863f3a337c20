"""Who sees what in Mokkaik, and how it is shown: docs/rules/mokkaik.md, MO8."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.kamikisen.cards import DECK, cards_of
from fudaba_games.kamikisen.text import text_of
from fudaba_games.mokkaik import Discarded, Laid, Received
from fudaba_games.mokkaik.rules import MOKKAIK
from fudaba_games.mokkaik.state import MokkaikState
from tests.support.games.mokkaik.positions import cards, dealt, do, holding, turn, view


def everywhere(state: MokkaikState) -> Counter[int]:
    """Returns all cards that are anywhere but in the stock."""
    piles = [*state.hands, *state.discards, *state.public_cards, state.beaten, *state.laid]
    return sum([Counter(cards_of(pile)) for pile in piles], Counter())


@pytest.mark.rule("MO8.1")
def test_melds_public_cards_and_numbers_are_public() -> None:
    state = holding("r3 b3 r1 r1", "r5 b5 b1 b2", "b0 b0 r0 r0")
    do(state, "set r3 b3", "discard b1 b2")
    seen = view(state)
    assert (seen.laid, seen.laid_by, seen.form, seen.size, seen.reds, seen.strength) == (
        (cards("r3 b3"),), (0,), 2, 2, 1, 4,
    )  # fmt: skip
    assert seen.hand_sizes == (2, 2, 4)
    assert seen.discard_counts == (0, 2, 0)
    assert [view(state, seat)._replace(hand=0, discarded=0) for seat in range(3)] == [seen] * 3


@pytest.mark.rule("MO8.2")
def test_hands_and_discards_are_private() -> None:
    state = holding("r3 r1", "b1 b2", "r0 r0", deals=2)
    events = MOKKAIK.apply(state, 0, MOKKAIK.text.parse_move("single r3"))
    assert [shown.to for shown in events] == [PUBLIC]
    events = MOKKAIK.apply(state, 1, MOKKAIK.text.parse_move("discard b2"))
    assert [(shown.to, shown.event) for shown in events] == [(PUBLIC, Discarded(1, 1))]
    assert view(state).hand == view(state).discarded == 0
    assert view(state, 1).discarded == cards("b2")
    assert view(state, 0).discarded == 0
    assert [view(state, seat).hand for seat in range(3)] == state.hands


@pytest.mark.rule("MO8.2")
def test_a_hand_is_dealt_to_its_seat_alone() -> None:
    state, events = MOKKAIK.new_match(4, MOKKAIK.resolve_options({}), bytes(32))
    assert events[0].to == PUBLIC
    assert [shown.to for shown in events[1:]] == [1, 2, 4, 8]
    for shown in events[1:]:
        assert isinstance(shown.event, Received)
        assert shown.event.cards == state.hands[shown.event.seat]


@pytest.mark.rule("MO8.2")
def test_discards_are_not_shown_when_the_match_is_over() -> None:
    state = holding("r3", "b1", "r5")
    do(state, "single r3", "discard b1", "single r5")
    assert MOKKAIK.outcome(state) is not None
    assert text_of(cards("b1")) not in MOKKAIK.text.render_view(view(state))
    assert view(state).discarded == view(state, 0).discarded == 0
    assert view(state, 1).discarded == cards("b1")


@pytest.mark.rule("MO4.3", "MO8.2")
@pytest.mark.parametrize("seats", range(2, 7))
def test_a_redeal_deals_all_that_a_seat_has_not_seen(seats: int) -> None:
    state, chance = dealt(seats, seats), random.Random(seats)
    while MOKKAIK.decisions(state):
        for seat in (None, *range(seats)):
            other = MOKKAIK.redeal(state, seat, chance)
            assert view(other, seat) == view(state, seat)
            assert not [card for card, count in everywhere(other).items() if count > cards_of(DECK).count(card)]
        seat = turn(state)
        MOKKAIK.advance(state, seat, MOKKAIK.random_move(state, seat, chance))


@pytest.mark.rule("MO8.2")
def test_every_unseen_card_is_as_likely_in_a_hand_as_in_the_stock() -> None:
    state = holding("r3", "b1", "r5")
    chance = random.Random(7)
    redeals = [MOKKAIK.redeal(state, 0, chance) for _ in range(4700)]
    found = Counter(text_of(other.hands[1]) for other in redeals)
    # 47 cards are unseen, one of them the other r3, eight of them soldiers.
    assert 60 < found["r3"] < 145
    assert 680 < found["r1"] + found["b1"] < 920
    assert len(found) == 24


@pytest.mark.rule("MO8.1", "MO8.2")
def test_a_view_is_a_readable_table() -> None:
    state = holding("r3 b3 r1", "r5 b5 b1", "b0 b0 r0", public=["r8 bK", "", "b7"])
    do(state, "set r3 b3")
    assert MOKKAIK.text.render_view(view(state, 1)).splitlines() == [
        "Deal 1, seat 0 deals (×2), round 1: seat 1 follows.",
        "a set of 2, 1 red and 1 black, stronger than chariot of seat 0",
        "  seat  score  cards  discards  public cards",
        "     0     +0      1         0  2: r8  bK   laid r3 b3",
        ">    1     +0      3         0  0",
        "     2     +0      3         0  1: b7",
        "hand: r5  b1 b5",
    ]
    do(state, "discard b1 b5", "discard b0 b0")
    assert MOKKAIK.text.render_view(view(state, 1)).splitlines()[-2:] == ["discarded: b1 b5", "hand: r5"]
    state = holding("r3 r1", "r5 b5")
    do(state, "single r3", "single r5")
    assert "beaten: r3" in MOKKAIK.text.render_view(view(state))


@pytest.mark.rule("MO8.1")
def test_events_are_told_in_words() -> None:
    state = holding("rS r3 r4 b2", "r4 r5 r6 b1", "b0 b0 r0 r7", deals=2)
    events = do(state, "run rS r3 r4 as 4", "run r4 r5 r6", "discard b0 b0 r0")
    assert [MOKKAIK.text.describe_event(event) for event in events] == [
        "Seat 0 lays the run rS r3 r4 as 4.",
        "Seat 1 lays the run r4 r5 r6.",
        "Seat 2 discards 3 cards.",
        "Seat 1 wins the round and keeps r4 r5 r6.",
    ]
    events = do(state, "single b1", "discard r7", "single b2")
    lines = [MOKKAIK.text.describe_event(event) for event in events]
    assert lines[1] == "Seat 2 discards 1 card."
    assert lines[4:6] == [
        "Seat 0 wins the deal. Public cards: 1 3 0. Scores: +18 -6 -12.",
        "Deal 2, seat 0 deals: payments of the dealer count 3 times.",
    ]
    assert lines[6].startswith("Seat 0 draws ")
    assert isinstance(events[2], Laid)
