"""Who sees what in Niekhi: docs/rules/niekhi.md, NI11; and what its redeals vary."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.niekhi.cards import DECK, cards_of, has, size_of, strengths_of
from fudaba_games.niekhi.rules import NIEKHI
from fudaba_games.niekhi.state import NiekhiState
from fudaba_games.niekhi.values import NiekhiView, Received
from tests.support.games.niekhi.positions import cards, dealt, do, holding, turn, view


def redeals(state: NiekhiState, seat: int | None, count: int = 60) -> list[NiekhiState]:
    chance = random.Random(0)
    return [NIEKHI.redeal(state, seat, chance) for _ in range(count)]


@pytest.mark.rule("NI11.1", "NI11.2", "NI11.3")
def test_only_the_hand_differs_between_views() -> None:
    state, chance = dealt(4, seed=3), random.Random(5)
    while due := NIEKHI.decisions(state):
        NIEKHI.advance(state, due[0].seat, NIEKHI.random_move(state, due[0].seat, chance))
        views = [view(state, seat) for seat in (None, 0, 1, 2, 3)]
        for name in set(NiekhiView._fields) - {"hand"}:
            assert len({getattr(seat_view, name) for seat_view in views}) == 1, name
        assert [seat_view.hand for seat_view in views] == [0, *state.hands]
        assert views[0].hand_sizes == tuple(size_of(hand) for hand in state.hands)


@pytest.mark.rule("NI11.1", "NI11.2", "NI11.4")
def test_events_are_public_except_the_dealt_hands() -> None:
    state, chance = dealt(5, seed=4), random.Random(6)
    shown = []
    while due := NIEKHI.decisions(state):
        shown += NIEKHI.apply(state, due[0].seat, NIEKHI.random_move(state, due[0].seat, chance))
    assert {type(shown_event.event).__name__ for shown_event in shown} >= {
        "Dealt",
        "Received",
        "Laid",
        "Passed",
        "Cleared",
        "DealEnded",
    }
    for sent in shown:
        assert sent.to == (1 << sent.event.seat if isinstance(sent.event, Received) else PUBLIC)


@pytest.mark.rule("NI11.3")
def test_a_view_lists_what_a_seat_took_from_the_pile_until_it_may_have_laid_or_lost_it() -> None:
    state = holding(["8 8 0 3", "4 4 8", "5 5"], pile="3 3 6 7")
    do(state, "set 8 8", "take 3 6")
    assert view(state).known == (cards("3 6"), 0, 0)
    do(state, "pass", "pass", "single 3")
    assert view(state).known == (cards("6"), 0, 0), "it may have laid the 3 that everybody knew of"
    do(state, "single 8", "name 6")
    assert view(state).known == (0, 0, 0)


@pytest.mark.rule("NI11.3")
def test_what_a_seat_takes_later_is_listed_with_what_it_took_before() -> None:
    state = holding(["8 8 0 0", "4 4", "5 5"], pile="3 6")
    do(state, "single 8", "take 6", "pass", "pass", "single 8", "take 3")
    assert view(state).known == (cards("3 6"), 0, 0)


@pytest.mark.rule("NI11.5")
def test_a_view_tells_of_the_deal_in_progress_only() -> None:
    state, chance = dealt(3, seed=1, deals=2), random.Random(2)
    while not state.deal:
        NIEKHI.advance(state, turn(state), NIEKHI.random_move(state, turn(state), chance))
    seen = view(state)
    assert (seen.turns, seen.table, seen.pile, seen.named, seen.removed) == (0, (), 0, 0, 0)
    assert (seen.known, seen.hand_sizes) == ((0, 0, 0), (16, 16, 16))
    assert any(seen.scores)


@pytest.mark.rule("NI3.3", "NI11.2")
def test_two_seats_know_each_others_hands_and_three_do_not() -> None:
    state = dealt(2)
    assert {tuple(redeal.hands) for redeal in redeals(state, 0)} == {tuple(state.hands)}
    assert len({tuple(redeal.hands) for redeal in redeals(state, None)}) == 60, "a spectator knows neither"
    state = dealt(3)
    assert len({redeal.hands[1] for redeal in redeals(state, 0)}) > 50
    assert {redeal.hands[0] for redeal in redeals(state, 0)} == {state.hands[0]}


@pytest.mark.rule("NI3.2", "NI11.2")
def test_the_cards_that_were_not_dealt_are_as_open_as_the_hands() -> None:
    state = dealt(5)
    assert len({redeal.out for redeal in redeals(state, 0)}) > 20
    assert len({redeal.out for redeal in redeals(state, None)}) > 20


@pytest.mark.rule("NI7.3", "NI11.1", "NI11.3", "G5.1")
@pytest.mark.parametrize("seats", range(2, 7))
def test_redeals_hold_every_card_once_and_keep_to_what_the_play_has_shown(seats: int) -> None:
    chance = random.Random(12)
    for seed in range(6):
        state = dealt(seats, seed=seed, deals=1)
        while due := NIEKHI.decisions(state):
            for seat in (None, *range(seats)):
                other = NIEKHI.redeal(state, seat, chance)
                table = sum([laid.cards for laid in other.table])
                assert sum(other.hands) + other.pile + other.removed + other.out + table == DECK
                assert [size_of(hand) for hand in other.hands] == state.sizes == other.sizes
                assert all(has(hand, known) for hand, known in zip(other.hands, state.known, strict=True))
                named = [strength for strength in range(11) if state.named >> strength & 1]
                assert not {strength for hand in other.hands for strength in strengths_of(hand)} & set(named)
                assert view(other, seat) == view(state, seat)
                assert size_of(other.out) == size_of(state.out)
            NIEKHI.advance(state, due[0].seat, NIEKHI.random_move(state, due[0].seat, chance))


@pytest.mark.rule("NI11.2", "NI11.3", "NI7.3")
def test_every_deal_of_what_is_unseen_is_equally_likely() -> None:
    # Seat 0 does not know four cards: 1 1 2 and one K that seat 2 took; a 6, which was named, was never dealt.
    state = holding(["3 3", "1 2", "1 K"])
    state.known = (0, 0, cards("K"))
    state.out, state.named = cards("6"), 1 << 7
    state.removed -= cards("6")
    pool = [2, 2, 3]
    expected = Counter(
        (cards_of([pool[a], pool[b]]), cards_of([pool[3 - a - b], 10])) for a, b in combinations(range(3), 2)
    )
    found = Counter((redeal.hands[1], redeal.hands[2]) for redeal in redeals(state, 0, 3000))
    assert set(found) == set(expected)
    for hands, ways in expected.items():
        assert abs(found[hands] - 1000 * ways) < 150
    assert {redeal.out for redeal in redeals(state, 0)} == {cards("6")}


def test_when_the_match_is_over_nothing_is_left_to_vary_but_the_seed() -> None:
    state = holding(["3", "4", "5"])
    do(state, "single 3")
    for seat in (None, 0, 1):
        (other,) = redeals(state, seat, 1)
        assert [view(other, viewer) for viewer in (None, 0, 1, 2)] == [
            view(state, viewer) for viewer in (None, 0, 1, 2)
        ]
        assert other.seed != state.seed
