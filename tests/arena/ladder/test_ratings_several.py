"""Ratings of more than two seats, and over several games, on simulated tournaments whose truth is known. Seeded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite, log, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.ladder.ratings import BadField, BlockResult, Fit, RatedMatch, fit, overall, rate
from fudaba_arena.schedule.blocks import Block, Entrant
from fudaba_arena.schedule.round_robin import FixedSchedule, RoundRobin
from tests.support.arena.ladder.simulated import errors, field, mean_half, play
from tests.support.sizes import some

ELO = 400 / log(10)
LUCK, NOISE, FIRST = 12.0, 9.0, 4.0
"""Of a match's scores: what the deal gives each seat, what else happens, and what the first seat has over others."""
SPREAD = sqrt(2 * (LUCK**2 + NOISE**2))
MARGIN_POINTS = 200.0


def schedule(
    truth: Mapping[str, float], blocks: int, stateless: bool, seats: int = 5, deals: int = 1, game: str = ""
) -> FixedSchedule:
    entrants = tuple(Entrant(bot, stateless=stateless) for bot in truth)
    return FixedSchedule(RoundRobin("t", entrants, blocks, deals, seats=seats, game=game))


def play_scores(
    blocks: Iterable[Block],
    truth: Mapping[str, float],
    chance: np.random.Generator,
    worth: int = 1,
    replayed: bool = True,
) -> list[BlockResult]:
    """Results in which a bot's score is its strength, its seat's share of the deal's luck, and noise.

    A rating difference of 2 × ELO is an expected score difference of the spread. Every score is a multiple of `worth`.
    Unless `replayed`, every match has cards of its own.
    """
    results = []
    for block in blocks:
        seats = len(block.matches[0].bots)
        deals = chance.normal(0, LUCK, (block.deals, seats))
        matches = []
        for match in block.matches:
            luck = deals[match.deal] if replayed else chance.normal(0, LUCK, seats)
            raw = luck + chance.normal(0, NOISE, seats)
            raw += [(truth[bot] - 1500) * SPREAD / (2 * ELO) for bot in match.bots]
            raw[0] += FIRST
            scores = np.round(raw - raw.mean()).astype(int)
            scores[chance.integers(seats)] -= scores.sum()
            matches.append(RatedMatch(match.match_id, match.deal, match.bots, tuple(int(s) * worth for s in scores)))
        results.append(BlockResult(block.number, tuple(matches)))
    return results


def covered(found: Fit, truth: Mapping[str, float]) -> list[bool]:
    return [found[bot].low <= truth[bot] <= found[bot].high for bot in truth]


def test_many_blocks_of_five_recover_the_ratings_the_seat_and_the_spread() -> None:
    truth = field(6, 150)
    found = fit(play_scores(schedule(truth, 12, True), truth, np.random.default_rng(1)), win_margin=MARGIN_POINTS)
    assert max(map(abs, errors(found, truth))) < 20
    assert [rating.bot for rating in found.ratings] == sorted(truth, reverse=True)
    assert found.spread == pytest.approx(SPREAD, rel=0.03)
    advantage = found.seats[0].advantage - found.seats[3].advantage
    assert advantage == pytest.approx(FIRST / SPREAD * 2 * ELO, abs=25)


@pytest.mark.parametrize(
    ("bots", "blocks", "stateless", "seats"),
    [
        pytest.param(6, 3, True, 5, marks=pytest.mark.exhaustive),
        pytest.param(7, 3, True, 3, marks=pytest.mark.exhaustive),
        *(
            pytest.param(*case, marks=pytest.mark.nightly("the same of six at tables of five, and of seven at three"))
            for case in ((5, 12, True, 5), (7, 2, True, 5), (5, 12, False, 5))
        ),
        pytest.param(
            10,
            2,
            False,
            5,
            marks=pytest.mark.nightly("the same of five; ten at two tables are rated in the tests below"),
        ),
    ],
)
def test_intervals_cover_the_truth_of_matches_of_several_about_as_often_as_they_say(
    bots: int, blocks: int, stateless: bool, seats: int
) -> None:
    truth, chance = field(bots, 120), np.random.default_rng(2)
    tournament = list(schedule(truth, blocks, stateless, seats))
    hits = [
        hit
        for _ in range(400 // bots)
        for hit in covered(fit(play_scores(tournament, truth, chance), win_margin=MARGIN_POINTS), truth)
    ]
    assert 0.91 <= float(np.mean(hits)) <= 0.99


@pytest.mark.exhaustive
def test_intervals_of_two_blocks_of_five_are_wide_enough() -> None:
    truth, chance = field(5, 120), np.random.default_rng(3)
    tournament = list(schedule(truth, 2, True))
    hits = [hit for _ in range(60) for hit in covered(fit(play_scores(tournament, truth, chance)), truth)]
    assert float(np.mean(hits)) >= 0.95


@pytest.mark.exhaustive
def test_five_who_replay_a_deal_are_rated_more_precisely_than_on_deals_of_their_own() -> None:
    truth, chance = field(5, 120), np.random.default_rng(4)
    tournament = list(schedule(truth, 12, True))
    groups = [
        [fit(play_scores(tournament, truth, chance, replayed=replayed), win_margin=MARGIN_POINTS) for _ in range(20)]
        for replayed in (True, False)
    ]
    error = [float(np.std([errors(found, truth) for found in group])) for group in groups]
    half = [float(np.mean([mean_half(found) for found in group])) for group in groups]
    assert error[0] < 0.8 * error[1]
    assert half[0] < 0.8 * half[1]


@pytest.mark.nightly("test_ratings_simulated.py shows it of matches of two; of five that replay a deal the test above")
def test_five_who_share_deals_with_another_table_are_rated_more_precisely_than_without() -> None:
    truth, chance = field(10, 120), np.random.default_rng(5)
    tournament = list(schedule(truth, 1, stateless=False))
    assert all(len(block.bots) == 10 for block in tournament)
    groups = [
        [fit(play_scores(tournament, truth, chance, replayed=replayed), win_margin=MARGIN_POINTS) for _ in range(30)]
        for replayed in (True, False)
    ]
    error = [float(np.std([errors(found, truth) for found in group])) for group in groups]
    assert error[0] < 0.9 * error[1]


def test_what_a_point_is_worth_changes_no_rating() -> None:
    truth = field(6, 120)
    blocks = list(schedule(truth, 1, True))
    single = fit(play_scores(blocks, truth, np.random.default_rng(6)), win_margin=MARGIN_POINTS)
    hundred = fit(play_scores(blocks, truth, np.random.default_rng(6), worth=100), win_margin=100 * MARGIN_POINTS)
    for rating in single.ratings:
        assert hundred[rating.bot].rating == pytest.approx(rating.rating, abs=1e-6)
        assert hundred[rating.bot].half == pytest.approx(rating.half, abs=1e-6)
    assert hundred.spread == pytest.approx(100 * single.spread)


def test_the_bound_of_a_win_margin_that_is_never_reached_hardly_matters() -> None:
    truth = field(6, 120)
    results = play_scores(schedule(truth, 2, True), truth, np.random.default_rng(7))
    near, far = (fit(results, win_margin=margin) for margin in (MARGIN_POINTS, 4 * MARGIN_POINTS))
    assert far.spread == pytest.approx(near.spread, rel=0.01)
    for rating in near.ratings:
        assert far[rating.bot].rating == pytest.approx(rating.rating, abs=3)


def test_ratings_of_even_schedules_are_in_the_order_of_the_summed_scores() -> None:
    truth = field(6, 10)
    for seed in range(20):
        found = fit(play_scores(schedule(truth, 1, True), truth, np.random.default_rng(seed)), win_margin=MARGIN_POINTS)
        points = [rating.points or 0 for rating in found.ratings]
        assert points == sorted(points, reverse=True)


def test_won_or_lost_matches_have_the_scale_of_elo_exactly() -> None:
    truth = field(4, 300)
    found = fit(play(schedule(truth, 10, True, seats=2), truth, np.random.default_rng(8)))
    assert found.spread == pytest.approx(2.0, abs=1e-12)


def test_scores_without_any_luck_give_finite_ratings_and_intervals() -> None:
    (block,) = schedule(field(5, 1), 1, True)
    worth = {bot: 2 * place - 4 for place, bot in enumerate(field(5, 1))}
    matches = tuple(RatedMatch(t.match_id, t.deal, t.bots, tuple(worth[bot] for bot in t.bots)) for t in block.matches)
    found = fit([BlockResult(0, matches)], win_margin=8)
    assert [rating.bot for rating in found.ratings] == sorted(worth, reverse=True)
    assert all(isfinite(rating.half) and abs(rating.rating) < 10_000 for rating in found.ratings)


# --- several games


AT_NIGHT = pytest.mark.nightly("the same of two blocks in one game and three in the other")


def two_games(blocks: tuple[int, int]) -> dict[str, tuple[list[Block], dict[str, float]]]:
    """Returns a game of two seats and one of five, of bots that are not equally good at both."""
    good = field(6, 150)
    other = dict(zip(good, reversed([1500 + 0.4 * (rating - 1500) for rating in good.values()]), strict=True))
    return {
        "pairs": (list(schedule(good, blocks[0], True, seats=2)), good),
        "fives": (list(schedule(other, blocks[1], True)), other),
    }


def results_of(
    games: Mapping[str, tuple[list[Block], dict[str, float]]], chance: np.random.Generator
) -> dict[str, list[BlockResult]]:
    pairs, fives = games["pairs"], games["fives"]
    return {"pairs": play(*pairs, chance, luck=0.7), "fives": play_scores(*fives, chance)}


def ladder(results: Mapping[str, list[BlockResult]]) -> Fit:
    margins = {"pairs": 2.0, "fives": MARGIN_POINTS}
    return overall({game: rate(blocks, win_margin=margins.get(game, 2.0)) for game, blocks in results.items()})


@pytest.mark.exhaustive
@pytest.mark.parametrize("blocks", [(2, 3), *(pytest.param(more, marks=AT_NIGHT) for more in ((8, 2), (16, 1)))])
def test_intervals_of_a_mixed_ladder_cover_the_mean_of_the_true_ratings_about_as_often_as_they_say(
    blocks: tuple[int, int],
) -> None:
    games, chance = two_games(blocks), np.random.default_rng(9)
    truth = {bot: (games["pairs"][1][bot] + games["fives"][1][bot]) / 2 for bot in games["pairs"][1]}
    hits = [hit for _ in range(60) for hit in covered(ladder(results_of(games, chance)), truth)]
    assert 0.91 <= float(np.mean(hits)) <= 0.99


def test_an_overall_rating_is_the_mean_of_the_games_whatever_the_numbers_of_matches() -> None:
    results = results_of(two_games((20, 1)), np.random.default_rng(10))
    found, alone = (
        ladder(results),
        {"pairs": fit(results["pairs"]), "fives": fit(results["fives"], win_margin=MARGIN_POINTS)},
    )
    for rating in found.ratings:
        assert rating.rating == pytest.approx(
            (alone["pairs"][rating.bot].rating + alone["fives"][rating.bot].rating) / 2
        )
        errors_of = [fitted[rating.bot].standard_error for fitted in alone.values()]
        assert rating.standard_error == pytest.approx(sqrt(errors_of[0] ** 2 + errors_of[1] ** 2) / 2)
        assert rating.matches == sum(fitted[rating.bot].matches for fitted in alone.values())
        assert rating.points is None


def test_one_game_alone_is_its_own_overall_ladder() -> None:
    results = results_of(two_games((3, 1)), np.random.default_rng(11))["pairs"]
    assert overall({"pairs": rate(results)}) == fit(results)


def test_who_has_not_played_every_game_is_not_compared() -> None:
    results = results_of(two_games((3, 1)), np.random.default_rng(12))
    rated = {
        "pairs": rate(results["pairs"], bots=["only-here"]),
        "fives": rate(results["fives"], win_margin=MARGIN_POINTS),
    }
    found = overall(rated)
    assert (found["only-here"].half, found["only-here"].matches) == (inf, 0)
    rest = [rating for rating in found.ratings if rating.bot != "only-here"]
    assert {rating.component for rating in rest} == {0}
    assert sum(rating.rating for rating in rest) / len(rest) == pytest.approx(1500)
    assert found["only-here"].component == 1


def test_a_game_without_results_yet_leaves_nobody_compared() -> None:
    results = results_of(two_games((3, 1)), np.random.default_rng(13))
    found = overall({"pairs": rate(results["pairs"]), "fives": rate([], bots=field(6, 1))})
    assert {rating.half for rating in found.ratings} == {inf}


@pytest.mark.exhaustive
@settings(max_examples=some(25, least=5))
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_results_changes_no_bit_of_a_mixed_ladder(chance: Random) -> None:
    results = results_of(two_games((2, 1)), np.random.default_rng(14))
    mixed = {}
    for game in chance.sample(sorted(results), len(results)):
        blocks = [BlockResult(r.block, tuple(chance.sample(r.matches, len(r.matches)))) for r in results[game]]
        mixed[game] = chance.sample(blocks, len(blocks))
    assert ladder(mixed) == ladder(results)


def test_games_in_which_bots_fall_apart_leave_them_apart_overall() -> None:
    def duel(number: int, winner: str, other: str) -> BlockResult:
        matches = (
            RatedMatch(f"{number}a", 0, (winner, other), (1, -1)),
            RatedMatch(f"{number}b", 0, (other, winner), (1, -1)),
        )
        return BlockResult(number, matches)

    apart = rate([duel(0, "a", "b"), duel(1, "c", "d")])
    whole = rate([duel(0, "a", "b"), duel(1, "b", "c"), duel(2, "c", "d")])
    found = overall({"apart": apart, "whole": whole})
    assert {rating.bot: rating.component for rating in found.ratings} == {"a": 0, "b": 0, "c": 1, "d": 1}


def test_a_confidence_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(BadField, match="confidence is 95"):
        overall({"one": rate([])}, confidence=95)
