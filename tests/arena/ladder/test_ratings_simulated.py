"""The rating fit on simulated tournaments whose truth is known. Seeded: the same numbers on every run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

import numpy as np
import pytest

from fudaba_arena.ladder.ratings import fit
from fudaba_arena.schedule.blocks import Block, Entrant, PlannedMatch
from fudaba_arena.schedule.round_robin import FixedSchedule, RoundRobin
from tests.support.arena.ladder.simulated import SEAT_POINTS, errors, field, mean_half, play


def schedule(truth: Mapping[str, float], blocks: int, stateless: bool, deals: int = 1) -> FixedSchedule:
    entrants = tuple(Entrant(bot, stateless=stateless) for bot in truth)
    return FixedSchedule(RoundRobin("t", entrants, blocks, deals))


def test_many_blocks_recover_the_ratings_the_seat_and_the_luck() -> None:
    truth = field(5, 200)
    found = fit(play(schedule(truth, 150, stateless=True), truth, np.random.default_rng(1), luck=0.7))
    assert max(map(abs, errors(found, truth))) < 25
    assert found.seats[0].advantage - found.seats[1].advantage == pytest.approx(SEAT_POINTS, abs=25)
    assert found.deal_luck > 100


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("bots", "blocks", "stateless", "luck", "form", "deals"),
    [
        *(
            pytest.param(*case, marks=pytest.mark.nightly("the same of eight with luck, and of four with good days"))
            for case in (
                (2, 30, True, 0.0, 0.0, 1),
                (2, 30, True, 0.8, 0.0, 1),
                (4, 10, True, 0.8, 0.0, 1),
                (4, 10, False, 0.8, 0.0, 1),
            )
        ),
        (4, 10, True, 0.0, 0.6, 3),
        (8, 4, False, 0.8, 0.0, 1),
    ],
)
def test_intervals_cover_the_truth_about_as_often_as_they_say(
    bots: int, blocks: int, stateless: bool, luck: float, form: float, deals: int
) -> None:
    truth, chance = field(bots, 200), np.random.default_rng(2)
    tournament = list(schedule(truth, blocks, stateless, deals))
    covered = []
    for _ in range(800 // bots):
        found = fit(play(tournament, truth, chance, luck, form))
        covered += [found[bot].low <= truth[bot] <= found[bot].high for bot in truth]
    assert 0.91 <= float(np.mean(covered)) <= 0.985


@pytest.mark.exhaustive
def test_intervals_of_few_blocks_are_wide_enough() -> None:
    truth, chance = field(4, 150), np.random.default_rng(3)
    tournament = list(schedule(truth, 2, stateless=True))
    covered = []
    for _ in range(100):
        found = fit(play(tournament, truth, chance, luck=0.5))
        covered += [found[bot].low <= truth[bot] <= found[bot].high for bot in truth]
    assert float(np.mean(covered)) >= 0.93


def test_replayed_deals_give_narrower_intervals_than_as_many_matches_on_deals_of_their_own() -> None:
    truth, chance = field(4, 150), np.random.default_rng(4)
    replayed = [fit(play(schedule(truth, 12, True), truth, chance, luck=0.85)) for _ in range(10)]
    alone = [fit(play(apart(schedule(truth, 12, True)), truth, chance, luck=0.85)) for _ in range(10)]
    assert np.mean([mean_half(found) for found in replayed]) < 0.9 * np.mean([mean_half(found) for found in alone])


@pytest.mark.exhaustive
def test_deals_shared_with_other_matches_rate_more_precisely_than_deals_of_their_own() -> None:
    """Nobody replays a deal here: what helps is the comparison with the other matches."""
    truth, chance = field(12, 200), np.random.default_rng(5)
    tournament = list(schedule(truth, 3, stateless=False))
    shared = [fit(play(tournament, truth, chance, luck=0.85)) for _ in range(25)]
    alone = [fit(play(apart(tournament), truth, chance, luck=0.85)) for _ in range(25)]
    error = [float(np.std([errors(found, truth) for found in group])) for group in (shared, alone)]
    half = [float(np.mean([mean_half(found) for found in group])) for group in (shared, alone)]
    assert error[0] < 0.85 * error[1]
    assert half[0] < 0.95 * half[1]


def apart(blocks: Iterable[Block]) -> list[Block]:
    """Returns the same matches, each as a block of its own on a deal of its own."""
    matches = [match for block in blocks for match in block.matches]
    return [Block(number, number, 0, 0, 0, match.deal + 1, (match,)) for number, match in enumerate(matches)]


@pytest.mark.exhaustive
def test_comparison_with_a_strong_table_is_no_disadvantage() -> None:
    """Of two equal bots, one always has its cards compared with the best bot's and the other with the worst one's."""
    truth = {"a": 1500.0, "b": 1500.0, "strong": 1800.0, "weak": 1200.0}
    chance = np.random.default_rng(6)
    seatings = [(("a", "b"), ("strong", "weak")), (("b", "a"), ("weak", "strong"))] * 40
    links = [(("a", "weak"), ("weak", "a")), (("b", "weak"), ("weak", "b"))] * 5
    blocks = [
        Block(number, number, 0, 0, 0, 1, tuple(_match(number, place, bots) for place, bots in enumerate(matches)))
        for number, matches in enumerate(seatings + links)
    ]
    found = [fit(play(blocks, truth, chance, luck=0.9)) for _ in range(60)]
    differences = [each["a"].rating - each["b"].rating for each in found]
    error = float(np.std(differences)) / sqrt(len(differences))
    assert np.median([each.deal_luck for each in found]) > 100
    assert error < 5
    assert abs(float(np.mean(differences))) < 3 * error


def test_unbalanced_seats_do_not_bias_the_ratings() -> None:
    """One bot of three equal ones has the better seat in nine matches of ten."""
    truth, chance = {"a": 1500.0, "b": 1500.0, "c": 1500.0}, np.random.default_rng(7)
    seatings = ([("a", "b")] * 9 + [("b", "a")] + [("a", "c")] * 9 + [("c", "a")] + [("b", "c"), ("c", "b")] * 5) * 20
    blocks = [Block(n, n, 0, 0, 0, 1, (_match(n, 0, bots),)) for n, bots in enumerate(seatings)]
    found = [fit(play(blocks, truth, chance)) for _ in range(20)]
    mean = float(np.mean([each["a"].rating for each in found])) - 1500
    # Without seats in the model it would be rated SEAT_POINTS × 0.8 × 2 / 3 = 32 points too high.
    assert abs(mean) < 8
    assert np.mean([each.seats[0].advantage - each.seats[1].advantage for each in found]) == pytest.approx(
        SEAT_POINTS, abs=8
    )


def _match(block: int, place: int, bots: tuple[str, str]) -> PlannedMatch:
    return PlannedMatch(f"b{block}-{place}", 0, bots)
