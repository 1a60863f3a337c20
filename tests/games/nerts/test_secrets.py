"""Who sees what in Nerts: docs/rules/nerts.md, NE11; and what its redeals vary."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest

from fudaba_games.game import PUBLIC
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.values import NertsView, Saw
from tests.support.games.nerts.positions import Cards, cards, dealt, holding, names, play, tick


def redeals(state: NertsState, seat: int | None, count: int = 60) -> list[NertsState]:
    chance = random.Random(0)
    return [NERTS.redeal(state, seat, chance) for _ in range(count)]


@pytest.mark.rule("NE11.1", "NE11.2", "NE11.4")
def test_only_the_own_waste_and_the_own_choice_differ_between_views() -> None:
    state, chance = dealt(4, seed=3, target=0), random.Random(5)
    while due := NERTS.decisions(state):
        views = [NERTS.view(state, seat) for seat in (None, 0, 1, 2, 3)]
        for name in set(NertsView._fields) - {"waste", "chosen"}:
            assert len({getattr(view, name) for view in views}) == 1, name
        assert [view.waste for view in views] == [(), *[tuple(layout.waste) for layout in state.layouts]]
        assert [view.chosen for view in views] == [None, *state.chosen]
        NERTS.advance(state, due[0].seat, NERTS.random_move(state, due[0].seat, chance))


@pytest.mark.rule("NE11.1", "NE11.2")
def test_everything_that_happens_is_public_but_for_the_cards_that_were_turned() -> None:
    state, chance = dealt(3, seed=4, target=0), random.Random(6)
    shown = []
    while due := NERTS.decisions(state):
        shown += NERTS.apply(state, due[0].seat, NERTS.random_move(state, due[0].seat, chance))
    assert {type(shown_event.event).__name__ for shown_event in shown} >= {
        "Flipped",
        "Saw",
        "Founded",
        "Built",
        "Shifted",
        "DealEnded",
    }
    for sent in shown:
        assert sent.to == (1 << sent.event.seat if isinstance(sent.event, Saw) else PUBLIC)


@pytest.mark.rule("NE11.1", "NE11.3")
def test_a_view_shows_tops_sizes_and_whose_cards_lie_where() -> None:
    state = holding(Cards(nerts="3D 4D 5D", stock="2S 3S", waste="9S 8S"), Cards(nerts=""), foundations=("AC",))
    tick(state, "wait", "wait")
    state = holding(Cards(nerts="3D 4D 5D", stock="2S 3S", waste="9S 8S"), Cards(nerts=""), foundations=("AC",))
    view = NERTS.view(state, 1)
    seen = view.seats[0]
    assert (seen.nerts_size, seen.nerts_top, seen.stock_size, seen.waste_size, seen.waste_top) == (
        3, cards("5D")[0], 2, 2, cards("8S")[0],
    )  # fmt: skip
    assert (view.seats[1].nerts_size, view.seats[1].nerts_top) == (0, -1)
    assert view.foundations == ((0, (1,)),)
    assert NERTS.view(state, 0).waste == tuple(cards("9S 8S"))
    assert view.waste == NERTS.view(state, None).waste == ()


@pytest.mark.rule("NE11.3", "NE11.2")
def test_a_redeal_draws_every_order_of_the_hidden_cards_alike() -> None:
    state = holding(Cards(nerts="3D 5D", stock="2S", waste="9S 8S"), Cards(), target=0)
    own = Counter(
        (names(redeal.layouts[0].nerts), names(redeal.layouts[0].stock)) for redeal in redeals(state, 0, 4000)
    )
    assert set(own) == {("3D 5D", "2S"), ("2S 5D", "3D")}
    assert all(1850 < count < 2150 for count in own.values())
    assert {names(redeal.layouts[0].waste) for redeal in redeals(state, 0)} == {"9S 8S"}
    for seat in (1, None):
        seen = Counter(
            (names(redeal.layouts[0].nerts[:-1]), names(redeal.layouts[0].stock), names(redeal.layouts[0].waste[:-1]))
            for redeal in redeals(state, seat, 6000)
        )
        assert set(seen) == set(permutations(("3D", "2S", "9S")))
        assert all(850 < count < 1150 for count in seen.values())


@pytest.mark.rule("NE11.4")
def test_a_redeal_varies_who_has_chosen_and_what() -> None:
    state = holding(Cards(), Cards(stock="2D"), Cards())
    play(state, 0, "wait")
    seen = {(redeal.due, redeal.chosen[1] and NERTS.text.format_move(redeal.chosen[1])) for redeal in redeals(state, 0)}
    assert seen == {(0b110, None), (0b010, None), (0b100, "wait"), (0b100, "flip")}
    assert all(redeal.chosen[0] == state.chosen[0] for redeal in redeals(state, 0))
    assert {redeal.due for redeal in redeals(state, None)} == set(range(1, 8))
    assert {redeal.due & 0b100 for redeal in redeals(state, 2)} == {0b100}


@pytest.mark.rule("NE11.3")
def test_a_supposed_state_is_made_of_the_view() -> None:
    state, chance = dealt(3, seed=9), random.Random(2)
    for _ in range(150):
        NERTS.advance(
            state, NERTS.decisions(state)[0].seat, NERTS.random_move(state, NERTS.decisions(state)[0].seat, chance)
        )
    options = NERTS.resolve_options({})
    for seat in [decision.seat for decision in NERTS.decisions(state)]:
        view = NERTS.view(state, seat)
        supposed = NERTS.suppose(view, seat, 3, options, random.Random(1))
        assert NERTS.view(supposed, seat) == view
        assert NERTS.legal_moves(supposed, seat) == NERTS.legal_moves(state, seat)
        for layout in supposed.layouts:
            held = sorted(layout.nerts + layout.stock + layout.waste + b"".join(layout.work_piles))
            assert len(held) == len(set(held)) == 52 - layout.founded


def test_a_view_says_how_far_the_deal_is() -> None:
    state = holding(Cards(stock="2D 3D"), Cards())
    assert first_line(state) == "Deal 1."
    tick(state, "flip")
    assert first_line(state) == "Deal 1, tick 1 is over, 1 tick without a gain."
    tick(state)
    assert first_line(state) == "Deal 1, tick 2 is over, 1 turn of the stocks in a row."
    state = holding(Cards(stock="2D 3D"), Cards(), pace="realtime")
    assert first_line(state) == "Deal 1."
    for text in ("flip", "recycle"):
        play(state, 0, text)
    assert NERTS.view(state, None).idle == 2
    assert first_line(state) == "Deal 1, 2 movements without a gain."


def first_line(state: NertsState) -> str:
    """Returns the beginning of the table of text."""
    return NERTS.text.render_view(NERTS.view(state, 0)).splitlines()[0]
