"""What is said of a ladder's standings, in words."""

from __future__ import annotations

import pytest

from fudaba.cli._ladder_words import ladder_lines, standings_notes, standings_table
from fudaba.cli._tournament_words import block_name, tournament_lines, why_void
from fudaba.cli.rated_blocks import RATED_ON, rated_on_lines
from fudaba.v1 import arena_pb2


def test_a_version_that_has_played_nothing_yet_is_explained() -> None:
    played = arena_pb2.Standing(bot="old@1", blocks=30, rank=1, rating=1500, low=1400, high=1600)
    idle = arena_pb2.Standing(bot="new@4")
    notes = standings_notes([arena_pb2.Standings(game="naga", rows=[played, idle])], 20)
    assert notes == ["  new@4 has no rating: it has played no block that counts; `fudaba ladder entries` says more"]


def test_a_table_has_expected_shares_where_there_are_any_and_marks_who_changes_with_time() -> None:
    steady = arena_pb2.Standing(bot="steady@1", rank=1, rating=1500, low=1400, high=1600, expected_share=0.375)
    changing = arena_pb2.Standing(bot="learner@1", rank=2, rating=1480, low=1400, high=1560, changes_with_time=True)
    head, first, second = standings_table([steady, changing]).splitlines()
    assert head.split()[5:7] == ["expected", "blocks"]
    assert first.split()[:5] == ["1", "steady@1", "1500", "100", "38%"]
    assert second.split()[4] == "-"
    assert second.endswith("changes with time")
    assert "expected" not in standings_table([changing])


def test_a_ladder_says_what_its_panel_is_and_the_table_marks_it() -> None:
    bots = [
        arena_pb2.PanelBot(bot="panel-random", rating=1100.4, half=21.5),
        arena_pb2.PanelBot(bot="panel-sensible", rating=1500),
    ]
    rules = arena_pb2.LadderDefinition(panels=[arena_pb2.RatingPanel(game="naga", spread=2, bots=bots)])
    lines = ladder_lines(arena_pb2.Ladder(name="open", definition=rules))
    words = "zero of naga: the panel, which plays along with fixed ratings: panel-sensible 1500, panel-random 1100 ± 22"
    assert words in lines
    row = arena_pb2.Standing(bot="panel-random@1", rating=1100, low=1079, high=1122, panel=True, blocks=1)
    assert standings_table([row]).splitlines()[1].endswith("panel, fixed")
    assert standings_notes([arena_pb2.Standings(game="naga", rows=[row])], 20, 50.0) == []


def test_standings_say_on_which_blocks_of_a_season_whose_final_is_played_they_are_rated() -> None:
    def on(*rated_on: arena_pb2.RatedBlocks.ValueType) -> list[str]:
        games = ("overall", "naga", "mokkaik") if len(rated_on) > 1 else ("naga",)
        return rated_on_lines(
            [arena_pb2.Standings(game=game, rated_on=on) for game, on in zip(games, rated_on, strict=False)]
        )

    whole, final = arena_pb2.RATED_BLOCKS_SEASON, arena_pb2.RATED_BLOCKS_FINAL
    assert on() == on(arena_pb2.RATED_BLOCKS_UNSPECIFIED) == []
    assert on(whole) == on(whole, whole, whole) == [RATED_ON["season"]]
    assert on(final) == [RATED_ON["final"]]
    assert on(arena_pb2.RATED_BLOCKS_MIXED, final, whole) == [
        RATED_ON["mixed"],
        f"  naga: {RATED_ON['final']}",
        f"  mokkaik: {RATED_ON['season']}",
    ]


@pytest.mark.parametrize(
    ("final_blocks", "apart_blocks", "said"),
    [(40, 30, ["final: 40 blocks of each game; rated apart from the season where every bot has 30 blocks in it"])]
    + [(final_blocks, apart_blocks, []) for final_blocks, apart_blocks in ((0, 30), (40, 0))],
)
def test_a_ladder_says_when_its_final_is_rated_apart(final_blocks: int, apart_blocks: int, said: list[str]) -> None:
    rules = arena_pb2.LadderDefinition(final_blocks=final_blocks, final_apart_blocks=apart_blocks)
    lines = ladder_lines(arena_pb2.Ladder(name="open", definition=rules))
    assert [line for line in lines if line.startswith("final")] == said


@pytest.mark.parametrize(
    ("pair", "author", "said"),
    [
        (0.25, 0.4, ["at most 25 % with one bot, 40 % with the bots of one author, unless too few bots are here"]),
        (0.125, 0.0, ["at most 12.5 % with one bot, unless too few bots are here"]),
        (0.0, 0.0, []),
    ],
)
def test_a_ladder_says_how_much_of_its_blocks_a_bot_may_play_with_others(
    pair: float, author: float, said: list[str]
) -> None:
    rules = arena_pb2.LadderDefinition(pair_share=pair, author_share=author)
    lines = ladder_lines(arena_pb2.Ladder(name="open", definition=rules))
    of_blocks = "of a version's blocks: "
    assert [line.removeprefix(of_blocks) for line in lines if line.startswith(of_blocks)] == said


def test_nothing_is_said_of_those_who_have_not_played_in_a_final_that_is_rated_apart() -> None:
    rows = [arena_pb2.Standing(bot="old@1", blocks=30, rank=1, low=1400, high=1600), arena_pb2.Standing(bot="new@4")]
    final = arena_pb2.Standings(game="naga", rows=rows, rated_on=arena_pb2.RATED_BLOCKS_FINAL)
    assert standings_notes([final], 20) == []


def test_a_block_is_called_by_its_own_number_whatever_attempt_it_is() -> None:
    assert block_name(arena_pb2.Block(number=144, slot=144)) == "144"
    assert block_name(arena_pb2.Block(number=2**32 + 144, slot=144, attempt=1)) == "144 (attempt 2)"
    assert block_name(arena_pb2.Block(number=70, slot=10, attempt=1)) == "70"


@pytest.mark.parametrize(
    ("sittings", "said"),
    [
        (arena_pb2.SITTINGS_UNSPECIFIED, []),
        (
            arena_pb2.SITTINGS_APART,
            ["sittings: apart (a deal is played in several seatings, by submitted bots one after the other)"],
        ),
        (arena_pb2.SITTINGS_FRESH, ["sittings: fresh (no deal is played twice)"]),
    ],
)
def test_a_ladder_and_a_tournament_say_how_often_a_deal_is_played(
    sittings: arena_pb2.Sittings.ValueType, said: list[str]
) -> None:
    season = arena_pb2.Tournament(name="open.1")
    season.definition.sittings = sittings
    for lines in (ladder_lines(arena_pb2.Ladder(name="open", tournament=season)), tournament_lines(season)):
        assert [line for line in lines if line.startswith("sittings")] == said


@pytest.mark.parametrize("without", [False, True])
def test_a_ladder_and_a_tournament_say_where_their_clock_credits_no_time_on_the_network(without: bool) -> None:
    season = arena_pb2.Tournament(name="open.1")
    season.definition.clock.no_network_credit = without
    for lines in (ladder_lines(arena_pb2.Ladder(name="open", tournament=season)), tournament_lines(season)):
        assert ("network: all time on it is the bots' own" in lines) is without


def test_they_say_how_many_cores_each_seat_has_where_it_has_any() -> None:
    season = arena_pb2.Tournament(name="open.1")
    for value, said in ((0.0, 0), (0.5, 1)):
        del season.definition.limits[:]
        season.definition.limits.add(name="cores_per_seat", value=value, unit="cores")
        season.definition.limits.add(name="cores", value=2, unit="cores")
        for lines in (ladder_lines(arena_pb2.Ladder(name="open", tournament=season)), tournament_lines(season)):
            assert lines.count("cores: 0.5 of its own for each seat of a submitted bot") == said
            assert sum(line.startswith("cores:") for line in lines) == said


@pytest.mark.parametrize(
    ("isolation", "said"),
    [
        (
            arena_pb2.Isolation(mode="bubblewrap", version="0.8.0", workers=2),
            "bubblewrap, worker as root (0.8.0; 2 workers)",
        ),
        (arena_pb2.Isolation(mode="pods", version="gvisor", workers=1), "pods (gvisor; 1 worker)"),
        (arena_pb2.Isolation(mode="unsafe", workers=1), "unsafe, no sandbox at all (1 worker)"),
        (arena_pb2.Isolation(mode="remote"), "remote, bots run at their authors'"),
        (arena_pb2.Isolation(workers=1), "not told by workers of an earlier release (1 worker)"),
        (
            arena_pb2.Isolation(mode="pods", workers=1, not_enforced=["cpu", "ponder"], enforcement_told=True),
            "pods (1 worker); NOT ENFORCED (cannot there): cpu, ponder",
        ),
        (
            arena_pb2.Isolation(mode="bubblewrap", workers=1, not_enforced=["ponder"]),
            "bubblewrap, worker as root (1 worker); NOT ENFORCED (not told by workers of an earlier release): ponder",
        ),
        (arena_pb2.Isolation(mode="later\x1b[2J", workers=1), "later\ufffd[2J (1 worker)"),
    ],
)
def test_a_ladder_says_in_what_the_bots_run_that_authors_entered(isolation: arena_pb2.Isolation, said: str) -> None:
    found = arena_pb2.Ladder(name="open", isolations=[isolation])
    assert f"isolation: {said}" in ladder_lines(found)
    assert not [line for line in ladder_lines(arena_pb2.Ladder(name="open")) if line.startswith("isolation")]


def test_they_say_where_bots_are_frozen_while_they_owe_no_decision() -> None:
    season = arena_pb2.Tournament(name="open.1")
    for value, said in ((None, 0), (1.0, 0), (0.0, 1)):
        del season.definition.limits[:]
        if value is not None:  # an arena of an earlier release does not tell it
            season.definition.limits.add(name="ponder", value=value)
        for lines in (ladder_lines(arena_pb2.Ladder(name="open", tournament=season)), tournament_lines(season)):
            assert sum(line.startswith("pondering: none") for line in lines) == said


def test_every_cause_of_a_void_block_has_words() -> None:
    for cause in arena_pb2.VoidCause.values():
        block = arena_pb2.Block(state=arena_pb2.BLOCK_STATE_VOID, void_cause=cause)
        assert ("does not know" in why_void(block)) is (cause == arena_pb2.VOID_CAUSE_UNSPECIFIED)
