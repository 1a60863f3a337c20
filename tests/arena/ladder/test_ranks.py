"""A rank wants certainty: neither luck in a few blocks nor a pause at the right time gives one, or keeps it."""

from __future__ import annotations

from random import Random

from fudaba_arena.ladder.ladders import Ladder, block_results, ladders_of
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

DAY_MS = 86_400_000
FIELD = tuple(f"bot-{n}" for n in range(12))


class Played:
    """A season of Naga whose bots are all equally strong."""

    def __init__(self, **rules: float) -> None:
        self.entries = Entries()
        self.lines: list[bytes] = []
        self.chance = Random(34)
        self.season = Season("open", provisional_blocks=10, **rules)  # type: ignore[arg-type]  # whole or not

    def enter(self, bot: str, version: str = "1") -> None:
        self.entries.add([EntryChange(ENTER, 1, bot, version)])

    def play(self, first: str, other: str, blocks: int, day: float = 1) -> int:
        """Plays blocks of two deals. Returns how many points the first took."""
        points = 0
        for _ in range(blocks):
            number, results = len(self.lines), []
            for deal in range(2):
                won = self.chance.choice((1, -1))
                points += won
                results.append(MatchResult(f"m{number}-{deal}", number, deal, (first, other), (won, -won)))
            closed = ClosedBlock(number, number, "naga", tuple(results), 2, at_ms=int(day * DAY_MS))
            self.lines.append(closed.line())
        return points

    def ladder(self) -> Ladder:
        blocks = ClosedBlocks()
        blocks.add(self.lines)
        stored = StoredTournament({}, bytes(32), blocks, {}, set(), set(), {}, {}, 3, 0, 0, False, entries=self.entries)
        state = ScheduledTournament(Tournament("open.1", (TournamentGame("naga"),), (), season=self.season), stored)
        return ladders_of(state, block_results(state)).overall

    def rows(self) -> dict[str, Standing]:
        return {row.bot: row for row in self.ladder().rows}


def resubmitted(**rules: float) -> tuple[Played, str]:
    """Of thirty versions of a bot that have played ten blocks each, the luckiest was entered again, as the last one."""
    played, points = Played(**rules), {}
    for bot in FIELD:
        played.enter(bot)
    for number, bot in enumerate(FIELD):
        for other in FIELD[number + 1 :]:
            played.play(f"{bot}@1", f"{other}@1", 30)
    for version in map(str, range(1, 31)):
        played.enter("again", version)
        opponents = played.chance.sample(FIELD, 5)
        points[version] = sum(played.play(f"again@{version}", f"{other}@1", 2) for other in opponents)
    luckiest = max(points, key=lambda version: points[version])
    played.enter("again", luckiest)
    return played, f"again@{luckiest}"


def test_the_luckiest_of_thirty_equal_versions_had_the_best_rank_and_has_none() -> None:
    before, luckiest = resubmitted()
    assert before.rows()[luckiest].rank == 1
    now, same = resubmitted(rank_half=50.0)
    row = now.rows()[same]
    assert same == luckiest
    assert (row.rank, row.provisional, row.entered_versions) == (None, True, 30)
    assert row.half > 50


def test_who_has_no_rank_yet_stands_by_the_lower_end_of_its_interval() -> None:
    played, luckiest = resubmitted(rank_half=50.0)
    order = [row.bot for row in played.ladder().rows]
    ranked = [row for row in played.ladder().rows if row.rank is not None]
    assert [row.rank for row in ranked] == sorted(row.rank or 0 for row in ranked)
    assert len(ranked) == len(FIELD)
    lower = played.rows()[luckiest].low
    assert order.index(luckiest) == sum(
        (row.rating if row.half <= 50 else row.low) > lower for row in played.ladder().rows
    )
    assert order.index(luckiest) >= 3


def test_who_plays_no_more_is_idle_after_the_ladders_days_and_has_its_rank_again_when_it_plays() -> None:
    played = Played(idle_days=7)
    for bot in ("here", "gone", "other"):
        played.enter(bot)
    for bot in ("here", "gone"):
        played.play(f"{bot}@1", "other@1", 20, day=1)
    played.play("here@1", "other@1", 1, day=8)
    assert not any(row.idle for row in played.rows().values())
    played.play("here@1", "other@1", 1, day=8.1)
    gone = played.rows()["gone@1"]
    assert (gone.rank, gone.idle, gone.provisional, gone.last_played_ms) == (None, True, False, DAY_MS)
    assert {played.rows()[bot].rank for bot in ("here@1", "other@1")} == {1, 2}
    played.play("gone@1", "other@1", 1, day=9)
    assert (played.rows()["gone@1"].rank is not None, played.rows()["gone@1"].idle) == (True, False)


def test_nobody_is_idle_while_the_ladder_stands_still_or_where_it_has_no_such_rule() -> None:
    for rules, day in (({"idle_days": 7}, 1.0), ({}, 100.0)):
        played = Played(**rules)
        for bot in ("one", "two"):
            played.enter(bot)
        played.play("one@1", "two@1", 20)
        played.enter("late")
        played.play("two@1", "late@1", 1, day=day)
        assert not any(row.idle for row in played.rows().values())


def test_a_version_that_is_entered_again_goes_on_with_its_own_results() -> None:
    played = Played()
    played.enter("other")
    for version in ("1", "2", "1"):
        played.enter("bot", version)
        played.play(f"bot@{version}", "other@1", 10)
    assert played.rows()["bot@1"].blocks == 20
    assert played.rows()["bot@1"].rank is not None
    assert played.rows()["bot@2"].rank is None
