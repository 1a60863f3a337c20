"""Who sees what in Naga: docs/rules/naga.md, N12; and what its redeals vary."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.cards import mask_of
from fudaba_games.game import PUBLIC
from fudaba_games.naga.cards import CARDS, DECK, cards_of
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import Battled, Designated, Received
from tests.support.games.naga.positions import all_cards, dealt, default_battles, designate


def commit(state: NagaState, seat: int) -> int:
    move = NAGA.legal_moves(state, seat)[3]
    NAGA.apply(state, seat, move)
    return state.committed[seat]


@pytest.mark.rule("N12.1")
def test_public_things_are_in_every_view_alike() -> None:
    state, chance = dealt(3, deals=2), random.Random(5)
    while due := NAGA.decisions(state):
        NAGA.apply(state, due[0].seat, NAGA.random_move(state, due[0].seat, chance))
        spectator = NAGA.view(state, None)
        for seat in (0, 1):
            view = NAGA.view(state, seat)
            for name in ("deal", "battle", "dealer", "place", "to_designate", "table"):
                assert getattr(view, name) == getattr(spectator, name)
            for name in ("won", "discarded", "stock", "scores"):
                assert getattr(view, name) == getattr(spectator, name)


@pytest.mark.rule("N12.1", "N12.2", "N12.4")
def test_events_are_public_except_drawn_cards() -> None:
    state, chance = dealt(4, deals=3), random.Random(6)
    shown = []
    while due := NAGA.decisions(state):
        shown += NAGA.apply(state, due[0].seat, NAGA.random_move(state, due[0].seat, chance))
    assert {type(shown_event.event).__name__ for shown_event in shown} == {
        "Dealt",
        "Received",
        "Designated",
        "Battled",
        "DealEnded",
    }
    for sent in shown:
        assert sent.to == (1 << sent.event.seat if isinstance(sent.event, Received) else PUBLIC)


@pytest.mark.rule("N12.2")
def test_a_view_has_the_own_hand_and_commitment_only() -> None:
    state = dealt()
    designate(state, 1)
    chosen = commit(state, 1)
    assert [NAGA.view(state, seat).hand for seat in (0, 1, None)] == [*state.hands, 0]
    assert [NAGA.view(state, seat).committed for seat in (0, 1, None)] == [0, chosen, 0]
    assert chosen & ~NAGA.view(state, 1).hand == 0


@pytest.mark.rule("N12.3")
def test_nobody_is_told_that_the_other_seat_has_committed() -> None:
    state = dealt()
    designate(state, 1)
    before = [NAGA.view(state, seat) for seat in (0, None)]
    commit(state, 1)
    assert [NAGA.view(state, seat) for seat in (0, None)] == before


@pytest.mark.rule("N12.1", "N12.4")
def test_a_battle_shows_the_committed_cards_and_no_others() -> None:
    state = dealt()
    designate(state, 2)
    hands = state.hands
    chosen = (commit(state, 0), NAGA.legal_moves(state, 1)[0])
    (battle, *_) = NAGA.apply(state, 1, chosen[1])
    assert isinstance(battle.event, Battled)
    assert battle.event.played == (chosen[0], NAGA.view(state, None).discarded & hands[1])
    kept = [hands[seat] & ~battle.event.played[seat] for seat in (0, 1)]
    for seat in (0, None):
        view = NAGA.view(state, seat)
        seen = sum(view.table) | sum(view.won) | view.discarded | view.hand
        assert not kept[1] & seen


@pytest.mark.rule("N12.1")
def test_cards_shown_and_gone_are_in_the_view_as_discarded() -> None:
    state = dealt()
    gone = 0
    for shown in default_battles(state, 4):
        if isinstance(shown.event, Battled):
            gone |= sum(shown.event.played) | (shown.event.prize if shown.event.winner is None else 0)
    assert NAGA.view(state, None).discarded == gone


@pytest.mark.rule("N12.1")
def test_a_designation_is_told_to_everybody() -> None:
    state = dealt()
    (shown,) = designate(state, 5)
    assert (shown.to, shown.event) == (PUBLIC, Designated(1, 5))


# ---- redeals -------------------------------------------------------------------------------------------------------


def positions(deals: int = 1) -> list[NagaState]:
    state, chance = dealt(8, deals=deals), random.Random(7)
    found = [state.clone()]
    while due := NAGA.decisions(state):
        seat = due[chance.randrange(len(due))].seat
        NAGA.apply(state, seat, NAGA.random_move(state, seat, chance))
        found.append(state.clone())
    return found


def test_a_redeal_has_every_card_once() -> None:
    chance = random.Random(1)
    for state in positions(deals=2):
        for seat in (0, 1, None):
            redeal = NAGA.redeal(state, seat, chance)
            if not state.over:
                parts = all_cards(redeal)
                assert sum(parts) == DECK
                assert sum(part.bit_count() for part in parts) == CARDS
            assert [hand.bit_count() for hand in redeal.hands] == [hand.bit_count() for hand in state.hands]
            for own, hand in zip(redeal.committed, redeal.hands, strict=True):
                assert own & ~hand == 0
                assert own.bit_count() in (0, 2 if state.place == 4 else 3)


def test_a_redeal_never_has_a_battle_that_should_be_over() -> None:
    chance = random.Random(2)
    for state in positions():
        for seat in (0, 1, None):
            redeal = NAGA.redeal(state, seat, chance)
            assert not all(redeal.committed)
            if not redeal.place:
                assert redeal.committed == (0, 0)


def test_redeals_give_the_other_seat_every_unseen_card_alike() -> None:
    state, chance = dealt(5), random.Random(3)
    unseen = DECK & ~(sum(state.layout) | state.hands[0])
    counts = Counter[int]()
    for _ in range(2000):
        counts.update(cards_of(NAGA.redeal(state, 0, chance).hands[1]))
    assert mask_of(counts) == unseen
    # Of 37 unseen cards 5 are in the other hand: each in 270 of 2,000.
    assert all(190 < count < 350 for count in counts.values())


def test_redeals_vary_the_stock_and_the_deals_to_come() -> None:
    state, chance = dealt(6, deals=2), random.Random(4)
    redeals = [NAGA.redeal(state, 0, chance) for _ in range(50)]
    assert len({redeal.draws for redeal in redeals}) == 50
    assert len({redeal.seed for redeal in redeals} | {state.seed}) == 51


def test_redeals_vary_whether_and_what_the_other_seat_has_committed() -> None:
    state, chance = dealt(6), random.Random(4)
    designate(state, 1)
    for hidden in (state, state.clone()):
        if hidden is not state:
            commit(hidden, 1)
        seen = [NAGA.redeal(hidden, 0, chance) for _ in range(200)]
        assert 60 < sum(redeal.committed[1] == 0 for redeal in seen) < 140
        assert len({redeal.committed[1] for redeal in seen}) > 80
        assert all(redeal.committed[0] == 0 for redeal in seen)
    spectator = Counter(
        tuple(bool(committed_card) for committed_card in NAGA.redeal(state, None, chance).committed) for _ in range(300)
    )
    assert set(spectator) == {(False, False), (True, False), (False, True)}


def test_who_has_committed_knows_that_the_other_seat_has_not() -> None:
    state, chance = dealt(6), random.Random(4)
    designate(state, 1)
    chosen = commit(state, 0)
    assert all(NAGA.redeal(state, 0, chance).committed == (chosen, 0) for _ in range(50))
