"""Blocks and their matches as messages. Only the organiser sees what could give away a block still in play."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from fudaba.v1 import arena_pb2, record_pb2
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.seeds import block_seed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ABSENT, ClosedBlock
from fudaba_arena.store.usage.seat_use import SeatUse

__all__ = ["FORFEITS", "VOIDS", "begun", "block", "counting", "match", "playing"]

VOIDS: Final[Mapping[str, arena_pb2.VoidCause.ValueType]] = {
    "no_show": arena_pb2.VOID_CAUSE_NO_SHOW,
    "organiser": arena_pb2.VOID_CAUSE_ORGANISER,
    "lost": arena_pb2.VOID_CAUSE_LOST,
    "stopped": arena_pb2.VOID_CAUSE_STOPPED,
    "away": arena_pb2.VOID_CAUSE_AWAY,
    "rules_changed": arena_pb2.VOID_CAUSE_RULES_CHANGED,
    "worker_lost": arena_pb2.VOID_CAUSE_WORKER_LOST,
    "worker_slow": arena_pb2.VOID_CAUSE_WORKER_SLOW,
    "no_runtime": arena_pb2.VOID_CAUSE_NO_RUNTIME,
    "suspended": arena_pb2.VOID_CAUSE_SUSPENDED,
    "host": arena_pb2.VOID_CAUSE_HOST,
    "starved": arena_pb2.VOID_CAUSE_STARVED,
    "other_match": arena_pb2.VOID_CAUSE_OTHER_MATCH,
}
FORFEITS: Final[Mapping[str, record_pb2.ForfeitCause.ValueType]] = {
    "resigned": record_pb2.FORFEIT_CAUSE_RESIGNED,
    "timeouts": record_pb2.FORFEIT_CAUSE_TIMEOUTS,
    "illegal": record_pb2.FORFEIT_CAUSE_ILLEGAL,
    "crashed": record_pb2.FORFEIT_CAUSE_CRASHED,
    "cpu": record_pb2.FORFEIT_CAUSE_CPU,
    "limit": record_pb2.FORFEIT_CAUSE_LIMIT,
    ABSENT: record_pb2.FORFEIT_CAUSE_ABSENT,
}


def playing(arena_tournament: ShownTournament) -> set[int]:
    """Returns the numbers of the blocks that are in play."""
    return begun(
        arena_tournament.state,
        {block.number for block in arena_tournament.plan.open} if arena_tournament.plan is not None else (),
    )


def begun(state: ScheduledTournament, opened: Collection[int] = ()) -> set[int]:
    """Returns the same for a tournament of which only the stored part is known. `opened` lists its open blocks."""
    stored = state.stored
    if stored.closed:
        return set()  # matches that were not over by then are left out for good
    played = {result.block for result in list(stored.results.values())}
    return {number for number in {*opened, *played} if number not in stored.blocks.places}


def block(
    state: ScheduledTournament, planned_block: Block, playing: Collection[int] = (), parked: Collection[int] = ()
) -> arena_pb2.Block:
    """Returns a block. `playing` and `parked` are the numbers of the blocks in play and of the parked blocks."""
    stored = state.stored
    block_message = arena_pb2.Block(
        number=planned_block.number,
        slot=planned_block.slot,
        attempt=planned_block.attempt,
        game=planned_block.game,
        bots=planned_block.bots,
        state=arena_pb2.BLOCK_STATE_PLANNED,
        match_count=len(planned_block.matches),
        deal_count=planned_block.deals,
        seed=block_seed(stored.master, planned_block.number, planned_block.generation) if stored.closed else b"",
    )
    void = stored.blocks.void.get(planned_block.number)
    if void is not None:
        block_message.state = arena_pb2.BLOCK_STATE_VOID
        block_message.void_cause = VOIDS.get(void.cause, arena_pb2.VOID_CAUSE_UNSPECIFIED)
        block_message.absent_bots.extend(void.bots)
        block_message.void_match_id = void.match_id
        block_message.void_time.FromMilliseconds(void.at_ms)
    elif planned_block.number in stored.blocks.annulled:
        block_message.state = arena_pb2.BLOCK_STATE_ANNULLED
        block_message.annul_reason = stored.blocks.annulled[planned_block.number].reason
        block_message.annul_time.FromMilliseconds(stored.blocks.annulled[planned_block.number].at_ms)
    elif planned_block.number in stored.blocks.places:
        block_message.state = arena_pb2.BLOCK_STATE_COUNTED
        reduced = stored.blocks.reduced.get(planned_block.number)
        if reduced is not None:
            struck = reduced.struck.intersection(planned_block.bots)
            block_message.annulled_bots.extend(sorted(reduced.bots | struck))
            block_message.annul_reason = reduced.latest.reason
            block_message.annul_time.FromMilliseconds(reduced.latest.at_ms)
    elif planned_block.number in parked:
        block_message.state = arena_pb2.BLOCK_STATE_PARKED
    elif planned_block.number in playing:
        block_message.state = arena_pb2.BLOCK_STATE_PLAYING
    return block_message


def match(
    state: ScheduledTournament,
    planned_block: Block,
    closed: ClosedBlock | None,
    planned: PlannedMatch,
    *,
    organiser: bool,
) -> arena_pb2.TournamentMatch:
    """Returns a match of a block that has begun. `closed` is the block once it is closed, None while it is open."""
    tournament_match = arena_pb2.TournamentMatch(
        match_id=planned.match_id,
        block=planned_block.number,
        game=planned_block.game,
        bots=planned.bots,
        counting=counting(state, closed, planned.match_id, planned.bots),
    )
    if tournament_match.counting == arena_pb2.MATCH_COUNTING_OPEN and not organiser:
        return tournament_match
    tournament_match.deal = planned.deal
    known = state.stored.results.values() if closed is None else closed.results
    result = next((known_result for known_result in known if known_result.match_id == planned.match_id), None)
    if result is not None:
        tournament_match.scores.extend(result.scores)
        tournament_match.end_time.FromMilliseconds(result.ended_ms)
        tournament_match.worker = result.worker if organiser else ""
        if result.forfeited:
            tournament_match.forfeited_seat = result.bots.index(result.forfeited)
            tournament_match.forfeit_cause = FORFEITS.get(result.forfeit_cause, record_pb2.FORFEIT_CAUSE_UNSPECIFIED)
        tournament_match.seat_uses.extend(map(_seat_use, result.used_under(state.terms(planned_block.slot).limits)))
    return tournament_match


def _seat_use(stored_use: SeatUse) -> arena_pb2.SeatUse:
    seat_use = arena_pb2.SeatUse(
        seat=stored_use.seat,
        runtime=stored_use.runtime,
        sandbox=stored_use.sandbox,
        not_enforced=stored_use.not_enforced,
        memory_limit=stored_use.memory_limit,
        memory=stored_use.memory,
        starts=stored_use.starts,
        own_cores=stored_use.own_cores,
    )
    seat_use.cpu.FromMilliseconds(stored_use.cpu_ms)
    seat_use.wall.FromMilliseconds(stored_use.wall_ms)
    return seat_use


def counting(
    state: ScheduledTournament, closed: ClosedBlock | None, match_id: str, bots: Collection[str]
) -> arena_pb2.MatchCounting.ValueType:
    """Returns whether a match counts. `closed` is its block once it is closed, None while it is open."""
    if closed is None:
        return arena_pb2.MATCH_COUNTING_OPEN
    if closed.void is not None:
        return arena_pb2.MATCH_COUNTING_VOID
    if not state.stored.blocks.match_counts(closed.block, bots):
        return arena_pb2.MATCH_COUNTING_ANNULLED
    counts = any(result.match_id == match_id for result in closed.counted)
    return arena_pb2.MATCH_COUNTING_COUNTED if counts else arena_pb2.MATCH_COUNTING_LEFT_OUT
