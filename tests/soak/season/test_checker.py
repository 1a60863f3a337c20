"""The checker of a ladder can fail: each thing that may be wrong with a season is found, and counted as what it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fudaba.v1 import arena_pb2, record_pb2
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.schedule.seeds import block_seed, commitment, deal_seed
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult, VoidBlock
from soak.season.checker import MAX_UNLEASED_SECONDS, Count, Evidence, Told, check

MASTER = bytes(range(32))
BOTS = ("ada@1", "bob@2")
NUMBERS_PER_ATTEMPT = 2**32


def planned(number: int) -> tuple[PlannedMatch, ...]:
    return (PlannedMatch(f"m-b{number}-a", 0, BOTS), PlannedMatch(f"m-b{number}-b", 0, BOTS[::-1]))


def results(number: int) -> tuple[MatchResult, ...]:
    return tuple(
        MatchResult(match.match_id, number, match.deal, match.bots, scores, ended_ms=1_000)
        for match, scores in zip(planned(number), ((3, -3), (0, 0)), strict=True)
    )


def counted(number: int, slot: int) -> ClosedBlock:
    return ClosedBlock(number, slot, "naga", results(number), 2, at_ms=2_000)


def void(number: int, slot: int, cause: str = "worker_lost", bots: tuple[str, ...] = ()) -> ClosedBlock:
    why = VoidBlock(number, slot, cause, planned(number)[0].match_id, bots, 2_000)
    return ClosedBlock(number, slot, "naga", results(number)[:1], void=why, at_ms=2_000)


def record_of(result: MatchResult) -> record_pb2.MatchRecord:
    record = record_pb2.MatchRecord(seed=deal_seed(block_seed(MASTER, result.block), result.deal))
    for bot in result.bots:
        name, version = bot.split("@")
        record.header.players.add(bot=name, version=version)
    record.log.add(seat=0, decision_id="0.1").move.SetInParent()
    record.end.outcome.scores.extend(result.scores)
    return record


def evidence(*blocks: ClosedBlock) -> Evidence:
    """Returns the evidence of a season without a fault; by default one with a void block that was played again."""
    closed = blocks or (counted(0, 0), void(1, 1), counted(1 + NUMBERS_PER_ATTEMPT, 1))
    lines = [block.line() for block in closed]
    standings = arena_pb2.Standings(game="naga")
    standings.rows.add(bot="ada@1", points=6, matches=4, wins=2, draws=2, blocks=2)
    standings.rows.add(bot="bob@2", points=-6, matches=4, losses=2, draws=2, blocks=2)
    return Evidence(
        lines=lines,
        read=lines[:2],
        notices=[Told(block.block, block.void is None) for block in closed],
        planned={block.block: planned(block.block) for block in closed},
        records={result.match_id: record_of(result) for block in closed for result in block.results},
        master=MASTER,
        committed=commitment(MASTER),
        standings=[standings],
        recomputed=[standings],
    )


def counts(season_evidence: Evidence) -> dict[Count, int]:
    """Returns how many findings there are of each count; standings of other blocks than the default ones are not looked
    at.
    """
    if len(season_evidence.lines) != 3:
        season_evidence.standings = season_evidence.recomputed = []
    return dict(Counter(finding.counts_as for finding in check(season_evidence)))


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    assert check(evidence()) == []


def test_an_entry_that_changed_or_went_is_lost() -> None:
    season_evidence = evidence()
    season_evidence.read[0] = counted(0, 0).line().replace(b"naga", b"niekhi")
    assert counts(season_evidence) == {Count.LOST: 1}
    season_evidence = evidence()
    season_evidence.read = [*season_evidence.lines, season_evidence.lines[0]]
    assert counts(season_evidence) == {Count.LOST: 1}


def test_a_slot_or_an_attempt_that_is_missing_is_lost() -> None:
    assert counts(evidence(counted(0, 0), counted(2, 2))) == {Count.LOST: 1}
    assert counts(evidence(counted(NUMBERS_PER_ATTEMPT, 0))) == {Count.LOST: 1}


def test_what_is_there_twice_is_found() -> None:
    twins = evidence(counted(0, 0), counted(0, 0))
    twins.notices = twins.notices[:1]
    assert counts(twins) == {Count.TWICE: 3}  # the block, and each of its results
    assert counts(evidence(counted(0, 0), counted(NUMBERS_PER_ATTEMPT, 0))) == {Count.TWICE: 1}
    assert counts(evidence(counted(0, 0), void(NUMBERS_PER_ATTEMPT, 0))) == {Count.TWICE: 1}


def test_a_block_that_waited_for_a_lease_for_longer_than_may_be_is_stuck() -> None:
    season_evidence = evidence()
    season_evidence.unleased = {0: MAX_UNLEASED_SECONDS, 1: MAX_UNLEASED_SECONDS + 0.5}
    assert [(finding.counts_as, finding.block) for finding in check(season_evidence)] == [(Count.STUCK, 1)]


def test_a_follower_is_told_of_each_block_once_and_rightly() -> None:
    season_evidence = evidence()
    season_evidence.notices.append(season_evidence.notices[0])
    assert counts(season_evidence) == {Count.TWICE: 1}
    season_evidence = evidence()
    season_evidence.notices[0] = Told(0, counted=False)
    assert counts(season_evidence) == {Count.LOST: 1}
    season_evidence = evidence()
    season_evidence.notices[0] = Told(7, counted=True)
    assert counts(season_evidence) == {Count.LOST: 2}


def test_a_block_that_counts_has_the_results_of_all_its_matches_and_of_no_other() -> None:
    whole = counted(0, 0)
    assert counts(evidence(replace(whole, results=whole.results[:1], counting=1))) == {Count.LOST: 1}
    season_evidence = evidence(whole)
    season_evidence.planned = {0: planned(5)}
    assert counts(season_evidence) == {Count.WRONG: 2}


def test_a_result_without_a_record_is_lost_and_one_that_says_otherwise_is_wrong() -> None:
    first = results(0)[0]
    season_evidence = evidence(counted(0, 0))
    season_evidence.records = {**season_evidence.records, first.match_id: "MATCH_NOT_FOUND"}
    assert counts(season_evidence) == {Count.LOST: 1}
    for changed in (replace(first, scores=(1, -1)), replace(first, bots=BOTS[::-1]), replace(first, deal=1)):
        season_evidence = evidence(counted(0, 0))
        season_evidence.records = {**season_evidence.records, first.match_id: record_of(changed)}
        assert counts(season_evidence) == {Count.WRONG: 1}


def test_time_that_ran_out_is_charged_to_somebody() -> None:
    first = results(0)[0]
    season_evidence, record = evidence(counted(0, 0)), record_of(first)
    record.log.add(seat=1, decision_id="1.1").timeout.SetInParent()
    season_evidence.records = {**season_evidence.records, first.match_id: record}
    assert counts(season_evidence) == {Count.CHARGED: 1}


def test_a_forfeit_is_charged_to_somebody() -> None:
    lost = replace(results(0)[0], forfeited="bob@2", forfeit_cause="timeouts")
    season_evidence, record = evidence(replace(counted(0, 0), results=(lost, results(0)[1]))), record_of(lost)
    record.end.forfeited_seat = 1
    record.end.forfeit_cause = record_pb2.FORFEIT_CAUSE_TIMEOUTS
    season_evidence.records = {**season_evidence.records, lost.match_id: record}
    assert counts(season_evidence) == {Count.CHARGED: 1}


def test_an_absence_and_a_withdrawal_are_charged_to_somebody() -> None:
    assert counts(evidence(void(0, 0, "no_show", ("bob@2",)), counted(NUMBERS_PER_ATTEMPT, 0))) == {Count.CHARGED: 1}
    season_evidence = evidence()
    season_evidence.withdrawn = {"bob@2": "it did not connect"}
    assert counts(season_evidence) == {Count.CHARGED: 1}


def test_what_is_left_behind_is_stuck() -> None:
    season_evidence = evidence()
    season_evidence.open_matches, season_evidence.leftovers, season_evidence.hidden = (
        ["m-b9-a"],
        ["block 9 handed out"],
        ["m-b0-a"],
    )
    season_evidence.stands = "no further block was closed"
    assert counts(season_evidence) == {Count.STUCK: 4}


def test_another_master_than_was_committed_to_is_wrong() -> None:
    season_evidence = evidence()
    season_evidence.committed = bytes(32)
    assert counts(season_evidence) == {Count.WRONG: 1}


def test_standings_that_are_not_those_of_the_results_are_wrong() -> None:
    season_evidence = evidence()
    other = arena_pb2.Standings()
    other.CopyFrom(season_evidence.standings[0])
    other.rows[0].rating = 1.0
    season_evidence.recomputed = [other]
    assert counts(season_evidence) == {Count.WRONG: 1}
    season_evidence = evidence()
    season_evidence.standings[0].rows[0].points = 7
    assert counts(season_evidence) == {Count.WRONG: 1}
