"""The sequential test: when it stops, with which verdict, and how often it errs."""

from __future__ import annotations

from math import log
from random import Random
from statistics import fmean, pstdev

import pytest

from fudaba.local_play.plan import PlannedMatch, planned
from fudaba.local_play.results import PlayedMatch, Seated
from fudaba.local_play.sequential_deals import SequentialDeals
from fudaba.sequential import ELO_PER_EFFECT, BadBounds, SequentialRun, SequentialTest, Verdict

TEST = SequentialTest()
FAR = SequentialTest(-1, 1)
"""A test that does not end within 700 blocks."""


def ended(differences: list[float], test: SequentialTest = TEST, matches: int = 2) -> SequentialRun:
    run = SequentialRun(test, matches)
    for difference in differences:
        if run.add(difference) is not Verdict.UNDECIDED:
            break
    return run


def test_by_default_it_tests_0_against_30_normalised_elo_with_errors_of_5_percent() -> None:
    assert (TEST.low, TEST.high, TEST.alpha, TEST.beta) == (0, 30, 0.05, 0.05)
    assert TEST.accept_at == pytest.approx(log(19))
    assert TEST.reject_at == pytest.approx(-log(19))


def test_the_ratio_is_that_of_fishtest_with_a_block_for_a_pair_of_games() -> None:
    differences = [1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0]
    effect = fmean(differences) / pstdev(differences)
    upper = 30 / ELO_PER_EFFECT * 2**0.5
    expected = len(differences) / 2 * log((1 + effect**2) / (1 + (effect - upper) ** 2))
    run = ended(differences)
    assert run.ratio == pytest.approx(expected)
    assert run.elo == pytest.approx(ELO_PER_EFFECT * effect / 2**0.5)
    assert run.mean == pytest.approx(fmean(differences))


def test_normalised_elo_does_not_depend_on_the_size_of_scores() -> None:
    chance = Random(1)
    small = [chance.gauss(0.1, 1) for _ in range(100)]
    ratio = ended([100 * difference for difference in small]).ratio
    assert ratio == pytest.approx(ended(small).ratio)


def test_a_program_that_wins_every_block_is_better_after_49_and_one_that_loses_them_is_not() -> None:
    assert (ended([1.0] * 100).verdict, ended([1.0] * 100).blocks) == (Verdict.BETTER, 49)
    assert (ended([-1.0] * 100).verdict, ended([-1.0] * 100).blocks) == (Verdict.NOT_BETTER, 49)


def test_programs_that_play_alike_are_found_not_better() -> None:
    assert ended([0.0] * 1000).verdict is Verdict.NOT_BETTER


def test_between_the_bounds_it_is_undecided_as_long_as_blocks_do_not_tell() -> None:
    middle = 15 / ELO_PER_EFFECT * 2**0.5
    run = ended([middle + 1, middle - 1] * 1_000)
    assert (run.verdict, run.blocks) == (Verdict.UNDECIDED, 2_000)


def test_what_comes_after_the_verdict_changes_nothing() -> None:
    run = ended([1.0] * 100)
    before = (run.verdict, run.blocks, run.ratio, run.mean, run.half)
    assert run.add(-1_000.0) is Verdict.BETTER
    assert (run.verdict, run.blocks, run.ratio, run.mean, run.half) == before


def test_the_interval_holds_at_all_times_and_is_wider_than_that_of_a_single_look() -> None:
    assert ended([1.0], FAR).half is None
    half = ended([1.0, -1.0] * 200, FAR).half
    assert half is not None
    assert 1.96 / 400**0.5 < half < 2 * 1.96 / 400**0.5
    missed = 0
    for seed in range(200):
        chance, looked = Random(seed), SequentialRun(FAR, 2)
        for _ in range(150):
            looked.add(chance.gauss(0, 1))
            if looked.half is not None and looked.mean is not None and abs(looked.mean) > looked.half:
                missed += 1
                break
    assert missed <= 16  # of 200, with a chance of 0.05 each: more come up once in 50; the seeds are fixed


def test_blocks_that_all_went_alike_have_no_interval() -> None:
    run = ended([1.0] * 20)
    assert (run.half, run.elo, run.elo_half) == (None, None, None)


@pytest.mark.parametrize(("elo", "wrong"), [(0, Verdict.BETTER), (60, Verdict.NOT_BETTER)])
def test_at_either_bound_it_seldom_errs(elo: float, wrong: Verdict) -> None:
    test, errors = SequentialTest(0, 60), 0
    effect = elo / ELO_PER_EFFECT * 2**0.5
    for seed in range(200):
        chance, run = Random(seed), SequentialRun(test, 2)
        while run.add(chance.gauss(effect, 1)) is Verdict.UNDECIDED:
            pass
        errors += run.verdict is wrong
    assert errors <= 16  # see above; `scripts/bench sequential` measures it


@pytest.mark.parametrize(
    ("text", "message_part"),
    [
        ("30,0", "is not below"),
        ("0,0", "is not below"),
        ("nan,30", "finite"),
        ("0,inf", "finite"),
        ("0,0.5", "closer than 1"),
        ("0,2000", "beyond 1,000"),
        ("30", "not LOW,HIGH"),
        ("a,b", "not LOW,HIGH"),
        ("0,10,20", "not LOW,HIGH"),
    ],
)
def test_bounds_that_can_not_be_tested_are_refused(text: str, message_part: str) -> None:
    with pytest.raises(BadBounds, match=message_part):
        SequentialTest.parse(text)


def test_what_is_no_number_is_refused_and_changes_nothing() -> None:
    run = ended([1.0, 0.0])
    with pytest.raises(ValueError, match="finite"):
        run.add(float("nan"))
    assert run.blocks == 2
    with pytest.raises(ValueError, match="at least one"):
        SequentialRun(TEST, 0)
    with pytest.raises(ValueError, match="error rate"):
        SequentialTest(alpha=0.7)


def played(match: PlannedMatch, scores: tuple[int, ...] | None) -> PlayedMatch:
    return PlayedMatch(match, scores, (), 0, tuple(Seated() for _ in match.order))


def test_deals_are_taken_in_the_order_of_their_numbers_whichever_ends_first() -> None:
    plan = planned(2, 6, seed=1)
    test = SequentialDeals(TEST, 2)
    for match in (*plan[2:], plan[0]):
        test.note(played(match, (3, -3)))
    assert test.run.blocks == 0
    test.note(played(plan[1], (3, -3)))
    assert test.run.blocks == 3
    assert test.run.mean == 0  # whoever sat first won


def test_a_deal_with_a_match_that_came_to_nothing_is_left_out() -> None:
    plan = planned(2, 4, seed=1)
    test = SequentialDeals(TEST, 2)
    for match, scores in zip(plan, (None, (1, -1), (1, -1), (-1, 1)), strict=True):
        test.note(played(match, scores))
    assert test.run.blocks == 1
    assert test.run.mean == 2


def test_with_more_seats_the_first_is_compared_with_the_mean_of_the_others() -> None:
    plan = planned(3, 6, seed=1)
    test = SequentialDeals(TEST, 3)
    for match in plan:
        own = match.order.index(0)
        test.note(played(match, tuple(10 if seat == own else seat for seat in range(3))))
    assert test.run.mean == pytest.approx(9)  # of 0, 1 and 2 the others have 1 on average


def test_matches_are_given_out_until_the_test_is_decided() -> None:
    test = SequentialDeals(SequentialTest(0, 300), 2)
    count = 0
    for match in test.until_decided(planned(2, 100, seed=1)):
        test.note(played(match, (1, -1) if match.order[0] == 0 else (-1, 1)))
        count += 1
    assert test.decided
    assert count == test.run.blocks * 2 < 100
