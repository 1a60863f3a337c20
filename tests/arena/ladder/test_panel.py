"""A panel fixes the zero: nobody who enters moves what others have."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from random import Random

import numpy as np
import pytest

from bench.ratings import MARGIN_POINTS, TRUTH_BLOCKS, WORLDS, World
from bench.zero import crowded, panel_of
from fudaba_arena.ladder.finals import enough_in_final
from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.ladder.ratings import BlockResult, FixedStrengths, RatedMatch, Results, fit
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.panel import Panel, PanelBot
from fudaba_arena.tournament.season import Season
from tests.support.sizes import exhaustive, some

_WORLDS = WORLDS[:6] if exhaustive() else WORLDS[:1]
PANEL = Panel("naga", 2.0, (PanelBot("sensible", 1500.0, 0.0), PanelBot("random", 1200.0, 9.0)))
FIXED = FixedStrengths({"strong": 0.0, "weak": -300.0}, {"strong": 0.0, "weak": 9.0}, 2.0)


def blocks(pairs: list[tuple[str, str, int]], seed: int = 1) -> list[BlockResult]:
    """Returns blocks of two matches: the first bot wins this percentage of them."""
    chance, found = Random(seed), []
    for number, (first, other, percent) in enumerate(pairs):
        won = [1 if chance.randrange(100) < percent else -1 for _ in range(2)]
        matches = [
            RatedMatch(f"{number}-0", 0, (first, other), (won[0], -won[0])),
            RatedMatch(f"{number}-1", 0, (other, first), (-won[1], won[1])),
        ]
        found.append(BlockResult(number, tuple(matches)))
    return found


def test_ratings_stand_from_the_fixed_strengths() -> None:
    found = fit(blocks([("new", "strong", 64)] * 3_000), bots=["weak"], fixed=FIXED)
    assert (found["strong"].rating, found["weak"].rating) == (1500.0, 1200.0)
    assert (found["strong"].half, found["weak"].half) == (0.0, 9.0)
    assert found["new"].rating == pytest.approx(1600, abs=15)
    assert found["new"].component == found["weak"].component  # which has met nobody


def test_bots_that_met_different_bots_of_the_panel_compare() -> None:
    found = fit(blocks([("a", "strong", 50), ("b", "weak", 50)] * 2_000), fixed=FIXED)
    assert found["a"].rating - found["b"].rating == pytest.approx(300, abs=20)
    assert found["a"].component == found["b"].component


def test_bots_that_nothing_ties_to_the_panel_have_a_zero_of_their_own() -> None:
    found = fit(blocks([("a", "strong", 50), ("x", "y", 64)] * 500), fixed=FIXED)
    assert found["x"].component != found["a"].component
    assert found["x"].rating + found["y"].rating == pytest.approx(3_000)


def test_the_unit_is_the_panel_s_whatever_the_field_plays_like() -> None:
    drawn = [
        BlockResult(number, (RatedMatch(f"d{number}", 0, ("new", "dull"), (0, 0)),)) for number in range(10_000, 18_000)
    ]
    played = blocks([("new", "strong", 76)] * 2_000)
    alone, beside = fit(played, fixed=FIXED), fit([*played, *drawn], fixed=FIXED)
    assert beside["new"].rating == pytest.approx(alone["new"].rating, abs=3)
    assert alone.spread == beside.spread == 2.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("world", _WORLDS, ids=[world.name for world in _WORLDS])
def test_intervals_from_a_panel_cover_the_truth_about_as_often_as_they_say(world: World) -> None:
    panel = [f"bot{place:03}" for place in (1, world.bots // 2, world.bots - 2)]
    many = world.play(TRUTH_BLOCKS, np.random.default_rng(1_000_000))
    measured = fit(many, win_margin=MARGIN_POINTS, anchor=panel[1])
    strengths = {name: measured[name].rating - 1500 for name in panel}
    fixed = FixedStrengths(strengths, dict.fromkeys(panel, 0.0), measured.spread)
    truth = fit(many, win_margin=MARGIN_POINTS, fixed=fixed)
    covered = []
    for seed in range(some(50, least=20)):
        found = fit(world.play(400, np.random.default_rng(seed)), win_margin=MARGIN_POINTS, fixed=fixed)
        covered += [
            abs(rating.rating - truth[rating.bot].rating) <= rating.half
            for rating in found.ratings
            if rating.bot not in panel
        ]
    assert 0.92 <= float(np.mean(covered)) <= 0.985


@pytest.mark.exhaustive
def test_thirty_weak_versions_move_the_leader_by_hundreds_and_with_a_panel_hardly() -> None:
    world = replace(WORLDS[0], bots=20, spread=200.0)
    panel, seeds = panel_of(world, 30_000), range(some(3))
    moves = [after - before for before, _, after in (crowded(world, panel, -600.0, seed) for seed in seeds)]
    assert abs(float(np.mean(moves))) < 25  # the prior draws the thirty upwards, and those that they met after them
    if exhaustive():
        before, _, after = crowded(world, None, -600.0, 1)
        assert after - before > 200


def ladders(entered: list[str], played: list[tuple[str, str]]) -> Ladders:
    entries, chance = Entries(), Random(5)
    entries.add([EntryChange(ENTER, 1, bot, "1") for bot in entered])
    lines = []
    for number, (first, other) in enumerate(played):
        won = [chance.choice((1, -1)) for _ in range(2)]
        results = [MatchResult(f"m{number}-{d}", number, d, (first, other), (won[d], -won[d])) for d in range(2)]
        lines.append(ClosedBlock(number, number, "naga", tuple(results), 2, at_ms=1).line())
    closed = ClosedBlocks()
    closed.add(lines)
    stored = StoredTournament({}, bytes(32), closed, {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries)
    season = Season("open", provisional_blocks=5, panels=(PANEL,))
    state = ScheduledTournament(Tournament("open.1", (TournamentGame("naga"),), (), season=season), stored)
    return ladders_of(state, block_results(state))


def test_bots_of_the_panel_are_shown_with_their_strengths_and_have_no_rank() -> None:
    found = ladders(
        ["panel-sensible", "panel-random", "mine"],
        [("mine@1", "panel-sensible@1"), ("mine@1", "panel-random@1")] * 20,
    )
    rows = {row.bot: row for row in found.overall.rows}
    assert (rows["mine@1"].rank, rows["mine@1"].panel) == (1, False)
    for bot, rating, half in (("panel-sensible@1", 1500.0, 0.0), ("panel-random@1", 1200.0, 9.0)):
        row = rows[bot]
        assert (row.rank, row.panel, row.provisional, row.rating, row.half) == (None, True, False, rating, half)
    assert isfinite(rows["mine@1"].half)


def test_a_final_is_rated_apart_whatever_the_panel_has_played_in_it() -> None:
    played = Results.from_blocks(blocks([("a", "b", 50)] * 30 + [("a", "panel", 50)] * 2))
    assert not enough_in_final(played, 30)
    assert enough_in_final(played, 30, {"panel"})
