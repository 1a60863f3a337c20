"""Who sees what in Namto, and how it is shown: docs/rules/namto.md, NT9."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.kamikisen.cards import CARD_TEXTS, DECK, cards_of, joined, without
from fudaba_games.kamikisen.text import text_of
from fudaba_games.namto import Received
from fudaba_games.namto.rules import NAMTO
from fudaba_games.namto.state import NamtoState
from tests.support.games.namto.positions import cards, dealt, do, holding, turn, view

THREE = ("rK bT", "r7 b3", "r6 b1")


@pytest.mark.rule("NT9.1")
def test_bets_stacks_and_shared_cards_are_public() -> None:
    state = holding(*THREE)
    do(state, "bet 2", "bet 5", "fold", "call", "bet 1")
    seen = view(state)
    assert seen.shared == (1,)
    assert (seen.shared_cards, seen.pot, seen.paid, seen.bets) == (cards("r0"), 14, (7, 6, 1), (1, 0, 0))
    assert (seen.stacks, seen.staying, seen.playing, seen.turn) == ((93, 94, 99), 0b011, 0b111, 1)
    assert (seen.min_bet, seen.max_bet) == (1, 94)
    assert [view(state, seat)._replace(hand=0) for seat in range(3)] == [seen] * 3


@pytest.mark.rule("NT9.2")
def test_hands_are_private() -> None:
    state, events = NAMTO.new_match(4, NAMTO.resolve_options({}), bytes(32))
    assert [shown.to for shown in events] == [PUBLIC, 1, 2, 4, 8]
    for shown in events[1:]:
        assert isinstance(shown.event, Received)
        assert shown.event.cards == state.hands[shown.event.seat]
    assert [view(state, seat).hand for seat in (None, 0, 1, 2, 3)] == [0, *state.hands]


@pytest.mark.rule("NT9.1", "NT9.3", "NT3.2")
def test_only_hands_that_were_compared_are_shown() -> None:
    state = holding(*THREE, shared=0)
    do(state, "bet 2", "bet 5", "fold", "call")
    assert NAMTO.outcome(state) is not None
    assert view(state).shown == (cards("rK bT"), cards("r7 b3"), 0)
    assert view(state, 2).hand == cards("r6 b1")
    assert "r6" not in NAMTO.text.render_view(view(state))


@pytest.mark.rule("NT9.3", "NT2.3")
def test_who_takes_the_pot_alone_shows_nothing() -> None:
    state = holding(*THREE)
    do(state, "bet 5", "fold", "fold")
    assert view(state).shown == view(state, 1).shown == (0, 0, 0)


# ---- redeals -------------------------------------------------------------------------------------------------------


def everywhere(state: NamtoState) -> Counter[int]:
    """Returns all cards that are in a hand, open or still to be opened."""
    return sum([Counter(cards_of(pile)) for pile in [*state.hands, state.shared_cards]], Counter(state.stock))


@pytest.mark.rule("NT9.2", "NT9.3")
@pytest.mark.parametrize("seats", range(2, 7))
def test_a_redeal_keeps_what_is_known_and_deals_the_rest(seats: int) -> None:
    state, chance = dealt(seats, seats, stack=30, entry=5), random.Random(seats)
    while NAMTO.decisions(state):
        for seat in (None, *range(seats)):
            other = NAMTO.redeal(state, seat, chance)
            assert view(other, seat) == view(state, seat)
            assert len(other.stock) == len(state.stock)
            assert [hand.bit_count() for hand in other.hands] == [hand.bit_count() for hand in state.hands]
            assert not [card for card, count in everywhere(other).items() if count > cards_of(DECK).count(card)]
        seat = turn(state)
        NAMTO.advance(state, seat, NAMTO.random_move(state, seat, chance))


@pytest.mark.rule("NT9.2")
def test_every_unseen_card_is_as_likely_in_a_hand_as_to_be_opened() -> None:
    state = holding(*THREE)
    do(state, "bet 1", "bet 1", "fold")
    chance = random.Random(7)
    unseen = Counter(cards_of(without(DECK, joined(state.hands[0], state.shared_cards))))
    assert unseen.total() == 45
    places: Counter[tuple[str, int]] = Counter()
    for _ in range(3000):
        other = NAMTO.redeal(state, 0, chance)
        assert other.hands[0] == state.hands[0]
        for place, pile in (("1", other.hands[1]), ("2", other.hands[2])):
            places.update([(place, card) for card in cards_of(pile)])
        for number, card in enumerate(other.stock):
            places[f"stock {number}", card] += 1
    for place, size in (("1", 2), ("2", 2), ("stock 0", 1), ("stock 1", 1)):
        for card, count in unseen.items():
            expected = 3000 * size * count / 45
            assert abs(places[place, card] - expected) < 6 * expected**0.5, (place, CARD_TEXTS[card])


# ---- how it is shown -----------------------------------------------------------------------------------------------


@pytest.mark.rule("NT9.1", "NT9.2")
def test_a_view_is_a_readable_table() -> None:
    state = holding(*THREE)
    assert NAMTO.text.render_view(view(state)).splitlines()[:2] == [
        "Deal 1, seat 0 is the dealer, round 1 of 4: seat 0 bets 1 to 99, or folds.", "shared cards: none",
    ]  # fmt: skip
    do(state, "bet 2", "fold", "bet 5")
    assert NAMTO.text.render_view(view(state, 1)).splitlines() == [
        "Deal 1, seat 0 is the dealer, round 1 of 4: seat 0 calls the bet of 5, or folds.",
        "shared cards: none",
        "pot 10",
        "           score  stack  paid  bet",
        "> seat 0      +0     97     3    2",
        "  seat 1      +0     99     1    0  folded",
        "  seat 2      +0     94     6    5",
        "hand: r7  b3",
    ]
    state = holding(*THREE, stacks=[20, 3, 20], entry=5, deals=4)
    do(state, "fold", "fold")
    assert NAMTO.text.render_view(view(state)).splitlines()[5].endswith("sits out")


@pytest.mark.rule("NT9.1")
def test_events_are_told_in_words() -> None:
    state = holding(*THREE, deals=2, shared=1)
    events = do(state, "fold", "bet 2", "bet 5", "call", "bet 1", "bet 1")
    assert [NAMTO.text.describe_event(event) for event in events] == [
        "Seat 0 folds.",
        "Seat 1 becomes the dealer.",
        "Seat 1 bets 2.",
        "Seat 2 bets 5.",
        "Seat 1 calls with 3.",
        "r0 is opened.",
        "Seat 1 bets 1.",
        "Seat 2 bets 1.",
        "Seat 1 shows r7 b3: single r7; Seat 2 shows r6 b1: single r6.",
        "Seat 1 wins the pot of 15. Scores: -1 +8 -7.",
        "Deal 2, seat 1 deals. Seats 0 1 2 play; the pot is 3.",
        *[f"Seat {seat} is dealt {text_of(state.hands[seat])}." for seat in (1, 2, 0)],
    ]
    state = holding("rK b1", "bT r1", stock="r3 b3 r8")
    lines = [NAMTO.text.describe_event(event) for event in do(state, *["bet 1"] * 8)]
    assert lines[-1] == "Seats 0 and 1 share the pot of 10. Scores: +0 +0."
    state = holding("rS b1", "b8 r3", stock="r4", shared=1)
    lines = [NAMTO.text.describe_event(event) for event in do(state, *["bet 1"] * 4)]
    assert lines[-2] == "Seat 0 shows rS b1: set rS r4; Seat 1 shows r3 b8: single b8."
    state = holding("rS b1", "b6 b7", stock="r3 r4 b8", shared=2)
    lines = [NAMTO.text.describe_event(event) for event in do(state, *["bet 1"] * 6)]
    assert lines[-2] == "Seat 0 shows rS b1: run rS r3 r4 as 5; Seat 1 shows b6 b7: single b7."
