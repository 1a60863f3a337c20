"""The rating fit: closed forms, order, refusals, and fields that leave something open."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite, log, log10, pi, sqrt, tan
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba.intervals import quantile
from fudaba_arena.ladder.ratings import BadField, BadResults, BlockResult, Fit, RatedMatch, fit
from tests.support.sizes import some

ELO = 400 / log(10)
EXAMPLES = some(100, least=25)

T = TypeVar("T")


def blocks(matches: Sequence[tuple[Sequence[tuple[str, str]], Sequence[int]]]) -> list[BlockResult]:
    """Returns a block for each item: its seatings, all on one deal, and the first seat's scores."""
    return [
        BlockResult(
            number,
            tuple(
                RatedMatch(f"b{number}-{place}", 0, bots, (score, -score))
                for place, (bots, score) in enumerate(zip(seatings, scores, strict=True))
            ),
        )
        for number, (seatings, scores) in enumerate(matches)
    ]


def duplicate(a_wins: int, b_wins: int, drawn: int = 0) -> list[BlockResult]:
    """Blocks of a and b with both seatings, in which the better bot wins twice, or both win once."""
    both = (("a", "b"), ("b", "a"))
    return blocks([(both, (1, -1))] * a_wins + [(both, (-1, 1))] * b_wins + [(both, (1, 1))] * drawn)


@st.composite
def results(draw: st.DrawFn) -> list[BlockResult]:
    names = [f"bot{number}" for number in range(draw(st.integers(2, 6)))]
    seats = draw(st.integers(2, min(3, len(names))))
    made = []
    for number in range(draw(st.integers(1, 6))):
        matches = []
        for place in range(draw(st.integers(1, 4))):
            bots = tuple(draw(st.permutations(names))[:seats])
            scores = draw(st.lists(st.integers(-3, 3), min_size=seats - 1, max_size=seats - 1))
            deal = draw(st.integers(0, 1))
            matches.append(RatedMatch(f"b{number}-{place}", deal, bots, (*scores, -sum(scores))))
        made.append(BlockResult(number, tuple(matches)))
    return made


def test_two_players_have_the_log_odds_of_their_shares() -> None:
    found = fit(duplicate(a_wins=60, b_wins=20), virtual_draws=1e-9)
    assert found["a"].rating - found["b"].rating == pytest.approx(400 * log10(3), abs=1e-4)
    assert found["a"].rating + found["b"].rating == pytest.approx(3000)
    assert [seat.advantage for seat in found.seats] == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.parametrize(("a_wins", "b_wins"), [(2, 1), (6, 2), (19, 1), (1500, 500)])
def test_two_players_error_is_the_jackknife_of_the_blocks_averaged_with_the_binomial(a_wins: int, b_wins: int) -> None:
    """Blocks that are all or nothing: the share p of n blocks has variance p(1 - p) / n, its log odds 1 / (n p(1 - p)).

    Leaving out one block at a time makes that n / (n - 1) times as much. Taken as 2n single matches it were half as
    much. Two blocks' worth of the latter are averaged in. Rare losses carry nearly all of the variance: fewer degrees.
    """
    found = fit(duplicate(a_wins, b_wins), virtual_draws=1e-7, anchor="b")["a"]
    n, p = a_wins + b_wins, a_wins / (a_wins + b_wins)
    single = 1 / (n * p * (1 - p))
    variance = (2 * single / 2 + (n - 1) * single * n / (n - 1)) / (2 + n - 1)
    assert found.standard_error == pytest.approx(ELO * sqrt(variance), rel=1e-4)
    kurtosis = (p * (1 - p) ** 4 + (1 - p) * p**4) / (p * (1 - p)) ** 2
    degrees = 2 + min(n - 1, 2 * n / (kurtosis - 1))
    assert found.half == pytest.approx(found.standard_error * quantile(0.975, degrees), rel=1e-4)


def test_a_draw_and_a_shared_score_count_half() -> None:
    drawn = fit(blocks([((("a", "b"), ("b", "a")), (0, 0))] * 10))
    assert drawn["a"].rating == pytest.approx(1500)
    third = fit(duplicate(10, 0, drawn=20), virtual_draws=1e-9)
    same = fit(duplicate(20, 0, drawn=40), virtual_draws=1e-9)
    assert third["a"].rating > 1500
    assert third["a"].rating - third["b"].rating == pytest.approx(same["a"].rating - same["b"].rating, rel=0.2)


def test_a_margin_beyond_a_whole_win_counts_as_one() -> None:
    fitted, other = (fit(duplicate(3, 2), win_margin=margin) for margin in (1.0, 2.0))
    assert fitted.ratings == other.ratings
    assert (fitted.spread, other.spread) == (1.0, 2.0)


@settings(max_examples=EXAMPLES)
@given(results(), st.randoms(use_true_random=False))
def test_the_order_of_the_results_changes_no_bit(given_results: list[BlockResult], chance: Random) -> None:
    shuffled = [BlockResult(result.block, tuple(_shuffled(result.matches, chance))) for result in given_results]
    assert fit(_shuffled(shuffled, chance)) == fit(given_results)


def _shuffled(values: Sequence[T], chance: Random) -> list[T]:
    mixed = list(values)
    chance.shuffle(mixed)
    return mixed


@pytest.mark.exhaustive
@settings(max_examples=EXAMPLES)
@given(results())
def test_whatever_was_played_ratings_are_finite_and_centred(given_results: list[BlockResult]) -> None:
    found = fit(given_results)
    components: dict[int, list[float]] = {}
    for rating in found.ratings:
        assert isfinite(rating.rating)
        assert isfinite(rating.half)
        assert rating.low < rating.rating < rating.high
        components.setdefault(rating.component, []).append(rating.rating)
    for ratings in components.values():
        assert sum(ratings) / len(ratings) == pytest.approx(1500, abs=1e-6)
    assert sum(rating.points or 0 for rating in found.ratings) == 0


@pytest.mark.exhaustive
@settings(max_examples=EXAMPLES)
@given(results())
def test_names_mean_nothing(given_results: list[BlockResult]) -> None:
    """Renaming so that the alphabetical order turns round renames the ratings."""
    renamed = [
        BlockResult(
            result.block,
            tuple(
                RatedMatch(match.match_id, match.deal, tuple(_mirror(bot) for bot in match.bots), match.scores)
                for match in result.matches
            ),
        )
        for result in given_results
    ]
    fitted, other = fit(given_results), fit(renamed)
    for rating in fitted.ratings:
        assert other[_mirror(rating.bot)].rating == pytest.approx(rating.rating, abs=1e-4)
        assert other[_mirror(rating.bot)].half == pytest.approx(rating.half, rel=1e-4)


def _mirror(bot: str) -> str:
    return f"bot{9 - int(bot[3:])}"


def test_who_wins_everything_has_a_finite_rating_that_grows_with_the_matches() -> None:
    ratings = [fit(duplicate(count, 0))["a"].rating for count in (1, 10, 100, 1000)]
    assert all(after > before + 50 for before, after in pairwise(ratings))
    assert ratings[-1] < 3000


def test_who_wins_everything_is_at_least_as_good_as_the_exact_binomial_bound() -> None:
    """Of 40 wins in 40 the exact 95 % interval of the winning chance begins at 0.025^(1/40)."""
    found = fit(duplicate(20, 0), anchor="b")
    chance = 0.025 ** (1 / 40)
    bound = 400 * log10(chance / (1 - chance))
    assert found["a"].low - found["b"].rating == pytest.approx(bound, abs=60)
    assert found["b"].half == 0


def test_the_prior_shrinks_towards_the_field_and_fades() -> None:
    truth = 400 * log10(3)
    differences = [found["a"].rating - found["b"].rating for found in (fit(duplicate(3 * n, n)) for n in (1, 10, 1000))]
    assert differences[0] < differences[1] < differences[2] < truth
    assert differences[2] == pytest.approx(truth, rel=1e-3)


def test_one_block_gives_wide_intervals_and_no_failure() -> None:
    for found in (fit(duplicate(1, 0)), fit(duplicate(0, 0, drawn=1))):
        assert 400 < found["a"].half < inf


def test_no_results_and_no_bots_give_no_ratings() -> None:
    assert fit([]) == Fit((), (), 0.0, 0.0, 0.95)


def test_a_bot_without_matches_is_rated_as_the_anchor_with_an_infinite_interval() -> None:
    (only,) = fit([], bots=["a"]).ratings
    assert (only.rating, only.half, only.low, only.high, only.matches) == (1500, inf, -inf, inf, 0)
    found = fit(duplicate(2, 1), bots=["a", "new"])
    assert (found["new"].half, found["new"].component) == (inf, 1)
    assert isfinite(found["a"].half)


def test_bots_that_no_matches_connect_are_in_components_with_anchors_of_their_own() -> None:
    apart = blocks([((("a", "b"), ("c", "d")), (1, 1))] * 20 + [((("b", "a"), ("d", "c")), (1, -1))] * 5)
    found = fit(apart)
    assert {rating.bot: rating.component for rating in found.ratings} == {"a": 0, "b": 0, "c": 1, "d": 1}
    assert found["a"].rating + found["b"].rating == pytest.approx(3000)
    anchored = fit(apart, anchor="d", anchor_rating=1000)
    assert anchored["d"].rating == 1000
    assert anchored["a"].rating + anchored["b"].rating == pytest.approx(2000)


def test_an_anchor_moves_every_rating_alike() -> None:
    triangle = blocks([((("a", "b"), ("b", "a")), (1, -1)), ((("b", "c"), ("c", "b")), (1, -1))] * 8)
    free, held = fit(triangle), fit(triangle, anchor="b", anchor_rating=1200)
    assert (held["b"].rating, held["b"].half) == (1200, 0)
    for bot in "ac":
        assert held[bot].rating - 1200 == pytest.approx(free[bot].rating - free["b"].rating)


def test_a_seat_that_always_wins_is_a_seat_advantage_and_no_strength() -> None:
    found = fit(duplicate(0, 0, drawn=50))
    assert found["a"].rating == pytest.approx(1500)
    assert found.seats[0].low > 200
    assert found.seats[0].advantage == pytest.approx(-found.seats[1].advantage)


def test_bots_that_never_change_seats_have_intervals_that_admit_it() -> None:
    fixed = fit(blocks([((("a", "b"),), (1,))] * 60 + [((("a", "b"),), (-1,))] * 40))
    changing = fit(blocks([((("a", "b"), ("b", "a")), (1, -1))] * 30 + [((("a", "b"), ("b", "a")), (-1, 1))] * 20))
    assert fixed["a"].half > 5 * changing["a"].half


def test_matches_points_and_blocks_are_counted() -> None:
    found = fit(duplicate(2, 1, drawn=4))
    assert (found["a"].matches, found["a"].blocks, found["a"].points) == (14, 7, 2)
    assert (found["b"].matches, found["b"].blocks, found["b"].points) == (14, 7, -2)


def test_ratings_come_best_first_and_an_unknown_bot_has_none() -> None:
    found = fit(duplicate(1, 5), bots=["new"])
    assert [rating.bot for rating in found.ratings] == ["b", "new", "a"]
    with pytest.raises(KeyError, match="nobody"):
        found["nobody"]


def match(match_id: str = "m", bots: tuple[str, ...] = ("a", "b"), scores: tuple[int, ...] = (1, -1)) -> RatedMatch:
    return RatedMatch(match_id, 0, bots, scores)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([BlockResult(0, (match(), match()))], "match m is given twice"),
        ([BlockResult(0, (match(),)), BlockResult(1, (match(),))], "match m is given twice"),
        ([BlockResult(3, (match("x"),)), BlockResult(3, (match("y"),))], "block 3 is given twice"),
        ([BlockResult(0, ())], "block 0 has no matches"),
        ([BlockResult(0, (match(scores=(1, 0)),))], "add up to 1, not to zero"),
        ([BlockResult(0, (match(scores=(1, 0, -1)),))], "has 2 seats but 3 scores"),
        ([BlockResult(0, (match(bots=("a", "a")),))], "one bot in two seats"),
        ([BlockResult(0, (match(bots=("a",), scores=(0,)),))], "has 1 seats"),
        (
            [BlockResult(0, (match("x"), match("y", ("a", "b", "c"), (1, 0, -1))))],
            "match y has 3 seats, others have 2",
        ),
    ],
)
def test_results_that_contradict_themselves_are_refused(bad: list[BlockResult], message: str) -> None:
    with pytest.raises(BadResults, match=message):
        fit(bad)


def test_settings_that_make_no_sense_are_refused() -> None:
    good = duplicate(1, 1)
    with pytest.raises(BadField, match="anchor 'c' is not in the field; it has: a, b"):
        fit(good, anchor="c")
    with pytest.raises(BadField, match="win_margin is 0"):
        fit(good, win_margin=0)
    with pytest.raises(BadField, match="confidence is 95"):
        fit(good, confidence=95)
    with pytest.raises(BadField, match="virtual_draws is 0"):
        fit(good, virtual_draws=0)


@pytest.mark.parametrize(
    ("probability", "degrees", "value"),
    [
        (0.975, 1, 12.706204736),
        (0.975, 2, 4.302652730),
        (0.975, 5, 2.570581836),
        (0.975, 30, 2.042272456),
        (0.975, 120, 1.979930405),
        (0.9995, 5, 6.868826626),
        (0.95, 10, 1.812461123),
        (0.5, 7, 0.0),
        (0.975, 1e7, 1.959963985),
    ],
)
def test_quantiles_of_student_are_those_of_the_tables(probability: float, degrees: float, value: float) -> None:
    assert quantile(probability, degrees) == pytest.approx(value, rel=1e-8, abs=1e-6)


@pytest.mark.parametrize("probability", [0.6, 0.975, 0.999, 1 - 1e-6, 1 - 1e-9])
def test_quantiles_of_student_are_exact_where_a_formula_gives_them(probability: float) -> None:
    tail = 1 - probability
    assert quantile(probability, 1) == pytest.approx(1 / tan(pi * tail), rel=1e-12)
    assert quantile(probability, 2) == pytest.approx((probability - tail) / sqrt(2 * probability * tail), rel=1e-12)


def test_quantiles_of_student_fall_between_whole_degrees_and_know_their_limits() -> None:
    assert quantile(0.975, 3) > quantile(0.975, 3.5) > quantile(0.975, 4)
    assert quantile(0.975, 0) == inf
    with pytest.raises(ValueError, match=r"between 0\.5 and 1"):
        quantile(0.3, 5)
