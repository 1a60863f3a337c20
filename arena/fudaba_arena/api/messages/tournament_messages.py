"""Tournaments as messages. Only the organiser sees what could give away a block still in play."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping
from math import isfinite
from typing import Final

from fudaba.v1 import arena_pb2, record_pb2
from fudaba_arena.api.messages.definition_messages import definition
from fudaba_arena.api.shown_tournament import ShownTournament
from fudaba_arena.ladder.finals import FINAL_BLOCKS, MIXED_BLOCKS, SEASON_BLOCKS
from fudaba_arena.ladder.ladders import Ladder, Ladders
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.obstacles import Obstacle
from fudaba_arena.play.tournaments.journal import JournalChange
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.fault_counts import forfeit_counts, void_cause_counts
from fudaba_arena.schedule.seeds import block_seed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.closed_block import ABSENT, ClosedBlock
from fudaba_arena.store.tournaments.entries import (
    DISQUALIFY,
    ENTER,
    FREEZE,
    LEAVE,
    PAUSE,
    REINSTATE,
    RESUME,
    EntryChange,
)
from fudaba_arena.store.usage.seat_use import SeatUse

__all__ = [
    "FORFEITS",
    "RATED_ON",
    "VOIDS",
    "begun",
    "block",
    "change",
    "counting",
    "forfeits",
    "match",
    "playing",
    "progress",
    "standings",
    "swiss",
    "tournament",
    "voids",
]

_STATES: Final[Mapping[str, arena_pb2.TournamentState.ValueType]] = {
    "playing": arena_pb2.TOURNAMENT_STATE_PLAYING,
    "paused": arena_pb2.TOURNAMENT_STATE_PAUSED,
    "stalled": arena_pb2.TOURNAMENT_STATE_STALLED,
    "closed": arena_pb2.TOURNAMENT_STATE_CLOSED,
}
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
RATED_ON: Final[Mapping[str, arena_pb2.RatedBlocks.ValueType]] = {
    "": arena_pb2.RATED_BLOCKS_UNSPECIFIED,
    SEASON_BLOCKS: arena_pb2.RATED_BLOCKS_SEASON,
    FINAL_BLOCKS: arena_pb2.RATED_BLOCKS_FINAL,
    MIXED_BLOCKS: arena_pb2.RATED_BLOCKS_MIXED,
}
_CHANGES: Final[Mapping[str, arena_pb2.EntryChangeKind.ValueType]] = {
    ENTER: arena_pb2.ENTRY_CHANGE_KIND_ENTERED,
    PAUSE: arena_pb2.ENTRY_CHANGE_KIND_PAUSED,
    RESUME: arena_pb2.ENTRY_CHANGE_KIND_RESUMED,
    LEAVE: arena_pb2.ENTRY_CHANGE_KIND_LEFT,
    FREEZE: arena_pb2.ENTRY_CHANGE_KIND_FROZEN,
    DISQUALIFY: arena_pb2.ENTRY_CHANGE_KIND_DISQUALIFIED,
    REINSTATE: arena_pb2.ENTRY_CHANGE_KIND_REINSTATED,
}
_ABSENT: Final = "it did not connect"


def tournament(arena_tournament: ArenaTournament, parked: Collection[int], *, organiser: bool) -> arena_pb2.Tournament:
    """Returns a tournament as it is now. `parked` has the numbers of its parked blocks."""
    state = arena_tournament.state
    stored = state.stored
    stalled = arena_tournament.obstacle if organiser and arena_tournament.state_name == "stalled" else None
    message = arena_pb2.Tournament(
        name=arena_tournament.name,
        tournament_id=state.id,
        state=_STATES[arena_tournament.state_name],
        stalled_because=stalled.text if stalled is not None else "",
        stall_reason=_stall_reason(stalled) if stalled is not None else None,
        definition=definition(state.tournament),
        commitment=bytes.fromhex(state.commitment),
        master=stored.master if stored.closed else b"",
        progress=progress(state, parked, arena_tournament.matches_playing),
        withdrawals=[_withdrawal(state, bot, organiser=organiser) for bot in sorted(stored.withdrawn)],
    )
    season = state.tournament.season
    if season is not None and season.standings_frozen(int(time.time() * 1000)):
        message.standings_frozen_time.FromMilliseconds(season.standings_freeze_ms)
        if season.standings_open_ms:
            message.standings_open_time.FromMilliseconds(season.standings_open_ms)
    return message


def progress(state: ScheduledTournament, parked: Collection[int], playing: int = 0) -> arena_pb2.TournamentProgress:
    """Returns how far a tournament is. `playing` is the number of its matches in play."""
    stored = state.stored
    return arena_pb2.TournamentProgress(
        matches_counted=state.matches_counted,
        matches_planned=state.schedule.matches if state.schedule.whole else None,
        matches_playing=playing,
        blocks_counted=stored.blocks.counted - len(stored.blocks.annulled),
        blocks_planned=len(state.schedule) if state.schedule.whole else None,
        blocks_void=len(stored.blocks.void),
        blocks_parked=len(parked),
        complete=state.complete,
    )


def _stall_reason(stalled: Obstacle) -> arena_pb2.StallReason:
    return arena_pb2.StallReason(
        cause=arena_pb2.StallCause.Value(f"STALL_CAUSE_{stalled.cause.name}"),
        blocks_parked=stalled.parked,
        blocks=stalled.blocks,
        round=stalled.round_number,
        rounds=stalled.rounds,
        fault=stalled.fault,
    )


def _withdrawal(state: ScheduledTournament, bot: str, *, organiser: bool) -> arena_pb2.Withdrawal:
    why = state.stored.withdrawn.get(bot, "")
    cause = arena_pb2.WITHDRAWAL_CAUSE_UNSPECIFIED  # the withdrawal may be long past, and the bot plays again
    if why:
        absent = why.startswith(_ABSENT)
        cause = arena_pb2.WITHDRAWAL_CAUSE_NO_SHOW if absent else arena_pb2.WITHDRAWAL_CAUSE_PROCESS_ENDED
    return arena_pb2.Withdrawal(bot=bot, cause=cause, message=why if organiser else "")


def change(arena_tournament: ShownTournament, noted: JournalChange, *, organiser: bool) -> arena_pb2.TournamentChange:
    """Returns a change as followers see it."""
    tournament_change = arena_pb2.TournamentChange()
    tournament_change.time.FromMilliseconds(noted.at_ms)
    if noted.kind in {"block", "annulled", "restored"}:
        tournament_change.block.CopyFrom(
            block(arena_tournament.state, arena_tournament.state.schedule.block(int(noted.subject)))
        )
    elif noted.kind == "entry":
        tournament_change.entry.CopyFrom(
            _entry_change(arena_tournament.state.stored.entries.changes[int(noted.subject)])
        )
    elif noted.kind == "withdrawal":
        tournament_change.withdrawal.CopyFrom(
            _withdrawal(arena_tournament.state, str(noted.subject), organiser=organiser)
        )
    else:
        tournament_change.state = _STATES[str(noted.subject)]
    return tournament_change


def _entry_change(change: EntryChange) -> arena_pb2.EntryChange:
    return arena_pb2.EntryChange(kind=_CHANGES[change.kind], bot=change.bot, version=change.version)


def swiss(state: ScheduledTournament) -> list[arena_pb2.SwissStandings]:
    """Returns the standings of the bots in each game of a Swiss; empty for other formats."""
    games = state.swiss()
    swiss_standings, found = [], lookalikes(state.tournament.bots) if games else {}
    for game, rows in games.items():
        often = Counter(row.rank for row in rows)
        swiss_standings.append(
            arena_pb2.SwissStandings(
                game=game,
                rounds_begun=len(state.stored.rounds),
                rounds=state.tournament.format.rounds,
                rows=[
                    arena_pb2.SwissStanding(
                        rank=row.rank,
                        tied=often[row.rank] > 1,
                        bot=row.bot,
                        victory_points=float(row.victory_points),
                        rounds_played=row.rounds,
                        byes=row.byes,
                        looks_like=found.get(state.entrants[row.bot].bot, ""),
                    )
                    for row in rows
                ],
            )
        )
    return swiss_standings


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


def standings(ladders: Ladders) -> list[arena_pb2.Standings]:
    """Returns the standings: overall first, where there are several games."""
    return [_standings(name, ladder, ladders.point) for name, ladder in ladders.named().items()]


def forfeits(state: ScheduledTournament) -> list[arena_pb2.ForfeitCount]:
    """Returns how many counting matches each bot forfeited."""
    return [
        arena_pb2.ForfeitCount(bot=bot, cause=FORFEITS.get(cause, record_pb2.FORFEIT_CAUSE_UNSPECIFIED), matches=number)
        for bot, causes in sorted(forfeit_counts(state).items())
        for cause, number in sorted(causes.items())
    ]


def voids(state: ScheduledTournament, *, named: bool = False) -> list[arena_pb2.VoidCount]:
    """Counts the void blocks of each bot, by cause. `named` is as for `void_counts`."""
    return [
        arena_pb2.VoidCount(bot=bot, cause=VOIDS.get(cause, arena_pb2.VOID_CAUSE_UNSPECIFIED), blocks=number)
        for bot, causes in sorted(void_cause_counts(state, named=named).items())
        for cause, number in sorted(causes.items())
    ]


def _standings(name: str, ladder: Ladder, point: int) -> arena_pb2.Standings:
    fit = ladder.fit
    standings_message = arena_pb2.Standings(
        game=name,
        rows=[_standing(row) for row in ladder.rows],
        confidence=fit.confidence,
        spread=fit.spread,
        deal_luck=fit.deal_luck,
        rated_on=RATED_ON[ladder.rated_on],
        point=point,
    )
    for seat in fit.seats:
        bounds = {"low": seat.low, "high": seat.high} if isfinite(seat.low) and isfinite(seat.high) else {}
        standings_message.seat_advantages.add(seat=seat.seat, advantage=seat.advantage, **bounds)
    return standings_message


def _standing(row: Standing) -> arena_pb2.Standing:
    standing = arena_pb2.Standing(
        rank=row.rank,
        bot=row.bot,
        version=row.version,
        rating=row.rating,
        low=row.low if isfinite(row.half) else None,
        high=row.high if isfinite(row.half) else None,
        points=row.points,
        matches=row.matches,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        share=row.share,
        blocks=row.blocks,
        void_blocks=row.voids,
        component=row.component,
        provisional=row.provisional,
        looks_like=row.looks_like,
        idle=row.idle,
        entered_versions=row.entered_versions,
        changes_with_time=row.changes,
        expected_share=row.expected_share,
        expected_low=row.expected_low,
        expected_high=row.expected_high,
        panel=row.panel,
    )
    if row.last_played_ms:
        standing.last_played_time.FromMilliseconds(row.last_played_ms)
    if row.disqualified_ms:
        standing.disqualify_time.FromMilliseconds(row.disqualified_ms)
    return standing
