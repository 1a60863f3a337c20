"""Over several games of a ladder a bot is ranked by the shares that its ratings predict, which are bounded."""

from __future__ import annotations

from math import isfinite

import pytest

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.commands.display import ladder_tables
from fudaba_arena.commands.tournament_reports import ladders_from
from fudaba_arena.ladder.ladders import Ladders, block_results, ladders_of
from fudaba_arena.ladder.ratings import (
    BlockResult,
    Fit,
    Rated,
    RatedMatch,
    expected_share,
    overall,
    rate,
    rating_of_share,
)
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

GAMES = ("naga", "makkaik")


def duels(blocks: int, y_wins_every: int) -> Rated:
    """Returns a game in which Y wins every match of which the number divides by this, of two a block, and X the others.

    Blocks that go alike are given once, with their number.
    """
    kinds: dict[tuple[bool, bool], int] = {}
    for block in range(blocks):
        went = tuple((2 * block + match + 1) % y_wins_every == 0 for match in (0, 1))
        kinds[went[0], went[1]] = kinds.get((went[0], went[1]), 0) + 1
    return rate(
        [
            BlockResult(
                number,
                tuple(
                    RatedMatch(f"{number}-{place}", 0, bots, scores if bots[0] == "x" else scores[::-1])
                    for place, (bots, y_won) in enumerate(zip((("x", "y"), ("y", "x")), went, strict=True))
                    for scores in [(-1, 1) if y_won else (1, -1)]
                ),
                times,
            )
            for number, (went, times) in enumerate(kinds.items())
        ]
    )


def ahead(blocks: int, *, shares: bool) -> float:
    """Returns how far X, which wins two matches in three of ten games, is ahead of Y, which wins all of another one."""
    games = {f"game-{number}": duels(blocks, 3) for number in range(10)} | {"lost": duels(blocks, 1)}
    found = overall(games, shares=shares)
    return found["x"].rating - found["y"].rating


@pytest.mark.parametrize("blocks", [2, 10, 100, 1_000])
def test_ten_games_in_which_x_is_better_outweigh_one_that_y_always_wins_however_many_blocks(blocks: int) -> None:
    assert ahead(blocks, shares=True) > 0


def test_the_mean_of_ratings_turns_their_order_with_the_number_of_blocks() -> None:
    assert ahead(2, shares=False) > 0 > ahead(1_000, shares=False)


def test_one_game_counts_at_most_for_all_that_there_is_to_take() -> None:
    shares = [expected_share(above) for above in range(-20_000, 20_001, 100)]
    assert shares == sorted(shares)
    assert [shares[0], shares[-1]] == pytest.approx([0, 1])
    assert expected_share(200) == pytest.approx(0.5), "the mean of the opponents stands at 200"


@pytest.mark.parametrize("above", [-3_000.0, -400.0, -1.0, 0.0, 200.0, 800.0, 3_000.0])
def test_the_overall_rating_is_that_of_a_bot_that_takes_the_share_everywhere(above: float) -> None:
    assert rating_of_share(expected_share(above)) == pytest.approx(above, abs=1e-4)


def same_games(shares: bool) -> tuple[Fit, Fit]:
    alone = duels(40, 3)
    return alone.fit(), overall({"one": alone, "two": duels(40, 3)}, shares=shares)


def test_equal_ratings_in_all_games_are_the_overall_rating_with_an_interval_that_is_narrower_by_a_root() -> None:
    alone, together = same_games(shares=True)
    for bot in ("x", "y"):
        assert together[bot].rating == pytest.approx(alone[bot].rating, abs=1e-6)
        assert together[bot].standard_error == pytest.approx(alone[bot].standard_error / 2**0.5)
        expected = together[bot].expected
        assert expected is not None
        bounds = [expected_share(points - 1500) for points in (together[bot].low, together[bot].high)]
        assert [expected.low, expected.high] == pytest.approx(bounds)
        assert expected.low < expected.share < expected.high


def season(*, overall_shares: bool) -> Ladders:
    """Returns the ladders of a season of two games, in one of which a bot has not played."""
    entries, blocks = Entries(), ClosedBlocks()
    entries.add([EntryChange(ENTER, 1, bot, "1") for bot in ("a", "b", "c")])
    pairs = [(game, *pair) for game in GAMES for pair in (("a@1", "b@1"), ("b@1", "a@1"))]
    for number, (game, first, other) in enumerate([*pairs, ("naga", "a@1", "c@1")]):
        result = MatchResult(f"m{number}", number, 0, (first, other), (1, -1) if first < other else (-1, 1))
        blocks.add([ClosedBlock(number, number, game, (result,), 1, at_ms=number).line()])
    stored = StoredTournament({}, bytes(32), blocks, {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries)
    rules = Season("open", provisional_blocks=1, overall_shares=overall_shares)
    state = ScheduledTournament(Tournament("open.1", tuple(map(TournamentGame, GAMES)), (), season=rules), stored)
    return ladders_of(state, block_results(state))


def test_standings_have_the_expected_share_in_the_table_as_json_and_over_the_wire() -> None:
    ladders = season(overall_shares=True)
    rows = {row.bot: row for row in ladders.overall.rows}
    assert rows["c@1"].expected_share is None, "it has not played all games"
    best = rows["a@1"]
    assert best.expected_share is not None
    assert best.rank == 1
    assert f" {100 * best.expected_share:.0f}% " in ladder_tables(ladders, "overall")
    messages = standing_messages.standings(ladders)
    assert {standings.point for standings in messages} == {5}
    read_back = ladders_from(arena_pb2.Standings.FromString(each.SerializeToString()) for each in messages)
    assert ladder_tables(read_back) == ladder_tables(ladders)
    assert read_back.overall.rows[0].expected_high == best.expected_high
    assert read_back.point == 5


def test_a_season_that_began_without_the_rule_has_the_mean_of_ratings() -> None:
    ladders = season(overall_shares=False)
    rows = {row.bot: row for row in ladders.overall.rows}
    assert rows["a@1"].expected_share is None
    assert isfinite(rows["a@1"].half)
    assert "expected" not in ladder_tables(ladders, "overall")
