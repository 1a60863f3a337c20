"""Who sees what in Makkaik, and how it is shown: docs/rules/makkaik.md, MA9."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.kamikisen.cards import CARD_TEXTS, DECK, cards_of, joined, without
from fudaba_games.kamikisen.text import text_of
from fudaba_games.makkaik import Kept, Received, Saw
from fudaba_games.makkaik.rules import MAKKAIK
from fudaba_games.makkaik.state import MakkaikState
from tests.support.games.makkaik.positions import betting, cards, dealt, do, holding, turn, view


@pytest.mark.rule("MA9.1")
def test_public_cards_exchanges_and_bets_are_public() -> None:
    state = holding("r1 r2 b7", "r5 r6 b1", "r3 b3 b6", public="r0 r4 b8", stock="rK b5")
    do(state, "swap b7 r4", "draw", "keep rK r5", "swap r3 b5", "stay 2", "fold")
    seen = view(state)
    assert seen.public_cards == cards("r0 r3 r5 b7 b8")
    assert seen.exchanges == (1, 2, 1)
    assert seen.taken == (cards("r4"), 0, cards("b5"))
    assert (seen.paid, seen.pot, seen.staying, seen.base, seen.turn) == ((3, 1, 1), 5, 0b101, 2, 2)
    assert [view(state, seat)._replace(hand=0) for seat in range(3)] == [seen] * 3


@pytest.mark.rule("MA9.2")
def test_hands_and_drawn_cards_are_private() -> None:
    state = holding("r1 r2 b7", "r5 r6 b1", stock="rK b5")
    events = MAKKAIK.apply(state, 0, MAKKAIK.text.parse_move("draw"))
    assert [shown.to for shown in events] == [PUBLIC, 1]
    assert [view(state, seat).drawn for seat in (None, 0, 1)] == [0, cards("rK b5"), 0]
    assert [view(state, seat).hand for seat in (None, 0, 1)] == [0, *state.hands]
    state, events = MAKKAIK.new_match(4, MAKKAIK.resolve_options({}), bytes(32))
    assert [shown.to for shown in events] == [PUBLIC, 1, 2, 4, 8]
    for shown in events[1:]:
        assert isinstance(shown.event, Received)
        assert shown.event.cards == state.hands[shown.event.seat]


@pytest.mark.rule("MA9.3", "MA2.4")
def test_it_is_not_told_which_of_the_two_new_public_cards_was_in_the_hand() -> None:
    first = holding("r1 r2 b7", "r5 r6 b1", stock="rK b5")
    other = holding("r1 r2 b5", "r5 r6 b1", stock="rK b7")
    do(first, "draw")
    do(other, "draw")
    events = MAKKAIK.apply(first, 0, MAKKAIK.text.parse_move("keep rK b7"))
    assert events == MAKKAIK.apply(other, 0, MAKKAIK.text.parse_move("keep rK b5"))
    assert [(shown.to, shown.event) for shown in events] == [(PUBLIC, Kept(0, cards("b5 b7")))]
    for seat in (None, 0, 1):
        assert view(first, seat) == view(other, seat)


@pytest.mark.rule("MA9.4", "MA4.5")
def test_folded_hands_are_not_shown_when_the_match_is_over() -> None:
    state = betting("r3 bK r0", "b8 rK b1", "r2 b2 r5")
    do(state, "stay 2", "stay", "fold", *["stay 1", "stay"] * 2)
    assert MAKKAIK.outcome(state) is not None
    assert [hand != 0 for hand in view(state).shown] == [True, True, False]
    assert "r2" not in MAKKAIK.text.render_view(view(state)).replace("public cards: r0 r4  b8", "")
    assert view(state, 2).hand == cards("r2 r5 b2")


@pytest.mark.rule("MA9.4", "MA4.7")
def test_who_takes_the_pot_alone_shows_nothing() -> None:
    state = betting("r3 bK r0", "b8 rK b1")
    do(state, "stay 5", "fold")
    assert view(state).shown == view(state, 1).shown == (0, 0)


# ---- redeals -------------------------------------------------------------------------------------------------------


def everywhere(state: MakkaikState) -> Counter[int]:
    """Returns all cards that are in a hand, drawn, public or next in the stock."""
    piles = [*state.hands, state.drawn, state.public_cards]
    return sum([Counter(cards_of(pile)) for pile in piles], Counter(state.stock))


@pytest.mark.rule("MA9.2", "MA9.5")
@pytest.mark.parametrize("seats", range(2, 7))
def test_a_redeal_keeps_what_is_known_and_deals_the_rest(seats: int) -> None:
    state, chance = dealt(seats, seats), random.Random(seats)
    while MAKKAIK.decisions(state):
        for seat in (None, *range(seats)):
            other = MAKKAIK.redeal(state, seat, chance)
            assert view(other, seat) == view(state, seat)
            assert len(other.stock) == len(state.stock)
            assert [hand.bit_count() for hand in other.hands] == [3] * seats
            assert all(not taken & ~hand for taken, hand in zip(state.taken, other.hands, strict=True))
            assert not [card for card, count in everywhere(other).items() if count > cards_of(DECK).count(card)]
        seat = turn(state)
        MAKKAIK.advance(state, seat, MAKKAIK.random_move(state, seat, chance))


@pytest.mark.rule("MA9.2", "MA9.3")
def test_every_unseen_card_is_as_likely_in_a_hand_as_among_those_drawn_or_in_the_stock() -> None:
    state = holding("r1 r2 b7", "r5 r6 b1", "rK b2 b3", public="r0 r4 b8", stock="bK b5 b6 b4")
    do(state, "swap r1 b8", "draw")
    chance = random.Random(7)
    unseen = Counter(cards_of(without(DECK, joined(state.hands[0], state.public_cards))))
    assert unseen.total() == 42
    places: Counter[tuple[str, int]] = Counter()
    for _ in range(3000):
        other = MAKKAIK.redeal(state, 0, chance)
        assert other.hands[0] == state.hands[0]
        for place, pile in (("1", other.hands[1]), ("2", other.hands[2]), ("drawn", other.drawn)):
            places.update([(place, card) for card in cards_of(pile)])
        places[("next", other.stock[-1])] += 1
    for place, size in (("1", 3), ("2", 3), ("drawn", 2), ("next", 1)):
        for card, count in unseen.items():
            expected = 3000 * size * count / 42
            assert abs(places[place, card] - expected) < 6 * expected**0.5, (place, CARD_TEXTS[card])


@pytest.mark.rule("MA9.5", "MA9.1")
def test_who_took_a_public_card_is_known_to_hold_it() -> None:
    state = holding("r1 r2 b7", "r5 r6 b1", "rK b2 b3", public="r0 r4 b8")
    do(state, "swap r1 b8")
    assert view(state, 1).taken == (cards("b8"), 0, 0)
    others = [MAKKAIK.redeal(state, 1, random.Random(number)).hands[0] for number in range(40)]
    assert all(not cards("b8") & ~hand for hand in others)
    assert len(set(others)) > 30


# ---- how it is shown -----------------------------------------------------------------------------------------------


@pytest.mark.rule("MA9.1", "MA9.2", "MA9.5")
def test_a_view_is_a_readable_table() -> None:
    state = holding("r1 r2 b7", "r5 r6 b1", "r3 b3 b6", public="r0 r4 b8", stock="rK b5")
    do(state, "swap b7 r4", "draw")
    assert MAKKAIK.text.render_view(view(state, 1)).splitlines() == [
        "Deal 1, seat 0 is the dealer, seat 1 keeps one of two cards.",
        "public cards: r0  b7 b8",
        "           score  paid  exchange  known",
        "  seat 0     +0     0  swapped   r4",
        "> seat 1     +0     0  drew",
        "  seat 2     +0     0  -",
        "drawn: rK  b5",
        "hand: r5 r6  b1",
    ]
    do(state, "keep rK r5", "swap r3 b5", "stay 2", "fold")
    assert MAKKAIK.text.render_view(view(state)).splitlines() == [
        "Deal 1, seat 0 is the dealer, round 1 of 3: seat 2 stays and pays the base, or folds.",
        "public cards: r0 r3 r5  b7 b8",
        "pot 5, base 2",
        "           score  paid  exchange  known",
        "  seat 0     +0     3  swapped   r4",
        "  seat 1     +0     1  drew        folded",
        "> seat 2     +0     1  swapped   b5",
    ]
    do(state, "stay")
    assert "round 2 of 3: seat 0 stays and names the base, or folds." in MAKKAIK.text.render_view(view(state))


@pytest.mark.rule("MA9.1")
def test_a_match_that_is_over_has_no_pot_any_more() -> None:
    state = betting("rK r2 b4", "bK b2 r5", public="r3 b3 b8", deals=1)
    for text in ["stay 1", "stay"] * 3:
        assert "\npot " in MAKKAIK.text.render_view(view(state))
        do(state, text)
    assert "the match is over." in MAKKAIK.text.render_view(view(state))
    assert "pot" not in MAKKAIK.text.render_view(view(state))


@pytest.mark.rule("MA9.1")
def test_events_are_told_in_words() -> None:
    state = holding("r1 rS b7", "r5 r6 b1", "r3 b3 b6", public="r0 r4 b8", stock="rK b5", deals=2)
    events = do(state, "swap b7 r4", "draw", "keep rK r5", "swap r3 b5", "fold", "stay 2", "stay")
    events += do(state, "stay 1", "stay", "stay 1", "stay")
    assert [MAKKAIK.text.describe_event(event) for event in events[:18]] == [
        "Seat 0 swaps b7 for r4.",
        "Seat 1 draws two cards.",
        "Seat 1 has drawn rK b5.",
        "Seat 1 keeps a card; r5 b5 become public.",
        "Seat 2 swaps r3 for b5.",
        "Everybody pays 1; the pot is 3.",
        "Seat 0 folds.",
        "Seat 1 becomes the dealer.",
        "Round 1: seat 1 names the base 2 and pays it.",
        "Seat 2 stays and pays 2.",
        "Round 2: seat 1 names the base 1 and pays it.",
        "Seat 2 stays and pays 1.",
        "Round 3: seat 1 names the base 1 and pays it.",
        "Seat 2 stays and pays 1.",
        "Seat 1 shows r6 rK b1: single rK; Seat 2 shows b3 b5 b6: run b6 b7 b8.",
        "Seat 2 wins the pot of 11. Scores: -1 -5 +6.",
        f"Deal 2, seat 1 deals. Public cards: {text_of(state.public_cards)}.",
        f"Seat 1 is dealt {text_of(state.hands[1])}.",
    ]
    assert isinstance(events[2], Saw)
    state = betting("rS r2 b4", "r3 r8 b1", "r7 r5 b6", public="r2 b0 b8", deals=2)
    lines = [MAKKAIK.text.describe_event(event) for event in do(state, *["stay 1", "stay", "stay"] * 3)]
    assert lines[9].startswith("Seat 0 shows rS r2 b4: set rS r2 r2; Seat 1 shows")
    state = betting("rK r2 b4", "bK b2 r4", public="r3 b3 b8")
    lines = [MAKKAIK.text.describe_event(event) for event in do(state, *["stay 1", "stay"] * 3)]
    assert lines[-1] == "Seats 0 and 1 share the pot of 8. Scores: +0 +0."
    state = betting("rS b7 b0", "bK b2 r4", public="r7 r6 b8")
    lines = [MAKKAIK.text.describe_event(event) for event in do(state, *["stay 1", "stay"] * 3)]
    assert "Seat 0 shows rS b0 b7: set rS r7 b7" in lines[-2]
    state = betting("rS b1 b0", "bK b2 r4", public="r7 r6 b8")
    lines = [MAKKAIK.text.describe_event(event) for event in do(state, *["stay 1", "stay"] * 3)]
    assert "Seat 0 shows rS b0 b1: run rS r6 r7 as 8" in lines[-2]
