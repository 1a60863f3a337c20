"""The sensible strategy of Nerts: what it prefers, and that it beats play by chance over duplicate deals."""

from __future__ import annotations

import random

import pytest

from fudaba.bots.nerts import choose_sensible
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.state import NertsState
from tests.support.games.nerts.positions import Cards, holding


def chosen(state: NertsState, seat: int = 0) -> str:
    """Returns what the strategy plays."""
    return NERTS.text.format_move(choose_sensible(NERTS.view(state, seat), seat, NERTS.legal_moves(state, seat)))


@pytest.mark.parametrize(
    ("own", "move"),
    [
        (Cards(nerts="5H 2C", works="2C | KD | KH | KS"), "found nerts 0"),
        (Cards(nerts="5H 9D", works="TC | 2C | 8H | KS"), "found work1 0"),
        (Cards(nerts="5H 9D", works="TC | - | 8H | KS"), "build nerts 0"),
        (Cards(nerts="5H 9D", works="8C 7D | - | TH | KS"), "tuck 0"),
        (Cards(nerts="5H 9D", works="6C | 5D | TH | KS", stock="3C"), "shift 1 1 0"),
        (Cards(nerts="5H 9D", works="6C | 6D | TH | KS", stock="3C"), "flip"),
        (Cards(nerts="5H 9D", works="6C | 6D | TH | KS"), "wait"),
        (Cards(nerts="5H 9D", works="6C | 6D | TH | KS", waste="TS"), "recycle"),
        (Cards(nerts="", works="6C | 6D | TH | KS", stock="3C"), "nerts"),
    ],
)
def test_it_gets_rid_of_its_nerts_pile_first(own: Cards, move: str) -> None:
    assert chosen(holding(own, Cards(), foundations=("AC",))) == move


def test_it_does_not_call_a_deal_that_it_would_lose() -> None:
    state = holding(Cards(nerts="", waste="2C"), Cards(nerts=""), foundations=("AC",))
    state.layouts[1].founded = 20
    assert chosen(state) == "found waste 0"
    state.layouts[1].founded = 0
    assert chosen(state) == "nerts"


def test_it_waits_when_the_table_has_been_still_for_long() -> None:
    state = holding(Cards(works="6C | 6D | TH | KS", stock="3C"), Cards())
    state.tick, state.idle = 40, 30
    assert chosen(state) == "wait"


def _score(sensible: int, seed: int) -> int:
    """Returns the strategy's score against one random seat."""
    state, _ = NERTS.new_match(2, NERTS.resolve_options({"target": 0}), random.Random(seed).randbytes(32))
    chance = random.Random(seed)
    while due := NERTS.decisions(state):
        seat = due[0].seat
        if seat == sensible:
            move = choose_sensible(NERTS.view(state, seat), seat, NERTS.legal_moves(state, seat))
        else:
            move = NERTS.random_move(state, seat, chance)
        NERTS.advance(state, seat, move)
    outcome = NERTS.outcome(state)
    assert outcome is not None
    return outcome.scores[sensible]


def test_it_beats_chance_over_duplicate_deals() -> None:
    deals = [_score(0, seed) + _score(1, seed) for seed in range(30)]
    assert sum(deals) > 20 * len(deals)
    assert sum(score > 0 for score in deals) > 24
