"""The sensible way to play Tashot."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from fudaba.bots.tashot import choose_sensible, may_be_ready
from fudaba_games.kamikisen.cards import CARDS, DECK_SIZE, count_of, settled
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.shapes import shape_of, with_card
from fudaba_games.tashot.state import TashotState
from tests.support.games.tashot.positions import asked, cards, dealt, do, holding


def chosen(state: TashotState, seat: int | None = None) -> str:
    """Returns the move of a seat that is asked, of the first if none is given, as text."""
    seat = asked(state)[0] if seat is None else seat
    move = choose_sensible(TASHOT.view(state, seat), seat, TASHOT.legal_moves(state, seat))
    TASHOT.check(state, seat, move)
    return TASHOT.text.format_move(move)


def scores(number: int, seats: int, sensible: int) -> tuple[int, ...]:
    """Returns the scores of a deal in which one seat plays sensibly and the others at random."""
    chance = random.Random(number)
    state, _ = TASHOT.new_match(seats, TASHOT.resolve_options({"deals": 1}), sha256(str(number).encode()).digest())
    while asked(state):
        seat = asked(state)[0]
        if seat == sensible:
            do(state, f"{seat} {chosen(state)}")
        else:
            TASHOT.advance(state, seat, TASHOT.random_move(state, seat, chance))
    return tuple(state.scores)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seats", "least"),
    [
        pytest.param(2, 4.0, marks=pytest.mark.nightly("the same of six")),
        pytest.param(4, 2.5, marks=pytest.mark.nightly("the same of six")),
        (6, 1.5),
    ],
)
def test_it_plays_legal_moves_and_beats_random_play_over_duplicate_deals(seats: int, least: float) -> None:
    won = [scores(deal, seats, seat)[seat] for deal in range(90 // seats) for seat in range(seats)]
    assert sum(won) / len(won) > least


def test_it_makes_the_same_move_again_for_the_same_view() -> None:
    state = dealt(4, seed=3, deals=1)
    while asked(state):
        seat = asked(state)[0]
        text = chosen(state, seat)
        assert text == chosen(state, seat)
        do(state, f"{seat} {text}")


@pytest.mark.parametrize(
    ("hand", "move"),
    [
        ("r3 b3 r5 b5 rK bT", "win"),
        ("r3 r3 b3 b3 r5 b8", "four r3 r3 b3 b3"),
        ("r3 b3 r5 b5 r1 b8", "discard b8"),
        ("r3 r4 r5 b7 b8 r0", "discard r0"),
    ],
)
def test_it_wins_and_keeps_what_goes_together(hand: str, move: str) -> None:
    assert chosen(holding(hand, "b0 r1 r2 b6 r7", lights="rS")) == move


def test_it_calls_what_makes_it_ready_and_declines_what_does_not() -> None:
    state = holding("r5 b1 r7 b8 r8 bT", "r6 r7 b3 b4 r0", drawn="r5")
    do(state, "discard r5")
    assert chosen(state) == "call r5 r6 r7"
    state = holding("r5 b1 r7 b8 r8 bT", "r5 b5 r6 b6 r4", drawn="r5")
    do(state, "discard r5")
    assert chosen(state) == "decline", "two pairs wait for a third already"


def test_a_hand_that_waits_for_one_card_is_always_looked_at() -> None:
    chance = random.Random("ready")
    ready = 0
    for _ in range(1500):
        few = chance.sample(range(DECK_SIZE), chance.choice([9, 14, 48]))
        hand = settled(sum([1 << place for place in chance.sample(sorted({0, 24, *few}), 5)]))
        waits = [
            card
            for card in range(CARDS)
            if not count_of(hand, card) >= count_of((1 << DECK_SIZE) - 1, card)
            and shape_of(with_card(hand, card), None) is not None
        ]
        ready += bool(waits)
        assert may_be_ready(hand) or not waits
    assert ready > 200
    assert not may_be_ready(cards("r0 b2 r5 b7 rK"))
