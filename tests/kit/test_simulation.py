"""Many matches in process and their summary."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.bots import built_in
from fudaba.simulation import Sample, match_seed, rotated, simulate


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=60))
def test_a_sample_has_the_mean_and_spread_of_its_numbers(values: list[int]) -> None:
    sample = Sample()
    for value in values:
        sample.add(value)
    assert sample.count == len(values)
    assert sample.mean == pytest.approx(statistics.fmean(values), abs=1e-9)
    expected = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    assert sample.margin == pytest.approx(expected, abs=1e-9)
    assert (sample.low, sample.high) == (min(values), max(values))


def test_one_number_says_nothing_of_the_spread() -> None:
    sample = Sample()
    sample.add(3)
    assert sample.margin == math.inf


@given(st.integers(2, 6), st.integers(0, 100))
def test_bots_move_on_by_one_seat_and_sit_everywhere_equally_often(seats: int, start: int) -> None:
    orders = [rotated(seats, start + number) for number in range(seats)]
    assert all(sorted(order) == list(range(seats)) for order in orders)
    assert all({order[seat] for order in orders} == set(range(seats)) for seat in range(seats))


def test_a_seed_repeats_the_whole_run() -> None:
    def run(seed: int | None) -> tuple[object, ...]:
        bots = [("a", built_in("random", seed)), ("b", built_in("first"))]
        result = simulate("naga", bots, 12, seed=seed)
        return result.moves, [sample.mean for sample in result.by_bot], [sample.mean for sample in result.by_seat]

    assert run(7) == run(7)
    assert run(7) != run(8)
    assert match_seed(None, 0) != match_seed(None, 0)


def test_scores_add_up_and_every_match_counts_once() -> None:
    counted = []
    result = simulate(
        "naga", [("a", built_in("random", 1))] * 2, 10, seed=1, contract=True, after_each=lambda: counted.append(1)
    )
    assert len(counted) == result.matches == result.length.count == 10
    assert sum(sample.mean for sample in result.by_bot) == pytest.approx(0)
    assert sum(sample.mean for sample in result.by_seat) == pytest.approx(0)
    assert sum(result.won) + sum(result.drawn) // 2 == 10
    assert result.length.mean * 10 == pytest.approx(result.moves)
