"""A season's final is rated on its own blocks where every bot of it has thirty there, else on all of the season."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random

import pytest

from fudaba_arena.api.export_lines import exported, standings_lines
from fudaba_arena.api.messages.standing_messages import RATED_ON
from fudaba_arena.api.messages.standing_messages import standings as standings_message
from fudaba_arena.audit.verify import verify
from fudaba_arena.commands.display import ladder_tables
from fudaba_arena.commands.tournament_reports import ladders_from
from fudaba_arena.ladder.finals import FINAL_BLOCKS, MIXED_BLOCKS, SEASON_BLOCKS
from fudaba_arena.ladder.ladders import Ladder, Ladders, block_results, ladders_of
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import ENTER, FREEZE, LEAVE, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import FINAL_APART_BLOCKS, Season
from tests.support.arena.audit.exports import MASTER, texts

TRIO = ("ann", "ben", "cat")
HALF = FINAL_APART_BLOCKS // 2
"""The number of times that each two of three meet in a final that has just enough blocks of each."""
DAY_MS = 86_400_000


class Played:
    """A season in which those who win its regular blocks lose in its final."""

    def __init__(
        self,
        games: Sequence[str] = ("naga",),
        *,
        apart_blocks: int = FINAL_APART_BLOCKS,
        provisional_blocks: int = 10,
        rank_half: float = 0,
        idle_days: int = 0,
    ) -> None:
        self.at_ms = 0
        """The time when the blocks end that are played next."""
        entries = Entries()
        entries.add(EntryChange(ENTER, 1, bot, "1") for bot in (*TRIO, "gone"))
        stored = StoredTournament(
            {}, MASTER, ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
        )
        season = Season(
            "open",
            provisional_blocks=provisional_blocks,
            final_apart_blocks=apart_blocks,
            rank_half=rank_half,
            idle_days=idle_days,
        )
        self.state = ScheduledTournament(
            Tournament("open.1", tuple(map(TournamentGame, games)), (), season=season), stored
        )
        self.chance = Random(34)
        for game in games:
            for first, other in (("ann", "ben"), ("ann", "cat"), ("ben", "cat"), ("ann", "gone")):
                self.play(first, other, 20, game=game)

    def play(self, winner: str, loser: str, blocks: int, *, game: str = "naga", final: bool = False) -> list[int]:
        """Plays blocks, of which the winner takes most; their numbers."""
        schedule, numbers = self.state.schedule, []
        assert isinstance(schedule, ChosenSchedule)
        for _ in range(blocks):
            group = (f"{winner}@1", f"{loser}@1")
            block = schedule.add(ChosenBlock(game, (group,), shared=False, final=final))
            results = []
            for match in block.matches:
                won = self.chance.choice((1, 1, 1, -1)) * (1 if match.bots == group else -1)
                results.append(MatchResult(match.match_id, block.number, match.deal, match.bots, (won, -won)))
            closed = ClosedBlock(block.number, block.slot, game, tuple(results), len(results), at_ms=self.at_ms)
            self.state.close(closed)
            numbers.append(block.number)
        return numbers

    def final(self, blocks: int = HALF, *, game: str = "naga") -> list[int]:
        """Freezes the versions, and has each two of three play so many blocks of the final; their numbers."""
        if self.state.stored.entries.frozen_ms is None:
            self.state.note_entries([EntryChange(FREEZE, 2)])
        pairs = (("cat", "ann"), ("cat", "ben"), ("ben", "ann"))
        return [number for pair in pairs for number in self.play(*pair, blocks, game=game, final=True)]

    def ladders(self) -> Ladders:
        return ladders_of(self.state, block_results(self.state))

    def ladder(self) -> Ladder:
        return self.ladders().overall

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(json.dumps(line)) for line in exported(self.state)]


def places(ladder: Ladder) -> list[str]:
    """Returns the bots that have a rank, by it."""
    ranked = [(row.rank, row.bot.partition("@")[0]) for row in ladder.rows if row.rank is not None]
    return [bot for _, bot in sorted(ranked)]


def test_a_final_with_thirty_blocks_a_bot_is_rated_on_these_alone() -> None:
    played = Played()
    assert (played.ladder().rated_on, places(played.ladder())) == ("", ["ann", "ben", "gone", "cat"])
    played.final()
    ladder = played.ladder()
    assert (ladder.rated_on, places(ladder)) == (FINAL_BLOCKS, ["cat", "ben", "ann"])
    assert {row.bot: row.blocks for row in ladder.rows} == {"ann@1": 30, "ben@1": 30, "cat@1": 30, "gone@1": 0}
    assert sum(row.rating for row in ladder.rows if row.blocks) == pytest.approx(3 * 1500)


def test_everybody_in_such_a_final_has_a_rank_however_wide_the_interval() -> None:
    played = Played(rank_half=50)
    played.final()
    rows = {row.bot: row for row in played.ladder().rows}
    assert min(row.half for row in rows.values() if row.blocks) > 50
    assert places(played.ladder()) == ["cat", "ben", "ann"]
    assert not any(row.provisional for row in rows.values()), "and nobody who has not played it is waited for"


def test_nobody_loses_a_rank_by_having_played_such_a_final_long_before_the_others() -> None:
    played = Played(idle_days=7)
    played.state.note_entries([EntryChange(FREEZE, 2)])
    for at_ms, winner, loser in ((1, "cat", "ann"), (1, "cat", "ben"), (30 * DAY_MS, "ben", "ann")):
        played.at_ms = at_ms
        played.play(winner, loser, HALF, final=True)
    assert places(played.ladder()) == ["cat", "ben", "ann"]
    assert not any(row.idle for row in played.ladder().rows)


def test_a_final_in_which_a_bot_has_fewer_is_pooled_with_the_season() -> None:
    played = Played()
    *_, last = played.final()
    pooled = Played(apart_blocks=0)
    pooled.final()
    played.state.stored.blocks.hold([Annulment((last,), "why", 3)])
    pooled.state.stored.blocks.hold([Annulment((last,), "why", 3)])
    assert played.ladder().rated_on == SEASON_BLOCKS
    assert played.ladder().rows == pooled.ladder().rows
    played.play("ben", "ann", 1, final=True)
    assert played.ladder().rated_on == FINAL_BLOCKS


def test_who_has_enough_blocks_for_a_final_that_is_rated_apart_has_enough_for_a_rank_in_it() -> None:
    played = Played(provisional_blocks=FINAL_APART_BLOCKS + 1)
    played.final()
    assert places(played.ladder()) == ["cat", "ben", "ann"]


def test_the_history_of_a_season_is_pooled_until_its_final_had_thirty_blocks_a_bot() -> None:
    played = Played()
    begin = played.state.stored.blocks.length
    played.final()
    counting = played.state.stored.blocks.counting()
    for end, rated_on in ((begin, ""), (begin + 1, SEASON_BLOCKS), (-1, SEASON_BLOCKS), (len(counting), FINAL_BLOCKS)):
        assert ladders_of(played.state, block_results(played.state, counting[:end])).overall.rated_on == rated_on


def test_who_leaves_once_the_final_is_over_changes_nothing_of_what_it_is_rated_on() -> None:
    for blocks, rated_on in ((HALF, FINAL_BLOCKS), (HALF - 1, SEASON_BLOCKS)):
        played = Played()
        played.final(blocks)
        before = {row.bot: row.rating for row in played.ladder().rows}
        played.state.note_entries([EntryChange(LEAVE, 3, "ann")])
        assert played.ladder().rated_on == rated_on
        assert {row.bot: row.rating for row in played.ladder().rows} == before


def test_a_season_that_began_before_there_was_this_rule_is_pooled_and_says_nothing_else() -> None:
    played = Played(apart_blocks=0)
    played.final(2 * HALF)
    assert played.ladder().rated_on == ""
    assert {row.bot: row.blocks for row in played.ladder().rows}["ann@1"] == 60 + 4 * HALF
    lines = played.lines()
    assert not any("rated_on" in line for line in lines)
    del lines[0]["definition"]["season"]["final_apart_blocks"]  # type: ignore[index]  # as the release before has it
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, report.rated, report.rated_on) == ([], 1, {})


@pytest.mark.parametrize(("blocks", "rated_on"), [(HALF, FINAL_BLOCKS), (HALF - 1, SEASON_BLOCKS)])
def test_an_export_says_which_and_anybody_can_make_its_standings_again(blocks: int, rated_on: str) -> None:
    played = Played()
    played.final(blocks)
    lines = played.lines()
    [standings] = [line for line in lines if line["kind"] == "standings"]
    assert standings["rated_on"] == rated_on
    report = verify(texts(lines), rate=standings_lines)
    assert (report.faults, report.rated, report.rated_on) == ([], 1, {"naga": rated_on})
    standings["rated_on"] = FINAL_BLOCKS if rated_on == SEASON_BLOCKS else SEASON_BLOCKS
    assert [fault.code for fault in verify(texts(lines), rate=standings_lines).faults] == ["STANDINGS"]


def test_each_game_is_rated_by_its_own_blocks_of_the_final_and_a_mixture_is_called_so() -> None:
    played = Played(("naga", "mokkaik"))
    played.final()
    assert {game: ladder.rated_on for game, ladder in played.ladders().games.items()} == {
        "naga": FINAL_BLOCKS,
        "mokkaik": SEASON_BLOCKS,
    }
    assert played.ladder().rated_on == MIXED_BLOCKS
    played.final(game="mokkaik")
    assert {ladder.rated_on for ladder in played.ladders().named().values()} == {FINAL_BLOCKS}
    assert places(played.ladder()) == ["cat", "ben", "ann"]


def test_standings_say_which_over_the_wire_too() -> None:
    played = Played()
    played.final()
    ladders = played.ladders()
    [message] = standings_message(ladders)
    assert message.rated_on == RATED_ON[FINAL_BLOCKS]
    assert ladders_from([message]).overall.rated_on == FINAL_BLOCKS
    assert "rated on the blocks of the final alone" in ladder_tables(ladders_from([message]))
