"""Who sees what in Houniek, and how it is shown: docs/rules/houniek.md, HO10."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.houniek import Laid, Pass, Passed, Received, RoundBegan
from fudaba_games.houniek.rules import HOUNIEK
from fudaba_games.houniek.state import HouniekState
from fudaba_games.kamikisen.cards import CARD_TEXTS, DECK, cards_of
from fudaba_games.kamikisen.melds import RUN, SINGLE
from fudaba_games.kamikisen.text import text_of
from tests.support.games.houniek.positions import cards, dealt, do, holding, turn, view


def everywhere(state: HouniekState) -> Counter[int]:
    """Returns all cards, wherever they are."""
    piles = [*state.hands, state.cleared, *[laid.cards for laid in state.table]]
    return sum([Counter(cards_of(pile)) for pile in piles], Counter(state.stock))


@pytest.mark.rule("HO10.1")
def test_melds_passes_and_numbers_are_public() -> None:
    state = holding("r3 b3 r1", "r3 b4 b1 b2", "b0 b0 r0 r0", stock="r8 r7 r6")
    events = do(state, "set r3 b3", "pass")
    assert events == [Laid(0, 2, cards("r3 b3"), 2), Passed(1)]
    seen = view(state)
    assert seen.table == (Laid(0, 2, cards("r3 b3"), 2),)
    assert (seen.hand_sizes, seen.stock, seen.turn, seen.leader) == ((1, 4, 4), 3, 2, 0)
    assert [view(state, seat)._replace(hand=0) for seat in range(3)] == [seen] * 3
    assert [shown.to for shown in HOUNIEK.apply(state.clone(), 2, Pass())] == [PUBLIC, PUBLIC, 1]


@pytest.mark.rule("HO10.1")
def test_what_a_none_stands_for_is_public() -> None:
    state = holding("r0 r3 r1", "b5")
    do(state, "run r0 r3 foot 2")
    assert view(state).table == (Laid(0, RUN, cards("r0 r3"), 1),)
    state = holding("r0 r3 r1", "b5")
    do(state, "single r0 foot T")
    assert view(state).table == (Laid(0, SINGLE, cards("r0"), 9),)


@pytest.mark.rule("HO10.2")
def test_a_hand_and_what_is_drawn_are_told_to_their_seat_alone() -> None:
    state, events = HOUNIEK.new_match(4, HOUNIEK.resolve_options({"first_dealer": 2}), bytes(32))
    assert [shown.to for shown in events] == [PUBLIC, 4, 8, 1, 2, PUBLIC, 4]
    drawn = [shown.event.cards for shown in events if isinstance(shown.event, Received) and shown.event.seat == 2]
    assert [pile.bit_count() for pile in drawn] == [8, 2]
    assert sum([Counter(cards_of(pile)) for pile in drawn], Counter()) == Counter(cards_of(state.hands[2]))
    assert events[5].event == RoundBegan(0, 2, 2)
    assert view(state).hand == 0
    assert [view(state, seat).hand for seat in range(4)] == state.hands


@pytest.mark.rule("HO10.2")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_redeal_deals_all_that_a_seat_has_not_seen(seats: int) -> None:
    state, chance = dealt(seats, seats), random.Random(seats)
    whole = Counter(cards_of(DECK))
    while HOUNIEK.decisions(state):
        assert everywhere(state) == whole
        for seat in (None, *range(seats)):
            other = HOUNIEK.redeal(state, seat, chance)
            assert view(other, seat) == view(state, seat)
            assert everywhere(other) == whole
        seat = turn(state)
        HOUNIEK.advance(state, seat, HOUNIEK.random_move(state, seat, chance))


@pytest.mark.rule("HO10.2")
def test_every_unseen_card_is_as_likely_in_a_hand_as_at_any_place_of_the_stock() -> None:
    state = dealt(2, hand="eight")
    while "r3" not in text_of(state.hands[1]).split():
        HOUNIEK.advance(state, turn(state), HOUNIEK.legal_moves(state, turn(state))[0])
    chance = random.Random(7)
    wanted = CARD_TEXTS.index("r3")
    unseen = sum([*[hand.bit_count() for hand in state.hands[1:]], len(state.stock)])
    hand, top = 0, 0
    for _ in range(4000):
        other = HOUNIEK.redeal(state, 0, chance)
        hand += cards_of(other.hands[1]).count(wanted)
        top += other.stock[0] == wanted
    left = Counter(cards_of(DECK))[wanted] - sum(
        cards_of(pile).count(wanted) for pile in (state.hands[0], state.cleared, *[laid.cards for laid in state.table])
    )
    assert 0.8 < hand / (4000 * left * state.hands[1].bit_count() / unseen) < 1.2
    assert 0.7 < top / (4000 * left / unseen) < 1.3


@pytest.mark.rule("HO10.1", "HO10.2")
def test_a_view_is_a_readable_table() -> None:
    state = holding("r3 b3 r1", "r2 b3 b1 r0", "b0 b0 r4 r4", stock="r8 r7 r6")
    do(state, "single r1", "pass", "single r4")
    assert HOUNIEK.text.render_view(view(state, 1)).splitlines() == [
        "Deal 1, seat 0 deals, round 1: seat 0 follows.",
        "to beat: single r4 of seat 2: a single with a stronger foot, or more from tiger on",
        "  seat  score  cards  laid",
        ">    0     +0      2  single r1",
        "     1     +0      4",
        "     2     +0      3  single r4",
        "stock: 3 cards",
        "hand: r0 r2  b1 b3",
    ]
    do(state, "pass", "pass")
    lines = HOUNIEK.text.render_view(view(state)).splitlines()
    assert lines[0] == "Deal 1, seat 0 deals, round 2: seat 2 leads."
    assert lines[-2:] == ["stock: 1 card", "cleared: r1 r4"]
    do(state, "run b0 b0 r7 r8 foot 7")
    assert "run r7 r8 b0 b0 foot 7" in HOUNIEK.text.render_view(view(state))


@pytest.mark.rule("HO10.1")
def test_events_are_told_in_words() -> None:
    state = holding("r0 r3 r4", "r5 r6 b1", deals=2, stock="b8")
    events = do(state, "run r0 r3 foot 3", "pass", "single r4")
    lines = [HOUNIEK.text.describe_event(event) for event in events]
    assert lines[:4] == [
        "Seat 0 lays the run r0 r3 foot 3.",
        "Seat 1 passes.",
        "Round 2: seat 0 draws 1 card and leads.",
        "Seat 0 draws b8.",
    ]
    events = do(state, "pass", "single b8")
    lines = [HOUNIEK.text.describe_event(event) for event in events]
    assert lines[:5] == [
        "Seat 1 passes.",
        "Round 3: seat 0 draws no cards and leads.",
        "Seat 0 lays the single b8.",
        "Seat 0 has no cards left and wins the deal. Scores: +1 -1.",
        "Deal 2, seat 0 deals.",
    ]
    assert lines[5].startswith("Seat 0 draws ")
