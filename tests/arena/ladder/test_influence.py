"""What a fit keeps of many blocks, against the blocks one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.ladder.ratings import Results, Rows, rate
from fudaba_arena.ladder.ratings.combined import combined
from fudaba_arena.ladder.ratings.design import Design, Floats
from fudaba_arena.ladder.ratings.fixed_strengths import ELO_PER_LOGIT
from fudaba_arena.ladder.ratings.influence import BlockScores, Influence
from fudaba_arena.ladder.ratings.model import block_information, equations, information, luck_of, solve
from fudaba_arena.ladder.ratings.sandwich import Robust, block_scores
from fudaba_arena.store.blocks.closed_block import ABSENT
from tests.support.sizes import some

EXAMPLES = some(60, least=20)
MARGIN_POINTS = 6.0
MAX_TOGETHER = 512
"""The number of ratings whose errors are found together."""
BOT_COUNT = 540


@st.composite
def seasons(draw: st.DrawFn) -> Results:
    """Draws results of a game: blocks of pairs and of several tables, in part forfeited by absence or taken back."""
    names = [f"bot{number}" for number in range(draw(st.integers(2, 6)))]
    seats = draw(st.sampled_from([2, 2, 2, min(3, len(names))]))
    rows = Rows()
    for _ in range(draw(st.integers(1, 12))):
        tables = draw(st.integers(1, max(1, len(names) // seats)))
        seated = draw(st.permutations(names))
        matches: list[list[object]] = []
        for table in range(tables):
            group = seated[table * seats : (table + 1) * seats]
            for turn in range(draw(st.integers(1, 3))):
                bots = [*group[turn % seats :], *group[: turn % seats]]
                matches.append(draw(matches_of(bots, draw(st.integers(0, 1)))))
        times = draw(st.sampled_from([1, 1, 2, 7]))
        rows.add(matches, times, draw(st.integers(0, times)))
    return rows.results(names)


@st.composite
def matches_of(draw: st.DrawFn, bots: list[str], deal: int) -> list[object]:
    scores = draw(st.lists(st.integers(-4, 4), min_size=len(bots) - 1, max_size=len(bots) - 1))
    scores = [*scores, -sum(scores)]
    kind = draw(st.sampled_from(["played"] * 6 + ["absent", "struck"]))
    if kind == "absent":
        worst = [-1] * (len(bots) - 1)
        return [deal, bots, [len(worst), *worst], bots[-1], ABSENT]
    return [deal, bots, scores, "", ""] + ([[bots[0]]] if kind == "struck" and len(bots) > 2 else [])


def moves_by_block(design: Design, scores: Iterable[BlockScores], levers: Floats) -> tuple[Floats, float]:
    """(blocks, ratings): how far each block moves each rating, and the size of the terms that this is the sum of."""
    moves, largest = np.zeros((len(design.times), levers.shape[1])), 0.0
    for part in scores:
        for place, block in enumerate(part.shape.blocks.tolist()):
            terms = part.scores[place][:, None] * levers[[*part.shape.touched[place], -1]]
            moves[block] = terms.sum(axis=0)
            largest = max(largest, float(np.abs(terms).sum(axis=0).max()))
    return moves, largest


@settings(max_examples=EXAMPLES)
@given(seasons())
def test_a_combination_of_bots_is_one_row_with_the_same_equations(results: Results) -> None:
    whole = Design.from_results(results, MARGIN_POINTS, 1.0)
    small = combined(whole)
    at = np.random.default_rng(len(whole.share)).normal(0, 1, whole.parameters)
    for luck in (0.0, 0.7):
        by_block, by_combination = equations(whole, at, luck), equations(small, at, luck)
        assert by_combination.score == pytest.approx(by_block.score, rel=1e-9, abs=1e-9)
        slopes = information(small, at, by_combination)
        assert slopes == pytest.approx(information(whole, at, by_block), rel=1e-9, abs=1e-9)
        assert luck_of(small, by_combination) == pytest.approx(luck_of(whole, by_block), rel=1e-9, abs=1e-9)


@settings(max_examples=EXAMPLES)
@given(seasons())
def test_another_whole_step_moves_a_solution_by_less_than_a_millionth_of_a_point(results: Results) -> None:
    design = Design.from_results(results, MARGIN_POINTS, 1.0)
    solution = solve(design)
    at = equations(design, solution.parameters, solution.luck)
    step = np.linalg.solve(information(design, solution.parameters, at), at.score)
    assert np.abs(step).max() * ELO_PER_LOGIT < 1e-6


@settings(max_examples=EXAMPLES)
@given(seasons())
def test_the_information_of_a_block_is_that_of_its_rows_less_that_of_its_deals(results: Results) -> None:
    design = Design.from_results(results, MARGIN_POINTS, 1.0)
    at = equations(design, np.random.default_rng(len(design.share)).normal(0, 1, design.parameters), 0.7)
    for shape in design.shapes:
        found = block_information(design, shape, at)
        for place, rows in enumerate(shape.rows):
            slopes = at.variance[rows, None] * shape.matrix
            by_deal = shape.of_deal @ slopes
            expected = shape.matrix.T @ slopes - by_deal.T @ (at.coupling[shape.deals[place], None] * by_deal)
            assert found[place] == pytest.approx(design.weight * expected, rel=1e-9, abs=1e-12)


def test_blocks_of_the_same_bots_are_one_combination_whatever_their_scores() -> None:
    rows = Rows()
    for score in range(5):
        for bots in (["a", "b"], ["b", "a"]):
            rows.add([[0, bots, [score, -score], "", ""], [0, bots[::-1], [score, -score], "", ""]], 1)
    whole = Design.from_results(rows.results(), MARGIN_POINTS, 1.0)
    assert len(whole.times) == 10
    assert combined(whole).times.tolist() == [5, 5]


@settings(max_examples=EXAMPLES)
@given(seasons())
def test_sums_of_powers_are_those_over_all_blocks_one_after_the_other(results: Results) -> None:
    design = Design.from_results(results, MARGIN_POINTS, 1.0)
    solution = solve(design)
    sides = range(design.bots), range(design.bots, design.parameters)
    pairs = [pair for side in sides for pair in combinations(side, 2)]
    contrasts = np.zeros((design.parameters, len(pairs)))
    for column, (first, other) in enumerate(pairs):
        contrasts[[first, other], column] = 1, -1
    levers = Robust(design, solution).levers(contrasts)
    scores = list(block_scores(design, solution, np.linalg.inv(solution.information)))
    sums = Influence(design, scores).power_sums(levers)
    moves, largest = moves_by_block(design, scores, levers)
    early, late = design.early, design.times - design.early
    for power, found in ((1, sums.first), (2, sums.second)):
        rounding = 1e-12 * largest**power * float(design.times.sum())
        assert found == pytest.approx(np.stack([early @ moves**power, late @ moves**power]), rel=1e-9, abs=rounding)
    rounding = 1e-12 * largest**4 * float(design.times.sum())
    assert sums.fourth == pytest.approx(design.times @ moves**4, rel=1e-9, abs=rounding)


def test_ratings_found_together_are_those_found_alone() -> None:
    chance, rows = np.random.default_rng(3), Rows()
    for _ in range(2_000):
        first, other = chance.choice(BOT_COUNT, 2, replace=False).tolist()
        score, back = chance.integers(-6, 7, 2).tolist()
        bots = [f"bot{first}", f"bot{other}"]
        rows.add([[0, bots, [score, -score], "", ""], [0, bots[::-1], [back, -back], "", ""]], 1, 1)
    rated = rate(rows.results(), win_margin=MARGIN_POINTS)
    members = rated.components[0]
    together = rated.above(members)
    assert len(together) > MAX_TOGETHER
    for name in members[:: len(members) // 7]:
        alone = rated.above([name], members)[name]
        assert (alone.value, alone.half(0.95)) == pytest.approx((together[name].value, together[name].half(0.95)))
