"""What of a stored season goes into its fair-play report, and how the report is told."""

from __future__ import annotations

from dataclasses import replace

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages import fair_play_messages
from fudaba_arena.ladder.fairplay import Kind, Line, Report, fair_play, played_season
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season as Rules
from tests.support.arena.ladder.made_up_season import FIELD, Season, honest, throwing


def stored(season: Season) -> ScheduledTournament:
    """Returns a state with these closed blocks, whose entries are of one account each but the first two."""
    blocks = ClosedBlocks(lines={})
    blocks.add([block.line() for block in season.blocks])
    entries = Entries()
    entries.add(EntryChange(ENTER, 1, bot, "1", account="both" if bot in FIELD[:2] else f"of {bot}") for bot in FIELD)
    kept = StoredTournament({}, bytes(32), blocks, {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries)
    return ScheduledTournament(Tournament("t.1", (TournamentGame("naga"),), (), season=Rules("t")), kept)


def test_a_stored_season_has_the_same_report_as_its_blocks() -> None:
    season = Season(1).play(10, throwing("bot-06"))
    [line] = fair_play(played_season(stored(season))).lines
    assert (line.kind, line.gaining, line.giving) == (Kind.PAIR, ("bot-04",), ("bot-06",))


def test_entries_of_one_account_have_one_owner() -> None:
    owners = played_season(stored(Season(1).play(1))).owners
    assert owners["bot-00"] == owners["bot-01"] == "account both"
    assert len(set(owners.values())) == len(FIELD) - 1


def test_annulled_blocks_and_groups_are_left_out() -> None:
    season = Season(2)
    for number in range(4):
        a, b, c, d = FIELD[:4]
        season.close([(a, b, honest(a, b)), (c, d, honest(c, d))], void=number == 3)
    state = stored(season)
    state.stored.blocks.hold([Annulment((0,), "wrong", 5), Annulment((1,), "wrong", 5, (f"{FIELD[0]}@1",))])
    blocks = played_season(state).blocks
    assert [(block.block, len(block.counted)) for block in blocks] == [(1, 2), (2, 4), (3, 0)]
    assert {bot for match in blocks[0].counted for bot in match.bots} == {f"{bot}@1" for bot in FIELD[2:4]}


def test_every_match_with_a_disqualified_entry_is_left_out() -> None:
    season = Season(2)
    a, b, c, d = FIELD[:4]
    season.close([(a, b, honest(a, b)), (c, d, honest(c, d))])
    season.close([(a, b, honest(a, b))])
    state = stored(season)
    state.stored.blocks.hold([Annulment((0, 1), "foul", 5, (f"{a}@1",), disqualifies=a)])
    [block] = played_season(state).blocks
    assert {bot for match in block.counted for bot in match.bots} == {f"{c}@1", f"{d}@1"}


def test_blocks_come_in_the_order_in_which_they_were_closed() -> None:
    season = Season(2).play(1)
    season.blocks = [replace(block, block=len(season.blocks) - block.block) for block in season.blocks]
    assert [block.block for block in played_season(stored(season)).blocks] == [block.block for block in season.blocks]


def test_a_report_is_told_whole() -> None:
    line = Line(Kind.FORFEITS, "naga", ("a",), ("b", "c"), "", 3, 0.5, 0.25, None, None, 0.01, ("m1", "m2"), 7)
    message = fair_play_messages.fair_play(2, Report((line, replace(line, effect=40.0, effect_error=9.0)), 12, 34))
    assert (message.season, message.comparisons, message.blocks) == (2, 12, 34)
    without, with_effect = message.lines
    assert without.kind == arena_pb2.FAIR_PLAY_KIND_FORFEITS
    assert (list(without.gaining), list(without.giving), without.game) == (["a"], ["b", "c"], "naga")
    assert (without.blocks, without.share, without.expected_share, without.probability) == (3, 0.5, 0.25, 0.01)
    assert (list(without.match_ids), without.match_count, without.HasField("effect")) == (["m1", "m2"], 7, False)
    assert (with_effect.effect, with_effect.effect_error) == (40.0, 9.0)


def test_every_kind_of_line_has_a_value_in_the_contract() -> None:
    line = Line(Kind.PAIR, "naga", ("a",), ("b",), "", 3, 0.5, 0.25, None, None, 0.01, (), 7)
    report = Report([replace(line, kind=kind) for kind in Kind], 9, 9)
    kinds = [each.kind for each in fair_play_messages.fair_play(1, report).lines]
    assert sorted(kinds) == sorted(number for number in arena_pb2.FairPlayKind.values() if number)
