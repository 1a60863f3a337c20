"""Random play."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba_games.naga.rules import NAGA
from fudaba_games.play import play_out
from fudaba_games.registry import GAMES, AnyGame
from tests.support.conformance.toy import HighCard, card_of


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_play_out_ends_a_match_and_counts_its_moves(game: AnyGame) -> None:
    state, _ = game.new_match(game.min_seats, game.resolve_options({}), bytes(32))
    assert play_out(game, state, random.Random(1)) > 0
    assert game.outcome(state) is not None
    assert play_out(game, state, random.Random(1)) == 0


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_play_out_in_stretches_is_the_same_play(game: AnyGame) -> None:
    state, _ = game.new_match(game.min_seats, game.resolve_options({}), bytes(32))
    whole, chance = state.clone(), random.Random(1)
    moves = play_out(game, whole, random.Random(1))
    stretches = list(iter(lambda: play_out(game, state, chance, 7), 0))
    assert sum(stretches) == moves
    assert all(stretch == 7 for stretch in stretches[:-1])
    assert game.outcome(state) == game.outcome(whole)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_random_play_is_repeatable(game: AnyGame) -> None:
    state, _ = game.new_match(game.min_seats, game.resolve_options({}), bytes(32))
    other = state.clone()
    assert play_out(game, state, random.Random(4)) == play_out(game, other, random.Random(4))
    assert game.outcome(state) == game.outcome(other)
    assert game.view(state, None) == game.view(other, None)


def test_the_kind_is_drawn_before_the_move() -> None:
    # One of four legal moves is a pass; by kinds it is one of two.
    state, _ = HighCard().new_match(2, {}, bytes(32))
    chance = random.Random(2)
    counts = Counter(card_of(HighCard().random_move(state, 0, chance)) for _ in range(3000))
    assert set(counts) == {0, *state.hands[0]}
    assert 1350 < counts[0] < 1650
    assert all(400 < counts[card] < 600 for card in state.hands[0])


def test_every_move_of_the_only_kind_is_as_likely() -> None:
    state, _ = NAGA.new_match(2, NAGA.resolve_options({}), bytes(32))
    chance = random.Random(3)
    counts = Counter(NAGA.text.format_move(NAGA.random_move(state, 1, chance)) for _ in range(6000))
    assert sorted(counts) == [f"designate {place}" for place in (1, 2, 3, 5, 6, 7)]
    assert all(850 < count < 1150 for count in counts.values())
