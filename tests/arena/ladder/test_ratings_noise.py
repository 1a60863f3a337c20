"""The dispersion of the shares, what it hangs on, and fits of very many results."""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest

from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, Results, fit
from fudaba_arena.ladder.ratings.design import Design
from fudaba_arena.ladder.ratings.model import equations, noise_of, solve
from fudaba_arena.ladder.ratings.sandwich import Robust, block_scores

NAMES = [f"bot{number}" for number in range(6)]
MARGIN_POINTS = 20.0


def played(blocks: int, seed: int) -> list[BlockResult]:
    """Returns a wide field that plays for points, with noise that is normal and the same for all, and with draws."""
    chance = np.random.default_rng(seed)
    true = np.linspace(-1.5, 1.5, len(NAMES))
    pairs = list(combinations(range(len(NAMES)), 2))
    results = []
    for number in range(blocks):
        bot, other = pairs[number % len(pairs)]
        matches = []
        for place, (a, b) in enumerate(((bot, other), (other, bot))):
            expected = 2 / (1 + np.exp(true[b] - true[a])) - 1
            points = round(MARGIN_POINTS * float(np.clip(expected + 0.3 * chance.normal(), -1, 1)))
            points = 0 if chance.random() < 0.1 else points
            matches.append(RatedMatch(f"{number}-{place}", 0, (NAMES[a], NAMES[b]), (points, -points)))
        results.append(BlockResult(number, tuple(matches)))
    return results


def design(results: list[BlockResult]) -> Design:
    return Design.from_results(Results.from_blocks(results, NAMES), MARGIN_POINTS, 1.0)


def test_the_slope_of_the_dispersion_is_its_numerical_derivative() -> None:
    model = design(played(60, 1))
    at = np.random.default_rng(2).normal(0, 1, model.parameters)
    step = 1e-6
    numerical = [
        (
            noise_of(model, equations(model, at + side, 0.3)).dispersion
            - noise_of(model, equations(model, at - side, 0.3)).dispersion
        )
        / (2 * step)
        for side in step * np.eye(model.parameters)
    ]
    slope = noise_of(model, equations(model, at, 0.3)).slope
    assert slope == pytest.approx(np.array(numerical), rel=1e-6, abs=1e-9)
    assert np.abs(slope).max() > 0.01


def test_where_every_share_is_0_or_1_the_dispersion_hangs_on_nothing() -> None:
    won = [
        BlockResult(
            result.block,
            tuple(
                RatedMatch(m.match_id, 0, m.bots, (20, -20) if m.scores[0] > 0 else (-20, 20)) for m in result.matches
            ),
        )
        for result in played(60, 3)
    ]
    noise = solve(design(won)).noise
    assert noise.dispersion == pytest.approx(1)
    assert np.abs(noise.slope).max() < 1e-12


def test_without_a_block_the_ratings_move_as_the_fit_says() -> None:
    """The dispersion is estimated at the ratings, so what a block does to it by way of the ratings belongs to it."""
    results = played(300, 4)
    model = design(results)
    solution = solve(model)
    contrast = np.zeros(model.parameters)
    contrast[[0, len(NAMES) - 1]] = -1, 1
    levers = Robust(model, solution).levers(contrast[:, None])[:, 0]
    said = np.zeros(len(model.times))
    for part in block_scores(model, solution, np.linalg.inv(solution.information)):
        said[part.shape.blocks] = (part.scores[:, :-1] * levers[part.shape.touched]).sum(axis=1)
        said[part.shape.blocks] += part.scores[:, -1] * levers[-1]
    elo = 400 / log(10)
    whole = fit(results, win_margin=MARGIN_POINTS)
    really = []
    in_order = {
        tuple(m.bots for m in result.matches) + tuple(m.scores for m in result.matches): result for result in results
    }
    for _, block in sorted(in_order.items())[:20]:
        rest = fit([result for result in results if result.block != block.block], win_margin=MARGIN_POINTS)
        moved = [found[NAMES[-1]].rating - found[NAMES[0]].rating for found in (whole, rest)]
        really.append((moved[0] - moved[1]) / elo)
    off = np.sqrt(((said[:20] - really) ** 2).mean() / (np.array(really) ** 2).mean())
    assert off < 0.05  # without the slope of the dispersion it would be 0.35


def test_blocks_that_went_alike_are_rated_as_if_each_was_given() -> None:
    results = [
        BlockResult(
            number, tuple(RatedMatch(f"{number}{m.match_id}", m.deal, m.bots, m.scores) for m in result.matches)
        )
        for number, result in enumerate(played(30, 5) * 4)
    ]
    together = [BlockResult(result.block, result.matches, 4) for result in results[:30]]
    assert fit(together, win_margin=MARGIN_POINTS) == fit(results, win_margin=MARGIN_POINTS)


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_of_very_many_blocks_converges_where_rounding_is_all_that_is_left(seed: int) -> None:
    """So many that the sums of the scores are off by far more than they may be in a fit of few blocks."""
    few = fit(played(90, seed), win_margin=MARGIN_POINTS)
    many = fit(
        [BlockResult(result.block, result.matches, 10**11) for result in played(90, seed)], win_margin=MARGIN_POINTS
    )
    assert [rating.bot for rating in many.ratings] == [rating.bot for rating in few.ratings]
    assert max(rating.half for rating in many.ratings) < 1
